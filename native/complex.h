/* The C library's complex functions under names of our own, for native/lib/complex.c: what is differentiated calls its
 * own versions of cexp and its kin, and these call the real ones for the value, so that it has the same bits.
 *
 * For each NAME below there are verso_native_NAME, verso_native_NAMEf and verso_native_NAMEl. */
#ifndef NATIVE_COMPLEX_H
#define NATIVE_COMPLEX_H

#include <complex.h>

#define VERSO_COMPLEX_FUNCTIONS(X) \
    X(cexp) \
    X(clog) \
    X(csqrt) X(csin) X(ccos) X(ctan) X(csinh) X(ccosh) X(ctanh) X(casin) X(cacos) X(catan) X(casinh) X(cacosh) X(catanh)

#define VERSO_COMPLEX_DECLARE(name) \
    double complex verso_native_##name(double complex z); \
    float complex verso_native_##name##f(float complex z); \
    long double complex verso_native_##name##l(long double complex z);
VERSO_COMPLEX_FUNCTIONS(VERSO_COMPLEX_DECLARE)

/* clog10, which C does not have and glibc does */
double complex verso_native_clog10(double complex z);
float complex verso_native_clog10f(float complex z);
long double complex verso_native_clog10l(long double complex z);
double complex verso_native_cpow(double complex x, double complex y);
float complex verso_native_cpowf(float complex x, float complex y);
long double complex verso_native_cpowl(long double complex x, long double complex y);
/* x / y */
double complex verso_native_cdiv(double complex x, double complex y);
float complex verso_native_cdivf(float complex x, float complex y);
long double complex verso_native_cdivl(long double complex x, long double complex y);

#endif
