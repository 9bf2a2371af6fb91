/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -fno-inline
 * Unions of float and double in structures that come from several places: loops, switches, early returns. */
#include <math.h>
#include <stddef.h>
typedef union v {
    float f;
    double d;
} v;
typedef struct t {
    int k;
    v a;
} t;
static t mk(int k, double a) {
    t r = {.k = k};
    if (k)
        r.a.f = (float)a;
    else
        r.a.d = a;
    return r;
}
static double g(t a) {
    return a.k ? (double)a.a.f : a.a.d;
}
static t step(t a, double by) {
    switch ((int)(fabs(by) * 10.37) % 4) {
    case 0: return mk(!a.k, g(a) * by);
    case 1: return a;
    case 2: return mk(a.k, sin(g(a)));
    default: return step(a, by * 0.5 + 0.01);
    }
}
static t many(t a, const double *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        a = x[i] > 0 ? step(a, x[i]) : step(step(a, -x[i]), x[0]);
        if (g(a) > 3)
            return a;
        if (g(a) < -3)
            break;
    }
    return a;
}
double f(const double *x, size_t n) {
    double s = 0;
    for (size_t i = 0; i < n; i++) {
        t r = many(mk((int)i & 1, x[i]), x, n);
        s += g(r) * x[(i + 2) % n];
    }
    return s;
}
