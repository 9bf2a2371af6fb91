/* The stencil's value at each point and step is kept. The stencil is symmetric: its adjoint is gathered from the speed
 * times the adjoint, which stays zero along the border. */
#include "bench/array/acoustic.c"
#include "bench/array/hand/hand.h"

static NOINLINE void step_and_keep(const medium *m, real *restrict next, const real *restrict now,
                                   real *restrict kept) {
    for (int z = 2; z < DEPTH - 2; z++)
        for (int i = 2; i < WIDTH - 2; i++) {
            int at = z * WIDTH + i;
            real s = m->sponge[at];
            kept[at] = around(now + at, WIDTH);
            next[at] = s * (2 * now[at] - s * next[at] + m->speed[at] * kept[at]);
        }
}

/* `after` is the adjoint of the result, and becomes that of what was overwritten. */
static NOINLINE void reverse_step(const medium *m, real *restrict after, real *restrict before, real *restrict to_speed,
                                  const real *restrict kept, real *restrict scaled) {
    for (int z = 2; z < DEPTH - 2; z++)
        for (int i = 2; i < WIDTH - 2; i++) {
            int at = z * WIDTH + i;
            real s = m->sponge[at], g = s * after[at];
            to_speed[at] += g * kept[at];
            scaled[at] = g * m->speed[at];
            before[at] += 2 * g;
            after[at] = -s * g;
        }
    for (int z = 2; z < DEPTH - 2; z++)
        for (int i = 2; i < WIDTH - 2; i++)
            before[z * WIDTH + i] += around(scaled + z * WIDTH + i, WIDTH);
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    medium m = {reals(n), reals(n), WIDTH, DEPTH};
    real *now = reals(n), *next = reals(n), *kept = reals(STEPS * n), *heard = reals(STEPS * RECEIVERS);
    real *before = reals(n), *after = reals(n), *to_speed = zeros(n), *scaled = zeros(n), *swapped;
    double misfit = 0;
    fill(x, &m);
    for (int shot = 0; shot < SHOTS; shot++) {
        memset(now, 0, n * sizeof *now);
        memset(next, 0, n * sizeof *next);
        for (int t = 0; t < STEPS; t++) {
            step_and_keep(&m, next, now, kept + (size_t)t * n);
            next[(ALOFT + 1) * WIDTH + 30 + 40 * shot] += source(t);
            swapped = now, now = next, next = swapped;
            for (int k = 0; k < RECEIVERS; k++) {
                real off = now[ALOFT * WIDTH + 10 + 5 * k] - expected(t, k);
                misfit += R(0.5) * off * off;
                heard[t * RECEIVERS + k] = off;
            }
        }
        memset(after, 0, n * sizeof *after);
        memset(before, 0, n * sizeof *before);
        for (int t = STEPS - 1; t >= 0; t--) {
            for (int k = 0; k < RECEIVERS; k++)
                after[ALOFT * WIDTH + 10 + 5 * k] += heard[t * RECEIVERS + k];
            reverse_step(&m, after, before, to_speed, kept + (size_t)t * n, scaled);
            swapped = after, after = before, before = swapped;
        }
    }
    for (size_t i = 0; i < n; i++)
        gradient[i] = R(0.02) * to_speed[i];
    free(m.speed), free(m.sponge), free(now), free(next), free(kept), free(heard);
    free(before), free(after), free(to_speed), free(scaled);
    return misfit;
}
