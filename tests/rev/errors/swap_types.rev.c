#include <verso/rev.h>

rev void f(double *x, int *k) {
    swap(x[0], k[0]);
}
