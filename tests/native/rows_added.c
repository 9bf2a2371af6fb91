/* at: 0.5,1.2,-0.7,2.1
 * cuts: 40
 * noise: 1e-6
 * Loops whose reverse adds to rows of cells, as vectors or one by one (cc/emit/pack.c): short rows that loops around
 * them have been unrolled for, in doubles and floats, and neighbours that the next iteration adds to again. */
#include <math.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

enum { N = 40, DIM = 8 };

static NOINLINE double nearest(const double *point, const double *centres, int count) {
    double best = 1e9;
    for (int k = 0; k < count; k++) {
        double d = 0;
        for (int j = 0; j < DIM; j++) {
            double t = point[j] - centres[k * DIM + j];
            d += t * t;
        }
        best = d < best ? d : best;
    }
    return best;
}

static NOINLINE float weigh(const float *a, const float *b, int count) {
    float sum = 0;
    for (int i = 0; i < count; i++)
        sum += a[4 * i] * b[0] + a[4 * i + 1] * b[1] + a[4 * i + 2] * b[2] + a[4 * i + 3] * b[3];
    return sum;
}

static NOINLINE void smooth(const double *u, double *next, int n) {
    for (int i = 1; i < n - 1; i++)
        next[i] = 0.5 * u[i] + 0.1 * u[i - 1] * sin(u[i + 1]);
}

double f(const double *x, size_t n) {
    double *a = malloc(N * DIM * sizeof *a), *b = malloc(N * DIM * sizeof *b), sum = 0;
    float *c = malloc(N * DIM * sizeof *c);
    for (int i = 0; i < N * DIM; i++) {
        a[i] = x[(size_t)i % n] * (i % 5 - 2) + 0.01 * i;
        b[i] = a[i];
        c[i] = (float)(x[(size_t)i % n] * (i % 3));
    }
    for (int i = 0; i < N; i++)
        sum += nearest(a + i * DIM, a, 3);
    for (int t = 0; t < 4; t++) {
        smooth(a, b, N * DIM);
        smooth(b, a, N * DIM);
    }
    sum += (double)weigh(c, c + 5, N) * 0.01;
    for (int i = 0; i < N * DIM; i++)
        sum += a[i] * (i % 3);
    free(a);
    free(b);
    free(c);
    return sum;
}
