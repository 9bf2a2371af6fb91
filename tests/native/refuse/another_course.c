/* at: 0.7,1.1
 * refused: run
 * cuts: all
 * foreign: library.c
 * message: another course when it was repeated
 * How often a loop runs depends on state of a foreign library, which is not restored: the value is always the same, the
 * way to it is not. */
#include <math.h>
#include <stddef.h>
#include <verso/native.h>

VERSO_INACTIVE int mystery_counter(void);

static __attribute__((noinline)) double term(const double *x, size_t n, int i) {
    return i < 2 ? sin(x[0] * x[n - 1] + i) : i < 1000 ? 0 : term(x, n, i / 2);
}

double f(const double *x, size_t n) {
    double sum = 0;
    for (int i = 0, end = mystery_counter() * 3; i < end; i++)
        sum += term(x, n, i);
    return sum;
}
