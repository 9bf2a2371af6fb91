/* Whether the rectifier was passed shows in the sign of its result. The loops over weights are outside, and those over
 * the points whose neighbours exist inside. */
#include "bench/array/padded.c"
#include "bench/array/hand/hand.h"

static void rectify(const real *out, real *d, int n) {
    for (int i = 0; i < n; i++)
        d[i] = out[i] > 0 ? d[i] : R(0.01) * d[i];
}

static NOINLINE void backward(const real *in, int channels, int side, const real *w, int outputs, const real *d,
                              real *din, real *dw) {
    for (int o = 0; o < outputs; o++)
        for (int c = 0; c < channels; c++)
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int from = dx < 0 ? 1 : 0, to = dx > 0 ? side - 1 : side;
                    int which = ((o * channels + c) * 3 + dy + 1) * 3 + dx + 1;
                    real sum = 0;
                    for (int y = dy < 0 ? 1 : 0; y < (dy > 0 ? side - 1 : side); y++) {
                        const real *line = d + (o * side + y) * side + from;
                        int at = (c * side + y + dy) * side + from + dx;
                        sum += inner_product(line, in + at, to - from);
                        add_scaled(w[which], line, din + at, to - from);
                    }
                    dw[which] = sum;
                }
}

double hand_gradient(const double *x, size_t n, double *gradient) {
    real *p = reals(n), *inner = reals(INNER * POINTS), *outer = reals(OUTER * POINTS), sum = 0;
    real *dp = zeros(n), *dinner = zeros(INNER * POINTS), *douter = reals(OUTER * POINTS);
    for (size_t i = 0; i < n; i++)
        p[i] = R(x[i]) - R(0.7);
    convolve(p, 1, SIDE, p + POINTS, INNER, inner);
    convolve(inner, INNER, SIDE, p + POINTS + FIRST, OUTER, outer);
    for (int i = 0; i < OUTER * POINTS; i++) {
        sum += outer[i] * outer[i] * (1 + i % 3);
        douter[i] = 2 * outer[i] * (1 + i % 3);
    }
    rectify(outer, douter, OUTER * POINTS);
    backward(inner, INNER, SIDE, p + POINTS + FIRST, OUTER, douter, dinner, dp + POINTS + FIRST);
    rectify(inner, dinner, INNER * POINTS);
    backward(p, 1, SIDE, p + POINTS, INNER, dinner, dp, dp + POINTS);
    for (size_t i = 0; i < n; i++)
        gradient[i] = dp[i];
    free(p), free(inner), free(outer), free(dp), free(dinner), free(douter);
    return sum;
}
