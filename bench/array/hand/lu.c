/* The reverse run needs only the final triangles. It goes through the rows k of U, so that both of its sums run along
 * rows: that of row i with U, and that of row k of U with row i. */
#include "bench/array/lu.c"
#include "bench/array/hand/hand.h"

static NOINLINE void reverse(row *restrict a, row *restrict d) {
    for (int i = N - 1; i > 0; i--)
        for (int k = i - 1; k >= 0; k--) {
            int from = k + 1, count = N - from;
            real g = (d[i][k] - inner_product(a[k] + from, d[i] + from, count)) / a[k][k];
            add_scaled(-a[i][k], d[i] + from, d[k] + from, count);
            d[k][k] -= g * a[i][k];
            d[i][k] = g;
        }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    row *a = square(), *d = square();
    fill(x, a);
    decompose(a);
    double value = weighted(a);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            d[i][j] = weight(i, j);
    reverse(a, d);
    memset(gradient, 0, n * sizeof *gradient);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            gradient[i] += d[i][j] * 0.01 * (j % 7);
            gradient[j] += d[i][j] * 0.02;
        }
    free(a), free(d);
    return value;
}
