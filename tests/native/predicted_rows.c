/* at: 0.5,1.2,-0.7,2.1,0.9,1.4
 * flags: -O0
 * Copies of rows include what lies between them, so the bytes of the recording depend on the order in which the
 * allocator hands out free blocks. That must be the same with checkpointed calls and without any. */
#include <math.h>
#include <stdlib.h>

enum { N = 24 };

static double **matrix(void) {
    double **a = malloc(N * sizeof *a);
    for (int i = 0; i < N; i++)
        a[i] = calloc(N, sizeof **a);
    return a;
}

static void drop(double **a) {
    for (int i = 0; i < N; i++)
        free(a[(i * 5 + 3) % N]);
    free(a);
}

static void multiply(double **c, double **a, double **b) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = 0.1 * sum;
        }
}

double f(const double *x, size_t n) {
    double **a = matrix(), **b = matrix(), **c = matrix(), sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = x[(size_t)(i * 5 + j * 3) % n] * cos(i + 2 * j);
            b[i][j] = x[(size_t)(i + j) % n] * sin(2 * i + j) + (i == j);
        }
    multiply(c, a, b);
    multiply(a, b, c);
    for (int i = 0; i < N; i++)
        sum += a[i][i] * c[N - 1 - i][i];
    drop(b);
    drop(a);
    drop(c);
    return sum;
}
