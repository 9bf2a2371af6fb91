/* at: 0.7,1.1,0.25,2.0,0.6,1.4,0.9,0.3
 * flags: -fno-inline
 * Vector types of doubles, two and four wide: arithmetic, elements, arguments and results, memory. */
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef double pair __attribute__((vector_size(16)));
typedef double quad __attribute__((vector_size(32)));

static pair scale(pair v, double by) {
    return v * by + (pair){1, 2};
}

static void advance(quad *state, const quad *rate, double dt) {
    *state += dt * *rate * (1 - *state);
}

static double sum(const quad *v) {
    double total = 0;
    for (int i = 0; i < 4; i++)
        total += (*v)[i];
    return total;
}

double f(const double *x, size_t n) {
    (void)n;
    quad u, v;
    memcpy(&u, x, sizeof u);
    memcpy(&v, x + 4, sizeof v);
    pair p = {x[0], x[5]};
    for (int i = 0; i < 4; i++) {
        p = scale(p, 0.3) * p;
        advance(&u, &v, 0.1);
        v[i] = sin(v[i]) * p[i & 1];
    }
    quad w = u * v / (1 + u * u) - v;
    return sum(&w) * p[0] + p[1] * sum(&u);
}
