/* at: 0.7,1.1
 * refused: link
 * message: float128\.c:[89]: .*__float128
 * Numbers of sixteen bytes that are not long doubles. */
#include <stddef.h>

double f(const double *x, size_t n) {
    __float128 wide = x[0];
    return (double)(wide * wide + x[n - 1]);
}
