/* at: 3.7,1.3,0.4
 * While loops that end when a computed number has become small, and one inside another. */
#include <math.h>
#include <stddef.h>

double f(const double *x, size_t n) {
    (void)n;
    double a = x[0], b = x[1], sum = 0;
    while (fabs(a - b) > 1e-3) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
        double rest = a;
        while (rest > x[2]) {
            rest *= 0.5;
            sum += rest * x[2];
        }
    }
    return a + 0.1 * sum;
}
