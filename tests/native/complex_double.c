/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * Complex numbers: arithmetic, arguments and results, arrays, parts, conjugates. */
#include <complex.h>
#include <stddef.h>

static double complex moebius(double complex z, double complex a, double complex b) {
    return (a * z + b) / (conj(b) * z + conj(a));
}

static double complex horner(const double complex *c, int degree, double complex z) {
    double complex value = c[degree];
    while (degree-- > 0)
        value = value * z + c[degree];
    return value;
}

double f(const double *x, size_t n) {
    (void)n;
    double complex z = x[0] + x[1] * I, a = x[2] - 0.5 * I, b = x[3] + x[0] * I;
    double complex coefficients[4] = {a, b, 1, z * I};
    for (int i = 0; i < 3; i++) {
        z = moebius(z, a + i, b);
        coefficients[i] += 0.1 * z;
    }
    z = horner(coefficients, 3, z) - 2 * z;
    z *= z;
    z /= 3 + x[1] * I;
    double parts[2] = {creal(z), cimag(z)};
    __imag__ z += parts[0];
    return parts[0] * parts[1] + creal(z * conj(z)) + (z == a);
}
