/* message: f calls MPI_Put: one-sided communication has no adjoint */
#include <mpi.h>
#include <verso/native.h>

static MPI_Win window;

static double f(const double *x, size_t n) {
    MPI_Win_fence(0, window);
    MPI_Put(x, (int)n, MPI_DOUBLE, 0, 0, (int)n, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    return x[0];
}

int main(int argc, char **argv) {
    double x[1] = {1}, g[1];
    MPI_Init(&argc, &argv);
    return verso_gradient(f, x, 1, g, NULL, NULL, NULL) != VERSO_STATUS_OK;
}
