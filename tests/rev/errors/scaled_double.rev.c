#include <verso/rev.h>

rev void f(double *x, double y) {
    *x *= y;
}
