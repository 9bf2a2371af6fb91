#include <verso/rev.h>

rev void f(double *x) {
    const double h = x[0];
    x[1] += h;
    x[0] += 1;
}
