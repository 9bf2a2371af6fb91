/* at: 0.5,1.2,-0.7,2.1,0.9,1.4
 * large: random:40:-1:1
 * noise: 1e-13
 * Indices that are computed as int by a macro, so that LLVM knows only their low 32 bits; and conversions to int of
 * sums that do not fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
#define AT(i, j) ((i) * n + (j))
enum { N = 22 };

static NOINLINE void diffuse(double *next, const double *u, int n) {
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++) {
            double rate = 0.1 + 0.05 * u[AT(i, j)];
            next[AT(i, j)] = u[AT(i, j)] + rate * (u[AT(i + 1, j)] + u[AT(i - 1, j)] + u[AT(i, j + 1)] +
                                                   u[AT(i, j - 1)] - 4 * u[AT(i, j)]);
        }
}

static NOINLINE void in_place(double *u, int n) {
    for (int i = n - 2; i >= 1; i--)
        for (int j = 1; j < n - 1; j++)
            u[AT(i, j)] = 0.25 * (u[AT(i - 1, j - 1)] + u[AT(i, j - 1)] * u[AT(i + 1, j - 1)] + u[AT(i, j)]);
}

static NOINLINE double multiply(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++)
            for (int k = 1; k < n; k++)
                sum += a[AT(i, k - 1)] * b[AT(k - 1, j - 1)] * (j - i);
    return sum;
}

/* `far` is 0 or a multiple of 2^32. */
static NOINLINE double converted(const double *u, int n, long far) {
    double sum = 0;
    for (int t = 0; t < 3; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                sum += u[(int)(far + i * n + j)] * u[(int)(far + i * n + j + 4294967295)] * (t + 1);
    return sum;
}

double f(const double *x, size_t n) {
    double *u = malloc(N * N * sizeof *u), *next = malloc(N * N * sizeof *next), sum = 0;
    for (int i = 0; i < N * N; i++)
        u[i] = x[(size_t)i % n] * 0.3 + 0.0005 * i;
    memcpy(next, u, N * N * sizeof *u);
    for (int t = 0; t < 4; t++) {
        diffuse(next, u, N);
        double *swapped = u;
        u = next;
        next = swapped;
    }
    in_place(u, N);
    sum += 1e-4 * multiply(u, next, N) + 1e-3 * converted(u, N, 0) + 1e-3 * converted(u, N, 3L << 32);
    for (int i = 0; i < N * N; i++)
        sum += sin(u[i]);
    free(u);
    free(next);
    return sum;
}
