/* at: 0.7,1.1
 * refused: link
 * flags: -O0 -Wno-deprecated-non-prototype
 * message: other_arguments\.c:[0-9]+: .*helper is called with arguments that do not match its definition
 * An old-style declaration hides that a call has an argument too few. */
#include <stddef.h>

double helper();

double f(const double *x, size_t n) {
    return helper(x[0]) * x[n - 1];
}

double helper(double a, double b) {
    return a * b;
}
