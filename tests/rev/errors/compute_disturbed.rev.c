#include <verso/rev.h>

rev void f(double *x) {
    anc double t = 0;
    compute {
        t += x[0];
    }
    use {
        x[0] += 1;
    }
}
