/* A program that asks for the gradient of a function, and for nothing else: compile_lua measures what compiling it with
 * Lua takes. With -DPLAIN it calls the function. */
#include <stdio.h>
#ifndef PLAIN
#include <verso/native.h>
#endif

double f(const double *x, size_t n);

int main(void) {
    double x[] = {0.7, 1.1, 0.25, 1.9};
#ifdef PLAIN
    printf("%.17g\n", f(x, sizeof x / sizeof *x));
    return 0;
#else
    double gradient[sizeof x / sizeof *x] = {0};
    if (verso_gradient(f, x, sizeof x / sizeof *x, gradient, NULL, NULL) != VERSO_OK)
        return 1;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        printf("%.17g\n", gradient[i]);
    return 0;
#endif
}
