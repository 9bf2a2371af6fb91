/* Correlation matrix: means, standard deviations (1 where they are almost 0), normalised data, products of columns. */
#include "bench/array/square.h"

const size_t kernel_inputs = N;

static void fill(const double *x, row *data) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            data[i][j] = R(x[i]) * (j % 7 - 3) + R(x[j]) * (i % 5);
}

static NOINLINE void correlation(row *data, row *corr, real *mean, real *stddev) {
    real n = N;
    for (int j = 0; j < N; j++) {
        mean[j] = 0;
        for (int i = 0; i < N; i++)
            mean[j] += data[i][j];
        mean[j] /= n;
    }
    for (int j = 0; j < N; j++) {
        stddev[j] = 0;
        for (int i = 0; i < N; i++)
            stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        stddev[j] = sqrt(stddev[j] / n);
        stddev[j] = stddev[j] <= R(0.1) ? R(1) : stddev[j];
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            data[i][j] -= mean[j];
            data[i][j] /= sqrt(n) * stddev[j];
        }
    for (int i = 0; i < N - 1; i++) {
        corr[i][i] = 1;
        for (int j = i + 1; j < N; j++) {
            corr[i][j] = 0;
            for (int k = 0; k < N; k++)
                corr[i][j] += data[k][i] * data[k][j];
            corr[j][i] = corr[i][j];
        }
    }
    corr[N - 1][N - 1] = 1;
}

double kernel(const double *x, size_t n) {
    row *data = square(), *corr = square();
    real mean[N], stddev[N];
    (void)n;
    fill(x, data);
    correlation(data, corr, mean, stddev);
    double value = weighted(corr);
    free(data), free(corr);
    return value;
}
