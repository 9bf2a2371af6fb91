#include <verso/rev.h>

rev void f(double *x) {
    while (x[0] < 3) {
        x[0] += 1;
    }
}
