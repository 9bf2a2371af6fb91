#include <verso/rev.h>

rev void f(double *x) {
    x[0] += x[0];
    return;
}
rev void g(double *x) {
    x[0] += x[0];
    x[1] += x[1];
}
