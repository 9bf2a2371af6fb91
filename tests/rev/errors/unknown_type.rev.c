#include <elsewhere.h>
#include <verso/rev.h>

rev void f(real *x, passive FILE *log) {
    x[0] += 1;
}
