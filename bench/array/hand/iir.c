/* The adjoint of a recursive filter is the filter backwards in time; the adjoints of its coefficients are inner
 * products. Keeps the signal between the stages, with two zeros before it. */
#include "bench/array/iir.c"
#include "bench/array/hand/hand.h"

enum { BEFORE = 2, ROOM = N + BEFORE };

/* d: adjoint of the output; e: that of the recursion, with two zeros after it. d becomes the adjoint of the input. */
static NOINLINE void reverse(const filter *f, real *restrict d, real *restrict e) {
    for (int i = N - 1; i >= 0; i--)
        e[i] = d[i] - f->a1 * e[i + 1] - f->a2 * e[i + 2];
    for (int i = 0; i < N; i++)
        d[i] = f->b0 * e[i] + f->b1 * e[i + 1] + f->b2 * e[i + 2];
}

static void reverse_coefficients(const real *e, const real *s, const real *y, double *gradient) {
    gradient[0] = inner_product(e, s, N);
    gradient[1] = R(0.5) * inner_product(e, s - 1, N);
    gradient[2] = R(0.2) * inner_product(e, s - 2, N);
    gradient[3] = R(0.9) * inner_product(e, y - 1, N);
    gradient[4] = R(-0.3) * inner_product(e, y - 2, N);
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    real *room = reals((size_t)(STAGES + 1) * ROOM), *s = room + BEFORE, *d = reals(N), *e = zeros(N + 2), sum = 0;
    filter f[STAGES];
    for (int k = 0; k <= STAGES; k++)
        s[k * ROOM - 1] = s[k * ROOM - 2] = 0;
    fill(x, s);
    for (int k = 0; k < STAGES; k++) {
        f[k] = design(x + 5 * k);
        run(&f[k], s + k * ROOM, s + (k + 1) * ROOM);
    }
    const real *last = s + STAGES * ROOM;
    for (int i = 0; i < N; i++) {
        sum += last[i] * last[i] * (i % 3);
        d[i] = 2 * last[i] * (i % 3);
    }
    memset(gradient, 0, n * sizeof *gradient);
    for (int k = STAGES - 1; k >= 0; k--) {
        reverse(&f[k], d, e);
        reverse_coefficients(e, s + k * ROOM, s + (k + 1) * ROOM, gradient + 5 * k);
    }
    for (int i = 0; i < N; i++)
        gradient[5 * STAGES + i % PERIOD] += d[i] * (i % 7 - 3);
    free(room), free(d), free(e);
    return sum;
}
