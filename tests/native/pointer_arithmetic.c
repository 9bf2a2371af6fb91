/* at: 0.7,1.1,0.25,2.0,0.4,1.8
 * Pointers that walk: backwards, by strides, differences of pointers, comparison, negative indices, end pointers. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

static double backwards(const double *begin, const double *end) {
    double value = 0;
    while (end != begin)
        value = value * 0.7 + sin(*--end);
    return value;
}

static double middle_out(double *middle, ptrdiff_t reach) {
    double sum = middle[0];
    for (ptrdiff_t i = 1; i <= reach; i++) {
        middle[-i] += middle[i];
        sum += middle[-i] * middle[i] + *(middle - i);
    }
    return sum;
}

static double strided(const char *bytes, size_t stride, int count) {
    double product = 1;
    for (; count > 0; count--, bytes += stride)
        product *= 1 + *(const double *)(const void *)bytes;
    return product;
}

double f(const double *x, size_t n) {
    double copy[6];
    for (double *p = copy + n; p-- > copy;)
        *p = x[p - copy] * x[n - 1 - (size_t)(p - copy)];
    uintptr_t address = (uintptr_t)&copy[1];
    double *through = (double *)(address + 2 * sizeof(double));
    return backwards(x, x + n) + middle_out(copy + 2, 2) + strided((const char *)x, 2 * sizeof *x, 3) * *through;
}
