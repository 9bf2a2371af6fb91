/* at: 0.45,0.521,0.592,0.663
 * Blocks freed and allocated again in every round: addresses are used again for other numbers, of other types. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

double f(const double *x, size_t n) {
    double r = x[0];
    for (size_t i = 0; i < 8; i++) {
        size_t m = 4 + i % 5;
        double *a = malloc(m * sizeof *a), q = 0;
        for (size_t j = 0; j < m; j++)
            a[j] = x[(i + j) % n] * (double)(j + 1) + 0.1 * r;
        for (size_t j = 0; j < m; j++)
            q += a[j] * a[m - 1 - j];
        double *b = malloc(m * sizeof *b);
        for (size_t j = 0; j < m; j++)
            b[j] = sin(a[j] * q * 0.01);
        free(a);
        long *counts = malloc(m * sizeof *counts);
        for (size_t j = 0; j < m; j++)
            counts[j] = b[j] > 0.1;
        r = 0;
        for (size_t j = 0; j < m; j++)
            r += b[j] * (counts[j] ? 0.2 : 0.3);
        free(counts);
        free(b);
    }
    return r;
}
