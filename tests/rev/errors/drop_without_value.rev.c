#include <verso/rev.h>

rev void f(double *x) {
    anc int t = 0;
    drop t;
}
