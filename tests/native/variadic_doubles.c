/* at: 0.7,1.1,0.25,2.0
 * noise: 2e-6
 * flags: -fno-inline
 * Variadic functions: more numbers than registers, floats that become doubles, calls in a loop and of itself. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>

static double chain(int count, ...) {
    va_list arguments;
    va_start(arguments, count);
    double s = 0;
    for (int i = 0; i < count; i++)
        s = s * 0.5 + sin(va_arg(arguments, double));
    va_end(arguments);
    return s;
}

static double until_negative(double first, ...) {
    va_list arguments;
    double product = first;
    va_start(arguments, first);
    for (double next; (next = va_arg(arguments, double)) >= 0;)
        product *= 1 + next;
    va_end(arguments);
    return product;
}

double f(const double *x, size_t n) {
    (void)n;
    double s = 0;
    for (int i = 0; i < 3; i++)
        s += chain(4, x[0], x[1], s, x[2]);
    s += chain(12, x[0], x[1], x[2], x[3], s, x[0] * x[1], 0.5, x[3], x[2], x[1], x[0], s * s);
    s += chain(2, (float)x[3], chain(1, x[2])) + chain(0);
    return s + until_negative(x[0], x[1], x[2], x[3], -1.0) * until_negative(x[3], -2.0);
}
