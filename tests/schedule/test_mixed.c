/* Tests mixed checkpointing: compares the closed forms with the dynamic program for every small size, and the actions
 * with the predictions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedule/cost.h"
#include "schedule/mixed.h"
#include "tests/support/planned.h"
#include "tests/support/random_spec.h"
#include "tests/support/reference.h"

enum { N_MAX = 1000, S_MAX = 20 };

typedef struct steps_table {
    uint64_t *cells; /* reference_mixed_new's */
} steps_table;

static uint64_t least(const steps_table *table, uint64_t n, uint64_t s) {
    return table->cells[s * (N_MAX + 1) + n];
}

static int make_table(void **state) {
    static steps_table table;
    table.cells = reference_mixed_new(N_MAX, S_MAX);
    *state = &table;
    return 0;
}

static int free_table(void **state) {
    free(((steps_table *)*state)->cells);
    return 0;
}

static void require(bool holds, const char *what, uint64_t n, uint64_t s) {
    if (!holds)
        fail_msg("%s is wrong for n = %llu, s = %llu", what, (unsigned long long)n, (unsigned long long)s);
}

static verso_schedule_spec spec_of(uint64_t steps, uint64_t slots) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, VERSO_KIND_MIXED);
    spec.steps = steps;
    spec.slots = slots;
    return spec;
}

static void test_steps(void **state) {
    const steps_table *table = *state;
    for (uint64_t s = 1; s <= S_MAX; s++)
        for (uint64_t n = 1; n <= N_MAX; n++)
            require(verso__mixed_steps(n, s) == least(table, n, s), "mixed_steps", n, s);
    assert_true(verso__mixed_steps(1, 0) == 1);
}

/* The split is one of the best, whatever the guess, with a table and without. */
static void test_split(void **state) {
    const steps_table *table = *state;
    static const verso__beta_table no_table = {.slots = -1, .repetitions = -1};
    verso__beta_table pascal;
    assert_true(verso__beta_table_init(&pascal, S_MAX, 60));
    for (uint64_t s = 1; s <= S_MAX; s++)
        for (uint64_t n = s + 2; n <= N_MAX; n++)
            for (uint64_t wrong = 0; wrong < 3; wrong++) {
                uint64_t guess = wrong == 2 ? 0 : verso__repetition(n, s) + wrong;
                uint64_t left = verso__mixed_split(wrong == 1 ? &no_table : &pascal, n, s, &guess);
                require(left >= 1 && left < n, "the range of mixed_split", n, s);
                require(guess == verso__repetition(n, s), "the guess of mixed_split", n, s);
                uint64_t right = least(table, n - left, s - 1);
                require(right != REFERENCE_INF && left + least(table, left, s) + right == least(table, n, s),
                        "mixed_split", n, s);
            }
    verso__beta_table_clear(&pascal);
}

/* Writes, reads, peaks and repetition are predicted by closed forms of their own. */
static void test_walked(void **state) {
    const steps_table *table = *state;
    for (uint64_t s = 1; s <= 14; s++)
        for (uint64_t n = 0; n <= 300; n++) {
            verso_schedule_spec spec = spec_of(n, s);
            verso__cost cost = planned_walked(&spec);
            planned_equal(&spec, "all steps", cost.forward_steps + cost.recorded_steps,
                          n == 0 ? 0 : least(table, n, s));
            planned_equal(&spec, "least_makespan", cost.least_makespan, cost.makespan);
        }
}

static void test_walked_long(void **state) {
    (void)state;
    random_source source = random_from_seed(random_seed());
    for (int round = 0; round < 60; round++) {
        uint64_t n = 300 + random_below(&source, 20000), s = 2 + random_below(&source, 60);
        verso_schedule_spec spec = spec_of(n, s), revolve = spec;
        revolve.kind = VERSO_KIND_REVOLVE;
        verso__cost cost = planned_walked(&spec);
        planned_equal(&spec, "all steps", cost.forward_steps + n, verso__mixed_steps(n, s));
        assert_true(cost.forward_steps < planned_cost(&revolve).forward_steps);
    }
}

/* Where the closed form cannot be compared with a table: one step more costs what the last repetition costs, or one
 * more, and the limits of a repetition are met exactly. */
static void test_large(void **state) {
    (void)state;
    random_source source = random_from_seed(random_seed());
    for (int round = 0; round < 2000; round++) {
        uint64_t s = 2 + random_below(&source, 300), n = s + 2 + random_below(&source, UINT64_C(1000000000000));
        uint64_t r = verso__repetition(n, s);
        verso__wide more = verso__mixed_steps(n + 1, s) - verso__mixed_steps(n, s);
        require(more >= r && more <= r + 2, "the increase of mixed_steps", n, s);
        require(verso__mixed_steps(n, s) <= verso__min_forward(n, s) + n, "mixed_steps, beyond revolve's,", n, s);
    }
}

/* 1000 steps on 20 slots: 2.8 forward passes against revolve's 3.7 (records included in both). */
static void test_example(void **state) {
    (void)state;
    verso_schedule_spec spec = spec_of(1000, 20), revolve = spec;
    revolve.kind = VERSO_KIND_REVOLVE;
    verso__cost mixed = planned_cost(&spec), plain = planned_cost(&revolve);
    uint64_t passes = (uint64_t)(mixed.forward_steps + mixed.recorded_steps);
    printf("mixed: 1000 steps on 20 slots take %llu steps, revolve's %llu\n", (unsigned long long)passes,
           (unsigned long long)(plain.forward_steps + plain.recorded_steps));
    assert_in_range(passes, 2750, 2849);
    assert_in_range((uint64_t)(plain.forward_steps + plain.recorded_steps), 3650, 3749);
}

/* One slot: the last step is recorded at once, each other is reached from x_0 again. */
static void test_one_slot(void **unused) {
    (void)unused;
    const uint64_t n = 1000000000000;
    assert_true(verso__mixed_steps(n, 1) == (verso__wide)n * (n + 1) / 2 - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_slot), cmocka_unit_test(test_steps),       cmocka_unit_test(test_split),
        cmocka_unit_test(test_walked),   cmocka_unit_test(test_walked_long), cmocka_unit_test(test_large),
        cmocka_unit_test(test_example),
    };
    return cmocka_run_group_tests(tests, make_table, free_table);
}
