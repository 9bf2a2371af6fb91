/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: seeded_with_number\.c:2[0-9]: integer arithmetic on the bits of a number
 * A generator that is seeded with the bits of a number, far from where a number is made of what it gives. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct generator {
    uint64_t state;
} generator;

static void seed(generator *of, const double *x) {
    memcpy(&of->state, x, sizeof of->state);
}

static void advance(generator *of) {
    of->state = of->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
}

static double number(const generator *of) {
    uint64_t bits = UINT64_C(0x3ff0000000000000) | of->state >> 12;
    double made;
    memcpy(&made, &bits, sizeof made);
    return made - 1;
}

double f(const double *x, size_t n) {
    generator of;
    double product = x[0] * x[1];
    seed(&of, &product);
    for (size_t i = 0; i < 3; i++)
        advance(&of);
    return number(&of) * x[n - 1];
}
