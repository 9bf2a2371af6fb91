/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: bits_by_copies\.c:1[0-9]: integer arithmetic on the bits of a number
 * Numbers are copied to integers and back; in between a function that only knows integers changes them. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static void copy(void *to, const void *from, size_t size) {
    memcpy(to, from, size);
}

static uint64_t mix(uint64_t bits) {
    return (bits ^ bits >> 7) * 0x9e3779b97f4a7c15u >> 2;
}

static void mix_all(uint64_t *to, const uint64_t *from, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = mix(from[i]);
}

double f(const double *x, size_t n) {
    double made[2];
    uint64_t bits[2], mixed[2];
    copy(bits, x, n * sizeof *x);
    mix_all(mixed, bits, n);
    copy(made, mixed, n * sizeof *x);
    return made[0] * x[1];
}
