/* Compares the library with golden data for resilience (paper 5): bounded distances, and the distance that costs
 * nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedule/binomial.h"
#include "schedule/cost.h"
#include "schedule/resilient.h"
#include "tests/support/golden.h"
#include "tests/support/planned.h"

static const verso__beta_table no_table = {.slots = -1, .repetitions = -1};

static verso_schedule_spec spec_of(verso_schedule_kind kind, uint64_t steps, uint64_t slots, uint64_t distance) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, kind);
    spec.steps = steps;
    spec.slots = slots;
    spec.distance = distance;
    return spec;
}

/* ---- A bound on the distance ---- */

/* Checks the least sufficient distance and the least sufficient slots that the message names. */
static void check_refused(const verso_schedule_spec *spec) {
    char message[VERSO_MESSAGE_MAX], distance[64], slots[64];
    verso_schedule_spec other = *spec;
    planned_impossible(spec, message);
    other.distance = (spec->steps + spec->slots - 1) / spec->slots;
    snprintf(distance, sizeof distance, "distance must be at least %llu", (unsigned long long)other.distance);
    planned_walked(&other);
    other = *spec;
    other.slots = (spec->steps + spec->distance - 1) / spec->distance;
    snprintf(slots, sizeof slots, "slots at least %llu", (unsigned long long)other.slots);
    planned_walked(&other);
    if (strstr(message, distance) == NULL || strstr(message, slots) == NULL)
        fail_msg("\"%s\" lacks \"%s\" or \"%s\"", message, distance, slots);
}

static void test_bounded(void **unused) {
    (void)unused;
    size_t refused = 0;
    golden *rows = golden_open("resilience");
    while (golden_next(rows)) {
        uint64_t n = golden_u64(rows, "n"), c = golden_u64(rows, "c"), d = golden_u64(rows, "d");
        verso_schedule_spec spec = spec_of(VERSO_KIND_RESILIENT, n, c, n);
        golden_check(rows, "unconstrained_min", planned_walked(&spec).forward_steps);
        spec.distance = d;
        if (golden_is_empty(rows, "fwd_min_of_thm42_d")) {
            check_refused(&spec);
            refused++;
            continue;
        }
        verso__cost cost = planned_walked(&spec);
        golden_check(rows, "fwd_min_of_thm42_d", cost.forward_steps);
        assert_true(cost.forward_steps <= golden_u64(rows, "fwd_min_of_revolve_d"));
        assert_true(cost.forward_steps >= golden_u64(rows, "fwd_optimal_gap_d"));
        planned_sweep sweep = planned_first_sweep(&spec);
        golden_check_list(rows, "first_sweep_thm42_d", sweep.stored, sweep.count);
        assert_true(sweep.longest_advance <= d);
        planned_sweep_free(&sweep);
    }
    golden_close(rows);
    assert_true(refused > 0);
}

/* ---- Distances ---- */

static uint64_t longest_advance(verso_schedule_kind kind, uint64_t n, uint64_t c) {
    verso_schedule_spec spec = spec_of(kind, n, c, n);
    planned_sweep sweep = planned_first_sweep(&spec);
    planned_sweep_free(&sweep);
    return sweep.longest_advance;
}

/* With this distance nothing is lost; the first sweep that clips Theorem 4.2 keeps to it. */
static void check_free(uint64_t n, uint64_t c, uint64_t distance, verso__wide least) {
    verso_schedule_spec spec = spec_of(VERSO_KIND_RESILIENT, n, c, distance);
    planned_equal(&spec, "forward_steps", planned_cost(&spec).forward_steps, least);
    planned_sweep sweep = planned_first_sweep(&spec);
    assert_true(sweep.longest_advance <= distance);
    planned_sweep_free(&sweep);
}

static void test_free_distance(void **unused) {
    (void)unused;
    static const verso_schedule_kind kinds[] = {VERSO_KIND_RESILIENT, VERSO_KIND_CONTINUOUS, VERSO_KIND_SINGLE_RECOVERY,
                                                VERSO_KIND_TWO_LEVEL};
    golden *rows = golden_open("resilience_free_d");
    while (golden_next(rows)) {
        uint64_t n = golden_u64(rows, "n"), c = golden_u64(rows, "c");
        verso_schedule_spec revolve = spec_of(VERSO_KIND_REVOLVE, n, c, 0);
        verso__cost cost = planned_cost(&revolve);
        golden_check(rows, "min_forward", cost.forward_steps);
        golden_check(rows, "r", cost.repetition);
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            verso_schedule_spec spec = spec_of(kinds[i], n, c, n);
            golden_check(rows, "d_free", planned_cost(&spec).free_distance);
        }
        golden_check(rows, "d_free", verso__free_distance(n, c));
        golden_check(rows, "maxgap_revolve", longest_advance(VERSO_KIND_REVOLVE, n, c));
        golden_check(rows, "maxgap_thm42", longest_advance(VERSO_KIND_RESILIENT, n, c));
        check_free(n, c, golden_u64(rows, "d_free"), cost.forward_steps);
        verso_schedule_spec less = spec_of(VERSO_KIND_RESILIENT, n, c, golden_u64(rows, "d_free") - 1);
        if (less.distance * c >= n) /* one less, where it is possible at all, costs something */
            assert_true(planned_cost(&less).forward_steps > cost.forward_steps);
    }
    golden_close(rows);
}

/* The longest advance of the first sweep that always makes the least time-optimal one. */
static uint64_t longest_least_advance(uint64_t n, uint64_t c) {
    uint64_t longest = 0;
    for (; n > 1; c--) {
        uint64_t used = c < n ? c : n;
        uint64_t advance = verso__advance_least(&no_table, n, used, verso__repetition(n, used));
        longest = advance > longest ? advance : longest;
        n -= advance;
    }
    return longest;
}

static void test_table1(void **unused) {
    (void)unused;
    golden *rows = golden_open("resilience_table1");
    while (golden_next(rows)) {
        uint64_t n = golden_u64(rows, "l"), c = golden_u64(rows, "c"), r = golden_u64(rows, "r");
        verso_schedule_spec spec = spec_of(VERSO_KIND_RESILIENT, n, c, n);
        verso__cost cost = planned_cost(&spec);
        golden_check(rows, "r", cost.repetition);
        golden_check(rows, "min_forward", cost.forward_steps);
        assert_true(verso__beta((int64_t)c, (int64_t)r) >= n && verso__beta((int64_t)c - 1, (int64_t)r) < n);
        golden_check(rows, "d_beta_c_rm1", verso__beta((int64_t)c, (int64_t)r - 1));
        golden_check(rows, "maxgap_thm42", longest_advance(VERSO_KIND_RESILIENT, n, c));
        golden_check(rows, "maxgap_minrule", longest_least_advance(n, c));
        check_free(n, c, golden_u64(rows, "d_beta_c_rm1"), cost.forward_steps);
        check_free(n, c, cost.free_distance, cost.forward_steps);
    }
    golden_close(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_free_distance),
        cmocka_unit_test(test_table1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
