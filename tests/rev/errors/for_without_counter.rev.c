#include <verso/rev.h>

rev void f(double *x) {
    for (;;) {
        x[0] += 1;
    }
}
