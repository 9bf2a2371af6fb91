/* message: MPI_Type_contiguous: it makes an object of MPI in a durable run */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <verso/native.h>

static double f(const double *x, size_t n) {
    double all;
    MPI_Datatype type;
    (void)n;
    MPI_Type_contiguous(1, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Allreduce(x, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    return all;
}

int main(int argc, char **argv) {
    double x[1] = {1}, g[1];
    char directory[32];
    int rank;
    verso_error error;
    verso_run_options run;
    verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(directory, sizeof directory, "run-%d", rank);
    verso_run_options_init(&run);
    run.automatic = true;
    run.memory = 10000000;
    run.directory = directory;
    options.run = &run;
    if (verso_gradient(f, x, 1, g, &options, NULL, &error) != VERSO_STATUS_OK)
        fprintf(stderr, "%s\n", error.message);
    MPI_Finalize();
    return 1;
}
