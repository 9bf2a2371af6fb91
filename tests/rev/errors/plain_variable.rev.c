#include <verso/rev.h>

rev void f(double *x) {
    double t = 0;
    x[0] += t;
}
