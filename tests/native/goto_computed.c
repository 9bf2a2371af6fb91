/* at: 0.8,0.3,1.4
 * Labels as values: a threaded interpreter, as fast ones are written. */
#include <math.h>
#include <stddef.h>

static double run(const char *program, const double *x) {
    static const void *const actions[] = {&&add, &&multiply, &&sine, &&rotate, &&stop};
    double a = x[0], b = x[1];
    goto *actions[*program++ - '0'];
add:
    a += b;
    goto *actions[*program++ - '0'];
multiply:
    a *= b;
    goto *actions[*program++ - '0'];
sine:
    b = sin(a) + x[2];
    goto *actions[*program++ - '0'];
rotate: {
    double swap = a;
    a = 0.7 * b;
    b = swap;
}
    goto *actions[*program++ - '0'];
stop:
    return a * 2 + b;
}

double f(const double *x, size_t n) {
    (void)n;
    return run("0123012301234", x) + run("4", x) + run("22130104", x) * x[2];
}
