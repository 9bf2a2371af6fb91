/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * Loops that LLVM makes vectors of: arrays of random bits as floats. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { COUNT = 64 };

static void advance(uint32_t *restrict seeds) {
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t s = seeds[i];
        s ^= s << 13;
        s ^= s >> 17;
        seeds[i] = s ^ s << 5;
    }
}

static void numbers(float *restrict to, const uint32_t *restrict seeds) {
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t bits = 0x3f800000u | seeds[i] >> 9;
        memcpy(&to[i], &bits, sizeof bits);
    }
}

double f(const double *x, size_t n) {
    static uint32_t seeds[COUNT];
    float noise[COUNT], all[COUNT];
    double sum = 0;
    for (size_t i = 0; i < COUNT; i++) {
        seeds[i] = (uint32_t)i * 77 + 1;
        all[i] = (float)x[i % n];
    }
    for (size_t turn = 0; turn < 4; turn++) {
        advance(seeds);
        numbers(noise, seeds);
        for (size_t i = 0; i < COUNT; i++) {
            all[i] = all[i] * (noise[i] - 0.9f) + 0.1f;
            sum += (double)(all[i] * noise[(i + 3) % COUNT]);
        }
        memcpy(turn % 2 == 0 ? noise : all, turn % 2 == 0 ? all : noise, COUNT * sizeof *all / 2);
        for (size_t i = 0; i < COUNT; i++)
            sum += (double)noise[i] * x[i % n];
    }
    return sum;
}
