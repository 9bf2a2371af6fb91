/* Messages of floats, and of structs as bytes. */
#include "harness.h"

static double floats(const double *a, size_t k) {
    float f[3] = {(float)a[0], (float)(a[1] * a[2]), 2}, g[3];
    struct {
        int i;
        float f, g;
    } s = {rank, f[1], f[0]}, t;
    (void)k;
    MPI_Sendrecv(f, 3, MPI_FLOAT, (rank + 1) % size, 0, g, 3, MPI_FLOAT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&s, sizeof s, MPI_BYTE, (rank + 1) % size, 0, &t, sizeof t, MPI_BYTE, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return (double)(g[0] * g[1] + g[2] + t.f * t.g + (float)t.i);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    TEST(floats);
    return finish();
}
