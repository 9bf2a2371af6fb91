/* Multiresolution kernel of PolyBench: each row of a three-dimensional array is multiplied by a matrix, in place. */
#include "bench/array/kernel.h"

enum { NR = 30, NQ = 32, NP = 64 };
const size_t kernel_inputs = NP * NP;

static NOINLINE void doitgen(real a[NR][NQ][NP], real c4[NP][NP], real *sum) {
    for (int r = 0; r < NR; r++)
        for (int q = 0; q < NQ; q++) {
            for (int p = 0; p < NP; p++) {
                sum[p] = 0;
                for (int s = 0; s < NP; s++)
                    sum[p] += a[r][q][s] * c4[s][p];
            }
            for (int p = 0; p < NP; p++)
                a[r][q][p] = sum[p];
        }
}

static void fill(const double *x, real a[NR][NQ][NP], real c4[NP][NP]) {
    for (int r = 0; r < NR; r++)
        for (int q = 0; q < NQ; q++)
            for (int p = 0; p < NP; p++)
                a[r][q][p] = R(x[p]) * ((r * q + p) % 3);
    for (int p = 0; p < NP; p++)
        for (int s = 0; s < NP; s++)
            c4[p][s] = R(x[p * NP + s]) * ((p * s) % 5 - 2);
}

double kernel(const double *x, size_t n) {
    real(*a)[NQ][NP] = malloc(NR * sizeof *a), (*c4)[NP] = malloc(NP * sizeof *c4), sum[NP], value = 0;
    (void)n;
    fill(x, a, c4);
    doitgen(a, c4, sum);
    for (int r = 0; r < NR; r++)
        for (int q = 0; q < NQ; q++)
            for (int p = 0; p < NP; p++)
                value += a[r][q][p] * ((r + q + p) % 3 - 1);
    free(a), free(c4);
    return value;
}
