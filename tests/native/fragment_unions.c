/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -fno-inline
 * Fragments that unions of float and double go into and come out of. */
#include <stddef.h>
#include <verso/native.h>
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
double f(const double *x, size_t n) {
    double s = 0;
    for (size_t i = 0; i < n; i++) {
        t a = mk((int)i & 1, x[i] * x[0]), b = a;
        verso_fragment_begin("piece");
        if (g(a) > 0.2)
            b = mk(!a.k, g(a) * x[1]);
        s += g(b);
        verso_fragment_end();
        s += g(b) * g(a);
    }
    return s;
}
