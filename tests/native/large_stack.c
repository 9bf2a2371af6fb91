/* at: 0.7,1.1,0.25,2.0
 * cuts: 20
 * flags: -fno-inline
 * Two megabytes on the stack, in a function that calls others. */
#include <math.h>
#include <stddef.h>

enum { COUNT = 1 << 17 };

static double fold(const double *v, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i += 97)
        sum += v[i] * v[count - 1 - i];
    return sum;
}

static double work(const double *x, size_t n) {
    double first[COUNT], second[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        first[i] = x[i % n] * (double)(i & 7) * 1e-3;
    for (size_t i = 0; i < COUNT; i++)
        second[i] = first[COUNT - 1 - i] + first[i] * first[i];
    return fold(second, COUNT);
}

double f(const double *x, size_t n) {
    return work(x, n) + sin(work(x, n - 1));
}
