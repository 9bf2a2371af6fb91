#include <verso/rev.h>

rev void f(double *x, int *k) {
    x[(*k)++] += 1;
}
