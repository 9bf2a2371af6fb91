/* Compares the library with golden data for several tiers. If the exhaustive optimum is known, the library must reach
 * it, even if the golden recursion does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedule/cost.h"
#include "tests/support/golden.h"
#include "tests/support/planned.h"

static uint64_t cell_or_zero(const golden *rows, const char *letter, size_t tier) {
    char column[24];
    snprintf(column, sizeof column, "%s%zu", letter, tier);
    return golden_has(rows, column) ? golden_u64(rows, column) : 0;
}

/* Tiers from the columns c0, w0, r0, c1, …; a cost that has no column is 0. */
static verso_schedule_spec spec_of(const golden *rows, size_t tiers) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, VERSO_KIND_LEVELS);
    spec.steps = golden_u64(rows, "l") + 1;
    spec.forward_cost = golden_u64(rows, "u_f");
    spec.backward_cost = golden_u64(rows, "u_b");
    spec.tier_count = tiers;
    for (size_t k = 0; k < tiers; k++)
        spec.tiers[k] = (verso_tier){.capacity = cell_or_zero(rows, "c", k),
                                     .write_cost = cell_or_zero(rows, "w", k),
                                     .read_cost = cell_or_zero(rows, "r", k)};
    return spec;
}

/* Returns whether the plan claims to be optimal: not if one tier is cheaper to write, another cheaper to read, and both
 * are used. */
static bool claims_optimum(const verso_schedule_spec *spec) {
    const verso_tier *a = &spec->tiers[0], *b = &spec->tiers[1];
    bool mixed = (a->write_cost < b->write_cost && a->read_cost > b->read_cost) ||
                 (a->write_cost > b->write_cost && a->read_cost < b->read_cost);
    return spec->tier_count > 2 || a->capacity == 0 || b->capacity == 0 || spec->steps <= 1 || !mixed;
}

static void check_all(const char *name, size_t tiers, const char *column) {
    golden *rows = golden_open(name);
    while (golden_next(rows)) {
        verso_schedule_spec spec = spec_of(rows, tiers);
        verso__cost cost = planned_walked(&spec);
        golden_check(rows, column, cost.makespan);
        if (claims_optimum(&spec))
            golden_check(rows, column, cost.least_makespan);
        else
            planned_equal(&spec, "least_makespan", cost.least_makespan, 0);
    }
    golden_close(rows);
}

static void test_two_tiers(void **unused) {
    (void)unused;
    check_all("hrevolve", 2, "makespan");
}

static void test_three_tiers(void **unused) {
    (void)unused;
    check_all("hrevolve3", 3, "makespan");
}

static void test_exhaustive(void **unused) {
    (void)unused;
    check_all("hrevolve_small", 2, "brute");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_tiers),
        cmocka_unit_test(test_three_tiers),
        cmocka_unit_test(test_exhaustive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
