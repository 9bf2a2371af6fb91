/* at: 2,1,4,3,-1.5,0.7
 * noise: 1e-14
 * Branches that are not taken because what they compute would overflow. LLVM computes short ones all the same and
 * selects; their operands' derivatives are zero, and not zero times infinity. */
#include <math.h>
#include <stddef.h>

static double inverse(size_t i) {
    return 1 / (double)i; /* infinite for 0 */
}

static double several(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double a = x[i], b = inverse(i), r = 0, q = 0;
        if (b < 1e300)
            r = a * b;
        if (b < 1e300)
            q = (a * b + a) * b - a * b * b * b + b * a;
        sum += r + q;
    }
    return sum;
}

/* The results of both branches are used again. */
static double both(const double *x, size_t n) {
    double sum = 0, last = 1;
    for (size_t i = 0; i < n; i++) {
        double a = x[i], b = inverse(i);
        last = b > 1e300 ? a * last + a * a : (a + last) * b * (a - b);
        sum += last * last * 0.01;
    }
    return sum;
}

/* A quotient of active numbers would be infinite. */
static double active(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double d = x[i] - x[(i + 3) / 4 * 2 % n], a = x[(i + 1) % n];
        sum += d != 0 ? a / d * 0.1 : a;
    }
    return sum;
}

static double nested(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double a = x[i], b = inverse(i), r = a;
        if (b < 1e300) {
            r = a * b;
            if (b < 0.4)
                r = r * b + a / b;
        }
        sum += r * r;
    }
    return sum;
}

double f(const double *x, size_t n) {
    return several(x, n) + both(x, n) + active(x, n) + nested(x, n);
}
