/* at: 0.6,1.2,-0.7,2.3,0.6
 * fast: it asks for NaN
 * All comparisons, with equal numbers and numbers that are not (NaN) among them, and the macros of math.h. */
#include <math.h>
#include <stddef.h>

static int code(double a, double b) {
    int result = 0;
    result = 2 * result + (a < b);
    result = 2 * result + (a <= b);
    result = 2 * result + (a > b);
    result = 2 * result + (a >= b);
    result = 2 * result + (a == b);
    result = 2 * result + (a != b);
    result = 2 * result + (isless(a, b) || isgreaterequal(a, b));
    return 2 * result + isunordered(a, b);
}

double f(const double *x, size_t n) {
    double sum = 0, nothing = nan("");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double factor = 1 + code((double)(int)(x[i] * 2), (double)(int)(x[j] * 2)) * 0.01;
            sum += factor * sin(x[i] - 2 * x[j]);
        }
    sum *= 1 + 0.001 * (code(sum, nothing) + code(nothing, nothing));
    return isnan(sum) || isinf(sum) || !isfinite(sum) || signbit(sum) || fpclassify(sum) == FP_ZERO ? 2 * sum : sum;
}
