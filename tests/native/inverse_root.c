/* at: 1.37,0.25,7.9
 * noise: 1e-6
 * The fast inverse square root, in float and in double, and other roots by arithmetic on bits: piecewise linear in x,
 * then Newton's steps. The derivative is that of what is computed. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static float inverse_root_float(float number) {
    union {
        float f;
        uint32_t i;
    } bits = {.f = number};
    bits.i = 0x5f3759df - (bits.i >> 1);
    float half = number * 0.5f, y = bits.f;
    return y * (1.5f - half * y * y);
}

static double inverse_root_double(double number) {
    int64_t i;
    double y;
    memcpy(&i, &number, sizeof i);
    i = 0x5fe6eb50c7b537a9 - (i >> 1);
    memcpy(&y, &i, sizeof y);
    return y * (1.5 - number * 0.5 * y * y);
}

static double rough_root(double number) {
    union {
        double d;
        uint64_t i;
    } bits = {.d = number};
    bits.i = (bits.i >> 1) + ((uint64_t)1023 << 51);
    return bits.d;
}

static double rough_cube_root(double number) {
    union {
        double d;
        uint64_t i;
    } bits = {.d = number};
    bits.i = bits.i / 3 + 0x2a9f7893782da1ce;
    return bits.d;
}

double f(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += inverse_root_float((float)x[i]) + x[i] * inverse_root_double(x[i]) + rough_root(x[i]) * x[i] +
               rough_cube_root(x[i]);
    return sum;
}
