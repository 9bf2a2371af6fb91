#include <verso/rev.h>

rev void f(double *x) {
    anc double t[2] = {1, 2};
    x[0] += t[0];
}
