/* `fixed`: fixed-point numbers with 1 sign, 20 integer and 43 fraction bits (Q20.43), from -2^20 to just below 2^20 in
 * steps of 2^-43. Sums and differences are exact, so += and -= undo each other to the last bit. Products, quotients and
 * conversions are rounded to the nearest number, halves away from zero; the rounding is deterministic, so that
 * subtracting the same product again is exact, too.
 *
 *     fixed x = rev_fixed(0.5);
 *     double value = rev_fixed_value(x);
 *
 * Errors: a result outside the range raises REV_FAULT_OVERFLOW with the user's line. If the handler returns, and under
 * -DVERSO_REV_NOCHECK, sums and differences wrap around, which is still reversible; products, quotients and conversions
 * give the nearest end of the range (0 for a NaN and for 0 / 0). Thread safety: all functions may be called from any
 * thread, and in kernels. */
#ifndef VERSO_REV_FIXED_H
#define VERSO_REV_FIXED_H

#include <verso/rev/fault.h>

typedef struct fixed {
    int64_t raw; /* the value times 2^43 */
} fixed;

#define REV_FIXED_FRACTION 43
#define REV_FIXED_ONE ((int64_t)1 << REV_FIXED_FRACTION)

#ifdef VERSO_REV_NOCHECK
#define rev_fixed_overflow(check, found, file, line) ((void)(check), (void)(found), (void)(file), (void)(line))
#else
#define rev_fixed_overflow(check, found, file, line) \
    rev_fault_raise(REV_FAULT_OVERFLOW, check, found, (found) < 0 ? -1048576.0 : 1048576.0, file, line)
#endif

/* The number raw * 2^-43. */
REV_FUNCTION fixed rev_fixed_raw(int64_t raw) {
    fixed x;
    x.raw = raw;
    return x;
}

/* The nearest double. */
REV_FUNCTION double rev_fixed_value(fixed x) {
    return (double)x.raw * (1.0 / (double)REV_FIXED_ONE);
}

/* Conversion from double. Functions that end with _at take the file and line that a fault names; use the macros without
 * it, below. */
REV_FUNCTION fixed rev_fixed_at(double value, const char *file, int line) {
    double scaled = value * (double)REV_FIXED_ONE;
    if (scaled >= 9223372036854775808.0 || scaled < -9223372036854775808.0 || scaled != scaled) {
        rev_fixed_overflow("conversion to fixed", value, file, line);
        return rev_fixed_raw(scaled < 0 ? INT64_MIN : scaled > 0 ? INT64_MAX : 0);
    }
    return rev_fixed_raw((int64_t)round(scaled));
}

REV_FUNCTION int64_t rev_fixed_wrap(uint64_t bits) {
    int64_t raw;
    memcpy(&raw, &bits, sizeof raw);
    return raw;
}

REV_FUNCTION fixed rev_fixed_add_at(fixed a, fixed b, const char *file, int line) {
    fixed sum = rev_fixed_raw(rev_fixed_wrap((uint64_t)a.raw + (uint64_t)b.raw));
    if (((a.raw ^ sum.raw) & (b.raw ^ sum.raw)) < 0)
        rev_fixed_overflow("sum of fixed numbers", rev_fixed_value(a) + rev_fixed_value(b), file, line);
    return sum;
}

REV_FUNCTION fixed rev_fixed_sub_at(fixed a, fixed b, const char *file, int line) {
    fixed difference = rev_fixed_raw(rev_fixed_wrap((uint64_t)a.raw - (uint64_t)b.raw));
    if (((a.raw ^ b.raw) & (a.raw ^ difference.raw)) < 0)
        rev_fixed_overflow("difference of fixed numbers", rev_fixed_value(a) - rev_fixed_value(b), file, line);
    return difference;
}

REV_FUNCTION fixed rev_fixed_neg_at(fixed a, const char *file, int line) {
    return rev_fixed_sub_at(rev_fixed_raw(0), a, file, line);
}

__extension__ typedef __int128 rev_int128;

REV_FUNCTION fixed rev_fixed_clamp(rev_int128 raw, const char *check, double found, const char *file, int line) {
    if (raw >= INT64_MIN && raw <= INT64_MAX)
        return rev_fixed_raw((int64_t)raw);
    rev_fixed_overflow(check, found, file, line);
    return rev_fixed_raw(raw < 0 ? INT64_MIN : INT64_MAX);
}

REV_FUNCTION fixed rev_fixed_mul_at(fixed a, fixed b, const char *file, int line) {
    rev_int128 product = (rev_int128)a.raw * b.raw, half = (rev_int128)1 << (REV_FIXED_FRACTION - 1);
    rev_int128 rounded =
        product < 0 ? -((half - product) >> REV_FIXED_FRACTION) : (product + half) >> REV_FIXED_FRACTION;
    return rev_fixed_clamp(rounded, "product of fixed numbers", rev_fixed_value(a) * rev_fixed_value(b), file, line);
}

REV_FUNCTION fixed rev_fixed_div_at(fixed a, fixed b, const char *file, int line) {
    if (b.raw == 0) {
        rev_fixed_overflow("quotient of fixed numbers by zero", rev_fixed_value(a), file, line);
        return rev_fixed_raw(a.raw < 0 ? INT64_MIN : a.raw > 0 ? INT64_MAX : 0);
    }
    rev_int128 over = (rev_int128)a.raw * REV_FIXED_ONE, under = b.raw;
    int negative = (over < 0) != (under < 0);
    over = over < 0 ? -over : over;
    under = under < 0 ? -under : under;
    rev_int128 rounded = (over + under / 2) / under;
    return rev_fixed_clamp(negative ? -rounded : rounded, "quotient of fixed numbers",
                           rev_fixed_value(a) / rev_fixed_value(b), file, line);
}

REV_FUNCTION int rev_fixed_less(fixed a, fixed b) {
    return a.raw < b.raw;
}

REV_FUNCTION int rev_fixed_less_equal(fixed a, fixed b) {
    return a.raw <= b.raw;
}

REV_FUNCTION int rev_fixed_equal(fixed a, fixed b) {
    return a.raw == b.raw;
}

#define rev_fixed(value) rev_fixed_at(value, __FILE__, __LINE__)
#define rev_fixed_add(a, b) rev_fixed_add_at(a, b, __FILE__, __LINE__)
#define rev_fixed_sub(a, b) rev_fixed_sub_at(a, b, __FILE__, __LINE__)
#define rev_fixed_neg(a) rev_fixed_neg_at(a, __FILE__, __LINE__)
#define rev_fixed_mul(a, b) rev_fixed_mul_at(a, b, __FILE__, __LINE__)
#define rev_fixed_div(a, b) rev_fixed_div_at(a, b, __FILE__, __LINE__)

#ifdef VERSO_REV_NOCHECK
#define rev_check_fixed(found, expected, check) ((void)0)
#else
REV_FUNCTION void rev_check_fixed_at(fixed found, fixed expected, const char *check, const char *file, int line) {
    if (found.raw != expected.raw)
        rev_fault_raise(REV_FAULT_ANCILLA, check, rev_fixed_value(found), rev_fixed_value(expected), file, line);
}
#define rev_check_fixed(found, expected, check) rev_check_fixed_at(found, expected, check, __FILE__, __LINE__)
#endif

#endif
