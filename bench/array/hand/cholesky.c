/* The reverse run needs only the final factor, and runs along its rows. */
#include "bench/array/cholesky.c"
#include "bench/array/hand/hand.h"

static NOINLINE void reverse(row *restrict a, row *restrict d) {
    for (int i = N - 1; i >= 0; i--) {
        d[i][i] /= 2 * a[i][i];
        add_scaled(-2 * d[i][i], a[i], d[i], i);
        for (int j = i - 1; j >= 0; j--) {
            real g = d[i][j] / a[j][j];
            d[j][j] -= g * a[i][j];
            d[i][j] = g;
            for (int k = 0; k < j; k++) {
                d[i][k] -= g * a[j][k];
                d[j][k] -= g * a[i][k];
            }
        }
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    row *a = square(), *d = square();
    fill(x, a);
    decompose(a);
    double value = weighted_triangle(a);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            d[i][j] = weight(i, j);
    reverse(a, d);
    memset(gradient, 0, n * sizeof *gradient);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            gradient[i] += d[i][j] * 0.01 * x[j];
            gradient[j] += d[i][j] * 0.01 * x[i];
        }
    free(a), free(d);
    return value;
}
