/* at: 0.7,1.1
 * refused: link
 * message: address_space\.c:(9|10): .*another address space
 * A number behind a segment register. */
#include <stddef.h>

double f(const double *x, size_t n) {
    double __attribute__((address_space(257))) *segment = (double __attribute__((address_space(257))) *)8;
    return *segment * x[n - 1];
}
