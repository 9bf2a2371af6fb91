/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * Structs of one and two numbers by value: they travel in registers. */
#include <math.h>
#include <stddef.h>

typedef struct complex_number {
    double re, im;
} complex_number;

typedef struct single {
    double value;
} single;

static complex_number multiply(complex_number u, complex_number v) {
    return (complex_number){u.re * v.re - u.im * v.im, u.re * v.im + u.im * v.re};
}

static complex_number shrink(complex_number z) {
    double s = 1 / (1 + z.re * z.re + z.im * z.im);
    z.re *= s;
    z.im *= s;
    return z;
}

static single wrap(double value) {
    single s = {value * value};
    return s;
}

static double unwrap(single a, single b) {
    return a.value - sin(b.value);
}

double f(const double *x, size_t n) {
    (void)n;
    complex_number z = {x[0], x[1]}, c = {x[2], x[3]};
    for (int i = 0; i < 6; i++)
        z = shrink(multiply(z, c)), z.im += 0.1;
    return z.re + 2 * z.im + unwrap(wrap(x[0]), wrap(z.re));
}
