/* at: 0.7,1.1,0.25,2.0
 * Copies that are written as loops over bytes and words: the compiler makes them what they are, copies. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct record {
    double a, b;
    int count;
} record;

static void copy_bytes(void *restrict to, const void *restrict from, size_t size) {
    unsigned char *restrict t = to;
    const unsigned char *restrict f = from;
    for (size_t i = 0; i < size; i++)
        t[i] = f[i];
}

static void copy_words(uint64_t *to, const uint64_t *from, size_t count) {
    while (count-- > 0)
        *to++ = *from++;
}

double f(const double *x, size_t n) {
    union {
        double numbers[8];
        uint64_t words[8];
    } source, target = {{0}};
    record r = {x[0] * x[1], sin(x[2]), 3}, copy;
    for (size_t i = 0; i < n; i++)
        source.numbers[i] = x[i] * x[i];
    copy_words(target.words, source.words, n);
    copy_bytes(&copy, &r, sizeof r);
    copy.a += target.numbers[1];
    copy_bytes(&r, &copy, sizeof r);
    double sum = r.a * r.b * r.count;
    for (size_t i = 0; i < n; i++)
        sum += target.numbers[i] * r.a;
    return sum;
}
