/* at: 0.7,1.1
 * refused: link
 * message: inline_assembly\.c:(9|10|11): .*assembl
 * Assembly that computes with numbers. */
#include <stddef.h>

static double root(double u) {
    double result;
    __asm__("fldl %1; fsin; fstpl %0" : "=m"(result) : "m"(u));
    return result;
}

double f(const double *x, size_t n) {
    return root(x[0]) * x[n - 1];
}
