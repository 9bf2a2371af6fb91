/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * Unions of float, double and long double by value. */
#include <math.h>
#include <stddef.h>
typedef union u {
    float f;
    double d;
    long double l;
} u;
typedef union v {
    float f;
    double d;
} v;
static u mk(int k, double a) {
    u r = {0};
    if (k == 0)
        r.f = (float)a;
    else if (k == 1)
        r.d = a;
    else
        r.l = (long double)a * a;
    return r;
}
static u pass(u a) {
    return a;
}
static v fromu(u a) {
    v r;
    r.d = a.d;
    return r;
}
static v narrow(u a) {
    v r;
    r.f = a.f;
    return r;
}
static double g(int k, u a) {
    return k == 0 ? (double)a.f : k == 1 ? a.d : (double)a.l;
}
static double gv(int k, v a) {
    return k == 0 ? (double)a.f : a.d;
}
static v passv(v a, v *keep) {
    v r = *keep;
    *keep = a;
    return r;
}
double f(const double *x, size_t n) {
    double s = 0;
    for (size_t i = 0; i < 3 * n; i++) {
        u a = pass(mk((int)i % 3, x[i % n] * x[0]));
        s += g((int)i % 3, a) * x[1];
        if (i % 3 == 0) {
            v k = narrow(a);
            v q = passv(narrow(mk(0, x[1])), &k);
            s += gv(0, q) * gv(0, k);
        }
        if (i % 3 == 1) {
            v k = fromu(a);
            v q = passv(fromu(mk(1, x[2])), &k);
            s += gv(1, q) * gv(1, k);
        }
    }
    return s;
}
