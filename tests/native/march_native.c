/* at: random:24:-1:1
 * flags: -O3 -march=native
 * Compiled for this very processor: loops that wide vectors are made for. */
#include <math.h>
#include <stddef.h>

double f(const double *x, size_t n) {
    double a[24], b[24], sum = 0;
    for (size_t i = 0; i < n; i++)
        a[i] = x[i] * x[i] + 0.5;
    for (size_t i = 0; i < n; i++)
        b[i] = a[i] > 0.8 ? sqrt(a[i]) : a[n - 1 - i] * x[i];
    for (size_t i = 1; i < n; i++)
        a[i] += b[i] * b[i - 1];
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}
