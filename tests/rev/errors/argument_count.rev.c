#include <verso/rev.h>

rev void g(double *x, double y) {
    *x += y;
}
rev void f(double *x) {
    g(x);
}
