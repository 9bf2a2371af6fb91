/* MPI and OpenMP in one program: threads compute, the first thread communicates. */
#include "harness.h"

enum { CELLS = 40 };

static double heat(const double *p, size_t count) {
    double u[CELLS + 2], v[CELLS + 2], sum = 0, all;
    for (int i = 0; i < CELLS + 2; i++)
        u[i] = p[(size_t)i % count] * (1 + 0.01 * i);
    for (int step = 0; step < 12; step++) {
        int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
        MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, left, 0, &u[CELLS + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(&u[CELLS], 1, MPI_DOUBLE, right, 1, &u[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
#pragma omp parallel for schedule(static)
        for (int i = 1; i <= CELLS; i++)
            v[i] = u[i] + 0.2 * (u[i - 1] - 2 * u[i] + u[i + 1]) - 0.01 * u[i] * u[i] * u[i];
#pragma omp parallel for schedule(static)
        for (int i = 1; i <= CELLS; i++)
            u[i] = v[i];
    }
#pragma omp parallel for reduction(+ : sum)
    for (int i = 1; i <= CELLS; i++)
        sum += (1 + 0.1 * i) * u[i] * u[i];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* The master thread communicates within a parallel region. */
static double within(const double *p, size_t count) {
    double got[MOST] = {0}, sum = 0;
#pragma omp parallel
    {
#pragma omp master
        MPI_Allreduce(p, got, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#pragma omp barrier
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < (int)count; i++)
            sum += got[i % 4] * sin(p[i]) * p[i];
    }
    return sum;
}

int main(int argc, char **argv) {
    begin(argc, argv);
    TEST(heat);
    TEST(within);
    return finish();
}
