#include <verso/rev.h>

rev void f(double *x, passive int n) {
    for (int i = 0; n > i; i++) {
        x[0] += 1;
    }
}
