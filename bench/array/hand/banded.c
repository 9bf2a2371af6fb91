/* Keeps the vectors. The adjoint of a vector is a product with the transposed matrix, row by row. */
#include "bench/array/banded.c"
#include "bench/array/hand/hand.h"

static inline real gather(band *a, const real *dy, int i, int first, int last) {
    real sum = 0;
    for (int k = first; k <= last; k++)
        sum += a[i + k - HALF][WIDTH - 1 - k] * dy[i + k];
    return sum;
}

static NOINLINE void reverse(band *restrict a, band *restrict da, const real *restrict v, const real *restrict dy,
                             real *restrict dv) {
    for (int i = 0; i < N; i++)
        for (int k = 0; k < WIDTH; k++)
            da[i][k] += dy[i + HALF] * v[i + k];
    for (int i = 0; i < HALF; i++) {
        dv[i + HALF] = gather(a, dy, i, HALF - i, WIDTH - 1);
        dv[N - 1 - i + HALF] = gather(a, dy, N - 1 - i, 0, HALF + i);
    }
    for (int i = HALF; i < N - HALF; i++)
        dv[i + HALF] = gather(a, dy, i, 0, WIDTH - 1);
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    band *a = malloc(N * sizeof *a), *da = calloc(N, sizeof *da);
    real *v = zeros((size_t)(STEPS + 1) * ROOM), *last = v + STEPS * ROOM, *d = zeros(ROOM), *e = zeros(ROOM), sum = 0;
    fill(x, a, v);
    for (int t = 0; t < STEPS; t++)
        multiply(a, v + t * ROOM, v + (t + 1) * ROOM);
    for (int i = 0; i < N; i++) {
        sum += last[i + HALF] * last[i + HALF] * (i % 3);
        d[i + HALF] = 2 * last[i + HALF] * (i % 3);
    }
    for (int t = STEPS - 1; t >= 0; t--) {
        reverse(a, da, v + t * ROOM, d, e);
        real *other = d;
        d = e;
        e = other;
    }
    for (size_t i = 0; i < n; i++) {
        gradient[i] = d[i + HALF] * (i % 5);
        for (int k = 0; k < WIDTH; k++)
            gradient[i] += R(0.2) * da[i][k] * ((i + k) % 3);
    }
    free(a), free(da), free(v), free(d), free(e);
    return sum;
}
