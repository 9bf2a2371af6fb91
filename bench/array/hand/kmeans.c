/* Only which centre was nearest in the last two rounds is kept: centres of earlier rounds have no adjoint, because new
 * ones do not depend on old ones but through the choice. So it does a sixth of the work that Verso does, which reverses
 * all rounds. */
#include "bench/array/kmeans.c"
#include "bench/array/hand/hand.h"

/* Runs the kernel's rounds, keeping only which centre is nearest in the last two. */
static NOINLINE real forward(const real *points, real *centres, int *last, int *before) {
    real sums[K * DIM], total = 0;
    int counts[K];
    for (int t = 0; t <= ROUNDS; t++) {
        memset(sums, 0, sizeof sums);
        memset(counts, 0, sizeof counts);
        total = 0;
        if (t == ROUNDS)
            memcpy(before, last, POINTS * sizeof *last);
        for (int i = 0; i < POINTS; i++) {
            real best;
            int k = nearest(points + i * DIM, centres, &best);
            total += best;
            last[i] = k;
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

double hand_gradient(const double *x, size_t n, double *gradient) {
    real *points = reals(POINTS * DIM), centres[K * DIM], dcentres[K * DIM] = {0};
    int *last = malloc(POINTS * sizeof *last), *before = malloc(POINTS * sizeof *before), counts[K] = {0};
    (void)n;
    fill(x, points, centres);
    real total = forward(points, centres, last, before);
    for (int i = 0; i < POINTS; i++)
        counts[before[i]]++;
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < DIM; j++) {
            real d = 2 * (points[i * DIM + j] - centres[last[i] * DIM + j]);
            gradient[i * DIM + j] = d;
            dcentres[last[i] * DIM + j] -= d;
        }
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < DIM; j++)
            gradient[i * DIM + j] =
                (gradient[i * DIM + j] + dcentres[before[i] * DIM + j] / counts[before[i]]) * (1 + i % 4);
    free(points), free(last), free(before);
    return total;
}
