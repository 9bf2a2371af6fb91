/* Included by `verso cc` before sources that are compiled with the headers of MPI: notes in the object file where these
 * are, for the link (cc/driver/mpi.c). */
#pragma clang system_header
__attribute__((used, section("verso_mpi"))) static const char verso__mpi_folder[] = VERSO__MPI_FOLDER;
