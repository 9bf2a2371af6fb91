/* at: 0.7,1.1
 * noise: 2e-6
 * flags: -fno-inline
 * Functions that return what they also keep in memory, to callers none of which has a derivative by the result. */
#include <stddef.h>

static double square(double *number) {
    return *number = *number * *number;
}

static double *scale(double *number, double by) {
    *number *= by;
    return number;
}

static float halve(float *number) {
    return *number /= 2;
}

double f(const double *x, size_t n) {
    double a = x[0] * x[n - 1], b = x[1];
    float c = (float)x[0];
    int k = (int)square(&a);
    if (halve(&c) > 3)
        k++;
    scale(scale(&b, x[0]), a);
    return a * x[0] * (k + 3) + b * (double)c;
}
