/* Covariance matrix: means, centred data, and products of columns. */
#include "bench/array/square.h"

const size_t kernel_inputs = N;

static void fill(const double *x, row *data) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            data[i][j] = R(x[i]) * (j % 7 - 3) + R(x[j]);
}

static NOINLINE void covariance(row *data, row *cov, real *mean) {
    for (int j = 0; j < N; j++) {
        mean[j] = 0;
        for (int i = 0; i < N; i++)
            mean[j] += data[i][j];
        mean[j] /= N;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            data[i][j] -= mean[j];
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++) {
            cov[i][j] = 0;
            for (int k = 0; k < N; k++)
                cov[i][j] += data[k][i] * data[k][j];
            cov[i][j] /= N - R(1);
            cov[j][i] = cov[i][j];
        }
}

double kernel(const double *x, size_t n) {
    row *data = square(), *cov = square();
    real *mean = reals(N);
    (void)n;
    fill(x, data);
    covariance(data, cov, mean);
    double value = weighted(cov);
    free(data);
    free(cov);
    free(mean);
    return value;
}
