/* Tangents that are lost in arithmetic on bits are refused with the place of it: the texts lie one behind the other,
 * and have several lengths. */
#include "expect.h"

#include <stdint.h>
#include <string.h>
#include <verso/native.h>

static double in, out;

static void hash(void *context) {
    uint64_t bits;
    double number;
    (void)context;
    memcpy(&bits, &in, sizeof bits);
    bits = bits * 0x9e3779b97f4a7c15u >> 2;
    memcpy(&number, &bits, sizeof number);
    out = 1 + number;
}

#line 7
static void hash_float(void *context) {
    float number = (float)in;
    uint32_t bits;
    (void)context;
    memcpy(&bits, &number, sizeof bits);
    bits ^= bits * 77 >> 3;
    memcpy(&number, &bits, sizeof number);
    out = 1 + number;
}

#line 12345
static void hash_again(void *context) {
    uint64_t bits;
    hash(context);
    memcpy(&bits, &in, sizeof bits);
    bits ^= bits * 5 >> 4;
    double number;
    memcpy(&number, &bits, sizeof number);
    out = out < 1 ? number : out + number;
}

int main(void) {
    void (*const runs[])(void *) = {hash, hash_float, hash_again};
    double one = 1, tangent;
    const verso_array wrt = {&in, 1, VERSO_SCALAR_DOUBLE, &one}, of = {&out, 1, VERSO_SCALAR_DOUBLE, &tangent};
    for (int i = 0; i < 3; i++) {
        in = 0.7;
        EXPECT(verso_jvp(runs[i], NULL, &wrt, 1, &of, 1, NULL, &error) == VERSO_STATUS_INVALID, "%d: a tangent of %g",
               i, tangent);
        EXPECT(strncmp(strrchr(error.message, '/') ? strrchr(error.message, '/') + 1 : error.message, "blamed.c:", 9) ==
                       0 &&
                   strstr(error.message, "integer arithmetic"),
               "%d: %s", i, error.message);
    }
    printf(failed ? "\n" : " tangents\n");
    return failed;
}
