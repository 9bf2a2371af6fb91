/* at: random:6:0.2:1.4
 * foreign: api/foreign/keeper.c
 * A foreign function that counts its calls: cut and checkpointed, the run has one course. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <verso/native.h>

VERSO_INACTIVE double keeper_force(void);
VERSO_INACTIVE void keeper_begin(void);

static double force(void) {
    return keeper_force();
}

double f(const double *x, size_t n) {
    double state[6], sum = 0;
    memcpy(state, x, n * sizeof *x);
    keeper_begin();
    for (int step = 0; step < 40; step++) {
        double strength = force();
        for (size_t i = 0; i < n; i++)
            state[i] += 0.05 * strength * sin(state[i]);
    }
    for (size_t i = 0; i < n; i++)
        sum += state[i] * state[i];
    return sum;
}
