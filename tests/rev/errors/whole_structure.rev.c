#include <verso/rev.h>

struct p {
    double x;
};
rev void f(struct p *a, struct p b) {
    *a += b;
}
