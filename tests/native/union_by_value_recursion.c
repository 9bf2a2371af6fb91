/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -fno-inline
 * Unions of float and double by value through functions that call themselves and each other, and through variable
 * arguments. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>

typedef union fd {
    float f;
    double d;
} fd;
typedef struct tagged {
    int narrow;
    fd v;
} tagged;

static tagged odd(tagged t, int depth, const double *x);

static tagged even(tagged t, int depth, const double *x) {
    if (depth == 0)
        return t;
    if (t.narrow)
        t.v.f = t.v.f * (float)x[depth % 4] + 0.5f;
    else
        t.v.d = sin(t.v.d) + x[depth % 4];
    return odd(t, depth - 1, x);
}

static tagged odd(tagged t, int depth, const double *x) {
    if (depth == 0) {
        tagged r = {!t.narrow, {0}};
        if (t.narrow)
            r.v.d = (double)t.v.f * x[0];
        else
            r.v.f = (float)t.v.d;
        return r;
    }
    return depth % 3 == 0 ? even(even(t, 1, x), depth - 1, x) : even(t, depth - 1, x);
}

static fd last(int narrow, fd v, int depth) {
    if (depth == 0)
        return v;
    fd r = last(narrow, v, depth - 1);
    if (narrow)
        r.f += v.f * 0.5f;
    else
        r.d *= v.d;
    return depth % 2 ? r : last(narrow, r, 0);
}

static double sum_of(int count, ...) {
    double sum = 0;
    va_list list;
    va_start(list, count);
    for (int i = 0; i < count; i++) {
        tagged t = va_arg(list, tagged);
        fd v = va_arg(list, fd);
        sum += t.narrow ? (double)(t.v.f * v.f) : t.v.d * v.d;
    }
    va_end(list);
    return sum;
}

double f(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        tagged t = {(int)i & 1, {0}};
        if (t.narrow)
            t.v.f = (float)x[i];
        else
            t.v.d = x[i] * x[0];
        tagged r = even(t, 5 + (int)i, x);
        sum += r.narrow ? (double)r.v.f : r.v.d;
        fd v = last(t.narrow, t.v, 3);
        sum += (t.narrow ? (double)v.f : v.d) * x[1];
        sum += sum_of(2, t, v, r, last(r.narrow, r.v, 2)) * x[2];
    }
    return sum;
}
