/* at: 0.31,1.17,12.77,0.03,2.45
 * noise: 1e-6
 * Like libm_musl.c, for floats. Masks split them: leaving 11 or 10 bits of the mantissa is rounding. */
#include <stddef.h>
#include <stdint.h>

static double series(double f) { /* log(1 + f) */
    double s = f / (2 + f), z = s * s, sum = 0;
    for (int i = 25; i > 0; i -= 2)
        sum = sum * z + 1.0 / i;
    return 2 * s * sum;
}

static float my_log2f(float x) {
    union {
        float f;
        uint32_t i;
    } u = {x};
    uint32_t ix = u.i;
    int k = 0;
    if (ix < 0x00800000 || ix >> 31) {
        if (ix << 1 == 0)
            return -1 / (x * x);
        if (ix >> 31)
            return (x - x) / 0.0f;
        k -= 25;
        x *= 0x1p25f;
        u.f = x;
        ix = u.i;
    } else if (ix >= 0x7f800000) {
        return x;
    } else if (ix == 0x3f800000) {
        return 0;
    }
    ix += 0x3f800000 - 0x3f3504f3;
    k += (int)(ix >> 23) - 0x7f;
    ix = (ix & 0x007fffff) + 0x3f3504f3;
    u.i = ix;
    x = u.f;
    float value = (float)series(x - 1);
    u.f = value;
    u.i &= 0xfffff000;
    float high = u.f;
    float low = value - high;
    return (low + high) * 1.4428710938e+00f + (float)k;
}

/* exp(-x^2), computed as in erfcf. */
static float my_gauss(float x) {
    union {
        float f;
        uint32_t i;
    } u = {x};
    u.i &= 0xffffe000;
    float z = u.f, rest = (z - x) * (z + x);
    float sum = 1, power = 1;
    for (int i = 1; i < 30; i++)
        sum += power *= (-z * z + rest) / (float)i;
    return sum;
}

double f(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)my_log2f((float)x[i]) * (double)(i + 1) + (double)my_gauss((float)x[i] / 8);
    return sum;
}
