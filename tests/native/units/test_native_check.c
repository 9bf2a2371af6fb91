/* Tests verso_check: correct derivatives pass, each wrong one is found by the test made for it, and afterwards
 * everything is as before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "native/api/api.h"
#include "tests/support/native_program.h"
#include "tests/support/random_spec.h"

#include <math.h>

static uint64_t seed;

static void require_possible(void) {
    if (!native_possible())
        skip();
}

static verso_check_report checked(double (*f)(const double *, size_t), const double *x, size_t n, uint64_t with_seed) {
    verso_check_options options = {.size = sizeof(verso_check_options), .seed = with_seed};
    verso_check_report report = VERSO_CHECK_REPORT_INIT;
    verso_error error;
    verso_status status = verso_check_gradient(f, x, n, &options, &report, &error);
    if (status != VERSO_STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(report.seed, with_seed);
    assert_int_equal(report.holds, report.dot_holds && report.taylor_holds && report.cuts_hold);
    return report;
}

static void print_report(const verso_check_report *report) {
    print_error("dot %g %g bound %g; order %g noise %g; cut %llu\n", report->dot_tangent, report->dot_reverse,
                report->dot_bound, report->taylor_order, report->taylor_noise,
                (unsigned long long)report->cut_difference);
    for (int i = 0; i < VERSO_CHECK_STEPS; i++)
        print_error("  %g %g %g\n", report->taylor_step[i], report->taylor_remainder[i], report->taylor_orders[i]);
}

static void must_hold(const verso_check_report *report) {
    if (!report->holds)
        print_report(report);
    assert_true(report->holds);
}

/* ---- Right ones ---- */

static void right_derivatives_hold(void **state) {
    (void)state;
    require_possible();
    static const double x[12] = {0.3,  0.7, -0.4, 1.5,  0, 2,
                                 -0.1, 0.9, 1e-3, 0.25, 3, 0.5}; /* constant, and must stay so */
    for (uint64_t i = 1; i < 200; i++) {
        verso_check_report report = checked(chain, x, 12, seed * 1000 + i);
        must_hold(&report);
        assert_false(report.taylor_linear);
        assert_true(report.taylor_order > 1.6 && report.taylor_order <= 3);
        assert_int_equal(report.safepoints, 24);
        assert_int_equal(report.cut_sweeps, 2);
        assert_int_equal(report.stretches, 17 + 25);
        report = checked(cubes, x, 12, seed * 1000 + i);
        must_hold(&report);
        report = checked(quiet, x, 12, seed * 1000 + i);
        must_hold(&report);
    }
}

static void functions_that_are_linear_or_constant_hold(void **state) {
    (void)state;
    require_possible();
    double x[3] = {0.3, -7, 1e5};
    for (uint64_t i = 1; i < 50; i++) {
        verso_check_report report = checked(linear, x, 3, seed * 1000 + i);
        must_hold(&report);
        assert_true(report.taylor_linear);
        report = checked(linear, (double[3]){0}, 3, i); /* no noise but that of the derivative */
        must_hold(&report);
        assert_true(report.taylor_linear);
        report = checked(constant, x, 1, i);
        must_hold(&report);
        assert_true(report.taylor_linear && report.taylor_remainder[0] == 0);
        report = checked(pythagoras, x, 1, i);
        must_hold(&report);
    }
}

static void places_where_it_is_not_finite_are_left_out(void **state) {
    (void)state;
    require_possible();
    double x[1] = {0.7};
    int left_out = 0;
    for (uint64_t i = 1; i < 20; i++) {
        verso_check_report report = checked(steep, x, 1, seed + i);
        must_hold(&report);
        left_out += isnan(report.taylor_remainder[0]);
    }
    assert_true(left_out > 0);
}

static void long_runs_are_cut_at_some_safepoints_only(void **state) {
    (void)state;
    require_possible();
    enum { N = 1500 };
    double *x = calloc(N, sizeof *x);
    for (size_t i = 0; i < N; i++)
        x[i] = 0.01 + 0.00001 * (double)i;
    for (uint64_t i = 1; i < 20; i++) {
        verso_check_report report = checked(chain, x, N, seed + i);
        must_hold(&report);
        assert_int_equal(report.safepoints, 2 * N);
        assert_int_equal(report.cut_sweeps, 1);
        assert_int_equal(report.stretches, 17);
    }
    free(x);
}

/* ---- Wrong ones ---- */

static void wrong_derivatives_are_found(void **state) {
    (void)state;
    require_possible();
    const double x[1] = {1.5};
    for (double by = 1e-6; by < 10; by *= 10) {
        wrong_reverse_by = by, wrong_tangent_by = 0; /* one mode is wrong: dot products see it */
        assert_false(checked(wrong, x, 1, seed).dot_holds);
        wrong_reverse_by = 0, wrong_tangent_by = by;
        assert_false(checked(wrong, x, 1, seed).dot_holds);
        wrong_reverse_by = wrong_tangent_by = by; /* both are, alike: only differences can see it */
        verso_check_report report = checked(wrong, x, 1, seed);
        assert_true(report.dot_holds && !report.taylor_holds && report.cuts_hold && !report.holds);
        assert_true(report.taylor_order >= 1 && (by < 1e-4 || report.taylor_order < 1.3));
    }
    wrong_reverse_by = wrong_tangent_by = -3; /* a silent zero */
    assert_false(checked(wrong, x, 1, seed).taylor_holds);
    wrong_reverse_by = wrong_tangent_by = 0;
    verso_check_report report = checked(wrong, x, 1, seed);
    must_hold(&report);
    wrong_reverse_by = 1e-11; /* so little already */
    assert_false(checked(wrong, x, 1, seed).dot_holds);
    wrong_reverse_by = NAN;
    assert_false(checked(wrong, x, 1, seed).dot_holds);
    wrong_reverse_by = 0;
}

static void kinks_are_found(void **state) {
    (void)state;
    require_possible();
    const double x[1] = {0};
    for (uint64_t i = 1; i <= 40; i++) { /* the derivative is right on one side, and differences look at both */
        verso_check_report report = checked(absolute, x, 1, i);
        assert_false(report.taylor_holds);
        assert_false(report.ill_conditioned);
    }
}

static void sweeps_that_differ_are_found(void **state) {
    (void)state;
    require_possible();
    const double x[1] = {0.5};
    verso_check_report report = checked(forgetful, x, 1, seed);
    assert_false(report.cuts_hold);
    assert_int_equal(report.cut_difference, 1);
}

/* ---- Runs ---- */

static void runs_are_checked_and_everything_is_restored(void **state) {
    (void)state;
    require_possible();
    double on_stack[5] = {0.5, 0.6, 0.7, 0.8, 0.9}, before[5];
    float floats[2] = {1.5f, 2.5f};
    double *in_heap = verso__native_malloc(sizeof on_stack);
    verso_check_report *report = verso__native_malloc(sizeof *report); /* where it is restored over */
    *report = (verso_check_report)VERSO_CHECK_REPORT_INIT;
    memcpy(in_heap, on_stack, sizeof on_stack);
    memcpy(before, on_stack, sizeof before);
    for (size_t i = 0; i < 8; i++) {
        double *place = i % 2 ? on_stack : in_heap;
        walk_state context = {place, &floats[i / 2 % 2], 5, 4};
        verso_array regions[2] = {{place, 5, VERSO_SCALAR_DOUBLE, NULL},
                                  {&floats[i / 2 % 2], 1, VERSO_SCALAR_FLOAT, NULL}};
        verso_check_options options = {.size = sizeof(verso_check_options), .seed = seed + i, .cuts = 7};
        size_t count = i < 4 ? 2 : 1; /* without the float the remainders are small enough to be seen */
        assert_int_equal(verso_check(walk, &context, regions, count, regions, count, &options, report, NULL),
                         VERSO_STATUS_OK);
        must_hold(report);
        assert_int_equal(report->safepoints, 20);
        assert_memory_equal(place, before, sizeof before);
        assert_true(count == 1 || (floats[0] == 1.5f && floats[1] == 2.5f));
    }
    verso__native_free(in_heap);
    verso__native_free(report);
}

static void what_cannot_be_checked_is_an_error(void **state) {
    (void)state;
    require_possible();
    const double x[1] = {-1}, endless[1] = {0.5};
    verso_check_report report = VERSO_CHECK_REPORT_INIT;
    verso_error error;
    verso_array none = {NULL, 3, VERSO_SCALAR_DOUBLE, NULL};
    assert_int_equal(verso_check_gradient(troubled, x, 1, NULL, &report, &error), VERSO_STATUS_INVALID);
    assert_string_equal(error.message, "troubled.c:1: refused");
    assert_false(report.holds);
    assert_int_equal(verso_check_gradient(troubled, endless, 1, NULL, &report, &error), VERSO_STATUS_INVALID);
    assert_int_equal(verso_check_gradient(foreign, x, 1, NULL, &report, &error), VERSO_STATUS_INVALID);
    assert_int_equal(verso_check_gradient(NULL, x, 1, NULL, &report, &error), VERSO_STATUS_INVALID);
    assert_int_equal(verso_check_gradient(chain, NULL, 1, NULL, &report, &error), VERSO_STATUS_INVALID);
    assert_int_equal(verso_check_gradient(chain, x, 1, NULL, NULL, NULL), VERSO_STATUS_INVALID);
    assert_int_equal(verso_check(walk, NULL, &none, 1, NULL, 0, NULL, &report, &error), VERSO_STATUS_INVALID);
    assert_int_equal(verso_check(walk, NULL, NULL, 1, NULL, 0, NULL, &report, &error), VERSO_STATUS_INVALID);
    assert_int_equal(error.status, VERSO_STATUS_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_derivatives_hold),
        cmocka_unit_test(functions_that_are_linear_or_constant_hold),
        cmocka_unit_test(places_where_it_is_not_finite_are_left_out),
        cmocka_unit_test(long_runs_are_cut_at_some_safepoints_only),
        cmocka_unit_test(wrong_derivatives_are_found),
        cmocka_unit_test(kinks_are_found),
        cmocka_unit_test(sweeps_that_differ_are_found),
        cmocka_unit_test(runs_are_checked_and_everything_is_restored),
        cmocka_unit_test(what_cannot_be_checked_is_an_error),
    };
    seed = random_seed();
    return cmocka_run_group_tests_name("native check", tests, NULL, NULL);
}
