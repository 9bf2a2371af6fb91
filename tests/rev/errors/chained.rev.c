#include <verso/rev.h>

rev void f(double *x) {
    x[0] += x[1] += 2;
}
