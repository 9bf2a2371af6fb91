/* at: random:16:-1:1
 * flags: -fno-inline
 * The fast Fourier transform by recursion, with complex numbers and a stride; power in a band. */
#include <complex.h>
#include <math.h>
#include <stddef.h>

static void transform(const double complex *in, double complex *out, size_t n, size_t stride) {
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    transform(in, out, n / 2, 2 * stride);
    transform(in + stride, out + n / 2, n / 2, 2 * stride);
    for (size_t k = 0; k < n / 2; k++) {
        double angle = -2 * 3.14159265358979323846 * (double)k / (double)n;
        double complex twiddled = (cos(angle) + sin(angle) * I) * out[k + n / 2], even = out[k];
        out[k] = even + twiddled;
        out[k + n / 2] = even - twiddled;
    }
}

double f(const double *x, size_t n) {
    double complex in[16] = {0}, out[16];
    double power = 0;
    for (size_t i = 0; i < n; i++)
        in[i] = sin(x[i]) + x[n - 1 - i] * I;
    transform(in, out, n, 1);
    for (size_t k = 1; k < n / 4; k++)
        power += creal(out[k]) * creal(out[k]) + cimag(out[k]) * cimag(out[k]) * (double)k;
    return power + cabs(out[0]) * carg(out[n / 2]);
}
