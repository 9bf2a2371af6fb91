/* at: 0.5,1.2,-0.7,2.1
 * large: random:24:-1:1
 * Nests that read the same numbers repeatedly, so that they are copied to the tape once (cc/plan/ranges.h): products of
 * triangular matrices, with loops that start or end where another loop is, and rows of any length, also none. */
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

enum { MOST = 32 };
typedef double row[MOST];

static NOINLINE void lower_upper(row *c, row *l, row *u, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k <= i && k <= j; k++)
                sum += l[i][k] * u[k][j];
            c[i][j] = sum;
        }
}

static NOINLINE void from_diagonal(row *c, row *a, row *b, int n) {
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            for (int k = j; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
}

static NOINLINE void covariance(row *c, row *data, int n, int m) {
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += data[k][i] * data[k][j];
            c[i][j] = c[j][i] = sum;
        }
}

/* In place: what is read is written in the same nest, but in other rows. */
static NOINLINE void eliminate(row *a, int n) {
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k] * a[k][k] + 4;
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
}

/* A triangle packed by rows, read through one pointer that moves. */
static NOINLINE double packed(const double *triangle, const double *x, double *y, int n, int times) {
    double sum = 0;
    for (int t = 0; t < times; t++) {
        const double *next = triangle;
        for (int i = 0; i < n; i++) {
            double here = 0;
            for (int j = 0; j < i; j++)
                here += *next++ * x[j];
            y[i] = here + x[i];
        }
        for (int i = 0; i < n; i++)
            sum += y[i] * y[i] * (t + 1);
    }
    return sum;
}

static void fill(row *a, const double *x, size_t n, int shift) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i][j] = x[(i * 7 + j * 3 + (size_t)shift) % n] * (double)((i + 2 * j) % 5) + (i == j);
}

double f(const double *x, size_t n) {
    row *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = calloc(n, sizeof *c);
    double sum = 0, y[MOST], triangle[MOST * MOST / 2], z[MOST];
    fill(a, x, n, 0);
    fill(b, x, n, 1);
    lower_upper(c, a, b, n);
    from_diagonal(c, b, a, (int)n);
    covariance(b, c, (int)n, (int)n - 1);
    eliminate(b, (int)n);
    for (size_t i = 0; i < n * n; i++)
        sum += b[i / n][i % n] * c[i % n][i / n] * 1e-3;
    for (size_t i = 0; i < n * (n - 1) / 2; i++)
        triangle[i] = x[i % n] * (double)(i % 3);
    memcpy(z, x, n * sizeof *z);
    sum += packed(triangle, z, y, (int)n, 5);
    free(a);
    free(b);
    free(c);
    return sum * 1e-3;
}
