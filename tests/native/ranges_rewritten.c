/* at: 0.5,1.2,-0.7,2.1,0.9,1.4
 * large: random:40:-1:1
 * noise: 1e-13
 * Nests that read an array repeatedly and also write to it: decompositions and solutions in place, recurrences over all
 * that was computed before, and rows that are overwritten twice in an iteration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
enum { N = 30 };
typedef double row[N];

static NOINLINE void lu_rows(row *a) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[k][j];
            a[i][j] /= a[j][j];
        }
        for (int j = i; j < N; j++)
            for (int k = 0; k < i; k++)
                a[i][j] -= a[i][k] * a[k][j];
    }
}

/* By columns, with the number of rows and the distance between them known at run time only. */
static NOINLINE void lu_right(double *a, int n, int width) {
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double factor = a[i * width + k] / a[k * width + k];
            a[i * width + k] = factor;
            for (int j = k + 1; j < n; j++)
                a[i * width + j] -= factor * a[k * width + j];
        }
}

/* Addresses that come from two paths. */
static NOINLINE void lu_flat(double *a, int n) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
            a[i * n + j] /= a[j * n + j];
        }
        for (int j = i; j < n; j++)
            for (int k = 0; k < i; k++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
}

static NOINLINE void lu_left(double *a, size_t n) {
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            double sum = a[i * n + j];
            for (size_t k = 0; k < (i < j ? i : j); k++)
                sum -= a[i * n + k] * a[k * n + j];
            a[i * n + j] = i > j ? sum / a[j * n + j] : sum;
        }
}

static NOINLINE void cholesky(float a[][N], int n) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
        for (int k = 0; k < i; k++)
            a[i][i] -= a[i][k] * a[i][k];
        a[i][i] = sqrtf(fabsf(a[i][i]) + 0.1f);
    }
}

static NOINLINE void solve_lower(row *l, double *x) {
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= l[i][k] * x[k];
        x[i] /= l[i][i];
    }
}

static NOINLINE void solve_upper(double *l, double *x, int n) {
    for (int i = n - 1; i >= 0; i--) {
        double sum = x[i];
        for (int k = i + 1; k < n; k++)
            sum -= l[k * n + i] * x[k];
        x[i] = sum / l[i * n + i];
    }
}

/* Catalan-like: each number depends on all before. */
static NOINLINE void recurrence(double *restrict c, int n) {
    for (int i = 2; i < n; i++) {
        double sum = 0;
        for (int j = 1; j < i; j++)
            sum += c[j] * c[i - j] * 0.05;
        c[i] += sum;
    }
}

/* Two stores per iteration of the outer loop hit the same number, and loads of the block see what is between. */
static NOINLINE double twice(double *a, int n) {
    double all = 0;
    for (int i = 1; i < n; i++) {
        double sum = 0, more = 0;
        for (int k = 0; k < n; k++)
            sum += a[k] * a[(k * 7 + i) % n];
        a[i] = 0.01 * sum + 0.5 * a[i] * a[i - 1];
        for (int k = 0; k < n; k++)
            more += a[k] * a[n - 1 - k];
        a[i] = 0.01 * more - a[i] * a[i];
        a[i - 1] = a[i] * a[i] + 0.1 * a[i - 1];
        all += a[i - 1] * a[i];
    }
    return all;
}

/* A load before and after a store in the same block, with everything in one loop around an inner one. */
static NOINLINE void around(double *a, const double *b, int n) {
    for (int t = 0; t < 5; t++)
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[k] * b[k];
            double before = a[i] * a[i];
            a[i] = 0.02 * sum + 0.3 * sin(before);
            double after = a[i] * a[n - 1 - i];
            a[n - 1 - i] = 0.5 * after + 0.1 * before;
        }
}

/* The store may or may not be reached. */
static NOINLINE void some(double *a, int n) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < n; k++)
            sum += a[k] * a[n - 1 - k];
        if (sum > 0.5)
            a[i] = 0.1 * sum * a[i];
        else if (i % 3 == 0)
            a[i / 2] = sum;
    }
}

typedef struct pair {
    double re, im;
} pair;

static NOINLINE void complex_lu(pair *a, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < (i < j ? i : j); k++) {
                pair l = a[i * n + k], u = a[k * n + j];
                a[i * n + j].re -= 0.1 * (l.re * u.re - l.im * u.im);
                a[i * n + j].im -= 0.1 * (l.re * u.im + l.im * u.re);
            }
}

/* `out` and `in` may be one array, overlap, or be apart. */
static NOINLINE void product(double *out, double *in, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += in[i * n + k] * in[k * n + j] * 0.1;
            out[i * n + j] = sum;
        }
}

static NOINLINE void gauss_seidel(row *u) {
    for (int t = 0; t < 6; t++)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                u[i][j] = 0.2 * (u[i][j] * u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] * u[i][j + 1]);
}

static NOINLINE void paths(row *d) {
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                d[i][j] = fmin(d[i][j], d[i][k] * d[k][j]);
}

static NOINLINE double common(const double *a, const double *b, int n) {
    row *t = calloc(N, sizeof *t);
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++) {
            double match = t[i - 1][j - 1] + a[i] * b[j], skip = fmax(t[i - 1][j], t[i][j - 1] * t[i][j - 1]);
            t[i][j] = 0.3 * (match > skip ? match : skip);
        }
    double last = t[n - 1][n - 1];
    free(t);
    return last;
}

static void start(row *a, const double *x, size_t n) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = 0.1 * x[(size_t)(i * 3 + j) % n] + 0.02 * x[(size_t)j % n] * i / N + (i == j ? 6 : 0);
}

static double total(row *a) {
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += a[i][j] * ((i * j) % 3 - 1);
    return sum;
}

double f(const double *x, size_t n) {
    row *a = malloc(2 * N * sizeof *a), *b = a + N;
    float(*c)[N] = malloc(N * sizeof *c);
    pair *p = malloc(sizeof(pair) * 12 * 12);
    double v[N], w[N], sum = 0;
    start(a, x, n);
    memcpy(b, a, N * sizeof *a);
    lu_rows(a);
    for (int i = 0; i < N; i++)
        v[i] = w[i] = x[(size_t)i % n];
    solve_lower(a, v);
    solve_upper(a[0], v, N);
    sum += total(a);
    lu_right(b[0], N - 3, N);
    sum += total(b);
    start(b, x, n);
    lu_flat(b[0], N);
    sum += total(b);
    start(b, x, n);
    lu_left(b[0], N);
    sum += total(b);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            c[i][j] = (float)b[i][j];
    cholesky(c, N - 1);
    for (int i = 0; i < N; i++)
        sum += 1e-9 * c[i][i / 2];
    for (int i = 0; i < 12 * 12; i++)
        p[i] = (pair){0.3 * x[(size_t)i % n], 0.2 * x[(size_t)(i + 1) % n]};
    complex_lu(p, 12);
    for (int i = 0; i < 12 * 12; i++)
        sum += p[i].re * p[i].im;
    recurrence(w, N);
    sum += v[N - 1] + w[N - 1];
    for (int i = 0; i < N; i++)
        v[i] = 0.2 * x[(size_t)i % n], w[i] = 0.1 * x[(size_t)(2 * i) % n];
    sum += twice(v, N);
    around(w, v, N);
    some(w, N);
    start(a, x, n);
    product(a[0], a[0], N);
    product(a[4], a[0], N - 4);
    product(b[0], a[0], N);
    gauss_seidel(a);
    paths(b);
    for (int i = 0; i < N; i++)
        sum += v[i] + w[i] + a[i][i] + b[i][N - 1 - i];
    sum += common(v, w, N);
    free(a), free(c), free(p);
    return sum;
}
