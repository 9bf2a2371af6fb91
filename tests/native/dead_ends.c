/* at: 0.7,1.1,0.25
 * flags: -fno-inline
 * Code that is never reached but could be: abort, assert, exit, unknown cases; and numbers that are not used. */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static double checked_root(double u) {
    assert(u >= 0);
    if (isnan(u)) {
        fprintf(stderr, "not a number\n");
        exit(3);
    }
    return sqrt(u);
}

static double unused(const double *x, double *out) {
    double nowhere = exp(x[0]) * x[1];
    *out = nowhere * 2;
    return x[2];
}

static double choose(int kind, double u) {
    switch (kind) {
    case 0: return u * u;
    case 1: return cos(u);
    default: abort();
    }
}

double f(const double *x, size_t n) {
    double ignored, sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += checked_root(x[i]) * choose((int)i & 1, x[i]);
    return sum * unused(x, &ignored);
}
