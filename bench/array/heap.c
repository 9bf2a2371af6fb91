/* A heap of indices, ordered by the numbers that they lead to; then a weighted sum. */
#include "bench/array/kernel.h"

enum { N = 20000 };
const size_t kernel_inputs = N;

static int heap[N + 1];

static NOINLINE void order(const double *x) {
    for (int i = 0; i < N; i++) {
        int k = i + 1;
        for (; k > 1 && x[heap[k / 2]] < x[i]; k /= 2)
            heap[k] = heap[k / 2];
        heap[k] = i;
    }
}

double kernel(const double *x, size_t n) {
    double sum = 0;
    (void)n;
    order(x);
    for (int k = 1; k <= N; k++)
        sum += x[heap[k]] / k;
    return sum;
}
