/* Row i of the solution is not overwritten again, so nothing is kept. Both products of the reverse run are computed
 * along rows. B is transposed once. */
#include "bench/array/rows.c"
#include "bench/array/hand/hand.h"

static NOINLINE void reverse_solve(real **dc, real **da, real **c, real **a) {
    for (int i = N - 1; i > 0; i--)
        for (int k = i - 1; k >= 0; k--) {
            da[i][k] -= R(0.001) * inner_product(dc[i], c[k], N);
            add_scaled(-R(0.001) * a[i][k], dc[i], dc[k], N);
        }
}

static NOINLINE void reverse_multiply(real **dc, real **da, real **db, real **a, real **turned) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            add_scaled(dc[i][j], turned[j], da[i], N);
        for (int k = 0; k < N; k++)
            add_scaled(a[i][k], dc[i], db[k], N);
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    real **a = matrix(), **b = matrix(), **c = matrix(), **turned = matrix();
    real **da = matrix(), **db = matrix(), **dc = matrix();
    fill(x, a, b);
    multiply(c, a, b);
    solve(c, a);
    double value = weighted(c) * R(1e-4);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            turned[j][i] = b[i][j];
            dc[i][j] = R(1e-4) * weight(i, j);
        }
    reverse_solve(dc, da, c, a);
    reverse_multiply(dc, da, db, a, turned);
    memset(gradient, 0, n * sizeof *gradient);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            gradient[i] += da[i][j] * (j % 7 - 3);
            gradient[j] += da[i][j] * R(0.5) + db[i][j];
        }
    drop(a), drop(b), drop(c), drop(turned), drop(da), drop(db), drop(dc);
    return value;
}
