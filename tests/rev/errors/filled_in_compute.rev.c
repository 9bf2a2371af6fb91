#include <verso/rev.h>

rev void f(double *y, const double *x) {
    compute {
        anc double t = 0;
        t += *x;
    }
    use {
        *y += *x;
    }
}
