#include <verso/rev.h>

rev void f(double *x, double *x_bar) {
    *x += *x_bar;
}
