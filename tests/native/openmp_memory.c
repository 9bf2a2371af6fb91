/* at: random:12:0.5:1.5
 * flags: -fopenmp
 * link: -fopenmp
 * noise: 1e-10
 * Memory from OpenMP's allocators; teams, distribute, loop; regions in functions that are called through
 * pointers. */
#include <math.h>
#include <omp.h>
#include <stddef.h>

typedef double weigh(const double *x, size_t n);

static double squares(const double *x, size_t n) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

static double cubes(const double *x, size_t n) {
    double sum = 0;
#pragma omp teams distribute parallel for reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i] * x[i];
    return sum;
}

double f(const double *x, size_t n) {
    double *y = omp_alloc(n * sizeof *y, omp_default_mem_alloc), sum = 0, own = 0;
    weigh *const all[] = {squares, cubes};
#pragma omp parallel for private(own) allocate(omp_default_mem_alloc : own)
    for (size_t i = 0; i < n; i++) {
        own = sin(x[i]);
        y[i] = own * x[(i + 1) % n];
    }
#pragma omp teams distribute
    for (size_t i = 0; i < n; i++)
        y[i] += 0.5 * x[i];
#pragma omp parallel
    {
#pragma omp loop
        for (size_t i = 0; i < n; i++)
            y[i] *= x[i];
    }
    for (size_t k = 0; k < 2 * n; k++)
        sum += all[k % 2](y, n) / (double)(k + 1);
    omp_free(y, omp_default_mem_alloc);
    return sum;
}
