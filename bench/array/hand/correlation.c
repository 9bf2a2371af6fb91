/* As covariance; then the adjoint of the normalisation, which needs only what it made and the deviations. */
#include "bench/array/correlation.c"
#include "bench/array/hand/hand.h"

static void seed(row *h) {
    for (int i = 0; i < N; i++) {
        h[i][i] = 0;
        for (int j = i + 1; j < N; j++)
            h[i][j] = h[j][i] = weight(i, j) + weight(j, i);
    }
}

static NOINLINE void reverse(row *restrict data, row *restrict h, row *restrict d) {
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            add_scaled(data[k][i], h[i], d[k], N);
}

/* y = (x - mean) / (sqrt(n) sd), sd² = Σ(x - mean)²/n: dx = (dy - y Σ dy y) / (sqrt(n) sd), less its mean. */
static void reverse_normal(row *restrict data, row *restrict d, const real *restrict stddev) {
    real mean[N] = {0}, along[N] = {0};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            along[j] += d[i][j] * data[i][j];
    for (int j = 0; j < N; j++)
        along[j] = stddev[j] == 1 ? 0 : along[j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            d[i][j] = (d[i][j] - data[i][j] * along[j]) / (sqrt(R(N)) * stddev[j]);
            mean[j] += d[i][j] / N;
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            d[i][j] -= mean[j];
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    row *data = square(), *corr = square(), *d = (row *)zeros(N * N);
    real mean[N], stddev[N];
    fill(x, data);
    correlation(data, corr, mean, stddev);
    double value = weighted(corr);
    seed(corr);
    reverse(data, corr, d);
    reverse_normal(data, d, stddev);
    memset(gradient, 0, n * sizeof *gradient);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            gradient[i] += d[i][j] * (j % 7 - 3);
            gradient[j] += d[i][j] * (i % 5);
        }
    free(data), free(corr), free(d);
    return value;
}
