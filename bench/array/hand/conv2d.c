/* Uses the outputs of the layers. The cut-off was active where an output is 0. The adjoints of images and of weights
 * are computed along rows, those of weights in partial sums. */
#include "bench/array/conv2d.c"
#include "bench/array/hand/hand.h"

static void reverse_rows(const real w[K], real dw[K], const real *restrict in, const real *restrict d,
                         real *restrict din, int size) {
    for (int q = 0; q < K; q++) {
        dw[q] += inner_product(d, in + q, size);
        add_scaled(w[q], d, din + q, size);
    }
}

static NOINLINE void reverse(weights w, weights dw, channel *restrict in, channel *restrict out, channel *restrict d,
                             channel *restrict din, int size) {
    for (int o = 0; o < CHANNELS; o++)
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++)
                d[o][i][j] = out[o][i][j] > 0 ? d[o][i][j] : 0;
            for (int c = 0; c < CHANNELS; c++)
                for (int p = 0; p < K; p++)
                    reverse_rows(w[o][c][p], dw[o][c][p], in[c][i + p], d[o][i], din[c][i + p], size);
        }
}

static void reverse_fill(const real *dw, channel *d, double *gradient) {
    for (int k = 0; k < WEIGHTS; k++)
        gradient[k] = dw[k] * factor(k);
    for (int c = 0; c < CHANNELS; c++)
        for (int i = 0; i < SIZE; i++)
            for (int j = 0; j < SIZE; j++)
                gradient[(i * SIZE + j) % WEIGHTS] += d[c][i][j] * bright(c, i, j);
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    real *w = reals(WEIGHTS), *dw = zeros(WEIGHTS), sum = 0;
    channel *a = malloc(CHANNELS * sizeof *a), *b = malloc(CHANNELS * sizeof *b), *c = malloc(CHANNELS * sizeof *c);
    channel *da = calloc(CHANNELS, sizeof *da), *db = calloc(CHANNELS, sizeof *db), *dc = malloc(CHANNELS * sizeof *dc);
    (void)n;
    fill(x, w, a);
    layer((void *)w, a, b, SIZE - 2);
    layer((void *)w, b, c, SIZE - 4);
    for (int o = 0; o < CHANNELS; o++)
        for (int i = 0; i < SIZE - 4; i++)
            for (int j = 0; j < SIZE - 4; j++) {
                sum += c[o][i][j] * c[o][i][j] * ((i + j) % 3);
                dc[o][i][j] = 2 * c[o][i][j] * ((i + j) % 3);
            }
    reverse((void *)w, (void *)dw, b, c, dc, db, SIZE - 4);
    reverse((void *)w, (void *)dw, a, b, db, da, SIZE - 2);
    reverse_fill(dw, da, gradient);
    free(w), free(dw), free(a), free(b), free(c), free(da), free(db), free(dc);
    return sum;
}
