#include <verso/rev.h>

rev void g(double *x, const double *y) {
    *x += *y;
}
rev void f(double *x, passive const double *y) {
    g(x, y);
}
