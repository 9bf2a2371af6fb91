#include <verso/rev.h>

rev void f(double *x) {
    if (x[0] > 0) {
        x[0] += 1;
    }
    fi(x[0] > 1, x[1] > 1)
}
