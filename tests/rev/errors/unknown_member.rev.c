#include <elsewhere.h>
#include <verso/rev.h>

struct pair {
    double a;
    real b;
};

rev void f(struct pair *p) {
    p->a += p->b;
}
