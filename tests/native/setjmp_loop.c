/* at: 2.7,3.1
 * flags: -fno-inline
 * longjmp out of an endless loop, and back to one setjmp several times. */
#include <math.h>
#include <setjmp.h>
#include <stddef.h>

static jmp_buf done, retry;

static double newton(double c) {
    volatile double u = c;
    volatile int rounds = 0;
    if (setjmp(done))
        return u * 1.5;
    for (;;) {
        u = 0.5 * (u + c / u);
        if (++rounds > 12)
            longjmp(done, 1);
    }
}

static void attempt(double step, double limit) {
    if (exp(step) > limit)
        longjmp(retry, 1);
}

static double largest_step(double limit) {
    volatile double step = 4;
    if (setjmp(retry) != 0)
        step *= 0.7;
    attempt(step, limit);
    return step * limit;
}

double f(const double *x, size_t n) {
    (void)n;
    return newton(2 + x[0]) + newton(x[1]) * largest_step(x[0] * 2) + largest_step(x[1]);
}
