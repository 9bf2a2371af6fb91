/* message: f calls MPI_File_write: files of MPI have no adjoint */
#include <mpi.h>
#include <verso/native.h>

static MPI_File file;

static double f(const double *x, size_t n) {
    MPI_File_write(file, x, (int)n, MPI_DOUBLE, MPI_STATUS_IGNORE);
    return x[0];
}

int main(int argc, char **argv) {
    double x[1] = {1}, g[1];
    MPI_Init(&argc, &argv);
    return verso_gradient(f, x, 1, g, NULL, NULL, NULL) != VERSO_STATUS_OK;
}
