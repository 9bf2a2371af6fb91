/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -fno-inline
 * Unions of float and double that functions are given and give back, and only put into memory and take from there. */
#include <stddef.h>
typedef union v {
    float f;
    double d;
} v;
typedef struct t {
    v a;
    int k;
} t;
__attribute__((noinline)) static void put(v *p, v a) {
    *p = a;
}
__attribute__((noinline)) static void putt(t *p, t a) {
    *p = a;
}
__attribute__((noinline)) static v get(const v *p) {
    return *p;
}
__attribute__((noinline)) static t gett(const t *p) {
    return *p;
}
__attribute__((noinline)) static void setf(v *p, double a) {
    p->f = (float)a;
}
__attribute__((noinline)) static void setd(v *p, double a) {
    p->d = a;
}
__attribute__((noinline)) static double rf(const v *p) {
    return (double)p->f;
}
__attribute__((noinline)) static double rd(const v *p) {
    return p->d;
}
double f(const double *x, size_t n) {
    double s = 0;
    v a[4], b[4];
    t c[4], d[4];
    for (size_t i = 0; i < n; i++) {
        if (i & 1)
            setf(&a[i], x[i] * x[0]);
        else
            setd(&a[i], x[i] * x[0]);
        c[i].k = (int)i & 1;
        put(&c[i].a, a[i]);
    }
    for (size_t i = 0; i < n; i++) {
        put(&b[i], a[n - 1 - i]);
        putt(&d[i], c[n - 1 - i]);
    }
    for (size_t i = 0; i < n; i++) {
        a[i] = get(&b[i]);
        c[i] = gett(&d[n - 1 - i]);
    }
    for (size_t i = 0; i < n; i++) {
        s += (i & 1 ? rd(&a[i]) : rf(&a[i])) * x[(i + 1) % n];
        t e = gett(&c[i]);
        s += (e.k ? rf(&e.a) : rd(&e.a)) * x[i];
    }
    return s;
}
