#include <verso/rev.h>

rev void f(double *x) {
    for (double t = 0; t < 1; t += 0.1) {
        x[0] += t;
    }
}
