/* at: 0.7,1.1,0.25,0.6
 * Functions of complex.h. */
#include <complex.h>
#include <stddef.h>

double f(const double *x, size_t n) {
    (void)n;
    double complex z = x[0] + x[1] * I, w = x[2] - x[3] * I, sum = cexp(z * w) + clog(z) * csqrt(w);
    sum += cpow(z, w) + csin(z) * ccos(w) + ctan(w * 0.5);
    sum += csinh(w) + ccosh(z) * ctanh(w) + casin(w) + cacos(w) * catan(z);
    sum += casinh(z) + cacosh(z) + catanh(w);
    return creal(sum) + 0.5 * cimag(sum) + cabs(z * w) + carg(z) * cabs(sum) + creal(cproj(w));
}
