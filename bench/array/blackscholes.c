/* Prices of many options by the formula of Black and Scholes. */
#include "bench/array/kernel.h"

enum { OPTIONS = 4000 };
const size_t kernel_inputs = 3 * OPTIONS;

typedef struct option {
    real spot, volatility, years, strike;
} option;

static const real RATE = R(0.03);

static option make(const double *x, int i) {
    return (option){80 + 40 * R(x[i]), R(0.1) + R(0.2) * R(x[OPTIONS + i]), R(0.5) + R(x[2 * OPTIONS + i]),
                    R(90 + i % 40)};
}

static inline real normal(real z) {
    return R(0.5) * erfc(-z * R(0.7071067811865476));
}

static NOINLINE real price(option o) {
    real spread = o.volatility * sqrt(o.years);
    real d1 = (log(o.spot / o.strike) + (RATE + R(0.5) * o.volatility * o.volatility) * o.years) / spread;
    real d2 = d1 - spread;
    return o.spot * normal(d1) - o.strike * exp(-RATE * o.years) * normal(d2);
}

double kernel(const double *x, size_t n) {
    real sum = 0;
    (void)n;
    for (int i = 0; i < OPTIONS; i++)
        sum += price(make(x, i)) * (i % 3 + 1);
    return sum;
}
