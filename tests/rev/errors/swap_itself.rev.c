#include <verso/rev.h>

rev void f(double *x) {
    swap(x[0], x[0]);
}
