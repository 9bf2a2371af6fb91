#include <verso/rev.h>

rev void f(double *x) {
    for (int i = 0; i < 3; i++) {
        x[i] += 1;
        i++;
    }
}
