/* Complex functions. The C library computes the value (native/api/complex.h); the derivative, which for an
 * analytic function is one complex number, is attached to it (verso__native_carry in native/api/math.h). So
 * values have the same bits as before, and the derivative is as exact as its formula, also near branch cuts.
 * Where the derivative does not exist (csqrt at 0), it is infinite or NaN.
 *
 * Multiplication and division are here, too, because compilers call functions for them. */
#include "native/api/complex.h"
#include "native/api/math.h"

#include <math.h>

/* ---- Complex numbers without the care that infinities need ---- */

static double complex times(double complex x, double complex y) {
    return __builtin_complex(creal(x) * creal(y) - cimag(x) * cimag(y), creal(x) * cimag(y) + cimag(x) * creal(y));
}

static double complex plus(double complex x, double real) {
    return __builtin_complex(creal(x) + real, cimag(x));
}

static double complex minus(double complex x) {
    return __builtin_complex(-creal(x), -cimag(x));
}

static double complex inverse(double complex x) {
    return verso__native_cdiv(1, x);
}

static double complex scaled(double complex x, double by) {
    return __builtin_complex(creal(x) * by, cimag(x) * by);
}

/* Returns i x. */
static double complex turned(double complex x) {
    return __builtin_complex(-cimag(x), creal(x));
}

/* Returns sqrt(1 - z) sqrt(1 + z), which is on the same side of the branch cuts as asin. */
static double complex root_of_one_minus_square(double complex z) {
    return times(verso__native_csqrt(plus(minus(z), 1)), verso__native_csqrt(plus(z, 1)));
}

/* ---- Derivatives, from the argument and the value ---- */

typedef double complex derivative(double complex z, double complex w);
#define DERIVATIVE(name) static double complex name(double complex z, double complex w)

DERIVATIVE(slope_cexp) {
    (void)z;
    return w;
}
DERIVATIVE(slope_clog) {
    (void)w;
    return inverse(z);
}
DERIVATIVE(slope_clog10) {
    (void)w;
    return scaled(inverse(z), 0.434294481903251827651128918917);
}
DERIVATIVE(slope_csqrt) {
    (void)z;
    return scaled(inverse(w), 0.5);
}
DERIVATIVE(slope_csin) {
    (void)w;
    return verso__native_ccos(z);
}
DERIVATIVE(slope_ccos) {
    (void)w;
    return minus(verso__native_csin(z));
}
DERIVATIVE(slope_ctan) {
    (void)z;
    return plus(times(w, w), 1);
}
DERIVATIVE(slope_csinh) {
    (void)w;
    return verso__native_ccosh(z);
}
DERIVATIVE(slope_ccosh) {
    (void)w;
    return verso__native_csinh(z);
}
DERIVATIVE(slope_ctanh) {
    (void)z;
    return plus(minus(times(w, w)), 1);
}
DERIVATIVE(slope_casin) {
    (void)w;
    return inverse(root_of_one_minus_square(z));
}
DERIVATIVE(slope_cacos) {
    (void)w;
    return minus(inverse(root_of_one_minus_square(z)));
}
DERIVATIVE(slope_catan) {
    (void)w;
    return inverse(plus(times(z, z), 1));
}
DERIVATIVE(slope_casinh) {
    (void)w;
    return inverse(root_of_one_minus_square(turned(z)));
}
DERIVATIVE(slope_cacosh) {
    (void)w;
    return inverse(times(verso__native_csqrt(plus(z, -1)), verso__native_csqrt(plus(z, 1))));
}
DERIVATIVE(slope_catanh) {
    (void)w;
    return inverse(plus(minus(times(z, z)), 1));
}

/* ---- All three types ---- */

#define DEFINE_ATTACH(T, S) \
    static T complex attach##S(T complex w, double complex slope, T complex z) { \
        T re = verso__native_carry##S(creal##S(w), creal(slope), creal##S(z)); \
        T im = verso__native_carry##S(cimag##S(w), cimag(slope), creal##S(z)); \
        re = verso__native_carry##S(re, -cimag(slope), cimag##S(z)); \
        im = verso__native_carry##S(im, creal(slope), cimag##S(z)); \
        return __builtin_complex(re, im); \
    }
DEFINE_ATTACH(double, )
DEFINE_ATTACH(float, f)
DEFINE_ATTACH(long double, l)

#define DEFINE_ONE(name, T, S) \
    T complex verso__lib_##name##S(T complex z) { \
        T complex w = verso__native_##name##S(z); \
        return attach##S(w, slope_##name((double complex)z, (double complex)w), z); \
    }
#define DEFINE(name) DEFINE_ONE(name, double, ) DEFINE_ONE(name, float, f) DEFINE_ONE(name, long double, l)
VERSO_COMPLEX_FUNCTIONS(DEFINE)
DEFINE(clog10)

/* d (x^y) = x^y (y/x dx + log x dy). A power of zero is zero, or has no derivative. */
#define DEFINE_POWER(T, S) \
    T complex verso__lib_cpow##S(T complex x, T complex y) { \
        T complex w = verso__native_cpow##S(x, y); \
        double complex a = (double complex)x, b = (double complex)y, value = (double complex)w; \
        T complex with_base = attach##S(w, times(value, verso__native_cdiv(b, a)), x); \
        return attach##S(with_base, times(value, verso__native_clog(a)), y); \
    }
DEFINE_POWER(double, )
DEFINE_POWER(float, f)
DEFINE_POWER(long double, l)

#define DEFINE_PARTS(T, S) \
    T verso__lib_creal##S(T complex z) { \
        return __real__ z; \
    } \
    T verso__lib_cimag##S(T complex z) { \
        return __imag__ z; \
    } \
    T verso__lib_cabs##S(T complex z) { \
        return hypot##S(__real__ z, __imag__ z); \
    } \
    T verso__lib_carg##S(T complex z) { \
        return atan2##S(__imag__ z, __real__ z); \
    } \
    T complex verso__lib_conj##S(T complex z) { \
        return __builtin_complex(__real__ z, -__imag__ z); \
    } \
    T complex verso__lib_cproj##S(T complex z) { \
        if (isinf(__real__ z) || isinf(__imag__ z)) \
            return __builtin_complex((T)INFINITY, copysign##S(0, __imag__ z)); \
        return z; \
    }
DEFINE_PARTS(double, )
DEFINE_PARTS(float, f)
DEFINE_PARTS(long double, l)

/* ---- What compilers call ---- */

/* (a + ib)(c + id). Compilers compute it in place and call this only if the result is NaN; the treatment of
 * infinities is that of C17, G.5.1, example 1. */
#define DEFINE_MULTIPLY(T, S, NAME) \
    static T boxed##S(T x) { \
        return copysign##S(isinf(x) ? 1 : 0, x); \
    } \
    static T tamed##S(T x) { \
        return isnan(x) ? copysign##S(0, x) : x; \
    } \
    T complex NAME(T a, T b, T c, T d) { \
        T re = a * c - b * d, im = a * d + b * c; \
        if (!isnan(re) || !isnan(im)) \
            return __builtin_complex(re, im); \
        int again = 0; \
        if (isinf(a) || isinf(b)) { \
            a = boxed##S(a), b = boxed##S(b), c = tamed##S(c), d = tamed##S(d); \
            again = 1; \
        } \
        if (isinf(c) || isinf(d)) { \
            c = boxed##S(c), d = boxed##S(d), a = tamed##S(a), b = tamed##S(b); \
            again = 1; \
        } \
        if (!again && (isinf(a * c) || isinf(b * d) || isinf(a * d) || isinf(b * c))) { \
            a = tamed##S(a), b = tamed##S(b), c = tamed##S(c), d = tamed##S(d); \
            again = 1; \
        } \
        if (again) { \
            re = (T)INFINITY * (a * c - b * d); \
            im = (T)INFINITY * (a * d + b * c); \
        } \
        return __builtin_complex(re, im); \
    }
DEFINE_MULTIPLY(double, , verso__lib___muldc3)
DEFINE_MULTIPLY(float, f, verso__lib___mulsc3)
DEFINE_MULTIPLY(long double, l, verso__lib___mulxc3)

/* d (x / y) = (dx - (x / y) dy) / y */
#define DEFINE_DIVIDE(T, S, NAME) \
    T complex NAME(T a, T b, T c, T d) { \
        T complex x = __builtin_complex(a, b), y = __builtin_complex(c, d), w = verso__native_cdiv##S(x, y); \
        double complex slope = inverse((double complex)y); \
        return attach##S(attach##S(w, slope, x), minus(times((double complex)w, slope)), y); \
    }
DEFINE_DIVIDE(double, , verso__lib___divdc3)
DEFINE_DIVIDE(float, f, verso__lib___divsc3)
DEFINE_DIVIDE(long double, l, verso__lib___divxc3)
