/* Arithmetic that saturates instead of overflowing: 64 bits for steps and binomial coefficients, 128 bits for
 * costs. The largest value of a type means "this much or more", so that comparisons with an actual number of
 * steps stay correct. */
#ifndef VERSO_BASE_WIDE_H
#define VERSO_BASE_WIDE_H

#include <stdint.h>
#include <verso/wide.h>

/* The type for computations. The public interface uses verso_wide instead, two 64-bit words. */
__extension__ typedef unsigned __int128 verso__wide;

#define VERSO_WIDE_MAX ((verso__wide) - 1)

static inline uint64_t verso__add_u64(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t verso__mul_u64(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* Converts to 64 bits, saturating. */
static inline uint64_t verso__narrow(verso__wide value) {
    return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

static inline verso__wide verso__add_wide(verso__wide a, verso__wide b) {
    verso__wide sum;
    return __builtin_add_overflow(a, b, &sum) ? VERSO_WIDE_MAX : sum;
}

static inline verso__wide verso__mul_wide(verso__wide a, verso__wide b) {
    verso__wide product;
    return __builtin_mul_overflow(a, b, &product) ? VERSO_WIDE_MAX : product;
}

static inline uint64_t verso__min_u64(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static inline uint64_t verso__max_u64(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Convert to the public type and back. */
static inline verso_wide verso__wide_show(verso__wide value) {
    return (verso_wide){(uint64_t)value, (uint64_t)(value >> 64)};
}

static inline verso__wide verso__wide_read(verso_wide value) {
    return (verso__wide)value.high << 64 | value.low;
}

/* Like verso_wide_text. */
char *verso__wide_text(verso__wide value, char text[VERSO_WIDE_TEXT]);

#endif
