/* at: 0.7,1.1
 * refused: run
 * flags: -fno-inline
 * foreign: library.c
 * message: variadic_pointer\.c:[0-9]+|through a pointer with variable arguments
 * A variadic function of a foreign library, called through a pointer. */
#include <stddef.h>
#include <verso/native.h>

typedef double (*variadic_function)(int, ...);
VERSO_INACTIVE variadic_function mystery_variadic(void);

double f(const double *x, size_t n) {
    variadic_function sum = mystery_variadic();
    return sum(2, x[0], x[n - 1]) * x[0];
}
