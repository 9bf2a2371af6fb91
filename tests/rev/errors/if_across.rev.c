#include <verso/rev.h>

rev void f(double *x) {
    if (x[0] > 0) {
#if 1
        x[1] += 1;
    }
#endif
}
