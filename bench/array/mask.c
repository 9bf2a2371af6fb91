/* A mask of bytes is filled, and then selects, four times. */
#include "bench/array/kernel.h"

#include <stdint.h>

enum { N = 20000, ROUNDS = 4 };
const size_t kernel_inputs = N;

static uint8_t mask[N];

static NOINLINE void choose(const double *x) {
    for (int i = 0; i < N; i++)
        mask[i] = x[i] > 0.75;
}

static NOINLINE double selected(const double *x) {
    double sum = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < N; i++)
            if (mask[i])
                sum += x[i] * x[i];
    return sum;
}

double kernel(const double *x, size_t n) {
    (void)n;
    choose(x);
    return selected(x);
}
