#include <verso/rev.h>

rev void f(double *x) {
    x[0] += (1, 2);
}
