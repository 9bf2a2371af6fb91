/* at: random:81:0.5:1
 * Elimination row by row, with a size that is known at run time only. Neither nest can be copied as a whole: it writes
 * what it reads. The loops inside it can. */
#include <stdlib.h>
#include <string.h>

static __attribute__((noinline)) double determinant(const double *x, int n) {
    double *a = malloc((size_t)(n * n) * sizeof *a), product = 1;
    memcpy(a, x, (size_t)(n * n) * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i * n + i] += n;
    for (int i = 0; i < n; i++) {
        product *= a[i * n + i];
        for (int j = i + 1; j < n; j++) {
            double factor = a[j * n + i] / a[i * n + i];
            for (int k = i + 1; k < n; k++)
                a[j * n + k] -= factor * a[i * n + k];
        }
    }
    free(a);
    return product;
}

double f(const double *x, size_t n) {
    int side = 1;
    while ((size_t)(side * side) < n)
        side++;
    return determinant(x, side);
}
