/* refused: link
 * message: fragment_arguments\.c:14: error: the fragment part calls va_start
 * Variable arguments of the function around a fragment. */
#include <math.h>
#include <stddef.h>
#include <verso/native.h>

#include <stdarg.h>

__attribute__((noinline)) static double sum(int count, ...) {
    double u = 0;
    va_list list;
    verso_fragment_begin("part");
    va_start(list, count);
    for (int i = 0; i < count; i++)
        u += va_arg(list, double);
    verso_fragment_end();
    va_end(list);
    return u;
}

double f(const double *x, size_t n) {
    return sum(2, x[0], x[n - 1] * x[0]);
}
