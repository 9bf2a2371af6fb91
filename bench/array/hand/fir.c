/* Uses the output only. The adjoint of the signal is a filter with the taps in opposite order, on an adjoint with zeros
 * before and after it; that of the taps is computed along the taps. */
#include "bench/array/fir.c"
#include "bench/array/hand/hand.h"

enum { PAD = TAPS - 1 };

static NOINLINE void reverse(const real *restrict turned, const real *restrict s, const real *restrict d,
                             real *restrict ds, real *restrict dtaps) {
    for (int i = 0; i < N; i++)
        add_scaled(d[PAD + i], s + i, dtaps, TAPS);
    for (int i = 0; i < N + PAD; i++)
        ds[i] = 0;
    for (int k = 0; k < TAPS; k += 4)
        for (int i = 0; i < N + PAD; i++)
            ds[i] += turned[k] * d[i + k] + turned[k + 1] * d[i + k + 1] + turned[k + 2] * d[i + k + 2] +
                     turned[k + 3] * d[i + k + 3];
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    real *taps = reals(TAPS), *s = reals(N + PAD), *y = reals(N), *d = zeros(N + 2 * PAD), *ds = reals(N + PAD);
    real turned[TAPS], dtaps[TAPS] = {0}, sum = 0;
    fill(x, taps, s);
    run(taps, s, y);
    for (int i = 0; i < N; i++) {
        sum += y[i] * y[i] * (i % 3);
        d[PAD + i] = 2 * y[i] * (i % 3);
    }
    for (int k = 0; k < TAPS; k++)
        turned[k] = taps[TAPS - 1 - k];
    reverse(turned, s, d, ds, dtaps);
    memset(gradient, 0, n * sizeof *gradient);
    for (int k = 0; k < TAPS; k++)
        gradient[k] = dtaps[k] * (k % 3 - 1);
    for (int i = 0; i < N + PAD; i++)
        gradient[TAPS + i % PERIOD] += ds[i] * (i % 5 - 1);
    free(taps), free(s), free(y), free(d), free(ds);
    return sum;
}
