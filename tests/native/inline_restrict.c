/* at: 0.7,1.1,0.25,2.0
 * inline functions, restrict and const pointers, array parameters with a static length, register variables. */
#include <math.h>
#include <stddef.h>

static inline double square(const double u) {
    return u * u;
}

inline double hypotenuse(double a, double b);

extern inline double hypotenuse(double a, double b) {
    return sqrt(square(a) + square(b));
}

static void combine(size_t n, double *restrict out, const double *restrict a, const double *restrict b) {
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] * b[i] + square(a[i]);
}

static double first_three(const double a[static 3]) {
    register double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += a[i] * a[2 - i];
    return sum;
}

double f(const double *x, size_t n) {
    double out[4], again[4];
    combine(n, out, x, x);
    combine(n, again, out, x);
    return first_three(again) + hypotenuse(out[0], x[3]) * hypotenuse(again[3], 1);
}
