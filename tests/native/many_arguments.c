/* at: 0.7,1.1,0.25,2.0
 * noise: 2e-6
 * flags: -fno-inline
 * Twenty numbers as arguments, mixed with integers and pointers: most of them on the stack. */
#include <math.h>
#include <stddef.h>

static double many(double a, double b, double c, double d, double e, double f1, double g, double h, double i, double j,
                   double k, double l, double m, double n, double o, double p, double q, double r, double s, double t) {
    return a * b + c * d - e * f1 + g * h - i * j + k * l - m * n + sin(o * p) + q * r * s * t;
}

static double mixed(int a, double b, long c, float d, char e, double f1, const double *g, double h, short i, double j,
                    unsigned k, double l, size_t m, float n, double o, double p, double *q, double r) {
    *q += r * d;
    return a * b + (double)c * d + e * f1 + *g * h + i * j + k * l + (double)m * n * o * p;
}

double f(const double *x, size_t n) {
    double a = x[0], b = x[1], c = x[2], d = x[3], side = a;
    double s = many(a, b, c, d, a * a, b * b, c * c, d * d, a, c, b, d, a + b, c + d, a * b, c * d, 1, a, d, 0.5);
    s += mixed(2, a, 3, (float)b, 4, c, &x[3], d, -5, s, 6u, b * b, n, (float)c, d, a, &side, s);
    return s + side;
}
