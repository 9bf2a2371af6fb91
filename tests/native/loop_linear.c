/* at: 0.45,0.521,0.592,0.663
 * Loops that need nothing of the forward run for their derivative, after ones that do: many places of the run share one
 * position of the tape. */
#include <math.h>
#include <stddef.h>

double f(const double *x, size_t n) {
    double s = x[0], r = 0;
    for (int i = 0; i < 20; i++) {
        s = sin(s * x[(size_t)i % n]);
        for (int j = 0; j < i % 7 + 3; j++)
            s = s * 0.875 + 0.0625;
        for (int j = 0; j < 5; j++) {
            s = s * 1.0625;
            r = r + 0.25 * s;
        }
    }
    return r;
}
