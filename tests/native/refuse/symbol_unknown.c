/* at: 0.3,1.1
 * refused: run
 * message: symbol_unknown.c:[0-9]+: a function was called through a pointer that was not compiled by `verso cc`
 * A function of the C library that Verso has no rule for, found by its name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

double f(const double *x, size_t n) {
    double (*rest)(double, double) = (double (*)(double, double))dlsym(RTLD_DEFAULT, "drem");
    return x[0] * x[n - 1] * rest(x[0], x[1]);
}
