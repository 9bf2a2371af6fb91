/* at: 0.7,1.1
 * refused: link
 * message: assembly_goto\.c:(7|8|9): .*assembly that jumps
 * Assembly that jumps to a label of C. */
#include <stddef.h>
double f(const double *x, size_t n) {
    __asm__ goto("" : : "r"(n) : : other);
    return x[0] * x[1];
other:
    return x[0];
}
