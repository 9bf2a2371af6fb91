/* Means of five points, forth and back between two matrices. With BESIDE_FLOAT the program also has a function with
 * floats, which nothing of the stencil has to do with. */
#include "bench/array/square.h"

enum { STEPS = 50 };
const size_t kernel_inputs = N;

static void fill(const double *x, row *a, row *b) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = b[i][j] = R(x[i]) * (j % 7) + R(x[j]);
}

static NOINLINE void relax(row *a, row *b) {
    for (int t = 0; t < STEPS; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                b[i][j] = R(0.2) * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]);
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                a[i][j] = R(0.2) * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]);
    }
}

#ifdef BESIDE_FLOAT
enum { FLOATS = 64 };
static float floats[FLOATS];

static NOINLINE float beside(const double *x) {
    float sum = 0;
    for (int i = 0; i < FLOATS; i++)
        floats[i] = (float)x[i];
    for (int i = 0; i < FLOATS; i++)
        sum += floats[i] * floats[i];
    return sum;
}
#endif

double kernel(const double *x, size_t n) {
    row *a = square(), *b = square();
    (void)n;
    fill(x, a, b);
    relax(a, b);
    double value = weighted(a);
#ifdef BESIDE_FLOAT
    value += beside(x);
#endif
    free(a);
    free(b);
    return value;
}
