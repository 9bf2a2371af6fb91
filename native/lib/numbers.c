/* Functions with two results: modf, frexp, remquo, sincos, lgamma_r. They are differentiated like the program's
 * own code, and compute the same bits as glibc's. */
#include <float.h>
#include <math.h>

/* Does not use copysign: at a whole number, the fraction's derivative is still 1, whatever the sign of the
 * zero. */
#define DEFINE_MODF(T, S) \
    T verso__lib_modf##S(T x, T *whole) { \
        *whole = trunc##S(x); \
        if (isinf(x)) \
            return copysign##S(0, x); \
        return signbit(x) ? -(*whole - x) : x - *whole; \
    }

#define DEFINE_FREXP(T, S) \
    T verso__lib_frexp##S(T x, int *exponent) { \
        *exponent = 0; \
        if (x == 0 || !isfinite(x)) \
            return x; \
        int power = ilogb##S(x) + 1; \
        *exponent = power; \
        return scalbn##S(x, -power); \
    }

/* Computes the last bits of the quotient as glibc does; the remainder itself has a rule. x and y are positive. */
#define DEFINE_REMQUO(T, S, MOST, LEAST) \
    static int quotient##S(T x, T y) { \
        int bits = 0; \
        if (y <= MOST / 8) \
            x = fmod##S(x, 8 * y); \
        for (int n = 4; n >= 2; n /= 2) \
            if (y <= MOST / (T)n && x >= (T)n * y) { \
                x -= (T)n * y; \
                bits += n; \
            } \
        bool tiny = y < 2 * LEAST; /* half of y is not exact */ \
        if (tiny ? x + x > y : x > y / 2) { \
            x -= y; \
            bits++; \
            if (tiny ? x + x >= y : x >= y / 2) \
                bits++; \
        } \
        return bits; \
    } \
\
    T verso__lib_remquo##S(T x, T y, int *bits) { \
        T rest = remainder##S(x, y); \
        if (!isnan(rest)) { \
            int size = quotient##S(fabs##S(x), fabs##S(y)); \
            *bits = signbit(x) == signbit(y) ? size : -size; \
        } \
        return rest; \
    }

#define DEFINE_SINCOS(T, S) \
    void verso__lib_sincos##S(T x, T *sine, T *cosine) { \
        T first = sin##S(x), second = cos##S(x); \
        *sine = first; \
        *cosine = second; \
    }

/* Gamma is negative between -1 and 0, positive between -2 and -1, and so on; at its poles glibc returns 1. */
#define DEFINE_LGAMMA(T, S) \
    static int sign_of_gamma##S(T x) { \
        if (x == 0) \
            return signbit(x) ? -1 : 1; \
        T below = floor##S(x); \
        return x < 0 && below != x && fmod##S(below, 2) != 0 ? -1 : 1; \
    } \
\
    T verso__lib_lgamma##S##_r(T x, int *sign) { \
        *sign = sign_of_gamma##S(x); \
        return lgamma##S(x); \
    }

#define DEFINE_ALL(T, S, MOST, LEAST) \
    DEFINE_MODF(T, S) \
    DEFINE_FREXP(T, S) DEFINE_REMQUO(T, S, MOST, LEAST) DEFINE_SINCOS(T, S) DEFINE_LGAMMA(T, S)

#include <stdbool.h>

DEFINE_ALL(float, f, FLT_MAX, FLT_MIN)
DEFINE_ALL(double, , DBL_MAX, DBL_MIN)
DEFINE_ALL(long double, l, LDBL_MAX, LDBL_MIN)

double verso__lib_gamma_r(double x, int *sign) {
    return verso__lib_lgamma_r(x, sign);
}

/* __builtin_frexp becomes an intrinsic that returns both results at once. */
#define DEFINE_FREXP_INTRINSIC(T, S, TYPE) \
    struct fraction##S { \
        T number; \
        int exponent; \
    }; \
    struct fraction##S verso__lib_intrinsic_frexp##S(T x) __asm__("verso__lib_llvm.frexp." TYPE ".i32"); \
    struct fraction##S verso__lib_intrinsic_frexp##S(T x) { \
        struct fraction##S parts; \
        parts.number = verso__lib_frexp##S(x, &parts.exponent); \
        return parts; \
    }

DEFINE_FREXP_INTRINSIC(double, , "f64")
