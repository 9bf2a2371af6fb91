/* The entries of the table do not depend on x. */
#include "bench/array/table.c"
#include "bench/array/hand/hand.h"

double hand_gradient(const double *x, size_t n, double *gradient) {
    double value = kernel(x, n), sum = 0;
    for (int i = 0; i < TIMES; i++)
        sum += 1e-7;
    gradient[0] = sum;
    return value;
}
