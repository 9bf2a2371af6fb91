#include <verso/rev.h>

rev void f(double *x) {
    drop x == 0;
}
