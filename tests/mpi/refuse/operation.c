/* message: MPI_Allreduce: it reduces numbers by an operation whose derivative Verso does not know */
#include <mpi.h>
#include <stdio.h>
#include <verso/native.h>

static MPI_Op norm;

static void combine(void *a, void *b, int *count, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *count; i++)
        ((double *)b)[i] = ((double *)a)[i] * ((double *)a)[i] + ((double *)b)[i];
}

static double f(const double *x, size_t n) {
    double all;
    (void)n;
    MPI_Allreduce(x, &all, 1, MPI_DOUBLE, norm, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv) {
    double x[1] = {1}, g[1];
    verso_error error;
    MPI_Init(&argc, &argv);
    MPI_Op_create(combine, 1, &norm);
    if (verso_gradient(f, x, 1, g, NULL, NULL, &error) != VERSO_STATUS_OK)
        fprintf(stderr, "%s\n", error.message);
    MPI_Finalize();
    return 1;
}
