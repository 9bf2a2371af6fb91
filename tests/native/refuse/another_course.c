/* at: 0.7,1.1
 * refused: run
 * cuts: all
 * foreign: library.c
 * message: behaved differently when it was repeated
 * How often a loop runs depends on state of a foreign library, which is said to keep none: the value is always the
 * same, the way to it is not. */
#include <math.h>
#include <stddef.h>
#include <verso/native.h>

VERSO_PURE int mystery_counter(void);

double f(const double *x, size_t n) {
    double sum = 0;
    for (int i = 0, end = mystery_counter() * 30000; i < end; i++)
        sum += i < 2 ? sin(x[0] * x[n - 1] + i) : 0;
    return sum;
}
