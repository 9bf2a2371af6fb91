/* Keeps, of each step, the row that is subtracted and the factors. */
#include "bench/array/gauss.c"
#include "bench/array/hand/hand.h"

typedef struct step {
    real inverse, row[WIDTH], factors[N];
} step;

static NOINLINE void forward(real (*a)[WIDTH], int n, step *s) {
    for (int k = 0; k < n; k++, s++) {
        s->inverse = 1 / a[k][k];
        for (int j = k; j < WIDTH; j++)
            s->row[j] = a[k][j] *= s->inverse;
        for (int i = 0; i < n; i++) {
            if (i == k)
                continue;
            real factor = s->factors[i] = a[i][k];
            for (int j = k; j < WIDTH; j++)
                a[i][j] -= factor * s->row[j];
        }
    }
}

static NOINLINE void backward(real (*d)[WIDTH], int n, const step *s) {
    for (int k = n - 1; k >= 0; k--) {
        const step *at = &s[k];
        int width = WIDTH - k;
        for (int i = n - 1; i >= 0; i--) {
            if (i == k)
                continue;
            real dfactor = inner_product(d[i] + k, at->row + k, width);
            add_scaled(-at->factors[i], d[i] + k, d[k] + k, width);
            d[i][k] -= dfactor;
        }
        /* row = before * inverse, inverse = 1 / before[k] */
        real dinverse = inner_product(d[k] + k, at->row + k, width) / at->inverse;
        for (int j = k; j < WIDTH; j++)
            d[k][j] *= at->inverse;
        d[k][k] -= dinverse * at->inverse * at->inverse;
    }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    real(*a)[WIDTH] = malloc(N * sizeof *a), (*d)[WIDTH] = malloc(N * sizeof *d), sum = 0;
    step *steps = malloc(N * sizeof *steps);
    (void)n;
    fill(x, a);
    forward(a, N, steps);
    memset(d, 0, N * sizeof *d);
    for (int i = 0; i < N; i++)
        for (int j = N; j < WIDTH; j++) {
            d[i][j] = (i + j) % 3 - R(0.5);
            sum += a[i][j] * d[i][j];
        }
    backward(d, N, steps);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < WIDTH; j++)
            gradient[i * WIDTH + j] = R(0.01) * d[i][j];
    free(a), free(d), free(steps);
    return sum;
}
