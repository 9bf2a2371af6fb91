#include <verso/rev.h>

rev void f(rev_stack *st, passive double *p) {
    push(st, *p);
}
