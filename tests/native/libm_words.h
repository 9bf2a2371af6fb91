/* A mathematical library in the manner of fdlibm: high and low words of doubles as integers. The macros HI and LO read
 * a word, SET_HI and SET_LO write one; the file that includes this one defines them. Polynomials are Taylor's. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static double exp_series(double r) { /* exp(r) - 1 */
    double sum = 0;
    for (int i = 16; i > 0; i--)
        sum = (sum + 1) * r / i;
    return sum;
}

/* y times two to the k, by the exponent; subnormal results are of no interest. */
static double scale(double y, int k) {
    SET_HI(y, HI(y) + (k << 20));
    return y;
}

static const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
static const double per_ln2 = 1.44269504088896338700e+00;

static double my_exp(double x) {
    uint32_t hx = (uint32_t)HI(x), sign = hx >> 31;
    hx &= 0x7fffffff;
    if (hx >= 0x40862e42)
        return sign ? 0 : 1e300 * 1e300;
    int k = 0;
    double r = x;
    if (hx > 0x3fd62e42) { /* |x| > 0.5 ln 2 */
        k = hx < 0x3ff0a2b2 ? 1 - (int)sign - (int)sign : (int)(per_ln2 * x + (sign ? -0.5 : 0.5));
        r = (x - k * ln2_high) - k * ln2_low;
    } else if (hx < 0x3e300000) {
        return 1 + x;
    }
    return scale(1 + exp_series(r), k);
}

static double my_expm1(double x) {
    uint32_t hx = (uint32_t)HI(x) & 0x7fffffff;
    if (hx < 0x3fd62e42)
        return exp_series(x);
    int k = (int)(per_ln2 * x + (HI(x) < 0 ? -0.5 : 0.5));
    double r = (x - k * ln2_high) - k * ln2_low, one = 1;
    if (k < 20) {
        SET_HI(one, 0x3ff00000 - (0x200000 >> k)); /* 1 - 2^-k */
        if (k > 0)
            return scale(exp_series(r) + one, k);
    }
    return scale(1 + exp_series(r), k) - 1;
}

static double log_series(double f) { /* log(1 + f) */
    double s = f / (2 + f), z = s * s, sum = 0;
    for (int i = 25; i > 0; i -= 2)
        sum = sum * z + 1.0 / i;
    return 2 * s * sum;
}

static double my_log(double x) {
    int hx = HI(x), k = 0;
    if (hx < 0x00100000) { /* subnormal */
        k -= 54;
        x *= 18014398509481984.0;
        hx = HI(x);
    }
    k += (hx >> 20) - 1023;
    hx &= 0x000fffff;
    int i = (hx + 0x95f64) & 0x100000;
    SET_HI(x, hx | (i ^ 0x3ff00000)); /* x or x / 2 */
    k += i >> 20;
    double f = x - 1;
    if ((0x000fffff & (2 + hx)) < 3 && f == 0)
        return k * ln2_high + k * ln2_low;
    return k * ln2_high + (log_series(f) + k * ln2_low);
}

static double my_log1p(double x) {
    if ((HI(x) & 0x7fffffff) < 0x3fda827a)
        return log_series(x);
    double u = 1 + x;
    int hu = HI(u), k = (hu >> 20) - 1023;
    double c = k > 0 ? 1 - (u - x) : x - (u - 1); /* what rounding has lost */
    c /= u;
    hu &= 0x000fffff;
    if (hu < 0x6a09e)
        SET_HI(u, hu | 0x3ff00000);
    else {
        k++;
        SET_HI(u, hu | 0x3fe00000);
    }
    return k * ln2_high + (log_series(u - 1) + (c + k * ln2_low));
}

static double my_cbrt(double x) {
    int hx = HI(x);
    uint32_t sign = (uint32_t)hx & 0x80000000;
    hx ^= (int)sign;
    SET_HI(x, hx); /* |x| */
    double t = 0;
    SET_HI(t, hx / 3 + 715094163);
    for (int i = 0; i < 4; i++) {
        if (i == 3) { /* so that t * t is exact */
            SET_LO(t, 0);
            SET_HI(t, HI(t) + 1);
        }
        double s = t * t, r = x / s, w = t + t;
        r = (r - t) / (w + r);
        t = t + t * r;
    }
    SET_HI(t, HI(t) | (int)sign);
    return t;
}

/* x^y for x > 0: log2 of x in two parts, the first of which has no low word. */
static double my_pow(double x, double y) {
    double log2 = my_log(x) * per_ln2, first = log2, y1 = y, z, high, low;
    SET_LO(first, 0);
    SET_LO(y1, 0);
    low = (y - y1) * log2 + y1 * (log2 - first);
    high = y1 * first;
    z = high + low;
    int j = HI(z), k = (j & 0x7fffffff) >> 20, n = 0;
    k -= 0x3ff;
    if ((j & 0x7fffffff) > 0x3fe00000) { /* |z| > 0.5: round to n */
        n = j + (0x00100000 >> (k + 1));
        k = ((n & 0x7fffffff) >> 20) - 0x3ff;
        double t = 0;
        SET_HI(t, n & ~(0x000fffff >> k));
        n = ((n & 0x000fffff) | 0x00100000) >> (20 - k);
        if (j < 0)
            n = -n;
        high -= t;
    }
    z = 1 + exp_series((low + high) * 0.69314718055994530942);
    SET_HI(z, HI(z) + (int)((uint32_t)n << 20));
    return z;
}

static double sin_series(double x, double cosine) {
    double z = x * x, sum = 0;
    for (int i = cosine != 0 ? 20 : 21; i > 1; i -= 2)
        sum = (sum + 1) * -z / (i * (i - 1));
    return cosine != 0 ? 1 + sum : x * (1 + sum);
}

/* x less the n nearest quarters of the circle, by Cody and Waite, as far as the exponents say is needed. */
static int reduce(double x, double *rest) {
    static const double pio2_1 = 1.57079632673412561417e+00, pio2_1t = 6.07710050650619224932e-11;
    static const double pio2_2 = 6.07710050630396597660e-11, pio2_2t = 2.02226624879595063154e-21;
    int hx = HI(x) & 0x7fffffff;
    if (hx <= 0x3fe921fb) {
        *rest = x;
        return 0;
    }
    double t = x < 0 ? -x : x;
    int n = (int)(t * 6.36619772367581382433e-01 + 0.5), j = hx >> 20;
    double fn = n, r = t - fn * pio2_1, w = fn * pio2_1t, y = r - w;
    if (j - ((HI(y) >> 20) & 0x7ff) > 16) {
        t = r;
        w = fn * pio2_2;
        r = t - w;
        w = fn * pio2_2t - ((t - r) - w);
        y = r - w;
    }
    *rest = HI(x) < 0 ? -y : y;
    return HI(x) < 0 ? -n : n;
}

static double my_sin(double x) {
    double y;
    switch (reduce(x, &y) & 3) {
    case 0: return sin_series(y, 0);
    case 1: return sin_series(y, 1);
    case 2: return -sin_series(y, 0);
    default: return -sin_series(y, 1);
    }
}

/* By hand, bit by bit: what it computes has no derivative but that of the last step. */
static double my_fabs(double x) {
    SET_HI(x, HI(x) & 0x7fffffff);
    return x;
}

static double my_copysign(double x, double y) {
    SET_HI(x, (HI(x) & 0x7fffffff) | (HI(y) & (int)0x80000000));
    return x;
}

/* The integer part, by clearing the bits of the fraction. */
static double my_trunc(double x) {
    int j = ((HI(x) >> 20) & 0x7ff) - 0x3ff;
    if (j < 0)
        return 0 * x;
    if (j < 20) {
        SET_HI(x, HI(x) & ~(0x000fffff >> j));
        SET_LO(x, 0);
    }
    return x;
}

double f(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double a = x[i], b = my_fabs(a) + 0.1;
        sum += my_exp(a) + 0.5 * my_expm1(a) + my_log(b) * 2 + my_log1p(b) + 3 * my_cbrt(a) +
               my_pow(b, 1.25 + 0.1 * a) + my_sin(3 * a) + my_copysign(b, -a) + (a - my_trunc(a)) * (a - my_trunc(a));
    }
    return sum;
}
