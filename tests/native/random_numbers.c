/* at: 0.7,1.1,0.25
 * flags: -fno-inline
 * A Monte Carlo estimate with a generator of our own: integers that become numbers without a derivative; rejection. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct generator {
    uint64_t state;
    double spare;
    int has_spare;
} generator;

static double uniform(generator *g) {
    g->state = g->state * 6364136223846793005u + 1442695040888963407u;
    return (double)(g->state >> 11) * 0x1p-53;
}

static double normal(generator *g) {
    if (g->has_spare) {
        g->has_spare = 0;
        return g->spare;
    }
    double u, v, s;
    do {
        u = 2 * uniform(g) - 1;
        v = 2 * uniform(g) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    double factor = sqrt(-2 * log(s) / s);
    g->spare = v * factor;
    g->has_spare = 1;
    return u * factor;
}

double f(const double *x, size_t n) {
    generator g = {.state = 20240607};
    double sum = 0;
    (void)n;
    for (int i = 0; i < 30; i++) {
        double sample = x[0] + x[1] * normal(&g), payoff = exp(-x[2] * sample * sample);
        sum += uniform(&g) < 0.5 ? payoff : payoff * sample;
    }
    return sum / 30;
}
