/* at: 0.7,1.1,-0.4
 * Inline assembly that does nothing: comments, barriers against the optimiser in registers and memory. */
#include <stddef.h>

static double keep(double value) {
    __asm__ volatile("" : "+r,m"(value) : : "memory");
    return value;
}

double f(const double *x, size_t n) {
    double s = 0, t = x[0];
    __asm__("# begin kernel");
    for (size_t i = 0; i < n; i++) {
        double product = x[i] * t, quotient = x[i] / (1 + t * t);
        __asm__("" : "+x"(product), "+x"(quotient));
        __asm__("# one step, %0" : "=x"(t) : "0"(product));
        __asm__ volatile("" : "+m"(t) : : "memory");
        s += keep(product * quotient) + t;
        __asm__ volatile("" : : "r"(&s) : "memory");
        __asm__ volatile("nop; pause # waits\n\t.p2align 4 /* and stays */");
    }
    __asm__("// end kernel");
    return s;
}
