#include <verso/rev.h>

rev void f(double *x, int *n) {
    for (int i = 0; i < *n; i++) {
        x[i] += 1;
        *n += 1;
    }
}
