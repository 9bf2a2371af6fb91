#include <verso/rev.h>

rev void f(double *x) {
    if (x[0] > 0) {
        x[0] += 1;
    } else if (x[0] < -5) {
        x[0] -= 1;
    }
    fi(x[0] > 1)
}
