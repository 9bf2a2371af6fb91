/* Compares the library with golden data for divide and conquer (paper 1, figs. 20 and 21), under both names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedule/cost.h"
#include "schedule/tree_cost.h"
#include "tests/support/golden.h"
#include "tests/support/planned.h"

/* The criterion says which of space and time is given. */
static verso_schedule_spec spec_of(const golden *rows, verso_schedule_kind kind) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, kind);
    const char *criterion = golden_text(rows, "criterion");
    bool fixed = strcmp(criterion, "none") == 0;
    assert_true(fixed || strcmp(criterion, "space") == 0 || strcmp(criterion, "time") == 0 ||
                strcmp(criterion, "log") == 0);
    spec.steps = golden_u64(rows, "n");
    spec.leaf = golden_u64(rows, "alpha");
    spec.space = fixed || strcmp(criterion, "space") == 0 ? golden_u64(rows, "d") : 0;
    spec.time = fixed || strcmp(criterion, "time") == 0 ? golden_u64(rows, "t") : 0;
    bool binomial = strcmp(golden_text(rows, "mid"), "binomial") == 0; /* else bisection, or bisection-unbounded */
    spec.split = binomial ? VERSO_SPLIT_BINOMIAL : VERSO_SPLIT_BISECTION;
    return spec;
}

static void check_spec(const golden *rows, const verso_schedule_spec *spec) {
    verso__cost cost = planned_walked(spec);
    golden_check(rows, "recomputed", cost.forward_steps);
    golden_check(rows, "max_live", cost.peak_slots[0]);
    golden_check(rows, "leaves", cost.reads[0] + 1);
    golden_check(rows, "max_leaf", cost.longest_recording);
}

/* Bisection without bounds is what `halves` does by itself: the plain algorithm, figs. 7 and 12. */
static void check_cost(const golden *rows, verso_schedule_kind kind) {
    verso_schedule_spec spec = spec_of(rows, kind);
    check_spec(rows, &spec);
    if (strcmp(golden_text(rows, "mid"), "bisection-unbounded") == 0) {
        spec.split = VERSO_SPLIT_HALVES;
        check_spec(rows, &spec);
        spec.space = spec.time = 0;
        check_spec(rows, &spec);
    }
}

/* With the numbers of the row, and not those that the kind chose. */
static void check_tree(const golden *rows) {
    verso_schedule_spec spec = spec_of(rows, VERSO_KIND_BINARY);
    verso__tree tree = {.leaf = spec.leaf,
                        .space = golden_u64(rows, "d"),
                        .time = golden_u64(rows, "t"),
                        .bisection = spec.split == VERSO_SPLIT_BISECTION};
    verso__tree_total total;
    assert_int_equal(verso__tree_cost(&tree, spec.steps, &total, NULL), VERSO_STATUS_OK);
    golden_check(rows, "recomputed", total.recomputed);
    golden_check(rows, "leaves", total.leaves);
    golden_check(rows, "depth", total.depth);
    golden_check(rows, "max_live", total.snapshots);
    golden_check(rows, "max_leaf", total.longest_leaf);
}

static void test_treeverse(void **unused) {
    (void)unused;
    golden *rows = golden_open("treeverse");
    while (golden_next(rows)) {
        check_cost(rows, VERSO_KIND_TREEVERSE);
        check_cost(rows, VERSO_KIND_BINARY);
        check_tree(rows);
        if (golden_is_empty(rows, "min_forward_n_d"))
            continue;
        verso_schedule_spec revolve;
        verso_schedule_spec_init(&revolve, VERSO_KIND_REVOLVE);
        revolve.steps = golden_u64(rows, "n");
        revolve.slots = golden_u64(rows, "d");
        golden_check(rows, "min_forward_n_d", planned_cost(&revolve).forward_steps);
    }
    golden_close(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_treeverse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
