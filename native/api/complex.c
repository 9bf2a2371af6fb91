/* The C library's complex functions under other names: see complex.h. */
#include "native/api/complex.h"

#define DEFINE(name) \
    double complex verso__native_##name(double complex z) { \
        return name(z); \
    } \
    float complex verso__native_##name##f(float complex z) { \
        return name##f(z); \
    } \
    long double complex verso__native_##name##l(long double complex z) { \
        return name##l(z); \
    }

VERSO_COMPLEX_FUNCTIONS(DEFINE)

double complex clog10(double complex);
float complex clog10f(float complex);
long double complex clog10l(long double complex);
DEFINE(clog10)

double complex verso__native_cpow(double complex x, double complex y) {
    return cpow(x, y);
}

float complex verso__native_cpowf(float complex x, float complex y) {
    return cpowf(x, y);
}

long double complex verso__native_cpowl(long double complex x, long double complex y) {
    return cpowl(x, y);
}

double complex verso__native_cdiv(double complex x, double complex y) {
    return x / y;
}

float complex verso__native_cdivf(float complex x, float complex y) {
    return x / y;
}

long double complex verso__native_cdivl(long double complex x, long double complex y) {
    return x / y;
}
