#include <verso/rev.h>

rev void f(double *x) {
#define N 3
    x[0] += N;
}
