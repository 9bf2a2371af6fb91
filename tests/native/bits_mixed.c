/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -fno-inline
 * Bit tricks through functions in a program of floats and doubles. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
static double scale(double a, int e) {
    uint64_t b;
    memcpy(&b, &a, 8);
    b += (uint64_t)e << 52;
    memcpy(&a, &b, 8);
    return a;
}
static double absd(double a) {
    uint64_t b;
    memcpy(&b, &a, 8);
    b &= ~(UINT64_C(1) << 63);
    memcpy(&a, &b, 8);
    return a;
}
static float absf_(float a) {
    uint32_t b;
    memcpy(&b, &a, 4);
    b &= 0x7fffffffu;
    memcpy(&a, &b, 4);
    return a;
}
static uint64_t bits(double a) {
    uint64_t b;
    memcpy(&b, &a, 8);
    return b;
}
static double from(uint64_t b) {
    double a;
    memcpy(&a, &b, 8);
    return a;
}
static void store(double *p, double a) {
    *p = a;
}
double f(const double *x, size_t n) {
    double s = 0, y[4];
    for (size_t i = 0; i < n; i++) {
        store(&y[i], scale(x[i], 1));
        y[i] += absd(x[i]) * x[0];
        store(&y[i], absd(y[i]));
        s += (double)absf_((float)y[i]) + from(bits(y[i])) * x[1];
        store(&y[i], from(bits(scale(y[i], -1)) ^ UINT64_C(1) << 63));
        s += y[i];
    }
    return s;
}
