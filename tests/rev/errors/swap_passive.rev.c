#include <verso/rev.h>

rev void f(double *x, passive double *p) {
    swap(*x, *p);
}
