/* The determinant of a matrix whose size is known at run time only, by elimination row by row. */
#include "bench/array/kernel.h"

enum { N = 180 };
const size_t kernel_inputs = N * N;

static NOINLINE real determinant(real *a, int n) {
    real product = 1;
    for (int i = 0; i < n; i++) {
        real pivot = a[i * n + i];
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

/* Numbers that keep the product near one. */
static void fill(const double *x, real *a, int n) {
    for (int i = 0; i < n * n; i++)
        a[i] = R(0.2) * R(x[i]) / n + (i % (n + 1) == 0);
}

double kernel(const double *x, size_t inputs) {
    int n = (int)(sqrt((double)inputs) + 0.5);
    real *a = reals(inputs);
    fill(x, a, n);
    double product = determinant(a, n);
    free(a);
    return product;
}
