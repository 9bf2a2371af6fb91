/* at: random:16:0.5:1
 * large: random:1600:0.5:1
 * noise: 1e-11
 * The determinant of a matrix by elimination without pivoting, in a copy on the heap. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void eliminate_below(double *b, size_t side, size_t i) {
    for (size_t j = i + 1; j < side; j++) {
        double factor = b[j * side + i];
        for (size_t k = i + 1; k < side; k++)
            b[j * side + k] -= factor * b[i * side + k];
    }
}

double f(const double *x, size_t n) {
    size_t side = (size_t)(sqrt((double)n) + 0.5);
    double *b = malloc(n * sizeof *b);
    memcpy(b, x, n * sizeof *b);
    for (size_t i = 0; i < side; i++)
        b[i * side + i] += 0.5 * (double)side;
    for (size_t i = 0; i < n; i++)
        b[i] /= 0.6 * (double)side;
    double determinant = 1;
    for (size_t i = 0; i < side; i++) {
        double pivot = b[i * side + i];
        determinant *= pivot;
        for (size_t j = i; j < side; j++)
            b[i * side + j] /= pivot;
        eliminate_below(b, side, i);
    }
    free(b);
    return determinant;
}
