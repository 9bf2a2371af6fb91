/* at: 0.45,0.521,0.592
 * flags: -fno-inline
 * Recursion out of loops whose bodies need nothing of the forward run. */
#include <stddef.h>

static double climb(const double *x, size_t n, int depth, double s) {
    for (int i = 0; i < 3; i++) {
        s = s * 0.5 + 0.25;
        if (depth > 0 && (i != 1 || (depth & 1)))
            s = climb(x, n, depth - 1, s * 0.75);
        s = s * 0.9;
    }
    return depth % 2 == 0 ? s * x[(size_t)depth % n] : s;
}

double f(const double *x, size_t n) {
    double r = 0;
    for (size_t i = 0; i < n; i++)
        r += climb(x, n, 4, x[i]);
    return r * r;
}
