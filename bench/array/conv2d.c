/* Two layers of a convolutional network: 3 by 3 points of all channels, and what is negative cut off. */
#include "bench/array/kernel.h"

enum { SIZE = 40, CHANNELS = 8, K = 3, WEIGHTS = CHANNELS * CHANNELS * K * K };
typedef real channel[SIZE][SIZE];
typedef real weights[CHANNELS][CHANNELS][K][K];
const size_t kernel_inputs = WEIGHTS;

static real factor(int k) {
    return R(0.3) * (k % 5 - 2);
}

static real bright(int c, int i, int j) {
    return R(0.1) * ((c * 31 + i * 7 + j * 3) % 11);
}

static void fill(const double *x, real *w, channel *image) {
    for (int k = 0; k < WEIGHTS; k++)
        w[k] = R(x[k]) * factor(k);
    for (int c = 0; c < CHANNELS; c++)
        for (int i = 0; i < SIZE; i++)
            for (int j = 0; j < SIZE; j++)
                image[c][i][j] = bright(c, i, j) * R(x[(i * SIZE + j) % WEIGHTS]);
}

/* A layer makes the image smaller by K - 1. */
static NOINLINE void layer(weights w, channel *in, channel *out, int size) {
    for (int o = 0; o < CHANNELS; o++)
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++) {
                real sum = R(0.1);
                for (int c = 0; c < CHANNELS; c++)
                    for (int p = 0; p < K; p++)
                        for (int q = 0; q < K; q++)
                            sum += w[o][c][p][q] * in[c][i + p][j + q];
                out[o][i][j] = sum > 0 ? sum : 0;
            }
}

double kernel(const double *x, size_t n) {
    real *w = reals(WEIGHTS), sum = 0;
    channel *a = malloc(CHANNELS * sizeof *a), *b = malloc(CHANNELS * sizeof *b), *c = malloc(CHANNELS * sizeof *c);
    (void)n;
    fill(x, w, a);
    layer((void *)w, a, b, SIZE - 2);
    layer((void *)w, b, c, SIZE - 4);
    for (int o = 0; o < CHANNELS; o++)
        for (int i = 0; i < SIZE - 4; i++)
            for (int j = 0; j < SIZE - 4; j++)
                sum += c[o][i][j] * c[o][i][j] * ((i + j) % 3);
    free(w);
    free(a);
    free(b);
    free(c);
    return sum;
}
