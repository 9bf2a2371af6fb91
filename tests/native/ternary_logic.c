/* at: 0.5,1.2,-0.7,2.3
 * ?: and && and || with sides that are computed or not; choices between numbers and between pointers. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static bool positive(double u, double *seen) {
    *seen += 0.1 * u * u;
    return u > 0;
}

double f(const double *x, size_t n) {
    double seen = 0, r = x[0] > x[1] ? x[0] * x[0] : x[1] * x[1] * x[1];
    for (size_t i = 0; i + 1 < n; i++) {
        if (positive(x[i], &seen) && positive(x[i + 1], &seen))
            r += sin(x[i] * x[i + 1]);
        if (positive(-x[i], &seen) || positive(x[i + 1] - 2, &seen) || seen > 1)
            r *= 1 + 0.1 * x[i];
        const double *larger = x[i] > x[i + 1] ? &x[i] : &x[i + 1];
        r += !(*larger < 1) ? *larger * seen : *larger == 5 ? 7 * x[0] : sqrt(*larger);
    }
    return r + seen;
}
