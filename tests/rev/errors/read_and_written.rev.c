#include <verso/rev.h>

rev void f(double *x, double y) {
    x[0] += x[0] * y;
}
