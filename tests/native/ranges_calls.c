/* at: 0.5,1.2,-0.7,2.1,0.3
 * large: random:20:-1:1
 * Loops with calls around nests with copies, nests with functions of math.h, and local arrays that live in the nest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

enum { MOST = 24 };

static NOINLINE double touch(double *a, size_t i, double by) {
    a[i] = a[i] * by + 0.1;
    return a[i];
}

static NOINLINE void layer(const double *w, const double *x, double *y, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += w[i * n + k] * x[k];
        y[i] = tanh(sum);
    }
}

/* Each point is moved to every centre in an array of its own. */
static NOINLINE double mixture(const double *centres, const double *factors, const double *points, int n, int d) {
    double sum = 0;
    for (int p = 0; p < n; p++)
        for (int c = 0; c < n; c++) {
            double away[MOST], turned[MOST], square = 0;
            for (int i = 0; i < d; i++)
                away[i] = points[(p + i) % n] - centres[(c * 3 + i) % n];
            for (int i = 0; i < d; i++) {
                turned[i] = 0;
                for (int j = 0; j <= i; j++)
                    turned[i] += factors[i * d + j] * away[j];
            }
            for (int i = 0; i < d; i++)
                square += turned[i] * turned[i];
            sum += exp(-square * 0.1);
        }
    return sum;
}

static NOINLINE double called_within(double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t t = 0; t < 3; t++)
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < n; k++)
                sum += a[k] * b[(k + t) % n] * a[i];
            sum += touch(a, i, b[t % n] * 0.5);
        }
    return sum;
}

static NOINLINE void copied_within(double *a, double *b, const double *c, size_t n) {
    for (size_t t = 0; t < 4; t++) {
        memcpy(b, a, n * sizeof *b);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++)
                a[i] += 0.01 * b[k] * c[k] * c[i];
    }
}

double f(const double *x, size_t n) {
    double *w = malloc(n * n * sizeof *w), *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v), sum = 0;
    for (size_t i = 0; i < n * n; i++)
        w[i] = sin((double)i) * x[i % n];
    memcpy(u, x, n * sizeof *u);
    for (int t = 0; t < 6; t++) {
        double *other = u;
        layer(w, u, v, n);
        u = v;
        v = other;
    }
    for (size_t i = 0; i < n; i++)
        sum += u[i] * u[i];
    int d = n < MOST ? (int)n : MOST;
    sum += mixture(u, w, v, (int)n, d);
    sum += called_within(u, v, n);
    copied_within(u, v, w, n);
    for (size_t i = 0; i < n; i++)
        sum += u[i] * v[i];
    free(w);
    free(u);
    free(v);
    return sum;
}
