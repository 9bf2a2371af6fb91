/* at: 0.7,1.1
 * refused: link
 * foreign: library.c
 * message: unknown_number\.c:11: .*mystery.*VERSO_CUSTOM_ADJOINT.*VERSO_INACTIVE
 * A function of a library that Verso knows nothing of is handed a number and returns one. */
#include <stddef.h>

double mystery(double u);

static double twice(double u) {
    return mystery(u) + mystery(2 * u);
}

double f(const double *x, size_t n) {
    return twice(x[0]) * x[n - 1];
}
