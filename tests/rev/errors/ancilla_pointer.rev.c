#include <verso/rev.h>

rev void f(double *x) {
    anc double *p = x;
    x[0] += p[1];
}
