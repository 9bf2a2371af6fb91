/* The square matrices of the dense kernels, and the sum of their numbers with weights -1, 0 and 1 at the end. */
#ifndef VERSO_BENCH_ARRAY_SQUARE_H
#define VERSO_BENCH_ARRAY_SQUARE_H

#include "bench/array/kernel.h"

enum { N = 200 };
typedef real row[N];

static inline row *square(void) {
    return malloc(N * sizeof(row));
}

static inline int weight(int i, int j) {
    return (i * j) % 3 - 1;
}

static inline real weighted(row *a) {
    real sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += a[i][j] * weight(i, j);
    return sum;
}

#endif
