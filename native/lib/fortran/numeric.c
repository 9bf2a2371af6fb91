/* Mathematical functions of flang's run-time library that have derivatives. */
#include "native/lib/fortran/fortran.h"

#include <math.h>

/* ---- MOD, MODULO ---- */

#define REMAINDERS(kind, T, mod) \
    T _FortranAModReal##kind(T a, T p, const char *file, int line) { \
        if (p == 0) \
            verso__fortran_fail("MOD with P == 0", file, line); \
        return mod(a, p); \
    } \
    T _FortranAModuloReal##kind(T a, T p, const char *file, int line) { \
        if (p == 0) \
            verso__fortran_fail("MODULO with P == 0", file, line); \
        T rest = mod(a, p); \
        return rest != 0 && (rest < 0) != (p < 0) ? rest + p : rest; \
    }
REMAINDERS(4, float, fmodf)
REMAINDERS(8, double, fmod)
REMAINDERS(10, long double, fmodl)

/* ---- Powers with integer exponents ---- */

#define POWER(name, T, N, U) \
    T name(T x, N n) { \
        U left = n < 0 ? (U)0 - (U)n : (U)n; \
        T power = 1; \
        for (; left != 0; left >>= 1) { \
            if ((left & 1) != 0) \
                power *= x; \
            if (left > 1) \
                x *= x; \
        } \
        return n < 0 ? 1 / power : power; \
    }
POWER(_FortranAFPow4i, float, int32_t, uint32_t)
POWER(_FortranAFPow8i, double, int32_t, uint32_t)
POWER(_FortranAFPow10i, long double, int32_t, uint32_t)
POWER(_FortranAFPow4k, float, int64_t, uint64_t)
POWER(_FortranAFPow8k, double, int64_t, uint64_t)
POWER(_FortranAFPow10k, long double, int64_t, uint64_t)
POWER(_FortranAcpowi, float _Complex, int32_t, uint32_t)
POWER(_FortranAzpowi, double _Complex, int32_t, uint32_t)
POWER(_FortranAcpowk, float _Complex, int64_t, uint64_t)
POWER(_FortranAzpowk, double _Complex, int64_t, uint64_t)

/* ---- Parts of numbers ---- */

#define PARTS(kind, T, frexp, ldexp, nextafter, infinity) \
    T _FortranAFraction##kind(T x) { \
        int exponent; \
        return isfinite(x) ? frexp(x, &exponent) : x; \
    } \
    T _FortranASetExponent##kind(T x, int64_t to) { \
        int exponent; \
        int by = to > 100000 ? 100000 : to < -100000 ? -100000 : (int)to; \
        return isfinite(x) ? ldexp(frexp(x, &exponent), by) : x; \
    } \
    T _FortranAScale##kind(T x, int64_t by) { \
        return ldexp(x, by > 100000 ? 100000 : by < -100000 ? -100000 : (int)by); \
    } \
    T _FortranANearest##kind(T x, bool positive) { \
        return nextafter(x, positive ? infinity : -infinity); \
    }
PARTS(4, float, frexpf, ldexpf, nextafterf, INFINITY)
PARTS(8, double, frexp, ldexp, nextafter, (double)INFINITY)
PARTS(10, long double, frexpl, ldexpl, nextafterl, (long double)INFINITY)

/* ---- ERFC_SCALED ---- */

/* exp(x * x) overflows from 26.6 on, where a few terms of the asymptotic series suffice. */
double _FortranAErfcScaled8(double x) {
    if (x < 26)
        return exp(x * x) * erfc(x);
    double u = 1 / (2 * x * x);
    return (1 - u * (1 - 3 * u * (1 - 5 * u * (1 - 7 * u)))) / (x * 1.7724538509055160273);
}

float _FortranAErfcScaled4(float x) {
    return (float)_FortranAErfcScaled8(x);
}

long double _FortranAErfcScaled10(long double x) {
    if (x < 100)
        return expl(x * x) * erfcl(x);
    long double u = 1 / (2 * x * x);
    return (1 - u * (1 - 3 * u * (1 - 5 * u * (1 - 7 * u)))) / (x * 1.77245385090551602729817L);
}
