/* A recurrent network with long short-term memory: four gates of one matrix. */
#include "bench/array/kernel.h"

enum { H = 64, IN = 2 * H, T = 40, WEIGHTS = 4 * H * IN };
typedef real matrix[4 * H][IN];
const size_t kernel_inputs = WEIGHTS;

static real factor(int i) {
    return R(0.05) * (i % 7 - 3);
}

static void fill(const double *x, real *w) {
    for (int i = 0; i < WEIGHTS; i++)
        w[i] = R(x[i]) * factor(i);
}

static real input(int t, int i) {
    return R(0.2) * ((t * 13 + i * 7) % 11 - 5);
}

static inline real sigmoid(real z) {
    return 1 / (1 + exp(-z));
}

/* From (input, h) and c to the gates, and to h and c. */
static NOINLINE void step(real (*w)[IN], const real *in, real *gate, real *c, real *h) {
    for (int i = 0; i < 4 * H; i++) {
        real sum = 0;
        for (int j = 0; j < IN; j++)
            sum += w[i][j] * in[j];
        gate[i] = i < 3 * H ? sigmoid(sum) : tanh(sum);
    }
    for (int i = 0; i < H; i++) {
        c[i] = gate[i] * c[i] + gate[H + i] * gate[3 * H + i];
        h[i] = gate[2 * H + i] * tanh(c[i]);
    }
}

double kernel(const double *x, size_t n) {
    real *w = reals(WEIGHTS), *in = reals(IN), *gate = reals(4 * H), *c = calloc(H, sizeof *c),
         *h = calloc(H, sizeof *h);
    real sum = 0;
    (void)n;
    fill(x, w);
    for (int t = 0; t < T; t++) {
        for (int i = 0; i < H; i++) {
            in[i] = input(t, i);
            in[H + i] = h[i];
        }
        step((void *)w, in, gate, c, h);
        for (int i = 0; i < H; i++)
            sum += h[i] * h[i] * ((t + i) % 3);
    }
    free(w);
    free(in);
    free(gate);
    free(c);
    free(h);
    return sum;
}
