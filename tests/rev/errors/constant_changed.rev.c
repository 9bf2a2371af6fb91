#include <verso/rev.h>

rev void f(double *x) {
    const double h = 2;
    h += x[0];
}
