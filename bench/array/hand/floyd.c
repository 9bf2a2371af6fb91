/* Keeps one byte per comparison; the reverse run skips eight at a time. Lengths are positive, so a path through its own
 * end is never shorter. */
#include "bench/array/floyd.c"
#include "bench/array/hand/hand.h"

#include <stdint.h>

typedef uint8_t choices[N];

static NOINLINE void shorten_and_keep(row *p, choices *chosen) {
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++, chosen++)
            for (int j = 0; j < N; j++) {
                uint8_t shorter = !(p[i][j] < p[i][k] + p[k][j]);
                (*chosen)[j] = shorter;
                p[i][j] = shorter ? p[i][k] + p[k][j] : p[i][j];
            }
}

static void reverse_row(const uint8_t *restrict chosen, real *restrict d, real *restrict by, int k) {
    for (int j = 0; j < N; j += 8) {
        uint64_t any;
        memcpy(&any, chosen + j, sizeof any);
        for (int m = j; any != 0; m++, any >>= 8)
            if (any & 1) {
                real g = d[m];
                d[m] = 0;
                d[k] += g;
                by[m] += g;
            }
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    row *p = square(), *d = square();
    choices *chosen = calloc(N * N, sizeof *chosen);
    fill(x, p);
    shorten_and_keep(p, chosen);
    double value = weighted(p);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            d[i][j] = weight(i, j);
    for (int k = N - 1; k >= 0; k--)
        for (int i = N - 1; i >= 0; i--)
            if (i != k)
                reverse_row(chosen[k * N + i], d[i], d[k], k);
    memset(gradient, 0, n * sizeof *gradient);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            gradient[i] += d[i][j] * here(i, j);
            gradient[j] += d[i][j] * there(i, j);
        }
    free(p), free(d), free(chosen);
    return value;
}
