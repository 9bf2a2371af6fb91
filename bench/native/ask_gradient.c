/* A program that computes the gradient of a function and nothing else: compile_lua measures how long it takes to
 * compile it with Lua, and compile_sqlite with SQLite. With -DPLAIN it calls the function instead; with -DDIFFERENCES
 * it prints central differences. */
#include <stdio.h>
#if !defined PLAIN && !defined DIFFERENCES
#include <verso/native.h>
#endif

double f(const double *x, size_t n);

int main(void) {
    double x[] = {0.7, 1.1, 0.25, 1.9};
#ifdef PLAIN
    printf("%.17g\n", f(x, sizeof x / sizeof *x));
    return 0;
#elif defined DIFFERENCES
    const double step = 1e-5;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        double at = x[i];
        x[i] = at + step;
        double above = f(x, sizeof x / sizeof *x);
        x[i] = at - step;
        printf("%.17g\n", (above - f(x, sizeof x / sizeof *x)) / (2 * step));
        x[i] = at;
    }
    return 0;
#else
    double gradient[sizeof x / sizeof *x] = {0};
    if (verso_gradient(f, x, sizeof x / sizeof *x, gradient, NULL, NULL, NULL) != VERSO_STATUS_OK)
        return 1;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        printf("%.17g\n", gradient[i]);
    return 0;
#endif
}
