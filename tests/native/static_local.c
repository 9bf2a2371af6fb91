/* at: 0.7,1.1,0.25
 * flags: -fno-inline
 * Static variables in functions: they outlive the call, and f puts them back at its start. */
#include <math.h>
#include <stddef.h>

static double running_mean(double u, int reset) {
    static double mean;
    static int count;
    if (reset)
        mean = 0, count = 0;
    count++;
    mean += (u - mean) / count;
    return mean;
}

static const double *history(double u, int reset) {
    static double last[3] = {9, 9, 9};
    static double *at = last;
    if (reset) {
        last[0] = last[1] = last[2] = 0;
        at = last;
    }
    *at = u;
    at = at == last + 2 ? last : at + 1;
    return last;
}

double f(const double *x, size_t n) {
    double sum = 0;
    for (int i = 0; i < 8; i++) {
        double u = sin(x[(size_t)i % n] * (i + 1));
        const double *h = history(u, i == 0);
        sum += running_mean(u, i == 0) * h[1] + h[0] * h[2];
    }
    return sum;
}
