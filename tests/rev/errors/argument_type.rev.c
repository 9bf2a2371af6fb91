#include <verso/rev.h>

rev void g(double *x) {
    *x += 1;
}

rev void f(float *x) {
    g(x);
}
