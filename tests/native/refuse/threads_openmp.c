/* at: 0.7,1.1,0.4
 * refused: link
 * flags: -fopenmp
 * foreign: openmp.c
 * message: threads_openmp\.c:(9|1[0-9]): .*(OpenMP|thread)
 * A parallel loop. */
#include <math.h>
#include <stddef.h>

double f(const double *x, size_t n) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += sin(x[i]) * x[i];
    return sum;
}
