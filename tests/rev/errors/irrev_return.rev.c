#include <verso/rev.h>

rev void f(double *x) {
    irrev {
        if (!x)
            return;
    }
    x[0] += 1;
}
