#include <verso/rev.h>

rev void f(double *x) {
    x[0] += ((double[]){1, 2})[0];
}
