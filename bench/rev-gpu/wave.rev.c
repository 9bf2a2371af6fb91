/* The stencil for one core: the wave equation on a square grid, second order in time and space. A step writes the
 * next state over the one before: old = 2 now - old + courant speed (neighbours of now - 4 now). */
#include <verso/rev.h>

rev void wave_step(double *restrict old, const double *restrict now, const double *restrict speed, double courant,
                   passive int width, passive int height) {
    for (int row = 1; row < height - 1; row++) {
        for (int i = row * width + 1; i < (row + 1) * width - 1; i++) {
            neg(old[i]);
            old[i] += 2 * now[i] +
                      courant * speed[i] * (now[i - 1] + now[i + 1] + now[i - width] + now[i + width] - 4 * now[i]);
        }
    }
}

/* Two steps at a time, so that `a` and `b` are exchanged twice. */
rev void wave(double *a, double *b, const double *speed, double courant, passive int width, passive int height,
              passive int pairs) {
    for (int p = 0; p < pairs; p++) {
        wave_step(a, b, speed, courant, width, height);
        wave_step(b, a, speed, courant, width, height);
    }
}
