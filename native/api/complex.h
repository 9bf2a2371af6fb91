/* The C library's complex functions under names of Verso's own, for native/lib/complex.c: differentiated code
 * calls Verso's versions of cexp and its relatives, and these call the C library's functions for the value, so
 * that it has the same bits.
 *
 * For each NAME below there are verso__native_NAME, verso__native_NAMEf and verso__native_NAMEl. */
#ifndef NATIVE_COMPLEX_H
#define NATIVE_COMPLEX_H

#include <complex.h>

#define VERSO_COMPLEX_FUNCTIONS(X) \
    X(cexp) \
    X(clog) \
    X(csqrt) X(csin) X(ccos) X(ctan) X(csinh) X(ccosh) X(ctanh) X(casin) X(cacos) X(catan) X(casinh) X(cacosh) X(catanh)

#define VERSO_COMPLEX_DECLARE(name) \
    double complex verso__native_##name(double complex z); \
    float complex verso__native_##name##f(float complex z); \
    long double complex verso__native_##name##l(long double complex z);
VERSO_COMPLEX_FUNCTIONS(VERSO_COMPLEX_DECLARE)

/* clog10 is not in C, but in glibc. */
double complex verso__native_clog10(double complex z);
float complex verso__native_clog10f(float complex z);
long double complex verso__native_clog10l(long double complex z);
double complex verso__native_cpow(double complex x, double complex y);
float complex verso__native_cpowf(float complex x, float complex y);
long double complex verso__native_cpowl(long double complex x, long double complex y);
/* x / y */
double complex verso__native_cdiv(double complex x, double complex y);
float complex verso__native_cdivf(float complex x, float complex y);
long double complex verso__native_cdivl(long double complex x, long double complex y);

#endif
