/* An ancilla that is emptied only if two numbers are equal, and a fixed number that is restored except for its last
 * bit. */
#include <verso/rev.h>

rev void kept(double *out, const double *x) {
    anc double t = 0;
    t += x[0];
    *out += t * t;
    t -= x[1];
}

static void up(fixed *x) {
    *x = rev_fixed(rev_fixed_value(*x) + 1);
}
static void down(fixed *x) {
    *x = rev_fixed(rev_fixed_value(*x) - 1 - 0x1p-43);
}
dual(up, down);
