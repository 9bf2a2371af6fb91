/* Two layers of 3 by 3 convolutions with a border of zeros, that conditions leave out, and a leaky rectifier. */
#include "bench/array/kernel.h"

enum { SIDE = 32, INNER = 8, OUTER = 6, POINTS = SIDE * SIDE, FIRST = INNER * 9, SECOND = OUTER * INNER * 9 };
const size_t kernel_inputs = POINTS + FIRST + SECOND;

static NOINLINE void convolve(const real *in, int channels, int side, const real *w, int outputs, real *out) {
    for (int o = 0; o < outputs; o++)
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++) {
                real sum = 0;
                for (int c = 0; c < channels; c++)
                    for (int dy = -1; dy <= 1; dy++)
                        for (int dx = -1; dx <= 1; dx++) {
                            if (y + dy < 0 || y + dy >= side || x + dx < 0 || x + dx >= side)
                                continue;
                            sum += in[(c * side + y + dy) * side + x + dx] *
                                   w[((o * channels + c) * 3 + dy + 1) * 3 + dx + 1];
                        }
                out[(o * side + y) * side + x] = sum > 0 ? sum : R(0.01) * sum;
            }
}

double kernel(const double *x, size_t n) {
    real *p = reals(n), *inner = reals(INNER * POINTS), *outer = reals(OUTER * POINTS), sum = 0;
    for (size_t i = 0; i < n; i++)
        p[i] = R(x[i]) - R(0.7);
    convolve(p, 1, SIDE, p + POINTS, INNER, inner);
    convolve(inner, INNER, SIDE, p + POINTS + FIRST, OUTER, outer);
    for (int i = 0; i < OUTER * POINTS; i++)
        sum += outer[i] * outer[i] * (1 + i % 3);
    free(p), free(inner), free(outer);
    return sum;
}
