/* Tests reversible.h: Bennett's scheme makes exactly as many calls, and holds exactly as many states, as the paper
 * says; it, its inverse and its adjoint agree with a plain loop, and with the driver under treeverse; missing fields
 * and failures are reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>
#include <verso/reversible.h>

/* A step that is not its own inverse: y0 += x0 cos(p) - x1^2 / 8, y1 += x0 x1 + p, with one parameter p. */
typedef struct model {
    double p, p_bar;
    uint64_t fails_at;
    uint64_t order; /* of the next adjoint, plus 1 */
} model;

static void add(const model *m, uint64_t i, double *next, const double *x, double sign) {
    double p = m->p * (double)(i % 5 + 1);
    next[0] += sign * (x[0] * cos(p) - x[1] * x[1] / 8);
    next[1] += sign * (sin(x[0] * x[1]) + p);
}

static int step(void *context, uint64_t i, void *next, const void *state) {
    model *m = context;
    const double *y = next;
    assert_true(y[0] == 0 && y[1] == 0);
    add(m, i, next, state, 1);
    return i == m->fails_at ? 7 : 0;
}

static int unstep(void *context, uint64_t i, void *next, const void *state) {
    double *y = next;
    add(context, i, y, state, -1);
    assert_true(y[0] == 0 && y[1] == 0); /* the same numbers are taken away */
    return 0;
}

static int adjoint(void *context, uint64_t i, void *next, void *next_bar, const void *state, void *state_bar) {
    model *m = context;
    const double *x = state, *yb = next_bar;
    double *xb = state_bar, scale = (double)(i % 5 + 1), p = m->p * scale, slope = cos(x[0] * x[1]);
    assert_int_equal(m->order, i + 1);
    m->order--;
    add(m, i, next, state, -1);
    xb[0] += yb[0] * cos(p) + yb[1] * slope * x[1];
    xb[1] += yb[1] * slope * x[0] - yb[0] * x[1] / 4;
    m->p_bar += scale * (yb[1] - yb[0] * x[0] * sin(p));
    return 0;
}

static int start(void *context, const void *last, void *last_bar) {
    model *m = context;
    double *bar = last_bar;
    assert_true(((const double *)last)[0] != 0);
    m->p_bar = 0;
    bar[0] = 1;
    bar[1] = -2;
    return 0;
}

static verso_reversible chain_of(model *m, uint64_t steps) {
    *m = (model){.p = 0.03, .fails_at = VERSO_UNKNOWN, .order = steps};
    return (verso_reversible){.size = sizeof(verso_reversible),
                              .context = m,
                              .name = "test",
                              .steps = steps,
                              .state_size = 2 * sizeof(double),
                              .bar_size = 2 * sizeof(double),
                              .step = step,
                              .unstep = unstep,
                              .adjoint = adjoint,
                              .gradient = {&m->p_bar, sizeof m->p_bar}};
}

static const double first[2] = {0.7, 0.4};

/* The last state by a plain loop. */
static void plain(const model *m, uint64_t steps, double *x) {
    memcpy(x, first, sizeof first);
    for (uint64_t i = 0; i < steps; i++) {
        double next[2] = {0, 0};
        add(m, i, next, x, 1);
        memcpy(x, next, sizeof next);
    }
}

static uint64_t power(uint64_t base, unsigned exponent) {
    uint64_t result = 1;
    while (exponent-- > 0)
        result *= base;
    return result;
}

static void calls_and_peak_are_the_papers(void **state) {
    (void)state;
    for (uint32_t k = 2; k <= 7; k++)
        for (unsigned levels = 0; levels <= 5 && power(2 * k - 1, levels) < 300000; levels++) {
            model m;
            verso_reversible chain = chain_of(&m, power(k, levels));
            verso_bennett_count count, undone, reversed;
            double last[2] = {0, 0}, expected[2], bar[2] = {0, 0}, last_bar[2] = {1, -2};
            plain(&m, chain.steps, expected);
            assert_int_equal(verso_bennett(&chain, k, first, last, &count, NULL), VERSO_STATUS_OK);
            assert_memory_equal(last, expected, sizeof last);
            assert_int_equal(verso_bennett_undo(&chain, k, first, last, &undone, NULL), VERSO_STATUS_OK);
            assert_true(last[0] == 0 && last[1] == 0);
            assert_int_equal(verso_bennett(&chain, k, first, last, NULL, NULL), VERSO_STATUS_OK);
            assert_int_equal(verso_bennett_adjoint(&chain, k, first, bar, last, last_bar, &reversed, NULL),
                             VERSO_STATUS_OK);
            assert_int_equal(count.calls, power(2 * k - 1, levels));
            assert_int_equal(count.peak, levels * (k - 1) + 2);
            assert_int_equal(count.steps - count.unsteps, 1);
            assert_int_equal(undone.calls, count.calls);
            assert_int_equal(undone.peak, count.peak);
            assert_int_equal(reversed.calls, count.calls);
            assert_int_equal(reversed.peak, count.peak);
            assert_int_equal(reversed.adjoints, chain.steps);
            assert_int_equal(m.order, 0);
        }
}

static void any_number_of_steps_will_do(void **state) {
    (void)state;
    for (uint64_t steps = 1; steps <= 40; steps++)
        for (uint32_t k = 2; k <= 9; k++) {
            model m;
            verso_reversible chain = chain_of(&m, steps);
            verso_bennett_count count;
            double last[2] = {0, 0}, expected[2];
            plain(&m, steps, expected);
            assert_int_equal(verso_bennett(&chain, k, first, last, &count, NULL), VERSO_STATUS_OK);
            assert_memory_equal(last, expected, sizeof last);
            assert_true(count.calls >= steps && count.peak <= steps + 1);
        }
}

/* The derivative by differences in the last state, of p and of both beginnings. */
static void bars_are_derivatives(void **state) {
    (void)state;
    model m;
    verso_reversible chain = chain_of(&m, 50);
    double last[2] = {0, 0}, bar[2] = {0, 0}, last_bar[2] = {1, -2}, above[2], below[2], h = 1e-6;
    assert_int_equal(verso_bennett(&chain, 3, first, last, NULL, NULL), VERSO_STATUS_OK);
    assert_int_equal(verso_bennett_adjoint(&chain, 3, first, bar, last, last_bar, NULL, NULL), VERSO_STATUS_OK);
    model near = m;
    near.p = m.p + h;
    plain(&near, 50, above);
    near.p = m.p - h;
    plain(&near, 50, below);
    double slope = ((above[0] - below[0]) - 2 * (above[1] - below[1])) / (2 * h);
    assert_true(fabs(slope - m.p_bar) < 1e-6 * fabs(slope));
}

static void treeverse_gives_the_same_bits(void **state) {
    (void)state;
    model m;
    verso_reversible chain = chain_of(&m, 100);
    double last[2] = {0, 0}, bar[2] = {0, 0}, last_bar[2] = {1, -2};
    assert_int_equal(verso_bennett(&chain, 4, first, last, NULL, NULL), VERSO_STATUS_OK);
    assert_int_equal(verso_bennett_adjoint(&chain, 4, first, bar, last, last_bar, NULL, NULL), VERSO_STATUS_OK);
    double p_bar = m.p_bar;
    for (uint64_t slots = 2; slots <= 8; slots++) {
        verso_run_options options;
        verso_run_report report = VERSO_RUN_REPORT_INIT;
        verso_error error = {0};
        double x[2], x_bar[2];
        memcpy(x, first, sizeof x);
        m.order = 100;
        verso_run_options_init(&options);
        options.spec.kind = VERSO_KIND_TREEVERSE;
        options.spec.leaf = 1;
        options.spec.space = slots;
        if (verso_reversible_run(&chain, &options, x, x_bar, start, &report, &error) != VERSO_STATUS_OK)
            fail_msg("%s", error.message);
        assert_memory_equal(x_bar, bar, sizeof bar);
        assert_memory_equal(&m.p_bar, &p_bar, sizeof p_bar);
        assert_int_equal(report.tiers[0].bytes_peak / report.capsule_size, slots);
    }
}

static void what_is_wrong_is_named(void **state) {
    (void)state;
    model m;
    verso_reversible chain = chain_of(&m, 9), broken = chain;
    verso_error error = {0};
    double last[2] = {0, 0};
    assert_int_equal(verso_bennett(&chain, 1, first, last, NULL, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "at least 2 sectors, not 1"));
    broken.steps = 0;
    assert_int_equal(verso_bennett(&broken, 2, first, last, NULL, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "at least one step"));
    broken = chain, broken.unstep = NULL;
    assert_int_equal(verso_bennett(&broken, 2, first, last, NULL, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "'unstep'"));
    broken = chain, broken.bar_size = 0;
    assert_int_equal(verso_bennett_adjoint(&broken, 2, first, last, last, last, NULL, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "bar"));
    broken = chain, broken.adjoint = NULL;
    verso_run_options options;
    verso_run_options_init(&options);
    assert_int_equal(verso_reversible_run(&broken, &options, last, last, start, NULL, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "'adjoint'"));
    m.fails_at = 4;
    assert_int_equal(verso_bennett(&chain, 3, first, last, NULL, &error), VERSO_STATUS_USER);
    assert_non_null(strstr(error.message, "'step' returned 7 at step 4"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_and_peak_are_the_papers), cmocka_unit_test(any_number_of_steps_will_do),
        cmocka_unit_test(bars_are_derivatives),          cmocka_unit_test(treeverse_gives_the_same_bits),
        cmocka_unit_test(what_is_wrong_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
