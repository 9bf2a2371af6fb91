/* k-means: some rounds of nearest centres and means, then the sum of squared distances. */
#include "bench/array/kernel.h"

#include <float.h>

enum { POINTS = 1500, DIM = 8, K = 10, ROUNDS = 5 };
const size_t kernel_inputs = POINTS * DIM;

static NOINLINE int nearest(const real *point, const real *centres, real *best) {
    int found = 0;
    *best = FLT_MAX;
    for (int k = 0; k < K; k++) {
        real d = 0;
        for (int j = 0; j < DIM; j++) {
            real t = point[j] - centres[k * DIM + j];
            d += t * t;
        }
        if (d < *best) {
            *best = d;
            found = k;
        }
    }
    return found;
}

static NOINLINE real kmeans(const real *points, real *centres, real *sums, int *counts) {
    real total = 0;
    for (int t = 0; t <= ROUNDS; t++) {
        memset(sums, 0, K * DIM * sizeof *sums);
        memset(counts, 0, K * sizeof *counts);
        total = 0;
        for (int i = 0; i < POINTS; i++) {
            real best;
            int k = nearest(points + i * DIM, centres, &best);
            total += best;
            counts[k]++;
            for (int j = 0; j < DIM; j++)
                sums[k * DIM + j] += points[i * DIM + j];
        }
        for (int k = 0; k < K && t < ROUNDS; k++)
            if (counts[k] > 0)
                for (int j = 0; j < DIM; j++)
                    centres[k * DIM + j] = sums[k * DIM + j] / counts[k];
    }
    return total;
}

static void fill(const double *x, real *points, real *centres) {
    for (int i = 0; i < POINTS * DIM; i++)
        points[i] = R(x[i]) * (1 + i / DIM % 4);
    memcpy(centres, points, K * DIM * sizeof *centres);
}

double kernel(const double *x, size_t n) {
    real *points = reals(POINTS * DIM), centres[K * DIM], sums[K * DIM];
    int counts[K];
    (void)n;
    fill(x, points, centres);
    real total = kmeans(points, centres, sums, counts);
    free(points);
    return total;
}
