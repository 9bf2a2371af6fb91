/* Compares the library with golden data for memory and disk (paper 4): optimal makespans, periods, periodic and
 * online schedules. Opt_1^(d), and the optimum with one read of each capsule, are not kinds of schedules; they are
 * computed with the arithmetic that the kinds use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedule/cost.h"
#include "schedule/period.h"
#include "tests/support/golden.h"
#include "tests/support/planned.h"

/* ---- Specs from rows ---- */

static uint64_t cell_or(const golden *rows, const char *column, uint64_t otherwise) {
    return golden_has(rows, column) && !golden_is_empty(rows, column) ? golden_u64(rows, column) : otherwise;
}

/* A chain of length l, that is l + 1 steps, on the platform of the row. */
static verso_schedule_spec spec_of(const golden *rows, verso_schedule_kind kind) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, kind);
    spec.steps = golden_u64(rows, "l") + 1;
    spec.slots = golden_u64(rows, "c_m");
    spec.write_cost = cell_or(rows, "w_d", 0);
    spec.read_cost = cell_or(rows, "r_d", 0);
    spec.forward_cost = golden_u64(rows, "u_f");
    spec.backward_cost = golden_u64(rows, "u_b");
    return spec;
}

static verso_platform platform_of(const verso_schedule_spec *spec) {
    return (verso_platform){.slots = spec->slots,
                            .write_cost = spec->write_cost,
                            .read_cost = spec->read_cost,
                            .forward_cost = spec->forward_cost};
}

/* ---- Optima ---- */

/* Opt_0: memory alone. */
static verso__wide memory_alone(const verso_schedule_spec *wanted) {
    verso_schedule_spec spec = *wanted;
    char message[VERSO_MESSAGE_MAX];
    spec.kind = VERSO_KIND_REVOLVE;
    if (spec.slots > 0 || spec.steps <= 1)
        return planned_walked(&spec).makespan;
    planned_impossible(&spec, message);
    return GOLDEN_INF;
}

/* The least over all numbers of pieces, for a given number of periods. */
static verso__wide best_pieces(const verso_platform *platform, uint64_t steps, uint64_t periods) {
    verso__wide best = verso__partition_of(platform, steps, periods, periods).cost;
    for (uint64_t pieces = periods + 1; periods > 0 && pieces < steps; pieces++) {
        verso__wide cost = verso__partition_of(platform, steps, periods, pieces).cost;
        best = cost < best ? cost : best;
    }
    return best;
}

/* Opt_1^(d): x_0 lies on disk already and is the working state, nothing else is written there. The first piece is
 * reached without a read, as a residual is; the others are the pieces of one period that costs no write. */
static verso__wide from_disk(const verso_schedule_spec *spec) {
    verso_platform platform = platform_of(spec);
    verso__wide none = verso__partition_of(&platform, spec->steps, 0, 0).cost, one = VERSO_WIDE_MAX;
    platform.write_cost = 0;
    if (spec->steps > 1)
        one = best_pieces(&platform, spec->steps, 1);
    return (none < one ? none : one) + (verso__wide)spec->backward_cost * spec->steps;
}

/* Every period is one piece: its disk capsule is read once. */
static verso__wide one_read(const verso_schedule_spec *spec) {
    verso_platform platform = platform_of(spec);
    verso__wide best = VERSO_WIDE_MAX;
    for (uint64_t periods = 0; periods < spec->steps; periods++) {
        verso__wide cost = verso__partition_of(&platform, spec->steps, periods, periods).cost;
        best = cost < best ? cost : best;
    }
    return best + (verso__wide)spec->backward_cost * spec->steps;
}

static verso__wide optimum(const verso_schedule_spec *wanted) {
    verso_schedule_spec spec = *wanted;
    spec.kind = VERSO_KIND_DISK;
    verso__cost cost = planned_walked(&spec);
    planned_equal(&spec, "least_makespan", cost.least_makespan, cost.makespan);
    return cost.makespan;
}

static void test_makespan(void **unused) {
    (void)unused;
    golden *rows = golden_open("makespan");
    while (golden_next(rows)) {
        verso_schedule_spec spec = spec_of(rows, VERSO_KIND_DISK);
        verso_platform platform = platform_of(&spec);
        golden_check(rows, "opt_inf", optimum(&spec));
        golden_check(rows, "opt0", memory_alone(&spec));
        golden_check(rows, "opt1d", from_disk(&spec));
        golden_check(rows, "opt_inf_oneread", one_read(&spec));
        verso__wide of_periods = best_pieces(&platform, spec.steps, golden_u64(rows, "n_periods"));
        golden_check(rows, "opt_inf", of_periods + spec.steps * spec.backward_cost);
    }
    golden_close(rows);
}

static void test_brute_force(void **unused) {
    (void)unused;
    golden *rows = golden_open("brute_force");
    while (golden_next(rows)) {
        verso_schedule_spec spec = spec_of(rows, VERSO_KIND_DISK);
        const char *problem = golden_text(rows, "problem");
        verso__wide cost = 0;
        if (strcmp(problem, "opt0") == 0)
            cost = memory_alone(&spec);
        else if (strcmp(problem, "opt1d") == 0)
            cost = from_disk(&spec);
        else if (strcmp(problem, "optinf") == 0)
            cost = optimum(&spec);
        else
            fail_msg("brute_force:%zu: unknown problem %s", golden_line(rows), problem);
        golden_check(rows, "dp", cost);
        golden_check(rows, "brute", cost);
    }
    golden_close(rows);
}

/* ---- Periods ---- */

static verso_period found(const golden *rows) {
    verso_platform platform = {.slots = golden_u64(rows, "c_m"),
                               .write_cost = golden_u64(rows, "w_d"),
                               .read_cost = golden_u64(rows, "r_d"),
                               .forward_cost = cell_or(rows, "u_f", 1)};
    verso_period period = {0};
    assert_int_equal(verso_period_find(&platform, &period, NULL), VERSO_STATUS_OK);
    return period;
}

static void test_periods(void **unused) {
    (void)unused;
    golden *rows = golden_open("mx");
    while (golden_next(rows)) {
        verso_period period = found(rows);
        golden_check(rows, "m_max", period.longest);
        golden_check(rows, "m_X", period.period);
    }
    golden_close(rows);
    rows = golden_open("mx_alg4");
    while (golden_next(rows)) {
        verso_period period = found(rows);
        golden_check(rows, "m_max", period.longest);
        golden_check(rows, "m_X_argmin", period.period);
        golden_check(rows, "l_X1", period.first_useful);
    }
    golden_close(rows);
}

/* `periodic` has the best number of periods, the least one if several are equal; `online` does not know l. */
static void test_periodic(void **unused) {
    (void)unused;
    golden *rows = golden_open("pds");
    while (golden_next(rows)) {
        verso_schedule_spec spec = spec_of(rows, VERSO_KIND_PERIODIC);
        verso_period period = found(rows);
        golden_check(rows, "m_X", period.period);
        golden_check(rows, "l_X1", period.first_useful);
        golden_check(rows, "opt_inf", optimum(&spec));
        verso__cost periodic = planned_walked(&spec);
        golden_check(rows, "pds_best", periodic.makespan);
        golden_check(rows, "n_best", periodic.writes[1]);
        golden_check(rows, "m_X", periodic.period);
        spec.kind = VERSO_KIND_ONLINE;
        spec.with_disk = true;
        verso__cost online = planned_walked(&spec);
        golden_check(rows, "m_X", online.period);
        assert_true(online.makespan <= golden_u64(rows, "disk_a_revolve"));
        assert_true(online.makespan >= golden_u64(rows, "opt_inf"));
    }
    golden_close(rows);
}

/* ---- Lists of operations: of equal schedules we may choose another, so the costs are compared ---- */

/* l u_f + (k + 1) w_d + u_b + Opt_0(res - 1) + k (r_d + Opt_1^(d)(m_X - 1)), k = ceil(l / m_X) - 1, res = l - k m_X. */
static verso__wide disk_a_revolve(const verso_schedule_spec *spec, uint64_t period) {
    uint64_t l = spec->steps - 1, full = (l + period - 1) / period - 1;
    verso_schedule_spec part = *spec;
    part.steps = period;
    verso__wide each = spec->read_cost + from_disk(&part);
    part.steps = l - full * period;
    return (verso__wide)l * spec->forward_cost + (full + 1) * spec->write_cost + spec->backward_cost +
           memory_alone(&part) + full * each;
}

static void test_operations(void **unused) {
    (void)unused;
    golden_schedules *all = golden_schedules_open("disk_schedules_small");
    assert_true(all->count > 0);
    for (size_t i = 0; i < all->count; i++) {
        const golden_schedule *wanted = &all->schedules[i];
        verso_schedule_spec spec;
        verso_schedule_spec_init(&spec, VERSO_KIND_DISK);
        spec.steps = wanted->steps;
        spec.slots = wanted->slots;
        spec.write_cost = wanted->write_cost;
        spec.read_cost = wanted->read_cost;
        spec.forward_cost = wanted->forward_cost;
        spec.backward_cost = wanted->backward_cost;
        assert_true(wanted->has_makespan);
        if (strcmp(wanted->kind, "disk-revolve") == 0) {
            planned_equal(&spec, "makespan", optimum(&spec), wanted->makespan);
            continue;
        }
        assert_string_equal(wanted->kind, "disk-a-revolve");
        planned_equal(&spec, "disk-a-revolve", disk_a_revolve(&spec, wanted->period), wanted->makespan);
        spec.kind = VERSO_KIND_ONLINE;
        spec.with_disk = true;
        verso__cost online = planned_walked(&spec);
        planned_equal(&spec, "period", online.period, wanted->period);
        assert_true(online.makespan <= wanted->makespan);
    }
    golden_schedules_close(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_makespan), cmocka_unit_test(test_brute_force), cmocka_unit_test(test_periods),
        cmocka_unit_test(test_periodic), cmocka_unit_test(test_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
