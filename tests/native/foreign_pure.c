/* at: random:6:0.2:1.4
 * foreign: api/foreign/keeper.c
 * Foreign functions that keep nothing, or that nothing comes back from: several processes may share the run. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <verso/native.h>

VERSO_PURE __attribute__((pure)) double keeper_table(const double *table, int i);
VERSO_PURE void keeper_scale(double *pair, double factor);
VERSO_INACTIVE void keeper_line(const char *format, double value);

static const double table[4] = {0.5, 1, 0.25, 2};

double f(const double *x, size_t n) {
    double state[6], pair[2], sum = 0;
    memcpy(state, x, n * sizeof *x);
    for (int step = 0; step < 40; step++) {
        pair[0] = state[0], pair[1] = state[1];
        double before = pair[0] * pair[1];
        keeper_scale(pair, keeper_table(table, step));
        for (size_t i = 0; i < n; i++)
            state[i] += 0.05 * pair[i % 2] * sin(state[i]) + 0.01 * before;
        if (step % 8 == 0)
            keeper_line("%g", pair[1]);
    }
    for (size_t i = 0; i < n; i++)
        sum += state[i] * state[i];
    return sum;
}
