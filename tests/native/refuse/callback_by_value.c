/* at: 0.7,1.1
 * refused: run
 * flags: -fno-inline
 * foreign: library.c
 * message: callback_by_value\.c:[0-9]+: .*not compiled by `verso cc`
 * A function of a foreign library calls back with a large structure by value. */
#include <stddef.h>
#include <verso/native.h>

typedef struct large {
    double values[8];
} large;

typedef double (*caller)(double (*callback)(large), const double *x);
VERSO_INACTIVE caller mystery_caller(void);

static double product(large l) {
    return l.values[0] * l.values[1] * l.values[7];
}

double f(const double *x, size_t n) {
    return mystery_caller()(product, x) * x[n - 1];
}
