/* One number a point and step is kept, the difference of the neighbours. The stencil is symmetric: its adjoint is
 * gathered from speed times adjoint, which has a border of zeros. */
#include "bench/array/wave3d.c"
#include "bench/array/hand/hand.h"

static NOINLINE void step_and_keep(real *restrict next, const real *restrict now, const real *restrict speed,
                                   real *restrict kept) {
    const int edge = EDGE;
    for (int i = 1; i < edge - 1; i++)
        for (int j = 1; j < edge - 1; j++)
            for (int k = 1; k < edge - 1; k++) {
                real around = now[AT(i + 1, j, k)] + now[AT(i - 1, j, k)] + now[AT(i, j + 1, k)] +
                              now[AT(i, j - 1, k)] + now[AT(i, j, k + 1)] + now[AT(i, j, k - 1)];
                kept[AT(i, j, k)] = around - 6 * now[AT(i, j, k)];
                next[AT(i, j, k)] = 2 * now[AT(i, j, k)] - next[AT(i, j, k)] + speed[AT(i, j, k)] * kept[AT(i, j, k)];
            }
}

/* `after` is the adjoint of the result, and becomes that of what was overwritten. */
static NOINLINE void reverse_step(real *restrict after, real *restrict before, const real *restrict speed,
                                  real *restrict to_speed, const real *restrict kept, real *restrict scaled) {
    const int edge = EDGE;
    for (int i = 1; i < edge - 1; i++)
        for (int j = 1; j < edge - 1; j++)
            for (int k = 1; k < edge - 1; k++) {
                real g = after[AT(i, j, k)];
                to_speed[AT(i, j, k)] += g * kept[AT(i, j, k)];
                scaled[AT(i, j, k)] = g * speed[AT(i, j, k)];
                before[AT(i, j, k)] += 2 * g - 6 * scaled[AT(i, j, k)];
                after[AT(i, j, k)] = -g;
            }
    for (int i = 0; i < edge; i++)
        for (int j = 0; j < edge; j++)
            for (int k = 0; k < edge; k++) {
                real sum = before[AT(i, j, k)];
                if (i > 0 && i < edge - 1 && j > 0 && j < edge - 1 && k > 0 && k < edge - 1)
                    continue;
                sum += i > 0 ? scaled[AT(i - 1, j, k)] : 0;
                sum += i < edge - 1 ? scaled[AT(i + 1, j, k)] : 0;
                sum += j > 0 ? scaled[AT(i, j - 1, k)] : 0;
                sum += j < edge - 1 ? scaled[AT(i, j + 1, k)] : 0;
                sum += k > 0 ? scaled[AT(i, j, k - 1)] : 0;
                sum += k < edge - 1 ? scaled[AT(i, j, k + 1)] : 0;
                before[AT(i, j, k)] = sum;
            }
    for (int i = 1; i < edge - 1; i++)
        for (int j = 1; j < edge - 1; j++)
            for (int k = 1; k < edge - 1; k++)
                before[AT(i, j, k)] += scaled[AT(i + 1, j, k)] + scaled[AT(i - 1, j, k)] + scaled[AT(i, j + 1, k)] +
                                       scaled[AT(i, j - 1, k)] + scaled[AT(i, j, k + 1)] + scaled[AT(i, j, k - 1)];
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    real *next = reals(n), *now = reals(n), *speed = reals(n), *kept = reals(STEPS * n);
    real *before = zeros(n), *after = zeros(n), *to_speed = zeros(n), *scaled = zeros(n);
    fill(x, next, now, speed);
    for (int t = 0; t < STEPS; t++) {
        step_and_keep(next, now, speed, kept + (size_t)t * n);
        real *swapped = now;
        now = next;
        next = swapped;
    }
    double value = squares(now);
    for (size_t i = 0; i < n; i++)
        after[i] = 2 * now[i];
    for (int t = STEPS - 1; t >= 0; t--) {
        reverse_step(after, before, speed, to_speed, kept + (size_t)t * n, scaled);
        real *swapped = after;
        after = before;
        before = swapped;
    }
    for (size_t i = 0; i < n; i++)
        gradient[i] = R(0.01) * (after[i] + before[i]) + R(0.05) * to_speed[i];
    free(next), free(now), free(speed), free(kept), free(before), free(after), free(to_speed), free(scaled);
    return value;
}
