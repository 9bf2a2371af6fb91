/* A wave in a medium of unknown speed, in three dimensions: blocks addressed by a macro with int indices, swapped in
 * each step. */
#include "bench/array/kernel.h"

enum { EDGE = 32, STEPS = 15 };
const size_t kernel_inputs = EDGE * EDGE * EDGE;
#define AT(i, j, k) (((i) * edge + (j)) * edge + (k))

static NOINLINE void step(real *next, const real *now, const real *speed, int edge) {
    for (int i = 1; i < edge - 1; i++)
        for (int j = 1; j < edge - 1; j++)
            for (int k = 1; k < edge - 1; k++) {
                real around = now[AT(i + 1, j, k)] + now[AT(i - 1, j, k)] + now[AT(i, j + 1, k)] +
                              now[AT(i, j - 1, k)] + now[AT(i, j, k + 1)] + now[AT(i, j, k - 1)];
                next[AT(i, j, k)] =
                    2 * now[AT(i, j, k)] - next[AT(i, j, k)] + speed[AT(i, j, k)] * (around - 6 * now[AT(i, j, k)]);
            }
}

static void fill(const double *x, real *next, real *now, real *speed) {
    const int edge = EDGE;
    for (size_t i = 0; i < kernel_inputs; i++) {
        speed[i] = R(0.1) + R(0.05) * R(x[i]);
        next[i] = now[i] = R(0.01) * R(x[i]);
    }
    now[AT(EDGE / 2, EDGE / 2, EDGE / 2)] += 1;
}

static real squares(const real *now) {
    real sum = 0;
    for (size_t i = 0; i < kernel_inputs; i++)
        sum += now[i] * now[i];
    return sum;
}

double kernel(const double *x, size_t n) {
    real *next = reals(n), *now = reals(n), *speed = reals(n);
    fill(x, next, now, speed);
    for (int t = 0; t < STEPS; t++) {
        step(next, now, speed, EDGE);
        real *swapped = now;
        now = next;
        next = swapped;
    }
    double value = squares(now);
    free(next);
    free(now);
    free(speed);
    return value;
}
