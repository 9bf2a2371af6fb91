#include <verso/rev.h>

rev void f(double *x) {
    rot(x[0], x[1], x[0]);
}
