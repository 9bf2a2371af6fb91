/* at: 0.7,1.1,-0.4
 * flags: -fopenmp
 * foreign: libatomic.c
 * Atomic changes of a long double, which are function calls, and OpenMP's, in one thread. */
#include <stddef.h>

static _Atomic long double total;

double f(const double *x, size_t n) {
    double sum = 0, product = 1, most;
    long double wide = 0;
    total = 0;
    for (size_t i = 0; i < n; i++) {
        total += x[i] * x[i];
#pragma omp atomic
        sum += x[i] * (double)total;
#pragma omp atomic seq_cst
        product *= x[i];
#pragma omp atomic
        wide -= x[i];
    }
#pragma omp atomic read
    most = sum;
    return sum * product + (double)(total * wide) + most;
}
