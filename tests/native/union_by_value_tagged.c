/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -fno-inline
 * Unions of float and double by value, and returned. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef union fd {
    float f;
    double d;
} fd;
typedef struct tagged {
    int tag;
    fd v;
} tagged;
static tagged make(int tag, double v) {
    tagged t = {.tag = tag};
    if (tag)
        t.v.f = (float)v;
    else
        t.v.d = v;
    return t;
}
static double get(tagged t) {
    return t.tag ? (double)t.v.f : t.v.d;
}
static tagged twice(tagged t) {
    if (t.tag)
        t.v.f *= 2;
    else
        t.v.d *= t.v.d;
    return t;
}
double f(const double *x, size_t n) {
    tagged t[4];
    double s = 0;
    for (size_t i = 0; i < n; i++)
        t[i] = twice(make((int)i & 1, x[i] * x[0]));
    for (size_t i = 0; i < n; i++)
        s += get(t[i]) * x[(i + 1) % n];
    return s;
}
