/* at: random:16:0.5:1
 * large: random:1024:0.5:1
 * The nest copies a range that begins a row before the array and ends a row behind it, because extents of loads do not
 * take account of the condition. When the checkpointed call is recorded again, these bytes, which belong to others,
 * have changed. The lasting copy must be found nevertheless; otherwise the profile predicts more bytes than are
 * recorded without checkpointed calls. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static void step(const double *u, double *v, size_t side) {
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++) {
            size_t at = i * side + j;
            if (i == 0 || j == 0 || i == side - 1 || j == side - 1) {
                v[at] = u[at];
                continue;
            }
            double laplacian = u[at - side] + u[at + side] + u[at - 1] + u[at + 1] - 4 * u[at];
            v[at] = u[at] + 0.1 * (1.0 + 0.1 * u[at] * u[at]) * laplacian;
        }
}

double f(const double *x, size_t n) {
    size_t side = (size_t)(sqrt((double)n) + 0.5);
    double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v);
    memcpy(u, x, n * sizeof *u);
    for (size_t s = 0; s < side; s++) {
        step(u, v, side);
        double *swap = u;
        u = v;
        v = swap;
    }
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += u[i] * u[i];
    free(u);
    free(v);
    return sum;
}
