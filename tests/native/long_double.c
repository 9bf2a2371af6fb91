/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * Extended precision: arithmetic, arrays, structs, arguments and results, functions of math.h. */
#include <math.h>
#include <stddef.h>

typedef struct extended {
    long double value;
    double rest;
    int terms;
} extended;

static long double series(double u, int terms) {
    long double sum = u;
    for (int i = 1; i < terms; i++)
        sum = sum / 3.0L + (long double)i * u;
    return sum;
}

static extended accumulate(extended e, long double term) {
    e.value += term * term;
    e.rest += (double)(term / (1 + term));
    e.terms++;
    return e;
}

double f(const double *x, size_t n) {
    long double table[4] = {0}, product = 1;
    extended e = {0, x[1], 0};
    for (size_t i = 0; i < n; i++) {
        table[i] = series(x[i], 5) + sinl(x[i]);
        product *= table[i];
        e = accumulate(e, table[i]);
    }
    long double swapped = table[0];
    table[0] = table[3];
    table[3] = swapped;
    return (double)(product * 0.01L + table[0] * x[1] + expl(-table[2]) + sqrtl(e.value)) + e.rest * e.terms;
}
