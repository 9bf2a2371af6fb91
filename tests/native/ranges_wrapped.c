/* at: 0.7,1.3
 * A loop nest whose stores would be outside of all memory in most iterations, in which they are not executed. */
#include <stddef.h>
#include <stdlib.h>

enum { N = 256 };

static double *volatile hidden;
static volatile size_t rows = 60, columns = 100, stores = 1, stride = ((size_t)1 << 61) / 64;

__attribute__((noinline)) static double nest(double *y, const double *a, size_t m, size_t k, size_t step, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < k; j++) {
            sum += a[j] * (1 + a[j]) * 0.01;
            if (j < n)
                y[j * step] = 0.9 * y[j * step] + 0.01 * sum;
        }
    return sum;
}

double f(const double *x, size_t n) {
    double *b = malloc(N * sizeof *b);
    if (b == NULL)
        abort();
    for (size_t i = 0; i < N; i++)
        b[i] = 0.1 * x[i % n] * (1 + 0.01 * (double)i);
    hidden = b;
    double sum = nest(hidden + 5, hidden, rows, columns, stride, stores);
    for (size_t i = 0; i < N; i++)
        sum += b[i] * b[i];
    free(b);
    return sum;
}
