#include <verso/rev.h>

rev void f(double *x) {
    anc int t = 0;
    if (x[0] > 0) {
        drop t == 0;
    }
}
