/* Compares the library with golden data for one tier: revolve, mixed, and the reversal of the states that an online
 * sweep holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedule/cost.h"
#include "schedule/held.h"
#include "schedule/mixed.h"
#include "tests/support/golden.h"
#include "tests/support/planned.h"

enum { HELD_MAX = 16 };

static const verso__beta_table no_table = {.slots = -1, .repetitions = -1};

/* ---- Revolve ---- */

/* The rule itself, and the first advance that is handed out. */
static void check_advance(const golden *rows, const verso_schedule_spec *spec) {
    uint64_t n = spec->steps, c = spec->slots, used = c < n ? c : n, r = verso__repetition(n, used);
    golden_check(rows, "next_revolve", verso__advance_revolve(&no_table, n, used, r));
    golden_check(rows, "next_lo", verso__advance_least(&no_table, n, used, r));
    golden_check(rows, "next_hi", verso__advance_most(&no_table, n, used, r));
    verso_action action = {0};
    verso_schedule *schedule = planned_new(spec);
    assert_int_equal(verso_schedule_next(schedule, &action, NULL), VERSO_STATUS_OK);
    assert_int_equal(action.kind, VERSO_ACTION_STORE);
    assert_int_equal(verso_schedule_next(schedule, &action, NULL), VERSO_STATUS_OK);
    assert_int_equal(action.kind, VERSO_ACTION_ADVANCE);
    golden_check(rows, "next_revolve", action.to - action.from);
    verso_schedule_free(schedule);
}

static void test_revolve(void **unused) {
    (void)unused;
    golden *rows = golden_open("revolve");
    while (golden_next(rows)) {
        verso_schedule_spec spec = planned_spec(VERSO_KIND_REVOLVE, golden_u64(rows, "n"), golden_u64(rows, "c"));
        verso__cost cost = planned_walked(&spec);
        golden_check(rows, "min_forward", cost.forward_steps);
        golden_check(rows, "r", cost.repetition);
        golden_check(rows, "writes_revolve", cost.writes[0]);
        golden_check(rows, "reads_revolve", cost.reads[0]);
        golden_check(rows, "peak_slots", cost.peak_slots[0]);
        planned_equal(&spec, "makespan", cost.makespan, cost.forward_steps + spec.steps);
        planned_equal(&spec, "least_makespan", cost.least_makespan, cost.makespan);
        planned_sweep sweep = planned_first_sweep(&spec);
        golden_check_list(rows, "first_sweep", sweep.stored, sweep.count);
        planned_sweep_free(&sweep);
        if (spec.steps > 1)
            check_advance(rows, &spec);
    }
    golden_close(rows);
}

/* Costs beyond 64 bits, exactly. */
static void test_revolve_large(void **unused) {
    (void)unused;
    golden *rows = golden_open("revolve_large");
    while (golden_next(rows)) {
        verso_schedule_spec spec = planned_spec(VERSO_KIND_REVOLVE, golden_u64(rows, "n"), golden_u64(rows, "c"));
        verso__cost cost = planned_cost(&spec);
        golden_check(rows, "min_forward", cost.forward_steps);
        golden_check(rows, "r", cost.repetition);
        check_advance(rows, &spec);
    }
    golden_close(rows);
}

/* ---- Lists of operations ---- */

static verso_action_kind action_of(golden_op_kind kind) {
    switch (kind) {
    case GOLDEN_WRITE_MEMORY: return VERSO_ACTION_STORE;
    case GOLDEN_READ_MEMORY: return VERSO_ACTION_RESTORE;
    case GOLDEN_DROP_MEMORY: return VERSO_ACTION_DISCARD;
    case GOLDEN_FORWARD: return VERSO_ACTION_ADVANCE;
    case GOLDEN_REVERSE: return VERSO_ACTION_REVERSE;
    default: fail_msg("an operation on disk in a schedule of one tier"); return VERSO_ACTION_DONE;
    }
}

static void check_operation(const verso_schedule_spec *spec, size_t index, const golden_op *op,
                            const verso_action *action) {
    char text[PLANNED_TEXT];
    verso_action_kind kind = action_of(op->kind);
    uint64_t from = kind == VERSO_ACTION_REVERSE ? op->a + 1 : op->a;
    uint64_t to = kind == VERSO_ACTION_REVERSE ? op->a : kind == VERSO_ACTION_ADVANCE ? op->b : 0;
    if (action->kind != kind || action->from != from || action->to != to || action->tier != 0)
        fail_msg("%s: action %zu is %s %llu %llu, wanted %s %llu %llu", planned_text(spec, text), index,
                 verso_action_word(action->kind), (unsigned long long)action->from, (unsigned long long)action->to,
                 verso_action_word(kind), (unsigned long long)from, (unsigned long long)to);
}

static void test_revolve_operations(void **unused) {
    (void)unused;
    golden_schedules *all = golden_schedules_open("schedules_small");
    assert_true(all->count > 0);
    for (size_t i = 0; i < all->count; i++) {
        const golden_schedule *wanted = &all->schedules[i];
        assert_string_equal(wanted->kind, "revolve");
        verso_schedule_spec spec = planned_spec(VERSO_KIND_REVOLVE, wanted->steps, wanted->slots);
        planned_actions actions = planned_all(&spec);
        planned_equal(&spec, "number of actions", actions.count, wanted->op_count);
        for (size_t j = 0; j < actions.count; j++)
            check_operation(&spec, j, &wanted->ops[j], &actions.actions[j]);
        planned_free(&actions);
    }
    golden_schedules_close(all);
}

/* ---- Mixed, and online ---- */

static void test_mixed(void **unused) {
    (void)unused;
    golden *rows = golden_open("mixed");
    while (golden_next(rows)) {
        verso_schedule_spec spec = planned_spec(VERSO_KIND_MIXED, golden_u64(rows, "n"), golden_u64(rows, "s"));
        verso__cost cost = planned_walked(&spec);
        verso__wide all = cost.forward_steps + cost.recorded_steps;
        golden_check(rows, "checkpoint_schedules_total_forward", all);
        if (!golden_is_empty(rows, "brute_total_forward"))
            golden_check(rows, "brute_total_forward", all);
        golden_check(rows, "checkpoint_schedules_total_forward", verso__mixed_steps(spec.steps, spec.slots));
    }
    golden_close(rows);
}

static void test_online_reversal(void **unused) {
    (void)unused;
    golden *rows = golden_open("online_reversal");
    while (golden_next(rows)) {
        uint64_t n = golden_u64(rows, "n"), stored[HELD_MAX], held[HELD_MAX * VERSO_HELD_WORDS];
        size_t count = golden_list(rows, "stored", stored, HELD_MAX);
        for (size_t i = 0; i < count; i++) {
            held[i * VERSO_HELD_WORDS + VERSO_HELD_POSITION] = stored[i];
            held[i * VERSO_HELD_WORDS + VERSO_HELD_TARGET] = 0;
            held[i * VERSO_HELD_WORDS + VERSO_HELD_SLOT] = i;
        }
        verso__wide forward = 0;
        assert_true(verso__held_plan(held, count, golden_u64(rows, "c"), n - 1, &forward)); /* x_{n-1} is at work */
        golden_check(rows, "brute_optimal", forward);
        assert_true(forward <= golden_u64(rows, "forward_keep_all"));
    }
    golden_close(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_revolve),
        cmocka_unit_test(test_revolve_large),
        cmocka_unit_test(test_revolve_operations),
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_online_reversal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
