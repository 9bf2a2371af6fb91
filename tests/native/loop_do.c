/* at: 0.9,0.2
 * Loops that test at the end: at least one pass, also when the condition is false from the start. */
#include <math.h>
#include <stddef.h>

double f(const double *x, size_t n) {
    (void)n;
    double u = x[0], v = x[1];
    int passes = 0;
    do {
        u = cos(u) * x[0];
        v += u * v;
    } while (++passes < 7);
    do
        v *= u;
    while (v > 1e9);
    do {
        double w = v;
        do {
            w = w * w * 0.5 + x[1];
        } while (w < 0.5 && ++passes < 20);
        v = sin(v + w);
    } while (passes++ < 12);
    return u + v;
}
