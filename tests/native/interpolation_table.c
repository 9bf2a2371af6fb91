/* at: random:12:0.2:1.8
 * A cubic spline through computed values (a tridiagonal system), and a table looked up in two dimensions. */
#include <math.h>
#include <stddef.h>

enum { KNOTS = 8 };

static void second_derivatives(const double *y, double *m) {
    double factor[KNOTS], right[KNOTS];
    factor[0] = right[0] = 0;
    for (int i = 1; i < KNOTS - 1; i++) {
        double pivot = 4 - factor[i - 1];
        factor[i] = 1 / pivot;
        right[i] = (6 * (y[i - 1] - 2 * y[i] + y[i + 1]) - right[i - 1]) / pivot;
    }
    m[KNOTS - 1] = 0;
    for (int i = KNOTS - 2; i >= 0; i--)
        m[i] = right[i] - factor[i] * m[i + 1];
}

static double spline(const double *y, const double *m, double at) {
    int i = at < 0 ? 0 : at >= KNOTS - 1 ? KNOTS - 2 : (int)at;
    double b = at - i, a = 1 - b;
    return a * y[i] + b * y[i + 1] + ((a * a * a - a) * m[i] + (b * b * b - b) * m[i + 1]) / 6;
}

static double bilinear(const double table[3][3], double u, double v) {
    int i = (int)u, j = (int)v;
    double p = u - i, q = v - j;
    return (1 - p) * ((1 - q) * table[i][j] + q * table[i][j + 1]) +
           p * ((1 - q) * table[i + 1][j] + q * table[i + 1][j + 1]);
}

double f(const double *x, size_t n) {
    double y[KNOTS], m[KNOTS], table[3][3], sum = 0;
    for (int i = 0; i < KNOTS; i++)
        y[i] = sin(x[i]) * i;
    second_derivatives(y, m);
    for (size_t i = KNOTS; i < n; i++)
        sum += spline(y, m, x[i] * 4.1) * (double)(i - 6);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            table[i][j] = y[i] * y[j + 2] + i - j;
    return sum + bilinear((const double(*)[3])table, x[8], x[9]) + spline(y, m, -0.3 * x[10]) + spline(y, m, 7 + x[11]);
}
