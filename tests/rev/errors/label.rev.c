#include <verso/rev.h>

rev void f(double *x) {
again:
    x[0] += 1;
}
