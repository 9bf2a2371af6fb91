/* Paths of a price whose volatility depends on time and on the price, with random numbers of integers (xorshift). */
#include "bench/array/kernel.h"

#include <stdint.h>

enum { PATHS = 2000, STEPS = 64 };
const size_t kernel_inputs = STEPS + 2;

typedef struct model {
    real volatility[STEPS], start, skew;
} model;

static const real DT = R(1) / STEPS, ROOT = R(0.125), DRIFT = R(0.03), STRIKE = 1;

static model make(const double *x) {
    model m = {.start = R(0.4) + R(0.8) * R(x[STEPS]), .skew = R(0.2) * R(x[STEPS + 1])};
    for (int t = 0; t < STEPS; t++)
        m.volatility[t] = R(0.3) * R(x[t]);
    return m;
}

/* Four numbers of sixteen bits, summed: nearly normal, with a variance of 1. */
static inline real draw(uint64_t *state) {
    uint64_t z = *state;
    z ^= z << 13;
    z ^= z >> 7;
    z ^= z << 17;
    *state = z;
    int64_t sum = (int64_t)((z & 65535) + (z >> 16 & 65535) + (z >> 32 & 65535) + (z >> 48)) - 2 * 65535;
    return R(sum) * R(1.7320508075688772 / 65536);
}

static NOINLINE real path(const model *m, uint64_t *state) {
    real price = m->start;
    for (int t = 0; t < STEPS; t++) {
        real volatility = m->volatility[t] * (1 + m->skew * (1 - price));
        price *= 1 + DRIFT * DT + volatility * ROOT * draw(state);
    }
    return price > STRIKE ? price - STRIKE : 0;
}

double kernel(const double *x, size_t n) {
    model m = make(x);
    uint64_t state = 88172645463325252u;
    real sum = 0;
    (void)n;
    for (int i = 0; i < PATHS; i++)
        sum += path(&m, &state);
    return sum / PATHS;
}
