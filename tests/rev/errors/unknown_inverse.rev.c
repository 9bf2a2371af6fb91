#include <verso/rev.h>

void g(double *x);
rev void f(double *x) {
    g(x);
}
