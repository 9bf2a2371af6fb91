/* Tests the run time of generated reversible functions: fixed-point and log numbers are exact where they should be,
 * leaving the range is a fault at the user's line, stacks refuse mismatches, and tolerances are those that were set.
 */
#define VERSO_REV_GENERATED 1

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <complex.h>
#include <verso/rev.h>

/* ---- Faults are kept ---- */

static rev_fault last;
static int faults;

static void keep(const rev_fault *fault, void *context) {
    ++*(int *)context;
    last = *fault;
}

static int listen(void **state) {
    (void)state;
    faults = 0;
    memset(&last, 0, sizeof last);
    rev_handler_set(keep, &faults);
    rev_tolerance_set(REV_TOLERANCE_FLOAT, REV_TOLERANCE_DOUBLE);
    return 0;
}

static void one_fault(rev_fault_kind kind, int line) {
    assert_int_equal(faults, 1);
    assert_int_equal(last.kind, kind);
    assert_int_equal(last.line, line);
    assert_non_null(strstr(last.file, "test_rev_numbers.c"));
    faults = 0;
}

/* ---- Numbers ---- */

static uint64_t seed = 99;

static int64_t random_raw(void) {
    int64_t raw = 0;
    for (int i = 0; i < 4; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        raw = (int64_t)((uint64_t)raw << 16 | (seed >> 40 & 0xffff));
    }
    return raw >> (seed >> 58); /* of all magnitudes */
}

static void sums_are_exact(void **state) {
    (void)state;
    for (int i = 0; i < 100000; i++) {
        fixed a = rev_fixed_raw(random_raw() / 2), b = rev_fixed_raw(random_raw() / 2);
        fixed there = rev_fixed_add(a, b), back = rev_fixed_sub(there, b);
        assert_int_equal(there.raw, a.raw + b.raw);
        assert_true(rev_fixed_equal(back, a));
    }
    assert_int_equal(faults, 0);
}

/* In 128 bits by long division of magnitudes, rounded half away from zero. */
static void products_and_quotients_are_nearest(void **state) {
    (void)state;
    for (int i = 0; i < 100000; i++) {
        fixed a = rev_fixed_raw(random_raw() >> 12), b = rev_fixed_raw(random_raw() >> 12);
        long double product = (long double)rev_fixed_value(a) * (long double)rev_fixed_value(b);
        double found = rev_fixed_value(rev_fixed_mul(a, b));
        if (fabsl(product) < 1e6L)
            assert_true(fabsl((long double)found - product) <= 0x1p-44L + fabsl(product) * 0x1p-52L);
        rev_int128 twice = (rev_int128)a.raw * b.raw;
        assert_int_equal(rev_fixed_mul(b, a).raw, rev_fixed_mul(a, b).raw);
        assert_int_equal(rev_fixed_mul(rev_fixed_raw(-a.raw), b).raw, -rev_fixed_mul(a, b).raw);
        rev_int128 error = twice - (rev_int128)rev_fixed_mul(a, b).raw * REV_FIXED_ONE;
        if (faults == 0)
            assert_true(error <= REV_FIXED_ONE / 2 && error >= -REV_FIXED_ONE / 2);
        faults = 0;
        if (b.raw == 0)
            continue;
        fixed quotient = rev_fixed_div(a, b);
        rev_int128 rest = (rev_int128)a.raw * REV_FIXED_ONE - (rev_int128)quotient.raw * b.raw;
        if (faults == 0)
            assert_true(2 * rest <= llabs(b.raw) && -2 * rest <= llabs(b.raw));
        faults = 0;
    }
}

static void conversions_round(void **state) {
    (void)state;
    assert_true(rev_fixed_value(rev_fixed(-1.25)) == -1.25);
    assert_int_equal(rev_fixed(0x1p-43).raw, 1);
    assert_int_equal(rev_fixed(0x1p-44).raw, 1); /* halves away from zero */
    assert_int_equal(rev_fixed(-0x1p-44).raw, -1);
    assert_int_equal(rev_fixed(0x1p-45).raw, 0);
    assert_int_equal(rev_fixed(-1048576.0).raw, INT64_MIN);
    assert_int_equal(faults, 0);
    assert_true(rev_fixed_less(rev_fixed(1), rev_fixed(2)) && !rev_fixed_less(rev_fixed(2), rev_fixed(2)));
    assert_true(rev_fixed_less_equal(rev_fixed(2), rev_fixed(2)));
}

static void leaving_the_range_is_a_fault(void **state) {
    (void)state;
    fixed big = rev_fixed(1e6), least = rev_fixed_raw(INT64_MIN);
    int line = __LINE__ + 1;
    fixed wrapped = rev_fixed_add(big, big);
    one_fault(REV_FAULT_OVERFLOW, line);
    fixed back = rev_fixed_sub(wrapped, big);
    faults = 0;
    assert_true(rev_fixed_equal(back, big));
    assert_int_equal(rev_fixed_mul(big, big).raw, INT64_MAX);
    one_fault(REV_FAULT_OVERFLOW, __LINE__ - 1);
    assert_int_equal(rev_fixed_div(rev_fixed(-1), rev_fixed(1e-9)).raw, INT64_MIN);
    one_fault(REV_FAULT_OVERFLOW, __LINE__ - 1);
    (void)rev_fixed_div(big, rev_fixed(0));
    one_fault(REV_FAULT_OVERFLOW, __LINE__ - 1);
    (void)rev_fixed_neg(least);
    one_fault(REV_FAULT_OVERFLOW, __LINE__ - 1);
    assert_int_equal(rev_fixed(2e6).raw, INT64_MAX);
    one_fault(REV_FAULT_OVERFLOW, __LINE__ - 1);
    assert_int_equal(rev_fixed(nan("")).raw, 0);
    one_fault(REV_FAULT_OVERFLOW, __LINE__ - 1);
}

static void log_numbers_multiply_exactly(void **state) {
    (void)state;
    ulog a = rev_ulog(3), b = rev_ulog(0.7), product = rev_ulog_mul(a, b);
    assert_true(rev_ulog_equal(rev_ulog_div(product, b), a));
    assert_true(fabs(rev_ulog_value(product) - 2.1) < 1e-12);
    ulog power = rev_ulog(1);
    for (int i = 0; i < 1000; i++)
        power = rev_ulog_mul(power, a);
    assert_true(rev_ulog_equal(power, rev_ulog_pow_int(a, 1000)));
    assert_true(rev_ulog_equal(rev_ulog_mul(power, rev_ulog_pow_int(a, -1000)), rev_ulog(1)));
    assert_true(rev_ulog_less(b, a));
    double x = 2.5, h = 1e-4; /* far above the resolution of logarithms */
    double slope = rev_fixed_value(rev_fixed_sub(rev_ulog(x + h).log, rev_ulog(x - h).log)) / (2 * h);
    assert_true(fabs(slope - rev_ulog_derivative(x)) < 1e-8);
    assert_true(fabs(rev_ulog_value_derivative(a) - 3) < 1e-12);
    assert_int_equal(faults, 0);
    (void)rev_ulog(-1.0);
    one_fault(REV_FAULT_OVERFLOW, __LINE__ - 1);
}

/* ---- Checks ---- */

static void checks_have_tolerances(void **state) {
    (void)state;
    rev_check_double(1e-9, 0, "x == 0");
    rev_check_float(1e-4F, 0, "x == 0");
    rev_check_double(1e6 + 1e-3, 1e6, "relative to what is expected");
    rev_check_complex(1e-9 * I, 0.0, "z == 0");
    rev_check_integer(5, 5, "n == 5");
    rev_check_fixed(rev_fixed(1), rev_fixed(1), "f == 1");
    rev_check_ulog(rev_ulog(2), rev_ulog(2), "u == 2");
    assert_int_equal(faults, 0);
    rev_check_double(1e-7, 0, "x == 0");
    one_fault(REV_FAULT_ANCILLA, __LINE__ - 1);
    assert_string_equal(last.check, "x == 0");
    assert_true(last.found == 1e-7 && last.expected == 0);
    rev_tolerance_set(1, 1e-6);
    rev_check_double(1e-7, 0, "x == 0");
    rev_check_float(0.5F, 0, "x == 0");
    assert_int_equal(faults, 0);
    rev_check_double(nan(""), 0, "x == 0");
    one_fault(REV_FAULT_ANCILLA, __LINE__ - 1);
    rev_check_complex(1e-3 * I, 0.0, "z == 0");
    one_fault(REV_FAULT_ANCILLA, __LINE__ - 1);
    rev_check_fixed(rev_fixed_raw(1), rev_fixed_raw(0), "f == 0");
    one_fault(REV_FAULT_ANCILLA, __LINE__ - 1);
    rev_check_loop(3, 4, "i < n");
    one_fault(REV_FAULT_LOOP, __LINE__ - 1);
    rev_check_true(faults != 0, "p");
    one_fault(REV_FAULT_CONDITION, __LINE__ - 1);
}

static void arrays_are_checked(void **state) {
    (void)state;
    double x[3] = {0, 1e-12, 0};
    float y[2] = {0, 0};
    int n[2] = {0, 0};
    rev_check_zeros_double(x, 3, "x");
    rev_check_zeros_float(y, 2, "y");
    rev_check_zeros_bytes(n, sizeof n, "n");
    rev_check_apart(x, sizeof x, y, sizeof y, "x, y");
    rev_check_apart(x, 8, x + 1, 8, "x, x + 1");
    assert_int_equal(faults, 0);
    x[2] = n[1] = 1;
    rev_check_zeros_double(x, 3, "x");
    one_fault(REV_FAULT_ANCILLA, __LINE__ - 1);
    rev_check_zeros_bytes(n, sizeof n, "n");
    one_fault(REV_FAULT_ANCILLA, __LINE__ - 1);
    rev_check_apart(x, 16, x + 1, 8, "x, x + 1");
    one_fault(REV_FAULT_OVERLAP, __LINE__ - 1);
}

/* ---- Stacks ---- */

static void stacks_move_values(void **state) {
    (void)state;
    rev_stack stack = REV_STACK_EMPTY;
    double x = 0;
    for (int i = 1; i <= 1000; i++) {
        x = i;
        rev_stack_push(&stack, x);
        assert_true(x == 0);
    }
    assert_int_equal(rev_stack_count(&stack), 1000);
    for (int i = 1000; i >= 1; i--, x = 0) {
        rev_stack_pop(&stack, x);
        assert_true(x == i);
    }
    float small = 3;
    rev_stack_push(&stack, small); /* an empty stack takes any size */
    assert_int_equal(faults, 0);
    rev_stack_pop(&stack, x);
    one_fault(REV_FAULT_STACK, __LINE__ - 1);
    rev_stack_push(&stack, x);
    one_fault(REV_FAULT_STACK, __LINE__ - 1);
    rev_stack_pop(&stack, small);
    assert_true(small == 3 && faults == 0);
    rev_stack_pop(&stack, small);
    one_fault(REV_FAULT_STACK, __LINE__ - 1);
    rev_stack_free(&stack);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(sums_are_exact, listen),
        cmocka_unit_test_setup(products_and_quotients_are_nearest, listen),
        cmocka_unit_test_setup(conversions_round, listen),
        cmocka_unit_test_setup(leaving_the_range_is_a_fault, listen),
        cmocka_unit_test_setup(log_numbers_multiply_exactly, listen),
        cmocka_unit_test_setup(checks_have_tolerances, listen),
        cmocka_unit_test_setup(arrays_are_checked, listen),
        cmocka_unit_test_setup(stacks_move_values, listen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
