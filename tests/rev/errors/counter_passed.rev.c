#include <verso/rev.h>

rev void g(int *k) {
    *k += 1;
}
rev void f(double *x) {
    for (int i = 0; i < 3; i++) {
        g(&i);
    }
}
