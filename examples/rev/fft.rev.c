/* A Fourier transform in place, and the gradient of a loss of the spectrum without a copy of the signal: the transform
 * consists of rotations, which rotations undo. */
#include "examples/rev/host.h"

#include <string.h>
#include <verso/rev.h>

/* The reversible function is in the library. */
#ifdef VERSO_REV_GENERATED
#include "library/transforms.c"
#else
#include "library/transforms.rev.c"
#endif

enum { BITS = 12, COUNT = 1 << BITS };

/* Adds the energy of the signal above a frequency. */
rev void high(double *loss, const double *re, const double *im, passive int from_frequency, passive int count) {
    for (int k = from_frequency; k < count - from_frequency; k++) {
        *loss += re[k] * re[k] + im[k] * im[k];
    }
}

int main(void) {
    static double re[COUNT], im[COUNT], first[COUNT];
    uint64_t seed = 8;
    for (int i = 0; i < COUNT; i++)
        first[i] = re[i] = sin(2 * REV_PI * 5 * i / COUNT) + 0.1 * host_normal(&seed);
    double loss = 0;
    rev_fft(re, im, BITS);
    high(&loss, re, im, 6, COUNT);
    printf("amplitude at frequency 5: %.6f, power from 6 on: %.6f\n", 2 * hypot(re[5], im[5]) / sqrt(COUNT), loss);
#ifdef VERSO_REV_GENERATED
    static double re_bar[COUNT], im_bar[COUNT];
    double loss_bar = 1, error = 0, slope = 0;
    high_adj(&loss, &loss_bar, re, re_bar, im, im_bar, 6, COUNT);
    rev_fft_adj(re, re_bar, im, im_bar, BITS);
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
