/* at: 0.37,-0.8,1.6,0.05
 * Functions with many returns, some of them in loops. */
#include <math.h>
#include <stddef.h>

static double piece(double u) {
    if (u < -0.5)
        return u * u * u;
    if (u < 0)
        return -u;
    for (int i = 1; i < 6; i++) {
        if (u * i > 2)
            return log(u) * i;
        if (u * i > 0.9)
            return u * sqrt(i);
    }
    return u * u + 1;
}

static void clip(double *value, double limit) {
    if (*value < limit)
        return;
    *value = limit + log(1 + *value - limit);
}

double f(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += piece(x[i]) * (double)(i + 1);
        clip(&sum, 1.0);
    }
    return sum;
}
