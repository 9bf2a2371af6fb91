/* The array is copied before it is overwritten. The adjoint of the matrix is a sum of outer products, row by row. */
#include "bench/array/doitgen.c"
#include "bench/array/hand/hand.h"

static NOINLINE void reverse(real (*restrict a)[NQ][NP], real (*restrict c4)[NP], real (*restrict dc)[NP],
                             real *restrict gradient) {
    for (int r = 0; r < NR; r++)
        for (int q = 0; q < NQ; q++) {
            real d[NP];
            for (int p = 0; p < NP; p++)
                d[p] = (r + q + p) % 3 - 1;
            for (int s = 0; s < NP; s++) {
                add_scaled(a[r][q][s], d, dc[s], NP);
                gradient[s] += inner_product(d, c4[s], NP) * ((r * q + s) % 3);
            }
        }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    real(*a)[NQ][NP] = malloc(NR * sizeof *a), (*b)[NQ][NP] = malloc(NR * sizeof *a),
    (*c4)[NP] = malloc(NP * sizeof *c4), (*dc)[NP] = (real(*)[NP])zeros(NP * NP), sum[NP], value = 0, dx[NP] = {0};
    fill(x, a, c4);
    memcpy(b, a, NR * sizeof *a);
    doitgen(a, c4, sum);
    for (int r = 0; r < NR; r++)
        for (int q = 0; q < NQ; q++)
            for (int p = 0; p < NP; p++)
                value += a[r][q][p] * ((r + q + p) % 3 - 1);
    reverse(b, c4, dc, dx);
    memset(gradient, 0, n * sizeof *gradient);
    for (int p = 0; p < NP; p++)
        for (int s = 0; s < NP; s++)
            gradient[p * NP + s] += dc[p][s] * ((p * s) % 5 - 2);
    for (int p = 0; p < NP; p++)
        gradient[p] += dx[p];
    free(a), free(b), free(c4), free(dc);
    return value;
}
