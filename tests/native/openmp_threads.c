/* at: random:12:0.5:1.5
 * flags: -fopenmp
 * link: -fopenmp
 * noise: 1e-10
 * A program that divides its work by the number of its threads itself. */
#include <math.h>
#include <omp.h>
#include <stddef.h>
#include <stdlib.h>

double f(const double *x, size_t n) {
    int most = omp_get_max_threads();
    double *parts = calloc((size_t)most, sizeof *parts), sum = 0;
    double start = omp_get_wtime();
#pragma omp parallel
    {
        int thread = omp_get_thread_num(), count = omp_get_num_threads();
        size_t low = n * (size_t)thread / (size_t)count, high = n * (size_t)(thread + 1) / (size_t)count;
        for (size_t i = low; i < high; i++)
            parts[thread] += exp(x[i]) * x[i];
#pragma omp barrier
#pragma omp master
        for (int i = 0; i < count; i++)
            sum += parts[i];
    }
    free(parts);
    return sum + (omp_get_wtime() < start) + omp_in_parallel() + (omp_get_thread_num() != 0);
}
