#include <verso/rev.h>

rev void f(double *x) {
    do {
        x[0] += 1;
    } while (x[0] < 3);
}
