/* at: random:10:0.5:1
 * large: random:3000:0.5:1
 * A sparse matrix whose pattern is computed, times a vector, through tanh, several times: indirect addressing. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

double f(const double *x, size_t n) {
    double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v);
    memcpy(u, x, n * sizeof *u);
    for (int s = 0; s < 6; s++) {
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            uint32_t h = (uint32_t)i * 2654435761u;
            for (int k = 0; k < 5; k++) {
                h = h * 1664525u + 1013904223u;
                sum += ((double)(h >> 16) / 65536.0 - 0.5) * u[h % (uint32_t)n];
            }
            v[i] = tanh(sum);
        }
        double *swap = u;
        u = v;
        v = swap;
    }
    double norm = 0;
    for (size_t i = 0; i < n; i++)
        norm += u[i] * u[i];
    free(u);
    free(v);
    return norm;
}
