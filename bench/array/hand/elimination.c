/* Needs the pivots only: what is read is never overwritten. */
#include "bench/array/elimination.c"
#include "bench/array/hand/hand.h"

static NOINLINE real forward(real *a, int n, real *pivots) {
    real product = 1;
    for (int i = 0; i < n; i++) {
        real pivot = pivots[i] = a[i * n + i];
        product *= pivot;
        for (int j = i; j < n; j++)
            a[i * n + j] /= pivot;
        for (int j = i + 1; j < n; j++) {
            real factor = a[j * n + i];
            for (int k = i + 1; k < n; k++)
                a[j * n + k] -= factor * a[i * n + k];
        }
    }
    return product;
}

static NOINLINE void backward(const real *a, real *d, int n, const real *pivots, real product) {
    for (int i = n - 1; i >= 0; i--) {
        int rest = n - i - 1;
        const real *row = a + i * n + i + 1;
        real *drow = d + i * n + i + 1, inverse = 1 / pivots[i];
        for (int j = n - 1; j > i; j--) {
            d[j * n + i] -= inner_product(d + j * n + i + 1, row, rest);
            add_scaled(-a[j * n + i], d + j * n + i + 1, drow, rest);
        }
        real dpivot = product * inverse - inverse * inner_product(drow, row, rest);
        for (int k = 0; k < rest; k++)
            drow[k] *= inverse;
        d[i * n + i] = dpivot;
    }
}

double hand_gradient(const double *x, size_t inputs, double *gradient) {
    int n = (int)(sqrt((double)inputs) + 0.5);
    real *a = reals(inputs), *d = zeros(inputs), *pivots = reals((size_t)n);
    fill(x, a, n);
    real product = forward(a, n, pivots);
    backward(a, d, n, pivots, product);
    for (size_t i = 0; i < inputs; i++)
        gradient[i] = d[i] * R(0.2) / n;
    free(a), free(d), free(pivots);
    return product;
}
