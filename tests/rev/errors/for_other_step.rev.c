#include <verso/rev.h>

rev void f(double *x) {
    for (int i = 1; i < 30; i *= 2) {
        x[0] += 1;
    }
}
