/* at: 0.5,1.2,-0.7,2.1,0.9,1.4
 * flags: -O1
 * noise: 1e-6
 * A nest that writes to an array, and has two groups of loads from it: one that reads again what it has read, and one
 * of neighbours. */
#include <math.h>
#include <stddef.h>

enum { N = 12 };

__attribute__((noinline)) static double both(const double *a, double *b, const float *w, int n) {
    double sum = 0;
    for (int i = 2; i < n - 2; i++)
        for (int j = 2; j < n - 2; j++) {
            b[(j + 1) * n + i - 2] = sin(a[i * n + j - 1] * a[i * n + j] + 0.5 * a[i * n + j - 2]);
            for (int k = 2; k <= j; k++)
                sum = 0.9 * sum + 0.1 * b[k * n + k] * w[(k + 2) * n + k - 2];
        }
    return sum;
}

double f(const double *x, size_t n) {
    static double one[N * N + 8], two[N * N + 8];
    static float w[N * N + 8];
    for (size_t i = 0; i < N * N + 8; i++) {
        one[i] = sin(x[i % n] * (double)i);
        two[i] = x[(i + 2) % n];
        w[i] = (float)(0.5 * one[i]);
    }
    double sum = both(one, two, w, N) + both(two, one, w, N) + both(one, one, w, N - 1);
    for (size_t i = 0; i < N * N; i++)
        sum += one[i] * two[i];
    return sum;
}
