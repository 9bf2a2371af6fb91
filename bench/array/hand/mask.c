/* The reverse run reads the mask again. */
#include "bench/array/mask.c"
#include "bench/array/hand/hand.h"

double hand_gradient(const double *x, size_t n, double *gradient) {
    double value = kernel(x, n);
    memset(gradient, 0, n * sizeof *gradient);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < N; i++)
            gradient[i] += mask[i] ? 2 * x[i] : 0;
    return value;
}
