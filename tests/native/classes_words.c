/* at: 0.7,1.3,-0.4,2.1
 * Words that hold the bits of numbers at one time, and integers at another. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint64_t words[6];
static long counts[6];

__attribute__((noinline)) static void put(uint64_t *at, double number) {
    memcpy(at, &number, sizeof number);
}

__attribute__((noinline)) static double get(const uint64_t *at) {
    double number;
    memcpy(&number, at, sizeof number);
    return number;
}

__attribute__((noinline)) static void count(long *at, long by) {
    *at += by;
}

double f(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        put(&words[i], x[i] * x[i]);
        count(&counts[i], (long)(37 * x[i]));
    }
    words[4] = words[1]; /* a copy of a number, as an integer */
    words[1] = 0;        /* the number is gone, its copy is not */
    words[5] = words[2] & UINT64_C(0x7fffffffffffffff);
    for (size_t i = 0; i < 6; i++)
        sum += get(&words[i]) * (double)(i + 1);
    put(&words[0], x[0] * (double)(counts[3] + 7));
    for (size_t i = 0; i < n; i++)
        counts[i] = 0;
    return sum + get(&words[0]) * get(&words[5]);
}
