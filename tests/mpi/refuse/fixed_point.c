/* message: MPI_Allreduce is called in the step of a fixed point */
#include <mpi.h>
#include <stdio.h>
#include <verso/native.h>

static double u, p;

static void step(void *context) {
    double all;
    (void)context;
    MPI_Allreduce(&u, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    u = 0.1 * all + p;
}

static double f(const double *x, size_t n) {
    (void)n;
    p = x[0];
    u = 0;
    verso_fixed_point(step, NULL, &u, 1, NULL);
    return u;
}

int main(int argc, char **argv) {
    double x[1] = {1}, g[1];
    verso_error error;
    MPI_Init(&argc, &argv);
    if (verso_gradient(f, x, 1, g, NULL, NULL, &error) != VERSO_STATUS_OK)
        fprintf(stderr, "%s\n", error.message);
    MPI_Finalize();
    return 1;
}
