#include <verso/rev.h>

rev void f(const double *x) {
    *x += 1;
}
