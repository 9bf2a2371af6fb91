#include <verso/rev.h>

rev void f(double *x) {
    anc ulog u = 0;
    x[0] += rev_ulog_value(u);
}
