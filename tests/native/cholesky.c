/* at: random:15:0.2:1
 * Cholesky's factorisation of a symmetric matrix that is packed in an array, the logarithm of its determinant, and a
 * quadratic form with its inverse. */
#include <math.h>
#include <stddef.h>

enum { N = 4 };

static double *at(double *packed, int i, int j) {
    return &packed[i * (i + 1) / 2 + j];
}

static void factorise(double *a) {
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < j; k++)
            *at(a, j, j) -= *at(a, j, k) * *at(a, j, k);
        *at(a, j, j) = sqrt(*at(a, j, j));
        for (int i = j + 1; i < N; i++) {
            for (int k = 0; k < j; k++)
                *at(a, i, j) -= *at(a, i, k) * *at(a, j, k);
            *at(a, i, j) /= *at(a, j, j);
        }
    }
}

double f(const double *x, size_t n) {
    double a[N * (N + 1) / 2], y[N], logarithm = 0, form = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            *at(a, i, j) = x[i * (i + 1) / 2 + j] + (i == j ? 3 : 0);
    factorise(a);
    for (int i = 0; i < N; i++) {
        y[i] = x[n - 5 + (size_t)i];
        for (int k = 0; k < i; k++)
            y[i] -= *at(a, i, k) * y[k];
        y[i] /= *at(a, i, i);
        form += y[i] * y[i];
        logarithm += 2 * log(*at(a, i, i));
    }
    return form + logarithm * x[n - 1];
}
