#include <verso/rev.h>

rev void f(double *x) {
    *x += 1;
}
rev void f(double *x) {
    *x += 2;
}
