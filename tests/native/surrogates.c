/* at: 0.7,1.3
 * noise: 1e-7
 * Code points that may be the bits of a float, as far as the compiler knows, written as UTF-16: sums of 16 bits. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct buffer {
    uint16_t units[32];
    int count;
} buffer;

__attribute__((noinline)) static void put(buffer *to, uint32_t code) {
    if (code < 0x10000) {
        to->units[to->count++] = (uint16_t)code;
    } else {
        to->units[to->count++] = (uint16_t)((code >> 10) + 0xd7c0);
        to->units[to->count++] = (uint16_t)((code & 0x3ff) + 0xdc00);
    }
}

__attribute__((noinline)) static void put_all(buffer *to, const uint32_t *codes, size_t count) {
    for (size_t i = 0; i < count; i++)
        put(to, codes[i]);
}

__attribute__((noinline)) static double product(const float *numbers) {
    return (double)numbers[2] * (double)numbers[3];
}

double f(const double *x, size_t n) {
    static const uint32_t text[] = {0x41, 0x1f600, 0x20ac, 0x10437};
    static uint32_t codes[4]; /* those of numbers first */
    buffer out = {.count = 0};
    double sum = 0;
    float scaled[4], moved[4];
    for (size_t i = 0; i < 4; i++)
        scaled[i] = (float)(x[i % n] * (double)i);
    memcpy(codes, scaled, sizeof codes);
    memcpy(moved, codes, sizeof moved);
    memcpy(codes, text, sizeof codes);
    put_all(&out, codes, 4);
    for (int i = 0; i < out.count; i++)
        sum += x[(size_t)i % n] * x[0] * out.units[i] * 1e-4;
    return sum + product(moved);
}
