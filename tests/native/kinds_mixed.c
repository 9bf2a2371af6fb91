/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -fno-inline -fno-strict-aliasing
 * Floats, doubles and long doubles in one program: in unions and structs that are copied whole, by words and by bytes;
 * in memory that is used for one kind after another; moved by code that does not know what they are. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef union word {
    double number;
    float singles[2];
    uint32_t half[2];
    int64_t integer;
    unsigned char byte[8];
} word;

typedef struct mixed {
    int tag;
    float single;
    double number;
    float pair[2];
    long double wide;
} mixed;

static void copy_halves(word *to, const word *from) {
    for (int i = 1; i >= 0; i--)
        to->half[i] = from->half[i];
}

static void copy_bytes(void *to, const void *from, size_t size) {
    unsigned char *a = to;
    const unsigned char *b = from;
    for (size_t i = 0; i < size; i++)
        a[i] = b[i];
}

static void swap_words(word *a, word *b) {
    word kept = *a;
    *a = *b;
    *b = kept;
}

/* A float, or a double, in the same place, as the tag says. */
static double value_of(const word *at, int tag) {
    return tag != 0 ? (double)at->singles[tag - 1] : at->number;
}

static double by_words(const double *x) {
    word words[4] = {
        {.number = x[0] * x[1]}, {.singles = {(float)x[2], (float)x[3]}}, {.integer = 5}, {.number = x[1]}};
    int tags[4] = {0, 1, 0, 0};
    double sum = 0;
    copy_halves(&words[2], &words[1]);
    tags[2] = 2;
    copy_halves(&words[3], &words[0]);
    swap_words(&words[0], &words[1]);
    tags[0] = 2, tags[1] = 0;
    for (int i = 0; i < 4; i++)
        sum += value_of(&words[i], tags[i]) * (i + 1);
    copy_bytes(&words[2], &words[3], 8);
    words[3].half[1] = 0x40000000, words[3].half[0] = 0; /* 2.0 */
    words[0].half[1] = 0x3f800000;                       /* 1.0f, beside a float */
    return sum + words[2].number * words[3].number + (double)(words[0].singles[0] * words[0].singles[1]);
}

static double by_structs(const double *x) {
    mixed some[3] = {{1, (float)x[0], x[1], {(float)x[2], 2}, x[3]}}, kept;
    some[1] = some[0];
    memcpy(&some[2], &some[1], sizeof *some);
    copy_bytes(&kept, &some[2], sizeof kept);
    kept.tag = 7; /* beside a float */
    kept.pair[1] *= kept.single;
    some[0].tag = kept.tag + (int)some[0].pair[1];
    long double wide = kept.wide * some[1].wide;
    return (double)wide * kept.number + (double)(kept.pair[0] * kept.pair[1]) * some[0].tag;
}

/* The same memory for doubles, floats, integers and doubles again. */
static double by_turns(const double *x, size_t n) {
    _Alignas(16) char room[64];
    double *numbers = (double *)room, sum = 0;
    float *singles = (float *)room;
    int *integers = (int *)room;
    long double *wide = (long double *)room;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 8; i++)
            numbers[i] = sin(x[i % n] * (double)(i + 1)) + sum;
        for (size_t i = 0; i < 8; i++)
            sum += numbers[i] * x[(i + 1) % n];
        for (size_t i = 0; i < 16; i++)
            singles[i] = (float)(x[i % n] * sum);
        for (size_t i = 0; i < 16; i += 3)
            integers[i] = (int)i;
        for (size_t i = 1; i < 16; i += 3)
            sum += (double)singles[i] * 0.125;
        for (size_t i = 0; i < 4; i++)
            wide[i] = (long double)x[i] * sum;
        for (size_t i = 0; i < 4; i++)
            sum = sum * 0.5 + (double)(wide[i] * wide[3 - i]) * 0.01;
    }
    return sum;
}

double f(const double *x, size_t n) {
    return by_words(x) + by_structs(x) + by_turns(x, n);
}
