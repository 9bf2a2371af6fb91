#include <verso/rev.h>

rev void f(double *x) {
    goto end;
}
