/* at: random:49:0.5:1
 * Elimination in which a condition keeps row k from being written while it is read (cc/plan/skipped.h), and conditions
 * that look like it: of another row, the other way round, or never met. */
#include <math.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
enum { N = 7 };

static NOINLINE void reduce(double *a, double *b, int n) {
    for (int k = 0; k < n; k++) {
        double pivot = 1 / a[k * n + k];
        for (int j = 0; j < n; j++)
            a[k * n + j] *= pivot;
        b[k] *= pivot;
        for (int i = 0; i < n; i++) {
            if (i == k)
                continue;
            double factor = a[i * n + k];
            for (int j = 0; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    }
}

/* The same from the last row on, with rows that pivots exchange. */
static NOINLINE void reduce_rows(double **a, double *b, long n) {
    for (long k = n - 1; k >= 0; k--) {
        long best = k;
        for (long i = k; i >= 0; i--)
            best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
        double *row = a[k], right = b[k];
        a[k] = a[best], b[k] = b[best];
        a[best] = row, b[best] = right;
        double pivot = 1 / a[k][k];
        for (long j = 0; j < n; j++)
            a[k][j] *= pivot;
        b[k] *= pivot;
        for (long i = n - 1; i >= 0; i--)
            if (i != k) {
                double factor = a[i][k];
                for (long j = 0; j < n; j++)
                    a[i][j] -= factor * a[k][j];
                b[i] -= factor * b[k];
            }
    }
}

/* Reads row k, but skips row `skipped`, or runs for it only. */
static NOINLINE void mix(double a[N][N], int k, int skipped, int only) {
    for (int i = 0; i < N; i++)
        if ((i != skipped) != only)
            for (int j = 0; j < N; j++)
                a[i][j] = 0.2 * a[i][j] * a[k][j] + 0.3 * a[k][N - 1 - j];
}

static NOINLINE void mix_others(double a[N][N], int k, int skipped) {
    for (int i = 0; i < N; i++)
        if (i != skipped)
            for (int j = 0; j < N; j++)
                a[i][j] = 0.2 * a[i][j] * a[k][j] + 0.3 * a[k][N - 1 - j];
}

static NOINLINE void mix_one(double a[N][N], int k, int wanted) {
    for (int i = 0; i < N; i++)
        if (i == wanted)
            for (int j = 0; j < N; j++)
                a[i][j] = 0.2 * a[i][j] * a[k][j] + 0.3 * a[k][N - 1 - j];
}

/* The condition guards one of two stores. */
static NOINLINE void mix_partly(double a[N][N], int k) {
    for (int i = 0; i < N; i++) {
        a[i][2] *= 1.25;
        if (i != k)
            for (int j = 0; j < N; j++)
                a[i][j] -= 0.1 * a[k][j] * a[k][2];
    }
}

/* Two variables: the condition is about the wrong one. */
static NOINLINE void mix_inside(double a[N][N], int k) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (j != k)
                a[i][j] -= 0.1 * a[k][j] * a[i][j];
}

double f(const double *x, size_t n) {
    double a[N][N], b[N], flat[N * N], *rows[N], sum = 0;
    (void)n;
    for (int i = 0; i < N; i++) {
        b[i] = x[i] - 1;
        rows[i] = a[(3 * i) % N];
        for (int j = 0; j < N; j++)
            flat[N * i + j] = a[i][j] = x[N * i + j] + (i == j ? N : 0);
    }
    reduce(flat, b, N);
    reduce_rows(rows, b, N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = 0.5 * x[N * j + i];
    mix_others(a, 3, 3);
    mix_others(a, 3, 2);
    mix_others(a, 2, 9);
    mix_others(a, 0, 0);
    mix_others(a, N - 1, N - 1);
    mix_one(a, 4, 4);
    mix_one(a, 4, 5);
    mix(a, 1, 1, 0);
    mix(a, 1, 1, 1);
    mix_partly(a, 5);
    mix_inside(a, 2);
    for (int i = 0; i < N; i++) {
        sum += b[i] * (i + 1);
        for (int j = 0; j < N; j++)
            sum += a[i][j] * ((i + j) % 3 - 0.5) + flat[N * i + j] * (i - j);
    }
    return sum;
}
