/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -fno-inline
 * An interpreter's values: unions of float and double by value through pointers to functions, which are also called
 * directly. */
#include <math.h>
#include <stddef.h>

typedef union fd {
    float f;
    double d;
} fd;
typedef struct value {
    int narrow;
    fd v;
} value;
typedef value operation(value, value);
typedef fd bare(fd);

static value of(double d, int narrow) {
    value r = {.narrow = narrow};
    if (narrow)
        r.v.f = (float)d;
    else
        r.v.d = d;
    return r;
}

static double number(value a) {
    return a.narrow ? (double)a.v.f : a.v.d;
}

static value add(value a, value b) {
    return of(number(a) + number(b), a.narrow && b.narrow);
}

static value multiply(value a, value b) {
    if (a.narrow && b.narrow) {
        a.v.f *= b.v.f;
        return a;
    }
    return of(number(a) * number(b), 0);
}

static value first(value a, value b) {
    (void)b;
    return a;
}

static value second(value a, value b) {
    (void)a;
    return b;
}

static fd same(fd a) {
    return a;
}

static fd half(fd a) {
    a.f *= 0.5f;
    return a;
}

static fd root(fd a) {
    a.d = sqrt(fabs(a.d) + 1);
    return a;
}

static operation *const operations[] = {add, multiply, first, second};
static bare *const bares[] = {same, half, same, root};

static value fold(operation *op, const value *all, size_t n) {
    value r = all[0];
    for (size_t i = 1; i < n; i++)
        r = op(r, all[i]);
    return r;
}

double f(const double *x, size_t n) {
    value all[8];
    double sum = 0;
    for (size_t i = 0; i < n && i < 8; i++)
        all[i] = of(x[i] * x[0], (int)i & 1);
    for (size_t k = 0; k < 12; k++) {
        value r = fold(operations[k % 4], all, n);
        value s = operations[(k + 1) % 4](first(r, all[k % n]), add(r, all[(k + 1) % n]));
        sum += number(s) * x[k % n] + number(multiply(s, r));
        int narrow = k % 4 == 1 || k % 4 == 2;
        fd b = bares[k % 4](all[narrow ? 1 : 0].v);
        sum += narrow ? (double)b.f : b.d * x[1];
        all[k % n] = of(sin(number(s)), all[k % n].narrow);
    }
    return sum;
}
