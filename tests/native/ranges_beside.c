/* at: 0.5,1.2,-0.7,2.1,0.9,1.4
 * large: random:30:-1:1
 * Loops with several variables that run beside each other: the next or the last index is kept for the next iteration,
 * in all widths, forwards and backwards, from starts that are not constant, and as pointers. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

static NOINLINE void ahead(double *restrict y, const double *restrict x, size_t n) {
    for (size_t i = 1; i + 3 < n; i++)
        y[i] += x[i - 1] * x[i + 3] + x[i + 1];
}

static NOINLINE void ahead_int(double *restrict y, const double *restrict x, int n) {
    for (int i = 1; i + 1 < n; i++)
        y[i] += 0.5 * x[i - 1] * x[i] + x[i + 1];
}

static NOINLINE void ahead_unsigned(double *restrict y, const double *restrict x, unsigned from, unsigned n) {
    for (unsigned i = from; i + 2 < n; i += 2)
        y[i] += x[i] * x[i + 2] - x[i + 1];
}

static NOINLINE void ahead_short(double *restrict y, const double *restrict x, short n) {
    for (short i = 2; i + 1 < n; i = (short)(i + 1))
        y[i] += x[i - 2] * x[i + 1];
}

static NOINLINE void ahead_byte(double *restrict y, const double *restrict x, uint8_t n) {
    for (uint8_t i = 1; (uint8_t)(i + 1) < n; i++)
        y[i] += x[i - 1] * x[i] - 0.2 * x[(uint8_t)(i + 1)];
}

/* Starts at the end, and where it is said. */
static NOINLINE void behind(double *restrict y, const double *restrict x, long from, long n) {
    long last = n - 1;
    for (long i = n - 2; i > 0; last = i--)
        y[i] += x[last] * x[i - 1];
    long before = from - 1;
    for (long i = from; i < n; before = i++)
        y[i] -= x[before] + x[i] * y[before];
}

/* The last index begins elsewhere: it runs beside from the second iteration only. */
static NOINLINE double around(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0, last = n - 1; i < n; last = i++)
        sum += x[last] * (x[i] - 2 * x[last]);
    return sum;
}

static NOINLINE void pointers(double *restrict to, const double *from, const double *end) {
    const double *last = from - 1;
    for (const double *at = from; at + 2 < end; last = at++, to += 2)
        to[0] += last[0] * at[2], to[1] -= at[1] + at[0];
}

static NOINLINE void rows(double *restrict y, const double *restrict x, size_t n, size_t m) {
    for (size_t i = 1; i + 1 < n; i++)
        for (size_t j = 1; j + 1 < m; j++)
            y[i * m + j] =
                x[i * m + j] * (x[(i - 1) * m + j] + x[(i + 1) * m + j]) + x[i * m + j - 1] - x[i * m + j + 1];
}

double f(const double *x, size_t n) {
    enum { SIZE = 300 };
    double *a = malloc(SIZE * sizeof *a), *b = calloc(SIZE, sizeof *b), sum = 0;
    for (size_t i = 0; i < SIZE; i++)
        a[i] = x[i % n] * (double)(i % 5 + 1) * 0.2;
    for (int length = 0; length < 12; length++) {
        ahead(b + 2 * length, a, (size_t)length);
        ahead_int(b, a + length, length);
        ahead_unsigned(b, a, (unsigned)length / 2, (unsigned)length);
        ahead_short(b, a, (short)length);
        ahead_byte(b, a, (uint8_t)length);
        sum += around(a, (size_t)length);
    }
    ahead(b, a, SIZE), ahead_int(b, a, SIZE), ahead_unsigned(b, a, 0, SIZE), ahead_short(b, a, SIZE);
    ahead_byte(b, a, 255);
    behind(b, a, 1, SIZE), behind(b, a, 7, 9);
    pointers(b, a + 1, a + 100), pointers(b, a + 3, a + 4);
    for (size_t i = 0; i < SIZE; i++)
        sum += b[i] * (double)(i % 7);
    rows(b, a, 15, 20), rows(b, a, 2, 30), rows(b, a, 30, 3);
    for (size_t i = 0; i < SIZE; i++)
        sum += b[i] * (double)(i % 5) + a[i];
    free(a), free(b);
    return sum + around(x, n);
}
