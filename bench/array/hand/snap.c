/* Runs each call again before it is reversed, as the checkpointed program does. */
#include "bench/array/snap.c"
#include "bench/array/hand/hand.h"

static NOINLINE double reverse(double q) {
    double kept[TURNS], d = 1;
    for (int i = 0; i < TURNS; i++) {
        kept[i] = q;
        q = q - 0.1 * (q * q - 2);
    }
    for (int i = TURNS - 1; i >= 0; i--)
        d -= 0.2 * kept[i] * d;
    return d;
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    double value = kernel(x, n), sum = 77;
    for (int k = CALLS - 1; k >= 0; k--)
        sum += reverse(x[0] + 1e-3 * k);
    gradient[0] = sum;
    return value;
}
