/* A member of the static library that calls back, and another member. */
#include "model.h"

#include <math.h>

static int counter;

static double weight(double u) {
    counter++;
    return sin(u);
}

double model_integrate(double (*given)(double), const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += given(x[i]) * weight(x[(i + 1) % n]);
        shared_level += 0.1 * sum;
        sum *= model_level(sum);
    }
    return sum;
}
