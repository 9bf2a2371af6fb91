/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -Wno-psabi
 * Vectors of floats and of doubles. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef float v4 __attribute__((vector_size(16)));
typedef double v2 __attribute__((vector_size(16)));
typedef union u {
    v4 a;
    v2 b;
    float f[4];
    double d[2];
    uint64_t q[2];
} u;
__attribute__((noinline)) static v4 mul(v4 a, v4 b) {
    return a * b + a;
}
__attribute__((noinline)) static void copy(u *to, const u *from) {
    to->q[0] = from->q[0];
    to->q[1] = from->q[1];
}
__attribute__((noinline)) static void copyv(u *to, const u *from) {
    to->b = from->b;
}
double f(const double *x, size_t n) {
    (void)n;
    v4 a = {(float)x[0], (float)x[1], (float)x[2], (float)x[3]}, b = {1, (float)x[0], 3, (float)x[2]};
    u p, q, r;
    p.a = mul(a, b);
    copy(&q, &p);
    copyv(&r, &q);
    double s = (double)(r.f[0] * r.f[3]) + (double)r.a[1] + (double)q.f[2];
    p.b = (v2){x[0] * x[1], x[3]};
    copy(&q, &p);
    copyv(&r, &q);
    return s + r.d[0] * r.b[1] * x[2];
}
