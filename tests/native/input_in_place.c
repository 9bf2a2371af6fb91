/* at: 0.7,1.1,0.25,2.0
 * The input is copied and then updated in place, also by functions that take it as constant and as not. */
#include <math.h>
#include <stddef.h>
#include <string.h>

static void normalise(double *v, size_t n) {
    double norm = 0;
    for (size_t i = 0; i < n; i++)
        norm += v[i] * v[i];
    norm = sqrt(norm);
    for (size_t i = 0; i < n; i++)
        v[i] /= norm;
}

static void prefix_sums(double *v, size_t n) {
    for (size_t i = 1; i < n; i++)
        v[i] += v[i - 1];
}

static double energy(const double *v, size_t n) {
    double sum = 0;
    for (size_t i = 0; i + 1 < n; i++)
        sum += v[i] * v[i + 1];
    return sum;
}

double f(const double *x, size_t n) {
    double work[4], before;
    memcpy(work, x, sizeof work);
    for (int round = 0; round < 3; round++) {
        before = energy(work, n);
        prefix_sums(work, n);
        work[round] *= before;
        normalise(work, n);
        work[0] = work[n - 1] + x[round];
    }
    return energy(work, n) + before * energy(x, n);
}
