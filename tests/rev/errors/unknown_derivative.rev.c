#include <verso/rev.h>

double g(double x);
rev void f(double *x) {
    x[0] += g(x[1]);
}
