/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -fno-inline
 * Unions of a complex float and a double by value. */
#include <complex.h>
#include <stddef.h>
typedef union u {
    float _Complex c;
    double d;
} u;
static u mk(double a, double b) {
    u r;
    r.c = (float)a + (float)b * 1.0if;
    return r;
}
static u md(double a) {
    u r = {.d = a};
    return r;
}
static u sel(int w, u a, u b) {
    while (w > 3)
        w -= 2;
    return w == 2 ? a : b;
}
static double gr(u a) {
    return (double)crealf(a.c * a.c);
}
static double gd(u a) {
    return a.d;
}
static float _Complex cc(u a) {
    return a.c;
}
double f(const double *x, size_t n) {
    double s = 0;
    for (size_t i = 0; i < n; i++) {
        u a = mk(x[i], x[(i + 1) % n]), b = md(x[i] * x[0]);
        s += gr(sel(2, a, b)) * x[1] + gd(sel(3 + 2 * (int)i, a, b));
        s += (double)cimagf(cc(sel(4, a, b))) * x[i];
    }
    return s;
}
