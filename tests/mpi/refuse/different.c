/* message: the ranks return different values, from 1 to 4, so it is not clear whose gradient is wanted */
#include <mpi.h>
#include <stdio.h>
#include <verso/native.h>

static double f(const double *x, size_t n) {
    (void)n;
    MPI_Barrier(MPI_COMM_WORLD);
    return x[0] * x[0];
}

int main(int argc, char **argv) {
    int rank;
    verso_error error;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double x[1] = {rank > 0 ? 2 : 1}, g[1];
    if (verso_gradient(f, x, 1, g, NULL, NULL, &error) != VERSO_STATUS_OK)
        fprintf(stderr, "%s\n", error.message);
    MPI_Finalize();
    return 1;
}
