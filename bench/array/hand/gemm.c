/* Both products of the reverse run are computed along rows. B is transposed once, so that no sum has to be reordered.
 * */
#include "bench/array/gemm.c"
#include "bench/array/hand/hand.h"

static NOINLINE void reverse(row *restrict dc, row *restrict da, row *restrict db, row *restrict a,
                             row *restrict turned, real alpha, real beta) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            add_scaled(alpha * dc[i][j], turned[j], da[i], N);
        for (int k = 0; k < N; k++)
            add_scaled(alpha * a[i][k], dc[i], db[k], N);
        for (int j = 0; j < N; j++)
            dc[i][j] *= beta;
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    row *a = square(), *b = square(), *c = square(), *turned = square();
    row *da = (row *)zeros(N * N), *db = (row *)zeros(N * N);
    fill(x, a, b, c);
    multiply(c, a, b, R(1.5), R(1.2));
    double value = weighted(c) * R(1e-6);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            turned[j][i] = b[i][j];
            c[i][j] = R(1e-6) * weight(i, j);
        }
    reverse(c, da, db, a, turned, R(1.5), R(1.2));
    memset(gradient, 0, n * sizeof *gradient);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            gradient[i] += da[i][j] * (j % 7 - 3) + c[i][j] * x[j];
            gradient[j] += db[i][j] + c[i][j] * x[i];
        }
    free(a), free(b), free(c), free(turned), free(da), free(db);
    return value;
}
