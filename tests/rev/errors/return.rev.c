#include <verso/rev.h>

rev void f(double *x) {
    if (x[0] > 0)
        return;
    x[0] += 1;
}
