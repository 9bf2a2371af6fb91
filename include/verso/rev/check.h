/* The run-time checks of generated functions; only generated code calls them. Each rev_check_... macro compares a value
 * with the one that must be there and, if they differ, raises a fault (verso/rev/fault.h) with the file and line of
 * the check. -DVERSO_REV_NOCHECK removes all checks together with their arguments; the compiler then also removes code
 * that served only to be checked. NDEBUG does not remove them.
 *
 * Thread safety: checks may run in any number of threads at the same time. They read the tolerances, so set these
 * before threads start. */
#ifndef VERSO_REV_CHECK_H
#define VERSO_REV_CHECK_H

#include <verso/rev/fault.h>

/* The tolerance in force for `type`. A kernel cannot read the settings of the host and uses the default, `constant`. */
#ifdef __CUDA_ARCH__
#define REV_TOLERANCE_OF(type, constant) (constant)
#else
#define REV_TOLERANCE_OF(type, constant) (rev_run_time.tolerance_##type)
#endif

REV_FUNCTION int rev_is_near(double found, double expected, double tolerance) {
    double scale = fabs(expected) > 1 ? fabs(expected) : 1;
    return fabs(found - expected) <= tolerance * scale; /* false if either is a NaN */
}

REV_FUNCTION void rev_check_near_at(double found, double expected, double tolerance, const char *check,
                                    const char *file, int line) {
    if (!rev_is_near(found, expected, tolerance))
        rev_fault_raise(REV_FAULT_ANCILLA, check, found, expected, file, line);
}

REV_FUNCTION void rev_check_integer_at(long long found, long long expected, rev_fault_kind kind, const char *check,
                                       const char *file, int line) {
    if (found != expected)
        rev_fault_raise(kind, check, (double)found, (double)expected, file, line);
}

REV_FUNCTION void rev_check_true_at(int holds, const char *check, const char *file, int line) {
    if (!holds)
        rev_fault_raise(REV_FAULT_CONDITION, check, 0, 1, file, line);
}

REV_FUNCTION void rev_check_zeros_double_at(const double *values, size_t count, const char *check, const char *file,
                                            int line) {
    for (size_t i = 0; i < count; i++)
        rev_check_near_at(values[i], 0, REV_TOLERANCE_OF(double, REV_TOLERANCE_DOUBLE), check, file, line);
}

REV_FUNCTION void rev_check_zeros_float_at(const float *values, size_t count, const char *check, const char *file,
                                           int line) {
    for (size_t i = 0; i < count; i++)
        rev_check_near_at((double)values[i], 0, REV_TOLERANCE_OF(float, REV_TOLERANCE_FLOAT), check, file, line);
}

/* Checks that all bytes are zero: for integers, `fixed`, `ulog`, and structures without padding. */
REV_FUNCTION void rev_check_zeros_bytes_at(const void *values, size_t size, const char *check, const char *file,
                                           int line) {
    const unsigned char *bytes = (const unsigned char *)values;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0) {
            rev_fault_raise(REV_FAULT_ANCILLA, check, (double)bytes[i], 0, file, line);
            return;
        }
}

/* Checks that two pieces of memory do not overlap. */
REV_FUNCTION void rev_check_apart_at(const void *a, size_t a_size, const void *b, size_t b_size, const char *check,
                                     const char *file, int line) {
    uintptr_t first = (uintptr_t)a, second = (uintptr_t)b;
    if (first < second + b_size && second < first + a_size)
        rev_fault_raise(REV_FAULT_OVERLAP, check, (double)first, (double)second, file, line);
}

#ifdef VERSO_REV_NOCHECK
#define rev_check_double(found, expected, check) ((void)0)
#define rev_check_float(found, expected, check) ((void)0)
#define rev_check_complex(found, expected, check) ((void)0)
#define rev_check_integer(found, expected, check) ((void)0)
#define rev_check_true(condition, check) ((void)0)
#define rev_check_loop(found, expected, check) ((void)0)
#define rev_check_zeros_double(values, count, check) ((void)0)
#define rev_check_zeros_float(values, count, check) ((void)0)
#define rev_check_zeros_bytes(values, size, check) ((void)0)
#define rev_check_apart(a, a_size, b, b_size, check) ((void)0)
#else
#define rev_check_double(found, expected, check) \
    rev_check_near_at((double)(found), (double)(expected), REV_TOLERANCE_OF(double, REV_TOLERANCE_DOUBLE), check, \
                      __FILE__, __LINE__)
#define rev_check_float(found, expected, check) \
    rev_check_near_at((double)(found), (double)(expected), REV_TOLERANCE_OF(float, REV_TOLERANCE_FLOAT), check, \
                      __FILE__, __LINE__)
#define rev_check_complex(found, expected, check) \
    do { \
        rev_check_double(creal(found), creal(expected), check); \
        rev_check_double(cimag(found), cimag(expected), check); \
    } while (0)
#define rev_check_integer(found, expected, check) \
    rev_check_integer_at((long long)(found), (long long)(expected), REV_FAULT_ANCILLA, check, __FILE__, __LINE__)
#define rev_check_true(condition, check) rev_check_true_at((condition) ? 1 : 0, check, __FILE__, __LINE__)
#define rev_check_loop(found, expected, check) \
    rev_check_integer_at((long long)(found), (long long)(expected), REV_FAULT_LOOP, check, __FILE__, __LINE__)
#define rev_check_zeros_double(values, count, check) rev_check_zeros_double_at(values, count, check, __FILE__, __LINE__)
#define rev_check_zeros_float(values, count, check) rev_check_zeros_float_at(values, count, check, __FILE__, __LINE__)
#define rev_check_zeros_bytes(values, size, check) rev_check_zeros_bytes_at(values, size, check, __FILE__, __LINE__)
#define rev_check_apart(a, a_size, b, b_size, check) rev_check_apart_at(a, a_size, b, b_size, check, __FILE__, __LINE__)
#endif

#endif
