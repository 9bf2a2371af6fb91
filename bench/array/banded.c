/* Products of a banded matrix with a vector, again and again. Vectors have zeros before and after them. */
#include "bench/array/kernel.h"

enum { N = 2000, HALF = 5, WIDTH = 2 * HALF + 1, STEPS = 40, ROOM = N + 2 * HALF };
typedef real band[WIDTH];
const size_t kernel_inputs = N;

static void fill(const double *x, band *a, real *v) {
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < WIDTH; k++)
            a[i][k] = R(0.2) * R(x[i]) * ((i + k) % 3);
        v[i + HALF] = R(x[i]) * (i % 5);
    }
}

static NOINLINE void multiply(band *a, const real *v, real *y) {
    for (int i = 0; i < N; i++) {
        real sum = 0;
        for (int k = 0; k < WIDTH; k++)
            sum += a[i][k] * v[i + k];
        y[i + HALF] = sum;
    }
}

double kernel(const double *x, size_t n) {
    band *a = malloc(N * sizeof *a);
    real *v = calloc(ROOM, sizeof *v), *y = calloc(ROOM, sizeof *y), sum = 0;
    (void)n;
    fill(x, a, v);
    for (int t = 0; t < STEPS; t++) {
        multiply(a, v, y);
        real *other = v;
        v = y;
        y = other;
    }
    for (int i = 0; i < N; i++)
        sum += v[i + HALF] * v[i + HALF] * (i % 3);
    free(a);
    free(v);
    free(y);
    return sum;
}
