/* at: 0.9,1.1,0.7,1.2,0.8
 * Copies of ranges where a loop is left that records nothing else: bounds and sizes follow, so the record behind the
 * copy has no fields, and the tape must move past the copy nevertheless. */
#include <stddef.h>
#include <stdlib.h>

enum { N = 40, TIMES = 3 };

double f(const double *x, size_t count) {
    int n = N;
    double *u = calloc(N * N, sizeof *u), *w = calloc(N * N, sizeof *w), *k = calloc(N * N, sizeof *k), down[N];
    double sum = 0;
    for (int i = 0; i < N * N; i++) {
        u[i] = x[(size_t)i % count];
        k[i] = x[(size_t)(i + 1) % count];
    }
    for (int i = 0; i < N; i++)
        down[i] = x[(size_t)i % count];
    for (int t = 0; t < TIMES; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                w[i * n + j] =
                    u[i * n + j] + 0.2 * k[i * n + j] * (u[(i - 1) * n + j] - 2 * u[i * n + j] + u[(i + 1) * n + j]);
        for (int j = 1; j < n - 1; j++) /* columns in turn, each from the top to the bottom */
            for (int i = 1; i < n - 1; i++) {
                double m = 1 / (1.4 - 0.2 * down[i - 1]);
                u[i * n + j] = (u[i * n + j] + 0.2 * u[(i - 1) * n + j]) * m;
            }
    }
    for (int i = 0; i < N * N; i++)
        sum += u[i] * u[i] + w[i];
    free(u);
    free(w);
    free(k);
    return sum;
}
