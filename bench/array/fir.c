/* A filter with a finite response: each point is an inner product of taps and signal. */
#include "bench/array/kernel.h"

enum { N = 20000, TAPS = 32, PERIOD = 1000 };
const size_t kernel_inputs = TAPS + PERIOD;

static void fill(const double *x, real *taps, real *signal) {
    for (int k = 0; k < TAPS; k++)
        taps[k] = R(x[k]) * (k % 3 - 1);
    for (int i = 0; i < N + TAPS - 1; i++)
        signal[i] = R(x[TAPS + i % PERIOD]) * (i % 5 - 1);
}

static NOINLINE void run(const real *taps, const real *s, real *y) {
    for (int i = 0; i < N; i++) {
        real sum = 0;
        for (int k = 0; k < TAPS; k++)
            sum += taps[k] * s[i + k];
        y[i] = sum;
    }
}

double kernel(const double *x, size_t n) {
    real *taps = reals(TAPS), *s = reals(N + TAPS - 1), *y = reals(N), sum = 0;
    (void)n;
    fill(x, taps, s);
    run(taps, s, y);
    for (int i = 0; i < N; i++)
        sum += y[i] * y[i] * (i % 3);
    free(taps);
    free(s);
    free(y);
    return sum;
}
