/* at: 0.31,1.17,2.77,0.63,2.45
 * noise: 1e-11
 * A logarithm as in musl and FreeBSD: a sum, a mask and another sum bring the high word between those of sqrt(1/2) and
 * sqrt(2), and the low word is put below it again. Subnormal numbers take another branch, and after a comparison of the
 * high word with a constant LLVM replaces the word by the constant. */
#include <stddef.h>
#include <stdint.h>

static double series(double f) { /* log(1 + f) */
    double s = f / (2 + f), z = s * s, sum = 0;
    for (int i = 25; i > 0; i -= 2)
        sum = sum * z + 1.0 / i;
    return 2 * s * sum;
}

static double my_log2(double x) {
    union {
        double f;
        uint64_t i;
    } u = {x};
    uint32_t hx = (uint32_t)(u.i >> 32);
    int k = 0;
    if (hx < 0x00100000 || hx >> 31) {
        if (u.i << 1 == 0)
            return -1 / (x * x);
        if (hx >> 31)
            return (x - x) / 0.0;
        k -= 54;
        x *= 0x1p54;
        u.f = x;
        hx = (uint32_t)(u.i >> 32);
    } else if (hx >= 0x7ff00000) {
        return x;
    } else if (hx == 0x3ff00000 && u.i << 32 == 0) {
        return 0;
    }
    hx += 0x3ff00000 - 0x3fe6a09e;
    k += (int)(hx >> 20) - 0x3ff;
    hx = (hx & 0x000fffff) + 0x3fe6a09e;
    u.i = (uint64_t)hx << 32 | (u.i & 0xffffffff);
    x = u.f;
    double value = series(x - 1), high = value;
    u.f = high;
    u.i &= (uint64_t)-1 << 32;
    high = u.f;
    double low = value - high;
    return (low + high) * 1.44269504072144627571e+00 + k;
}

double f(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += my_log2(x[i]) * my_log2(1 + x[i] * x[i]) * (double)(i + 1);
    return sum;
}
