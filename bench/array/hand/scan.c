/* Runs the recurrence backwards and reverses each point meanwhile; the derivative of the gate is computed from its
 * value. */
#include "bench/array/scan.c"
#include "bench/array/hand/hand.h"

static NOINLINE void reverse(const real *restrict gate, const real *restrict v, const real *restrict h,
                             double *restrict gradient) {
    real d = 0;
    for (int i = N - 1; i >= 0; i--) {
        real g = gate[i], before = i > 0 ? h[i - 1] : 0;
        d += 2 * h[i] * (i % 3);
        real dgate = d * (before - v[i]);
        gradient[i] = dgate * g * (1 - g) * (i % 7 - 1) + d * (1 - g) * (i % 5 - 2);
        d *= g;
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    real *gate = reals(N), *v = reals(N), *h = reals(N), sum = 0;
    (void)n;
    fill(x, gate, v);
    scan(gate, v, h);
    for (int i = 0; i < N; i++)
        sum += h[i] * h[i] * (i % 3);
    reverse(gate, v, h, gradient);
    free(gate), free(v), free(h);
    return sum;
}
