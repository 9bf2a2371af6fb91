#include <verso/rev.h>

rev void f(void (*g)(double *), double *x) {
    g(x);
}
