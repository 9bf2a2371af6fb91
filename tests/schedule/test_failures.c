/* Tests the cost of breakdowns: compares the library with a walk of the schedule and, for what is left after the
 * restart, with exhaustive search. Also tests the claims of paper 5, section 5. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <verso/failures.h>

#include "schedule/cost.h"
#include "tests/support/brute.h"
#include "tests/support/planned.h"

static verso_schedule_spec spec_of(verso_schedule_kind kind, uint64_t steps, uint64_t slots, uint64_t distance,
                                   uint64_t adjoint_distance) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, kind);
    spec.steps = steps;
    spec.slots = slots;
    spec.distance = distance;
    spec.adjoint_distance = adjoint_distance;
    return spec;
}

static verso__wide cost_of(const verso_schedule_spec *spec, bool adjoint, uint64_t step) {
    verso_breakdown breakdown = {.adjoint = adjoint, .step = step};
    verso__wide answer = 0;
    verso_error error = {0};
    if (verso__breakdown_cost(spec, &breakdown, 1, &answer, &error) != VERSO_STATUS_OK)
        fail_msg("%s", error.message);
    return answer;
}

/* What the test's own walk through a schedule remembers. */
typedef struct walk {
    verso__wide forward;
    uint32_t held; /* bit i: x_i, of any slot that survives; x_0 always does */
    uint64_t durable;
    uint64_t outer;
    verso__wide outer_forward;
} walk;

static void take(walk *w, const verso_schedule_spec *spec, const verso_action *action) {
    bool two_level = spec->kind == VERSO_KIND_TWO_LEVEL;
    if (action->kind == VERSO_ACTION_ADVANCE)
        w->forward += action->to - action->from;
    if (action->kind == VERSO_ACTION_STORE_ADJOINT)
        w->durable = action->from;
    if (two_level && action->tier == 1 &&
        (action->kind == VERSO_ACTION_STORE || action->kind == VERSO_ACTION_RESTORE)) {
        w->outer = action->from;
        w->outer_forward = w->forward;
    }
    if (!two_level && action->kind == VERSO_ACTION_STORE)
        w->held |= UINT32_C(1) << action->from;
    if (!two_level && action->kind == VERSO_ACTION_DISCARD && action->from > 0)
        w->held &= ~(UINT32_C(1) << action->from);
}

static uint64_t bits(uint32_t set) {
    return (uint64_t)__builtin_popcount(set);
}

static void check_spec(const verso_schedule_spec *spec) {
    planned_actions all = planned_all(spec);
    verso__wide planned = planned_cost(spec).forward_steps;
    walk w = {.held = 1, .durable = spec->steps};
    bool sweeping = true;
    uint64_t binomial = spec->kind == VERSO_KIND_SINGLE_RECOVERY ? spec->slots - 1 : spec->slots;
    for (size_t i = 0; i < all.count; i++) {
        const verso_action *action = &all.actions[i];
        if (sweeping && action->kind == VERSO_ACTION_ADVANCE)
            for (uint64_t at = action->from; at < action->to; at++) {
                uint64_t last = spec->kind == VERSO_KIND_TWO_LEVEL ? w.outer : 31 - (uint64_t)__builtin_clz(w.held);
                planned_equal(spec, "a breakdown of the sweep", cost_of(spec, false, at), planned + (at - last));
            }
        take(&w, spec, action);
        if (action->kind != VERSO_ACTION_REVERSE)
            continue;
        sweeping = false;
        uint64_t slots = bits(w.held) > binomial ? bits(w.held) : binomial;
        uint32_t below = w.held & ((UINT32_C(1) << w.durable) - 1);
        verso__wide wanted = spec->kind == VERSO_KIND_TWO_LEVEL
                                 ? w.forward + (planned - w.outer_forward)
                                 : w.forward + brute_online(w.durable, slots, below, true);
        planned_equal(spec, "a breakdown of the adjoint", cost_of(spec, true, action->to), wanted);
    }
    planned_free(&all);
}

static void test_small(void **unused) {
    (void)unused;
    static const verso_schedule_kind kinds[] = {VERSO_KIND_REVOLVE, VERSO_KIND_RESILIENT, VERSO_KIND_CONTINUOUS,
                                                VERSO_KIND_SINGLE_RECOVERY, VERSO_KIND_TWO_LEVEL};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (uint64_t steps = 2; steps <= 9; steps++)
            for (uint64_t slots = 2; slots <= 4; slots++)
                for (uint64_t adjoint = 1; adjoint <= 5; adjoint += 2) {
                    uint64_t distance = (steps + slots - 1) / slots;
                    verso_schedule_spec spec = spec_of(kinds[k], steps, slots, distance, adjoint);
                    check_spec(&spec);
                    spec.distance += 2;
                    check_spec(&spec);
                }
}

/* Paper 5, section 3: 100 steps, 5 slots, distance 30, adjoint distance 12; a breakdown right after the adjoint of
 * x_57. Seven adjoint steps, 63 to 57, are lost and are computed again. */
static void test_example(void **unused) {
    (void)unused;
    verso_schedule_spec spec = spec_of(VERSO_KIND_RESILIENT, 100, 5, 30, 12);
    verso__wide undisturbed = planned_cost(&spec).forward_steps;
    verso__wide late = cost_of(&spec, true, 57);
    verso__wide just_stored = cost_of(&spec, true, 63);
    assert_true(late > undisturbed);
    assert_true(just_stored > undisturbed);
    assert_true(late < undisturbed + 100);
}

/* Many places at once give the same answers as one at a time, in whatever order they are asked. */
static void test_order(void **unused) {
    (void)unused;
    enum { COUNT = 40 };
    verso_schedule_spec spec = spec_of(VERSO_KIND_RESILIENT, 500, 7, 80, 50);
    verso_breakdown breakdowns[COUNT];
    verso__wide answers[COUNT];
    for (uint64_t i = 0; i < COUNT; i++)
        breakdowns[i] = (verso_breakdown){.adjoint = i % 3 == 0, .step = i * 7919 % 500};
    assert_int_equal(verso__breakdown_cost(&spec, breakdowns, COUNT, answers, NULL), VERSO_STATUS_OK);
    for (size_t i = 0; i < COUNT; i++)
        planned_equal(&spec, "one of many", answers[i], cost_of(&spec, breakdowns[i].adjoint, breakdowns[i].step));
}

/* Section 5: against a single recovery capsule resilience is better in more than 75 % of configurations, against two
 * levels in all. */
static void test_claims(void **unused) {
    (void)unused;
    enum { PLACES = 30 };
    verso_breakdown places[2 * PLACES];
    verso__wide resilient[2 * PLACES], other[2 * PLACES];
    uint64_t steps = 35000, slots = 30;
    uint64_t distance = 3000;
    for (uint64_t i = 0; i < 2 * PLACES; i++)
        places[i] = (verso_breakdown){.adjoint = i % 2 == 1, .step = (i + 1) * steps / (2 * PLACES + 1)};
    verso_schedule_spec spec = spec_of(VERSO_KIND_RESILIENT, steps, slots, distance, distance);
    assert_int_equal(verso__breakdown_cost(&spec, places, 2 * PLACES, resilient, NULL), VERSO_STATUS_OK);
    uint64_t better[2] = {0, 0};
    for (int which = 0; which < 2; which++) {
        spec.kind = which == 0 ? VERSO_KIND_SINGLE_RECOVERY : VERSO_KIND_TWO_LEVEL;
        assert_int_equal(verso__breakdown_cost(&spec, places, 2 * PLACES, other, NULL), VERSO_STATUS_OK);
        for (size_t i = 0; i < 2 * PLACES; i++)
            better[which] += resilient[i] < other[i];
    }
    assert_true(better[0] * 4 > 2 * PLACES * 3);
    assert_int_equal(better[1], 2 * PLACES);
}

static void test_refused(void **unused) {
    (void)unused;
    verso_schedule_spec spec = spec_of(VERSO_KIND_MIXED, 10, 3, 5, 5);
    verso_breakdown breakdown = {.step = 3};
    verso__wide answer;
    verso_error error = {0};
    assert_int_equal(verso__breakdown_cost(&spec, &breakdown, 1, &answer, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "mixed"));
    spec.kind = VERSO_KIND_REVOLVE;
    breakdown.step = 10;
    assert_int_equal(verso__breakdown_cost(&spec, &breakdown, 1, &answer, &error), VERSO_STATUS_INVALID);
    spec.slots = 0;
    breakdown.step = 1;
    assert_int_equal(verso__breakdown_cost(&spec, &breakdown, 1, &answer, &error), VERSO_STATUS_IMPOSSIBLE);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_example),
                                       cmocka_unit_test(test_order), cmocka_unit_test(test_claims),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
