/* at: 0.7,3.63,2.28
 * flags: -fno-inline
 * Numbers made integers and integers made numbers: what passes through an integer has derivative zero. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

static double power(double base, int exponent) {
    double result = 1;
    for (; exponent > 0; exponent--)
        result *= base;
    return result;
}

static double bin(int64_t count, double width) {
    return (double)count * width;
}

double f(const double *x, size_t n) {
    int whole = (int)x[1];
    long rounded = lround(x[2] * 10);
    unsigned char small = (unsigned char)(x[1] * 20);
    double stairs = floor(x[1]) + ceil(x[2]) + trunc(x[0] * 5 + 0.2) + rint(x[2] * 3 + 0.1);
    double fraction = x[1] - floor(x[1]);
    return power(x[0], whole) + bin(rounded, x[0] * x[2]) + small * x[0] + stairs * fraction + (double)n * x[2] +
           (float)whole * sin(x[2]) + (double)(uint64_t)(x[2] * 4) * x[0];
}
