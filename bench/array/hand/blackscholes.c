/* The derivatives have closed forms, which share terms with the price. */
#include "bench/array/blackscholes.c"
#include "bench/array/hand/hand.h"

/* The price; *d: its derivatives. */
static NOINLINE real reverse(option o, option *d) {
    real root = sqrt(o.years), spread = o.volatility * root;
    real d1 = (log(o.spot / o.strike) + (RATE + R(0.5) * o.volatility * o.volatility) * o.years) / spread;
    real d2 = d1 - spread, discounted = o.strike * exp(-RATE * o.years);
    real first = normal(d1), second = normal(d2), dense = R(0.3989422804014327) * exp(R(-0.5) * d1 * d1);
    d->spot = first;
    d->volatility = o.spot * dense * root;
    d->years = o.spot * dense * o.volatility / (2 * root) + RATE * discounted * second;
    return o.spot * first - discounted * second;
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    real sum = 0;
    option d;
    (void)n;
    for (int i = 0; i < OPTIONS; i++) {
        real weight = i % 3 + 1;
        sum += reverse(make(x, i), &d) * weight;
        gradient[i] = 40 * weight * d.spot;
        gradient[OPTIONS + i] = R(0.2) * weight * d.volatility;
        gradient[2 * OPTIONS + i] = weight * d.years;
    }
    return sum;
}
