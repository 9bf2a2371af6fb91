#include <verso/rev.h>

rev void f(double *x) {
    use {
        x[0] += 1;
    }
}
