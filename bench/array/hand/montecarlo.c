/* Keeps the prices and random numbers of one path at a time. Paths that end with the value 0 have no adjoint. */
#include "bench/array/montecarlo.c"
#include "bench/array/hand/hand.h"

static NOINLINE real reverse(const model *m, uint64_t *state, model *d) {
    real price[STEPS + 1], z[STEPS];
    price[0] = m->start;
    for (int t = 0; t < STEPS; t++) {
        z[t] = ROOT * draw(state);
        price[t + 1] = price[t] * (1 + DRIFT * DT + m->volatility[t] * (1 + m->skew * (1 - price[t])) * z[t]);
    }
    if (!(price[STEPS] > STRIKE))
        return 0;
    real g = 1, dskew = 0;
    for (int t = STEPS - 1; t >= 0; t--) {
        real lean = 1 + m->skew * (1 - price[t]), growth = 1 + DRIFT * DT + m->volatility[t] * lean * z[t];
        real dvolatility = g * price[t] * z[t];
        d->volatility[t] += dvolatility * lean;
        dskew += dvolatility * m->volatility[t] * (1 - price[t]);
        g = g * growth - dvolatility * m->volatility[t] * m->skew;
    }
    d->skew += dskew;
    d->start += g;
    return price[STEPS] - STRIKE;
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    model m = make(x), d = {0};
    uint64_t state = 88172645463325252u;
    real sum = 0;
    (void)n;
    for (int i = 0; i < PATHS; i++)
        sum += reverse(&m, &state, &d);
    for (int t = 0; t < STEPS; t++)
        gradient[t] = R(0.3) * d.volatility[t] / PATHS;
    gradient[STEPS] = R(0.8) * d.start / PATHS;
    gradient[STEPS + 1] = R(0.2) * d.skew / PATHS;
    return sum / PATHS;
}
