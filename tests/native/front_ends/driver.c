/* at: 0.7,-1.1
 * Functions of part.ll call those of this file in ways that no C compiler writes. */
#include <math.h>
#include <stddef.h>

double part(double v, double w);

double weigh(const double *weights, double w) {
    return weights[0] * w + weights[1] * w * w;
}

void raise(double *at) {
    *at = exp(*at) * *at;
}

double f(const double *x, size_t n) {
    return part(x[0], x[1]) + x[n - 1];
}
