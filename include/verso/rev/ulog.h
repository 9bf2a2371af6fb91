/* `ulog`: positive numbers that are stored as the `fixed` of their logarithm. Products and quotients are exact sums and
 * differences of logarithms, so *= and /= undo each other to the last bit. The range is exp(-2^20) to exp(2^20), with a
 * relative resolution of about 2^-43. There is no zero, and there are no sums.
 *
 *     ulog u = rev_ulog(2.5);
 *     double value = rev_ulog_value(u);
 *
 * The bar of a ulog u is a double, the derivative with respect to log(u). So the bars of factors are sums, too, and the
 * conversions have the derivatives below.
 *
 * Errors: a result outside the range, and the conversion of a number that is not positive, raise REV_FAULT_OVERFLOW
 * (verso/rev/fixed.h says what the result is then). Thread safety: all functions may be called from any thread, and in
 * kernels. */
#ifndef VERSO_REV_ULOG_H
#define VERSO_REV_ULOG_H

#include <verso/rev/fixed.h>

/* A positive number, stored as its logarithm. If all bytes are zero, it is 1. */
typedef struct ulog {
    fixed log;
} ulog;

/* The number whose logarithm is `log`. */
REV_FUNCTION ulog rev_ulog_log(fixed log) {
    ulog u;
    u.log = log;
    return u;
}

/* Conversion from double. A number that is not positive, or a NaN, raises a fault; if the handler returns, the result
 * is 1. */
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

/* a to the power of `exponent`: exact if the result is in range, else a fault and the nearest end of the range. */
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

/* The derivative of log(u) with respect to `value`, for u = rev_ulog(value). */
REV_FUNCTION double rev_ulog_derivative(double value) {
    return 1 / value;
}

/* The derivative of rev_ulog_value(u) with respect to log(u). */
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
