#include <verso/rev.h>

double total;
rev void f(double *x) {
    total += x[0];
}
