/* at: 0.7,1.1
 * refused: link
 * flags: -fno-inline
 * message: builtin_setjmp\.c:[0-9]+: .*__builtin_setjmp
 * The compiler's own long jumps. */
#include <stddef.h>

static void *buffer[5];

static void leave(double u) {
    if (u > 5)
        __builtin_longjmp(buffer, 1);
}

double f(const double *x, size_t n) {
    if (__builtin_setjmp(buffer))
        return x[0];
    leave(x[n - 1]);
    return x[0] * x[1];
}
