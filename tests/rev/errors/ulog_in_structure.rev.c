#include <verso/rev.h>

struct p {
    ulog u;
};
rev void f(struct p *p, double *x) {
    *x += rev_ulog_value(p->u);
}
