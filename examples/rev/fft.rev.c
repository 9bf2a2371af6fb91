/* A Fourier transform in place and the gradient of a loss of the spectrum, without a copy of the signal: the transform
 * is made of turns, which are undone by turns. */
#include "examples/rev/host.h"

#include <string.h>
#include <verso/rev.h>

#define PI 3.14159265358979323846

enum { BITS = 12, COUNT = 1 << BITS };

static int reversed(int i, int bits) {
    int r = 0;
    for (int b = 0; b < bits; b++)
        r |= (i >> b & 1) << (bits - 1 - b);
    return r;
}

rev void fft(double *re, double *im, passive int bits) {
    for (int i = 0; i < 1 << bits; i++) {
        if (i < reversed(i, bits)) {
            swap(re[i], re[reversed(i, bits)]);
            swap(im[i], im[reversed(i, bits)]);
        }
    }
    for (int s = 0; s < bits; s++) {
        for (int block = 0; block < 1 << (bits - 1 - s); block++) {
            for (int i = 0; i < 1 << s; i++) {
                anc int p = (block << (s + 1)) + i;
                anc int q = (block << (s + 1)) + i + (1 << s);
                rot(re[q], im[q], -PI * i / (1 << s));
                rot(re[p], re[q], -PI / 4);
                rot(im[p], im[q], -PI / 4);
                neg(re[q]);
                neg(im[q]);
                drop q == (block << (s + 1)) + i + (1 << s);
                drop p == (block << (s + 1)) + i;
            }
        }
    }
}

/* How much of the signal lies above a frequency. */
rev void high(double *loss, const double *re, const double *im, passive int from_frequency, passive int count) {
    for (int k = from_frequency; k < count - from_frequency; k++) {
        *loss += re[k] * re[k] + im[k] * im[k];
    }
}

int main(void) {
    static double re[COUNT], im[COUNT], first[COUNT];
    uint64_t seed = 8;
    for (int i = 0; i < COUNT; i++)
        first[i] = re[i] = sin(2 * PI * 5 * i / COUNT) + 0.1 * host_normal(&seed);
    double loss = 0;
    fft(re, im, BITS);
    high(&loss, re, im, 6, COUNT);
    printf("amplitude at frequency 5: %.6f, power from 6 on: %.6f\n", 2 * hypot(re[5], im[5]) / sqrt(COUNT), loss);
#ifdef VERSO_REV_GENERATED
    static double re_bar[COUNT], im_bar[COUNT];
    double loss_bar = 1, error = 0, slope = 0;
    high_adj(&loss, &loss_bar, re, re_bar, im, im_bar, 6, COUNT);
    fft_adj(re, re_bar, im, im_bar, BITS);
    /* The loss is a projection: half its gradient is the noise above, so the gradient's square is four losses. */
    for (int i = 0; i < COUNT; i++) {
        error = fmax(error, fabs(re[i] - first[i]));
        slope += re_bar[i] * re_bar[i] / 4;
    }
    printf("the signal is back within %.1e; a quarter of the gradient's square: %.6f\n", error, slope);
    return error > 1e-12;
#else
    return first[0] == re[0];
#endif
}
