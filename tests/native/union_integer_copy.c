/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * Numbers that travel as the bits of an integer: through a union, through memcpy into a uint64_t, in an array of words.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef union value {
    double number;
    uint64_t word;
    struct {
        uint32_t low, high;
    } halves;
} value;

static uint64_t pack(double number) {
    uint64_t word;
    memcpy(&word, &number, sizeof word);
    return word;
}

static double unpack(uint64_t word) {
    value v;
    v.word = word;
    return v.number;
}

static void swap_words(uint64_t *a, uint64_t *b) {
    uint64_t keep = *a;
    *a = *b;
    *b = keep;
}

static value rebuild(value v) {
    value result;
    result.halves.high = v.halves.high;
    result.halves.low = v.halves.low;
    return result;
}

double f(const double *x, size_t n) {
    uint64_t words[4];
    value v = {.number = x[0] * x[1]};
    for (size_t i = 0; i < n; i++)
        words[i] = pack(x[i] * x[i]);
    swap_words(&words[0], &words[3]);
    swap_words(&words[1], &words[0]);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += unpack(words[i]) * (double)(i + 1);
    uint64_t chosen = x[0] > 0.5 ? words[1] : words[2];
    return sum * unpack(chosen) + rebuild(v).number * sin(x[3]);
}
