/* at: 0.5,1.2,-0.7,2.1,0.9,1.4
 * large: random:40:-1:1
 * Sums that are kept in memory, so that each iteration stores them: LLVM cannot
 * tell that the loop never reads them. Some loops do read them. */
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
enum { N = 24 };
typedef double row[N];

static NOINLINE void covariance(row *cov, row *data, double *mean) {
    for (int j = 0; j < N; j++) {
        mean[j] = 0;
        for (int i = 0; i < N; i++)
            mean[j] += data[i][j];
        mean[j] /= N;
    }
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++) {
            cov[i][j] = mean[j];
            for (int k = 0; k < N; k++)
                cov[i][j] += 0.02 * data[k][i] * data[k][j];
            cov[j][i] = cov[i][j];
        }
}

/* Reads what it has just stored: k reaches j. */
static NOINLINE void within(row *a, int n) {
    for (int i = 1; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k <= j; k++)
                a[i][j] += 0.02 * a[i][k] * a[i - 1][k];
}

/* Reads it one iteration in two. */
static NOINLINE void every_second(double *a, size_t n) {
    for (size_t i = 2; i < n; i++)
        for (size_t k = i % 2; k < i + 1; k += 2)
            a[i] -= 0.1 * a[k] * a[i - 1];
}

static NOINLINE void downwards(double *a, int n, int width) {
    for (int i = n - 1; i >= 0; i--)
        for (int j = n - 1; j >= 0; j--)
            for (int k = n - 1; k > j; k--)
                a[i * width + j] += 0.03 * a[i * width + k] * a[k * width + k];
}

/* The number of iterations may be zero or one, and the row above may be the row
 * itself. */
static NOINLINE void rows(double *a, const int *above, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < i - j; k++)
                a[i * n + j] -= 0.05 * a[above[i] * n + k] * a[k * n + j];
}

typedef struct pair {
    double re, im;
} pair;

static NOINLINE void pairs(pair *a, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            a[i].re += 0.1 * a[j].re * a[j].im;
            a[i].im -= 0.1 * a[j].re * a[i].re;
        }
}

static NOINLINE void singles(float *a, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < (i < j ? i : j); k++)
                a[i * n + j] -= 0.1f * a[i * n + k] * a[k * n + j];
}

double f(const double *x, size_t n) {
    row *a = malloc(3 * N * sizeof *a);
    float *s = malloc(N * N * sizeof *s);
    pair p[N];
    double mean[N], sum = 0;
    int above[N];
    for (int i = 0; i < N * N; i++) {
        a[i / N][i % N] = 0.5 * x[(size_t)i % n] + 0.1 * x[(size_t)(i / N) % n];
        s[i] = (float)(0.3 * x[(size_t)(2 * i) % n]);
    }
    for (int i = 0; i < N; i++) {
        above[i] = i % 4 ? i - 1 : i;
        p[i] = (pair){0.3 * x[(size_t)i % n], 0.2 * x[(size_t)(i + 1) % n]};
    }
    covariance(a + N, a, mean);
    covariance(a + N / 2, a, mean);
    covariance(a, a, mean);
    for (int i = 0; i < 2 * N * N; i++)
        a[i / N][i % N] *= 0.1;
    within(a, N);
    every_second(a[1], N);
    downwards(a[2], N - 2, N);
    rows(a[3], above, N);
    pairs(p, N);
    singles(s, N);
    for (int i = 0; i < 2 * N * N; i++)
        sum += a[i / N][i % N] * (i % 5 - 1);
    for (int i = 0; i < N; i++)
        sum += mean[i] + p[i].re * p[i].im;
    for (int i = 0; i < N * N; i++)
        sum += 1e-9 * s[i];
    free(a), free(s);
    return sum;
}
