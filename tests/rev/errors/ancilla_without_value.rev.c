#include <verso/rev.h>

rev void f(double *x) {
    anc double t;
    x[0] += t;
}
