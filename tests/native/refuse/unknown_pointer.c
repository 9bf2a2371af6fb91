/* at: 0.7,1.1
 * refused: link
 * foreign: library.c
 * message: unknown_pointer\.c:12: .*mystery_array.*VERSO_CUSTOM_ADJOINT.*VERSO_INACTIVE
 * A function of a library that Verso knows nothing of is handed pointers to numbers. */
#include <stddef.h>

void mystery_array(const double *from, double *to, size_t count);

double f(const double *x, size_t n) {
    double out[2] = {0, 0};
    mystery_array(x, out, n);
    return out[0] * out[1];
}
