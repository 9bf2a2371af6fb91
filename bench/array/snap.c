/* A function of one number, called many times in a program with a large state. Its calls are checkpointed: what is kept
 * for each should be its argument. */
#include "bench/array/kernel.h"

enum { STATE = 25000, CALLS = 1000, TURNS = 50 };
const size_t kernel_inputs = 1;

static double state[STATE];

static NOINLINE double pure(double q) {
    for (int i = 0; i < TURNS; i++)
        q = q - 0.1 * (q * q - 2);
    return q;
}

double kernel(const double *x, size_t n) {
    double sum = 0;
    (void)n;
    for (int i = 0; i < STATE; i++)
        state[i] = x[0] * i;
    for (int k = 0; k < CALLS; k++)
        sum += pure(x[0] + 1e-3 * k);
    return sum + state[77];
}
