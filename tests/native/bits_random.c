/* at: 0.7,-1.1,0.25,1.9
 * flags: -fno-inline
 * Numbers of random bits: generators in memory, doubles that they make in unions and through memcpy, where other
 * numbers were before. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef union word {
    double number;
    uint64_t bits;
} word;

typedef struct generator {
    uint64_t state[2];
    double last; /* beside the state */
} generator;

/* xorshift128+ */
static uint64_t next(generator *of) {
    uint64_t a = of->state[0], b = of->state[1];
    of->state[0] = b;
    a ^= a << 23;
    of->state[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
    return of->state[1] + b;
}

static void fill(word *words, size_t count, generator *of) {
    for (size_t i = 0; i < count; i++)
        words[i].bits = UINT64_C(0x3ff0000000000000) | next(of) >> 12;
}

static double copied(generator *of) {
    uint64_t bits = UINT64_C(0x3ff0000000000000) | next(of) >> 12;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number - 1;
}

static void copy_all(double *to, const uint64_t *from, size_t count) {
    memcpy(to, from, count * sizeof *to);
}

double f(const double *x, size_t n) {
    generator of = {{7, 11}, x[0]};
    word words[8];
    double sum = 0, many[8];
    uint64_t bits[8];
    for (size_t turn = 0; turn < 5; turn++) {
        for (size_t i = 0; i < 8; i++)
            words[i].number = x[i % n] * (double)(turn + 1);
        for (size_t i = 0; i < 8; i++)
            sum += words[i].number * of.last;
        fill(words + turn % 4, 4, &of);
        for (size_t i = 0; i < 8; i++)
            sum += words[i].number * x[(i + turn) % n] * copied(&of);
        for (size_t i = 0; i < 8; i++)
            bits[i] = UINT64_C(0x3fe0000000000000) | next(&of) >> 13;
        copy_all(many, bits, 8);
        for (size_t i = 0; i < 8; i++)
            sum += many[i] * x[i % n];
        of.last = sum * many[3] * 1e-2;
    }
    return sum;
}
