/* The member `size` of the structs of verso/native.h: shorter structs of programs compiled earlier work, and nothing is
 * written beyond them; a struct whose size was never set is refused, and the message says how to initialise it. */
#include "expect.h"

#include <stddef.h>
#include <string.h>
#include <verso/native.h>

enum { GARBAGE = 0xa5 };

static double f(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += sin(x[i]) * x[(i + 1) % n];
    return sum;
}

typedef struct cubes {
    double x, y;
} cubes;

static void cube(void *context) {
    cubes *c = context;
    c->y = c->x * c->x * c->x;
}

static void to_mean(void *context) {
    double *u = context;
    *u = (*u + 3) / 2;
}

static double x[3] = {0.7, 1.1, 0.25}, gradient[3], reference[3];

static bool is_untouched(const void *one, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if (((const unsigned char *)one)[i] != GARBAGE)
            return false;
    return true;
}

/* ---- Shorter structs ---- */

static void test_shorter(void) {
    static verso_native_options options;
    static verso_native_report report;
    static verso_check_options check;
    static verso_check_report verdict;
    const size_t options_size = offsetof(verso_native_options, run),
                 report_size = offsetof(verso_native_report, signal);
    const size_t check_size = offsetof(verso_check_options, within);
    const size_t verdict_size = offsetof(verso_check_report, within_difference);
    memset(&options, GARBAGE, sizeof options);
    memset(&options, 0, options_size);
    options.size = options_size;
    memset(&report, GARBAGE, sizeof report);
    report.size = report_size;
    EXPECT_OK(verso_gradient(f, x, 3, gradient, &options, &report, &error));
    EXPECT(memcmp(gradient, reference, sizeof gradient) == 0, "with shorter options the gradient has other bits");
    EXPECT(report.size == report_size && report.value == f(x, 3) && report.steps == 1, "the shorter report is wrong");
    EXPECT(is_untouched(&report, report_size, sizeof report), "bytes beyond the shorter report are written");

    memset(&check, GARBAGE, sizeof check);
    memset(&check, 0, check_size);
    check.size = check_size;
    memset(&verdict, GARBAGE, sizeof verdict);
    verdict.size = verdict_size;
    EXPECT_OK(verso_check_gradient(f, x, 3, &check, &verdict, &error));
    EXPECT(verdict.size == verdict_size && verdict.holds, "the shorter report of a check is wrong");
    EXPECT(is_untouched(&verdict, verdict_size, sizeof verdict), "bytes beyond the shorter report are written");

    verso_fixed_point_options fixed = {.size = offsetof(verso_fixed_point_options, most), .tolerance = 1e-6, .most = 1};
    double u = 0;
    EXPECT(verso_fixed_point(to_mean, &u, &u, 1, &fixed) > 10, "a member beyond the size counts");
}

/* ---- Size 0 ---- */

#define EXPECT_REFUSED(call, initialiser) \
    do { \
        memset(&error, 0, sizeof error); \
        EXPECT((call) == VERSO_STATUS_INVALID, "%s: not refused", #call); \
        EXPECT(strstr(error.message, "is 0: initialise it with " initialiser) != NULL, "%s: %s", #call, \
               error.message); \
    } while (0)

static void test_zero(void) {
    const verso_native_options options = {0};
    verso_native_report report = {0};
    cubes c = {.x = 2};
    double dx = 1, dy = 1;
    const verso_array wrt = {&c.x, 1, VERSO_SCALAR_DOUBLE, &dx}, of = {&c.y, 1, VERSO_SCALAR_DOUBLE, &dy};
    EXPECT_REFUSED(verso_gradient(f, x, 3, gradient, &options, NULL, &error), "VERSO_NATIVE_OPTIONS_INIT");
    EXPECT_REFUSED(verso_gradient(f, x, 3, gradient, NULL, &report, &error), "VERSO_NATIVE_REPORT_INIT");
    EXPECT_REFUSED(verso_directional(f, x, 3, x, &dx, &report, &error), "VERSO_NATIVE_REPORT_INIT");
    EXPECT_REFUSED(verso_vjp(cube, &c, &wrt, 1, &of, 1, &options, NULL, &error), "VERSO_NATIVE_OPTIONS_INIT");
    EXPECT_REFUSED(verso_vjp(cube, &c, &wrt, 1, &of, 1, NULL, &report, &error), "VERSO_NATIVE_REPORT_INIT");
    EXPECT_REFUSED(verso_jvp(cube, &c, &wrt, 1, &of, 1, &report, &error), "VERSO_NATIVE_REPORT_INIT");

    const verso_check_options check = {0};
    verso_check_report unset = {0}, verdict = VERSO_CHECK_REPORT_INIT;
    EXPECT_REFUSED(verso_check(cube, &c, &wrt, 1, &of, 1, &check, &verdict, &error), "VERSO_CHECK_OPTIONS_INIT");
    EXPECT_REFUSED(verso_check(cube, &c, &wrt, 1, &of, 1, NULL, &unset, &error), "VERSO_CHECK_REPORT_INIT");
    EXPECT_REFUSED(verso_check_gradient(f, x, 3, &check, &verdict, &error), "VERSO_CHECK_OPTIONS_INIT");
    EXPECT_REFUSED(verso_check_gradient(f, x, 3, NULL, &unset, &error), "VERSO_CHECK_REPORT_INIT");

    double u = 0;
    EXPECT(verso_fixed_point(to_mean, &u, &u, 1, &(verso_fixed_point_options){0}) == 0, "a fixed point takes size 0");
}

/* Structs that options point to. */
static void test_zero_inside(void) {
    static verso_run_options run;
    static verso_run_report run_report;
    verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
    verso_check_options check = VERSO_CHECK_OPTIONS_INIT;
    verso_check_report verdict = VERSO_CHECK_REPORT_INIT;
    verso_native_report report = {0};
    options.run = &run;
    EXPECT_REFUSED(verso_gradient(f, x, 3, gradient, &options, NULL, &error), "verso_run_options_init");
    options.run = NULL;
    options.run_report = &run_report;
    EXPECT_REFUSED(verso_gradient(f, x, 3, gradient, &options, NULL, &error), "VERSO_RUN_REPORT_INIT");
    check.within_report = &report;
    EXPECT_REFUSED(verso_check_gradient(f, x, 3, &check, &verdict, &error), "VERSO_NATIVE_REPORT_INIT");
    check.within_report = NULL;
    check.within = &(verso_native_options){0};
    EXPECT_REFUSED(verso_check_gradient(f, x, 3, &check, &verdict, &error), "VERSO_NATIVE_OPTIONS_INIT");
}

int main(void) {
    EXPECT_OK(verso_gradient(f, x, 3, reference, NULL, NULL, &error));
    test_shorter();
    test_zero();
    test_zero_inside();
    EXPECT_OK(verso_gradient(f, x, 3, gradient, NULL, NULL, &error));
    EXPECT(memcmp(gradient, reference, sizeof gradient) == 0, "after refusals the gradient has other bits");
    printf(failed ? "\n" : " sizes\n");
    return failed;
}
