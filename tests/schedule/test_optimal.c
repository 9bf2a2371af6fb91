/* Compares the kinds that claim to be optimal with an optimum of the tests: exhaustive search where possible, dynamic
 * programs elsewhere. Costs are random and often zero. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedule/binomial.h"
#include "schedule/cost.h"
#include "tests/support/brute.h"
#include "tests/support/planned.h"
#include "tests/support/random_spec.h"
#include "tests/support/reference.h"

enum { SLOTS_MAX_SMALL = 3, LONG_STEPS = 1900 };

static uint64_t between(random_source *source, uint64_t low, uint64_t high) {
    return low + random_below(source, high - low + 1);
}

/* Returns a random cost: zero in one of five cases, small in half of them. */
static uint64_t cost_up_to(random_source *source, uint64_t most) {
    if (random_below(source, 5) == 0)
        return 0;
    return between(source, 1, random_below(source, 2) == 0 ? 1 + most / 8 : most);
}

/* Walks the schedule and checks that it has exactly this makespan, and claims it as the least. */
static void check_optimal(const verso_schedule_spec *spec, uint64_t optimum) {
    char message[VERSO_MESSAGE_MAX];
    if (optimum == UINT64_MAX) { /* both references' infinity */
        planned_impossible(spec, message);
        return;
    }
    verso__cost cost = planned_walked(spec);
    planned_equal(spec, "makespan", cost.makespan, optimum);
    planned_equal(spec, "least_makespan", cost.least_makespan, optimum);
}

/* ---- One tier ---- */

static void test_revolve_brute(void **unused) {
    (void)unused;
    for (uint64_t c = 0; c <= 7; c++)
        for (uint64_t n = 1; n <= 12; n++) {
            verso_schedule_spec spec = planned_spec(VERSO_KIND_REVOLVE, n, c);
            uint64_t forward = brute_forward(n, c, BRUTE_UNLIMITED, true);
            spec.forward_cost = 3;
            spec.backward_cost = 2;
            check_optimal(&spec, forward == BRUTE_INF ? BRUTE_INF : 3 * forward + 2 * n);
        }
}

static void test_revolve_table(void **unused) {
    (void)unused;
    reference_forward table = reference_forward_new(400, 24, VERSO_UNKNOWN);
    for (uint64_t c = 1; c <= 24; c++)
        for (uint64_t n = 1; n <= 400; n++) {
            verso_schedule_spec spec = planned_spec(VERSO_KIND_REVOLVE, n, c);
            planned_equal(&spec, "forward_steps", planned_cost(&spec).forward_steps,
                          reference_forward_at(&table, n, c));
        }
    reference_forward_free(&table);
}

static void test_mixed_brute(void **unused) {
    (void)unused;
    for (uint64_t s = 0; s <= 7; s++)
        for (uint64_t n = 1; n <= 8; n++) {
            verso_schedule_spec spec = planned_spec(VERSO_KIND_MIXED, n, s);
            uint64_t all = brute_mixed(n, s);
            spec.forward_cost = 5;
            spec.backward_cost = 0;
            check_optimal(&spec, all == BRUTE_INF ? BRUTE_INF : 5 * (all - n));
        }
}

/* The smallest distance that costs nothing, by trying them all. */
static void test_free_distance(void **unused) {
    (void)unused;
    for (uint64_t c = 1; c <= 8; c++)
        for (uint64_t n = 2; n <= 90; n++) {
            verso_schedule_spec spec = planned_spec(VERSO_KIND_CONTINUOUS, n, c);
            uint64_t free_distance = reference_free_distance(n, c), least = (n + c - 1) / c; /* that can be asked for */
            uint64_t wanted = free_distance > least ? free_distance : least;
            planned_equal(&spec, "free_distance", planned_cost(&spec).free_distance, wanted);
            spec.kind = VERSO_KIND_RESILIENT;
            spec.distance = wanted;
            planned_equal(&spec, "forward_steps", planned_cost(&spec).forward_steps, verso__min_forward(n, c));
        }
}

/* ---- Memory and disk ---- */

static verso_schedule_spec disk_spec(random_source *source, uint64_t slots_max, uint64_t cost_max) {
    verso_schedule_spec spec = planned_spec(VERSO_KIND_DISK, 0, between(source, 0, slots_max));
    spec.write_cost = cost_up_to(source, cost_max);
    spec.read_cost = cost_up_to(source, cost_max);
    spec.forward_cost = random_below(source, 10) == 0 ? 0 : between(source, 1, 4);
    spec.backward_cost = between(source, 0, 3);
    return spec;
}

static void test_disk_brute(void **unused) {
    (void)unused;
    random_source source = random_from_seed(random_seed());
    for (int round = 0; round < 90; round++) {
        verso_schedule_spec spec = disk_spec(&source, SLOTS_MAX_SMALL, 12);
        for (spec.steps = 1; spec.steps <= 9; spec.steps++)
            check_optimal(&spec, brute_disk(spec.steps - 1, spec.slots, spec.write_cost, spec.read_cost,
                                            spec.forward_cost, spec.backward_cost));
    }
}

/* Every length up to 320 for each platform; some are walked as well. */
static void test_disk_table(void **unused) {
    (void)unused;
    static const uint64_t cost_max[] = {10, 60, 1000, 1000000};
    random_source source = random_from_seed(random_seed());
    for (int round = 0; round < 160; round++) {
        verso_schedule_spec spec = disk_spec(&source, random_below(&source, 4) == 0 ? 30 : 6, cost_max[round % 4]);
        reference_platform platform = {spec.slots, spec.write_cost, spec.read_cost, spec.forward_cost,
                                       spec.backward_cost};
        reference_disk table = reference_disk_new(&platform, 319);
        for (spec.steps = 1; spec.steps <= 320; spec.steps++) {
            verso__cost cost = planned_cost(&spec);
            planned_equal(&spec, "makespan", cost.makespan, table.opt_inf[spec.steps - 1]);
            planned_equal(&spec, "least_makespan", cost.least_makespan, cost.makespan);
            if (random_below(&source, 16) == 0)
                planned_walked(&spec);
        }
        reference_disk_free(&table);
    }
}

/* ---- Several tiers ---- */

/* Tiers whose costs rise from one to the next, unless `any_order`. */
static verso_schedule_spec levels_spec(random_source *source, size_t tiers, uint64_t slots_max, uint64_t cost_max,
                                       bool any_order) {
    verso_schedule_spec spec = planned_spec(VERSO_KIND_LEVELS, 0, 0);
    spec.tier_count = tiers;
    spec.forward_cost = random_below(source, 12) == 0 ? 0 : between(source, 1, 3);
    spec.backward_cost = between(source, 0, 3);
    verso_tier before = {0};
    for (size_t k = 0; k < tiers; k++) {
        verso_tier tier = {between(source, 0, slots_max), cost_up_to(source, cost_max), cost_up_to(source, cost_max)};
        if (!any_order) {
            tier.write_cost += before.write_cost;
            tier.read_cost += before.read_cost;
        }
        before = spec.tiers[k] = tier;
    }
    return spec;
}

static uint64_t brute_levels(const verso_schedule_spec *spec) {
    brute_problem problem = {.steps = spec->steps,
                             .forward_cost = spec->forward_cost,
                             .backward_cost = spec->backward_cost,
                             .distance = BRUTE_UNLIMITED,
                             .tier_count = spec->tier_count};
    for (size_t k = 0; k < spec->tier_count; k++)
        problem.tiers[k] =
            (brute_tier){spec->tiers[k].capacity, spec->tiers[k].write_cost, spec->tiers[k].read_cost, 0};
    return brute_makespan(&problem);
}

static void test_levels_brute(void **unused) {
    (void)unused;
    random_source source = random_from_seed(random_seed());
    for (int round = 0; round < 500; round++) {
        size_t tiers = 1 + (size_t)round % 3;
        verso_schedule_spec spec = levels_spec(&source, tiers, SLOTS_MAX_SMALL, 8, false);
        uint64_t longest = tiers == 3 ? 6 : 8;
        for (spec.steps = 1; spec.steps <= longest; spec.steps++)
            check_optimal(&spec, brute_levels(&spec));
    }
}

/* Some tiers are cheaper to write, others cheaper to read: nothing is claimed, but little is lost. */
static void test_levels_any_order(void **unused) {
    (void)unused;
    random_source source = random_from_seed(random_seed());
    uint64_t cases = 0, missed = 0;
    double worst = 1;
    for (int round = 0; round < 200; round++) {
        size_t tiers = 2 + (size_t)round % 2;
        verso_schedule_spec spec = levels_spec(&source, tiers, SLOTS_MAX_SMALL, 12, true);
        for (spec.steps = 1; spec.steps <= (tiers == 3 ? 6 : 9); spec.steps++) {
            uint64_t optimum = brute_levels(&spec);
            if (optimum == BRUTE_INF)
                continue;
            verso__cost cost = planned_walked(&spec);
            if (cost.makespan < optimum || cost.least_makespan > optimum)
                planned_equal(&spec, "makespan or its bound", cost.makespan, optimum);
            double ratio = optimum == 0 ? 1 : (double)cost.makespan / (double)optimum;
            worst = ratio > worst ? ratio : worst;
            missed += cost.makespan > optimum;
            cases++;
        }
    }
    printf("levels in no order: %llu of %llu plans miss the optimum, at worst %.4f\n", (unsigned long long)missed,
           (unsigned long long)cases, worst);
    assert_true(worst <= 1.05);
}

static reference_levels levels_table(const verso_schedule_spec *spec, uint64_t steps) {
    return reference_levels_new(spec->tiers, spec->tier_count, spec->forward_cost, spec->backward_cost, steps - 1);
}

static void test_levels_table(void **unused) {
    (void)unused;
    static const uint64_t cost_max[] = {6, 50, 2000};
    random_source source = random_from_seed(random_seed());
    for (int round = 0; round < 60; round++) {
        size_t tiers = (size_t)between(&source, 1, 4);
        verso_schedule_spec spec = levels_spec(&source, tiers, 10, cost_max[round % 3], false);
        reference_levels table = levels_table(&spec, 300);
        for (spec.steps = 1; spec.steps <= 300; spec.steps += between(&source, 1, 12))
            check_optimal(&spec, table.makespan[spec.steps - 1]);
        reference_levels_free(&table);
    }
}

/* Two tiers, one cheaper to write and the other cheaper to read: no worse than the better order of the two. */
static void test_levels_two_orders(void **unused) {
    (void)unused;
    random_source source = random_from_seed(random_seed());
    for (int round = 0; round < 150; round++) {
        verso_schedule_spec spec = levels_spec(&source, 2, 8, round % 2 == 0 ? 12 : 100, false), other = spec;
        uint64_t read_cost = spec.tiers[0].read_cost;
        spec.tiers[0].read_cost = spec.tiers[1].read_cost;
        spec.tiers[1].read_cost = read_cost;
        other.tiers[0] = spec.tiers[1];
        other.tiers[1] = spec.tiers[0];
        reference_levels one = levels_table(&spec, 250), two = levels_table(&other, 250);
        for (spec.steps = 2; spec.steps <= 250; spec.steps += between(&source, 1, 12)) {
            uint64_t of_one = one.makespan[spec.steps - 1], of_two = two.makespan[spec.steps - 1];
            if (of_one != REFERENCE_INF)
                planned_equal(&spec, "makespan", planned_walked(&spec).makespan, of_one < of_two ? of_one : of_two);
        }
        reference_levels_free(&one);
        reference_levels_free(&two);
    }
}

/* Beyond the library's exact tables: never below the optimum, and the bound it states never above. */
static void test_levels_long(void **unused) {
    (void)unused;
    static const uint64_t cost_max[] = {6, 50, 500};
    random_source source = random_from_seed(random_seed());
    double worst = 1, sum = 0;
    size_t count = 0;
    char text[PLANNED_TEXT], worst_text[PLANNED_TEXT] = "none";
    for (int round = 0; round < 15; round++) {
        verso_schedule_spec spec = levels_spec(&source, (size_t)between(&source, 2, 4), 9, cost_max[round % 3], false);
        spec.tiers[0].capacity += 2;
        spec.tiers[1].capacity += 6;
        reference_levels table = levels_table(&spec, LONG_STEPS);
        for (spec.steps = LONG_STEPS; spec.steps > 500; spec.steps -= between(&source, 1, 150)) {
            uint64_t optimum = table.makespan[spec.steps - 1];
            verso__cost cost = planned_walked(&spec);
            if (cost.least_makespan > optimum || cost.makespan < optimum)
                fail_msg("%s: optimum %llu is not between the bound %llu and the makespan %llu",
                         planned_text(&spec, text), (unsigned long long)optimum,
                         (unsigned long long)cost.least_makespan, (unsigned long long)cost.makespan);
            double ratio = optimum == 0 ? 1 : (double)cost.makespan / (double)optimum;
            sum += ratio;
            count++;
            if (ratio > worst) {
                worst = ratio;
                planned_text(&spec, worst_text);
            }
        }
        reference_levels_free(&table);
    }
    printf("levels beyond the exact tables: %zu plans, makespan / optimum at worst %.5f (%s), on average %.6f\n", count,
           worst, worst_text, sum / (double)count);
    assert_true(worst <= 1.02);
}

/* Tiers of more slots than have a row each: runs of nodes that are split alike are predicted as they are walked. */
static void test_levels_many_slots(void **unused) {
    (void)unused;
    random_source source = random_from_seed(random_seed());
    for (int round = 0; round < 300; round++) {
        verso_schedule_spec spec = levels_spec(&source, (size_t)between(&source, 1, 4), 12, 30, false);
        spec.tiers[between(&source, 0, spec.tier_count - 1)].capacity = between(&source, 41, 3000);
        spec.steps = between(&source, 200, round % 10 > 0 ? 3000 : 300000);
        verso__cost cost = planned_walked(&spec);
        assert_true(cost.makespan >= cost.least_makespan);
    }
}

/* Costs so far apart that one capsule, in the last tier, is best: everything is recomputed from it. */
static void test_levels_one_capsule(void **unused) {
    (void)unused;
    const verso_tier far_apart[] = {
        {VERSO_UNKNOWN, 0, 548265670840680448}, {VERSO_UNKNOWN, 151, 550136832}, {79, 981212594, 0}};
    const verso_tier too_dear[] = {{VERSO_UNKNOWN, 278102549126152, 1}, {1, 2, 0}};
    const verso_tier many_reads[] = {{79, 0, 1000000}, {79, 981212594, 0}};
    const struct {
        size_t count;
        const verso_tier *tiers;
    } cases[] = {{3, far_apart}, {2, too_dear}, {2, many_reads}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (uint64_t n = 1000; n <= 3000; n += 500) {
            verso_schedule_spec spec = planned_spec(VERSO_KIND_LEVELS, n, 0);
            spec.forward_cost = 2;
            spec.tier_count = cases[i].count;
            memcpy(spec.tiers, cases[i].tiers, cases[i].count * sizeof *spec.tiers);
            verso__wide optimum = (verso__wide)n * (n - 1) + spec.tiers[spec.tier_count - 1].write_cost;
            planned_equal(&spec, "makespan", planned_walked(&spec).makespan - n * spec.backward_cost, optimum);
        }
    }
}

/* Many steps, few slots, or costs for which prices are coarse: the plan is close to the bound. */
static void test_levels_coarse(void **unused) {
    (void)unused;
    const struct {
        uint64_t steps;
        verso_tier tiers[2];
    } cases[] = {
        {1000000000000, {{2, 1, 1}}},
        {1000000000000, {{1, 1, 1}, {1, 1000, 1000}}},
        {1000000000000, {{3, 1000000000, 1000000000}, {30, 1000000000000, 1000000000000}}},
        {1000000000000000000, {{2, 1, 1}}},
        {1000000000000000000, {{1, 0, 0}, {5, 1000000000000, 1000000000000}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        verso_schedule_spec spec = planned_spec(VERSO_KIND_LEVELS, cases[i].steps, 0);
        spec.tier_count = 2;
        memcpy(spec.tiers, cases[i].tiers, sizeof cases[i].tiers);
        verso__cost cost = planned_cost(&spec);
        planned_equal(&spec, "reads", cost.reads[0] + cost.reads[1], spec.steps - 1);
        double ratio = (double)cost.makespan / (double)cost.least_makespan;
        assert_true(ratio >= 1 && ratio < 1.0001);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_revolve_brute), cmocka_unit_test(test_revolve_table),
        cmocka_unit_test(test_mixed_brute),   cmocka_unit_test(test_free_distance),
        cmocka_unit_test(test_disk_brute),    cmocka_unit_test(test_disk_table),
        cmocka_unit_test(test_levels_brute),  cmocka_unit_test(test_levels_any_order),
        cmocka_unit_test(test_levels_table),  cmocka_unit_test(test_levels_two_orders),
        cmocka_unit_test(test_levels_long),   cmocka_unit_test(test_levels_one_capsule),
        cmocka_unit_test(test_levels_coarse), cmocka_unit_test(test_levels_many_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
