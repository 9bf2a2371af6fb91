/* The adjoint of the centred data is a product with a symmetric matrix, computed along rows; the adjoints of the means
 * come last. */
#include "bench/array/covariance.c"
#include "bench/array/hand/hand.h"

/* h becomes the adjoint of the upper triangle, made symmetric. */
static void seed(row *h) {
    for (int i = 0; i < N; i++) {
        h[i][i] = 2 * weight(i, i) / (N - R(1));
        for (int j = i + 1; j < N; j++)
            h[i][j] = h[j][i] = (weight(i, j) + weight(j, i)) / (N - R(1));
    }
}

static NOINLINE void reverse(row *restrict data, row *restrict h, row *restrict d) {
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            add_scaled(data[k][i], h[i], d[k], N);
}

static void reverse_mean(row *restrict d, real *restrict mean) {
    memset(mean, 0, sizeof(row));
    for (int i = 0; i < N; i++)
        add_scaled(R(-1) / N, d[i], mean, N);
    for (int i = 0; i < N; i++)
        add_scaled(1, mean, d[i], N);
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    row *data = square(), *cov = square(), *d = (row *)zeros(N * N);
    real *mean = reals(N);
    fill(x, data);
    covariance(data, cov, mean);
    double value = weighted(cov);
    seed(cov);
    reverse(data, cov, d);
    reverse_mean(d, mean);
    memset(gradient, 0, n * sizeof *gradient);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            gradient[i] += d[i][j] * (j % 7 - 3);
            gradient[j] += d[i][j];
        }
    free(data), free(cov), free(d), free(mean);
    return value;
}
