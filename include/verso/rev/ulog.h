/* `ulog`: positive numbers kept as a fixed-point logarithm, so that products and quotients are exact sums and
 * differences: *= and /= undo each other to the last bit. From exp(-2^20) to exp(2^20), each within a factor of 1 +
 * 2^-43 or so. There is no zero and no sum.
 *
 * The bar of a ulog u is the derivative by log(u), a double: the bars of factors are then sums, too, and the
 * derivatives of the conversions are those below. */
#ifndef VERSO_REV_ULOG_H
#define VERSO_REV_ULOG_H

#include <verso/rev/fixed.h>

/* All bytes zero: the number 1. */
typedef struct ulog {
    fixed log;
} ulog;

REV_FUNCTION ulog rev_ulog_log(fixed log) {
    ulog u;
    u.log = log;
    return u;
}

/* Of a number that is not positive: a fault, and 1. */
REV_FUNCTION ulog rev_ulog_at(double value, const char *file, int line) {
    if (!(value > 0)) {
        rev_fixed_overflow("logarithm of a number that is not positive", value, file, line);
        return rev_ulog_log(rev_fixed_raw(0));
    }
    return rev_ulog_log(rev_fixed_at(log(value), file, line));
}

REV_FUNCTION double rev_ulog_value(ulog u) {
    return exp(rev_fixed_value(u.log));
}

REV_FUNCTION ulog rev_ulog_mul_at(ulog a, ulog b, const char *file, int line) {
    return rev_ulog_log(rev_fixed_add_at(a.log, b.log, file, line));
}

REV_FUNCTION ulog rev_ulog_div_at(ulog a, ulog b, const char *file, int line) {
    return rev_ulog_log(rev_fixed_sub_at(a.log, b.log, file, line));
}

/* Exact, as long as it is in range. */
REV_FUNCTION ulog rev_ulog_pow_int_at(ulog a, long long exponent, const char *file, int line) {
    rev_int128 raw = (rev_int128)a.log.raw * exponent;
    return rev_ulog_log(
        rev_fixed_clamp(raw, "power of a log number", rev_fixed_value(a.log) * (double)exponent, file, line));
}

REV_FUNCTION int rev_ulog_less(ulog a, ulog b) {
    return a.log.raw < b.log.raw;
}

REV_FUNCTION int rev_ulog_equal(ulog a, ulog b) {
    return a.log.raw == b.log.raw;
}

/* d log(u) / d value where u = rev_ulog(value). */
REV_FUNCTION double rev_ulog_derivative(double value) {
    return 1 / value;
}

/* d value / d log(u) where value = rev_ulog_value(u). */
REV_FUNCTION double rev_ulog_value_derivative(ulog u) {
    return rev_ulog_value(u);
}

#define rev_ulog(value) rev_ulog_at(value, __FILE__, __LINE__)
#define rev_ulog_mul(a, b) rev_ulog_mul_at(a, b, __FILE__, __LINE__)
#define rev_ulog_div(a, b) rev_ulog_div_at(a, b, __FILE__, __LINE__)
#define rev_ulog_pow_int(a, exponent) rev_ulog_pow_int_at(a, exponent, __FILE__, __LINE__)

#ifdef VERSO_REV_NOCHECK
#define rev_check_ulog(found, expected, check) ((void)0)
#else
#define rev_check_ulog(found, expected, check) rev_check_fixed((found).log, (expected).log, check)
#endif

#endif
