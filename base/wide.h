/* Arithmetic that saturates instead of overflowing: 64-bit for steps and binomials, 128-bit for costs.
 * The largest value of a type stands for "that much or more"; a comparison against a real n stays right. */
#ifndef VERSO_BASE_WIDE_H
#define VERSO_BASE_WIDE_H

#include <stdint.h>
#include <verso/wide.h>

#define VERSO_WIDE_MAX ((verso_wide) - 1)

static inline uint64_t verso_add_u64(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t verso_mul_u64(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static inline uint64_t verso_narrow(verso_wide value) {
    return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

static inline verso_wide verso_add_wide(verso_wide a, verso_wide b) {
    verso_wide sum;
    return __builtin_add_overflow(a, b, &sum) ? VERSO_WIDE_MAX : sum;
}

static inline verso_wide verso_mul_wide(verso_wide a, verso_wide b) {
    verso_wide product;
    return __builtin_mul_overflow(a, b, &product) ? VERSO_WIDE_MAX : product;
}

static inline uint64_t verso_min_u64(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static inline uint64_t verso_max_u64(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

#endif
