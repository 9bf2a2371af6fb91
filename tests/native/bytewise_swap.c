/* at: 0.31,1.17,0.77
 * Numbers are sorted by a function that swaps bytes. Where it is inlined, LLVM takes bytes of numbers that are in
 * registers already, and the verdict must be the same. */
#include <math.h>
#include <stddef.h>

static void swap(void *a, void *b, size_t size) {
    for (unsigned char *p = a, *q = b; size-- > 0; p++, q++) {
        unsigned char byte = *p;
        *p = *q;
        *q = byte;
    }
}

static void sort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *)) {
    char *first = base;
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && compare(first + (j - 1) * size, first + j * size) > 0; j--)
            swap(first + j * size, first + (j - 1) * size, size);
}

static int compare(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

double f(const double *x, size_t n) {
    double numbers[12], sum = 0;
    for (size_t i = 0; i < 12; i++)
        numbers[i] = sin(x[i % n] * (double)(i + 1));
    sort(numbers, 12, sizeof *numbers, compare);
    for (size_t i = 0; i < 12; i++)
        sum += numbers[i] * (double)(i + 1);
    return sum;
}
