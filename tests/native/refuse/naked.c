/* at: 0.7,1.1
 * refused: link
 * message: naked\.c:[0-9]+: .*root is written in assembly .naked.*VERSO_CUSTOM_ADJOINT
 * A function whose body is assembly. */
#include <stddef.h>

__attribute__((naked, noinline)) static double root(double u) {
    __asm__("sqrtsd %xmm0, %xmm0\n\tret");
}

double f(const double *x, size_t n) {
    return root(x[0]) * x[n - 1];
}
