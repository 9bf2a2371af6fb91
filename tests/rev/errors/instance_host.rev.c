#include <verso/rev.h>

static int first(const double *x, int n) {
    return x[0] > x[n - 1] ? 0 : n - 1;
}

rev void f(double *out, const double *x, passive int n) {
    const int k = first(x, n);
    *out += x[k];
}

rev_instantiate(f, float);
