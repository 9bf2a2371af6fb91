/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * A program of several files, two of them in a static library of which one member is not needed: statics of one name in
 * two files, a global that is shared, a function that the library calls back. */
#include "model.h"

#include <math.h>

static int counter;
static double weight(double u) {
    counter++;
    return u * u + 0.1;
}

double shared_level = 1;

double f(const double *x, size_t n) {
    counter = 0;
    shared_level = x[0];
    double sum = model_integrate(weight, x, n);
    return sum * model_level(x[n - 1]) + counter * 0.01 * x[1];
}
