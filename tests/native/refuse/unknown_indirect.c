/* at: 0.7,1.1
 * refused: run
 * foreign: library.c
 * message: mystery.*VERSO_CUSTOM_ADJOINT.*VERSO_INACTIVE
 * The unknown function is only called by one whose address is in a table: whether it is called, the run shows. */
#include <math.h>
#include <stddef.h>

double mystery(double u);

static double wrapped(double u) {
    return mystery(u) * 2;
}

static double (*const table[])(double) = {sin, wrapped, cos};

double f(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += table[i % 3](x[i]);
    return sum;
}
