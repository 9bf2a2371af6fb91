/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * Arrays of variable length: in loops, two-dimensional, as parameters, in recursion. */
#include <math.h>
#include <stddef.h>

static double smooth(int n, double u) {
    double a[n], sum = 0;
    for (int i = 0; i < n; i++)
        a[i] = u + i;
    for (int i = 1; i < n; i++) {
        a[i] += a[i - 1] * 0.5;
        sum += sin(a[i]);
    }
    return sum;
}

static double trace(size_t n, double m[n][n]) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += m[i][i] * m[i][n - 1 - i];
    return sum;
}

static double halve(const double *x, size_t n) {
    if (n == 1)
        return x[0];
    double half[n / 2];
    for (size_t i = 0; i < n / 2; i++)
        half[i] = x[2 * i] * x[2 * i + 1];
    return halve(half, n / 2) + x[n - 1];
}

double f(const double *x, size_t n) {
    double sum = halve(x, n), m[n][n];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            m[i][j] = x[i] - x[j] * x[i];
    for (int i = 0; i < 5; i++) {
        double copy[i + 1];
        for (int k = 0; k <= i; k++)
            copy[k] = x[k % 4] * sum;
        sum = 0.5 * copy[i] + copy[0] * 0.1 + smooth(3 + i % 4, x[0]);
    }
    return sum + trace(n, m);
}
