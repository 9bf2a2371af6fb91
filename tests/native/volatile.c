/* at: 0.7,1.1
 * Volatile numbers and pointers to them: every access is one. */
#include <math.h>
#include <stddef.h>

static volatile double level;

static void raise_level(volatile double *at, double by) {
    *at = *at + by;
    *at *= 1.1;
}

double f(const double *x, size_t n) {
    (void)n;
    volatile double local = x[0];
    volatile int rounds = 5;
    volatile float narrow = 0.5f;
    level = x[1];
    for (int i = 0; i < rounds; i++) {
        raise_level(&level, sin(local));
        local = local * 0.5 + level * narrow;
    }
    return level * local;
}
