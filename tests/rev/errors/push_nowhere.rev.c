#include <verso/rev.h>

rev void f(double *x, double *st) {
    push(st, x[0]);
}
