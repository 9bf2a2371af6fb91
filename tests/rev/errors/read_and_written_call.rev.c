#include <verso/rev.h>

rev void g(double *y, const double *x) {
    *y += *x;
}
rev void f(double *x) {
    g(x, x);
}
