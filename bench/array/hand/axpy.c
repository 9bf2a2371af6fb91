/* The adjoint of y does not change; that of a is an inner product. */
#include "bench/array/axpy.c"
#include "bench/array/hand/hand.h"

static NOINLINE real reverse(real a, const real *restrict u, const real *restrict dy, real *restrict du) {
    add_scaled(a, dy, du, N);
    return inner_product(dy, u, N);
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    real *u = reals(N), *y = reals(N), *du = zeros(N), sum = 0;
    fill(x, u, y);
    for (int t = 0; t < TIMES; t++)
        add(R(0.01) * R(x[t]), u, y);
    for (int i = 0; i < N; i++) {
        sum += y[i] * y[i] * (i % 3);
        y[i] *= 2 * (i % 3);
        gradient[i] = y[i];
    }
    for (int t = TIMES - 1; t >= 0; t--)
        gradient[t] += R(0.01) * reverse(R(0.01) * R(x[t]), u, y, du);
    for (size_t i = 0; i < n; i++)
        gradient[i] += du[i] * ((int)i % 5 - 2);
    free(u), free(y), free(du);
    return sum;
}
