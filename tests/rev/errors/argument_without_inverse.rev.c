#include <verso/rev.h>

void h(double *x);
rev void g(rev void (*step)(double *), double *x) {
    step(x);
}
rev void f(double *x) {
    g(h, x);
}
