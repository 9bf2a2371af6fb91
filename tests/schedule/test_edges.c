/* Tests edge sizes: no steps, one, two; one slot, more slots than steps; distances beyond the end; costs of zero;
 * 10^12 steps. Impossible specs are refused with the least sufficient value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedule/cost.h"
#include "tests/support/checker.h"
#include "tests/support/random_spec.h"

/* Returns a spec with room for everything, with which every kind can reverse `steps` steps. */
static verso_schedule_spec roomy(verso_schedule_kind kind, uint64_t steps) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, kind);
    spec.steps = steps;
    spec.slots = kind == VERSO_KIND_STORE_ALL || kind == VERSO_KIND_EVERY_K ? 0 : 3;
    spec.distance = steps + 5;
    spec.write_cost = spec.read_cost = 100;
    spec.tier_count = 1;
    spec.tiers[0].capacity = 3;
    return spec;
}

static verso_schedule *make(const verso_schedule_spec *spec) {
    verso_schedule *schedule;
    verso_error error = {0};
    if (verso_schedule_new(spec, &schedule, &error) != VERSO_STATUS_OK)
        print_error("%s\n", error.message);
    REQUIRE_OF(spec, schedule != NULL);
    return schedule;
}

static verso__cost cost_of(const verso_schedule_spec *spec) {
    verso_schedule *schedule = make(spec);
    verso__cost cost;
    REQUIRE_OF(spec, verso__schedule_cost(schedule, &cost, NULL) == VERSO_STATUS_OK);
    verso_schedule_free(schedule);
    return cost;
}

static verso__cost walked(const verso_schedule_spec *spec) {
    verso__cost counted, cost = cost_of(spec);
    verso_error error = {0};
    if (verso__schedule_simulate(spec, &counted, &error) != VERSO_STATUS_OK)
        print_error("%s\n", error.message);
    REQUIRE_OF(spec, error.status == VERSO_STATUS_OK);
    REQUIRE_OF(spec, counted.makespan == cost.makespan && counted.forward_steps == cost.forward_steps);
    return counted;
}

/* ---- None, one and two steps, action by action ---- */

/* Writes the actions without DONE, tiers and slots. */
static void write_actions(const verso_schedule_spec *spec, char *text, size_t size) {
    verso_schedule *schedule = make(spec);
    verso_action action;
    size_t used = 0;
    text[0] = '\0';
    while (verso_schedule_next(schedule, &action, NULL) == VERSO_STATUS_OK && action.kind != VERSO_ACTION_DONE) {
        int written =
            snprintf(text + used, size - used, "%s%s %llu %llu", used > 0 ? ", " : "", verso_action_word(action.kind),
                     (unsigned long long)action.from, (unsigned long long)action.to);
        used += (size_t)written;
        REQUIRE_OF(spec, used < size);
    }
    verso_schedule_free(schedule);
}

static void require_actions(const verso_schedule_spec *spec, const char *expected) {
    char text[1024];
    write_actions(spec, text, sizeof text);
    if (strcmp(text, expected) != 0)
        print_error("%s\n", text);
    REQUIRE_OF(spec, strcmp(text, expected) == 0);
    walked(spec);
}

static const char *two_steps(verso_schedule_kind kind) {
    switch (kind) {
    case VERSO_KIND_EVERY_K: return "reverse 2 0";
    case VERSO_KIND_MIXED: return "record 0 1, reverse 2 1, sweep 1 0";
    default: return "store 0 0, advance 0 1, reverse 2 1, restore 0 0, discard 0 0, reverse 1 0";
    }
}

static void none_one_and_two_steps(void **state) {
    (void)state;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        verso_schedule_spec spec = roomy((verso_schedule_kind)kind, 0);
        require_actions(&spec, "");
        verso__cost nothing = cost_of(&spec);
        assert_true(nothing.makespan == 0 && nothing.longest_recording == 0 && nothing.repetition == 0);
        spec.steps = 1;
        require_actions(&spec, "reverse 1 0");
        assert_true(cost_of(&spec).makespan == 1);
        spec.steps = 2;
        require_actions(&spec, two_steps(spec.kind));
    }
}

/* One step and none need no slot, except where one is set aside. */
static void short_work_needs_no_slot(void **state) {
    (void)state;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        verso_schedule_spec spec = roomy((verso_schedule_kind)kind, 0);
        spec.slots = spec.kind == VERSO_KIND_SINGLE_RECOVERY ? 2 : 0;
        spec.tiers[0].capacity = 0;
        require_actions(&spec, "");
        spec.steps = 1;
        require_actions(&spec, "reverse 1 0");
    }
}

/* ---- Slots and distances at their ends ---- */

static void one_slot_recomputes_everything(void **state) {
    (void)state;
    const verso_schedule_kind kinds[] = {VERSO_KIND_NONE,      VERSO_KIND_REVOLVE,         VERSO_KIND_MIXED,
                                         VERSO_KIND_RESILIENT, VERSO_KIND_CONTINUOUS,      VERSO_KIND_LEVELS,
                                         VERSO_KIND_TWO_LEVEL, VERSO_KIND_SINGLE_RECOVERY, VERSO_KIND_ONLINE};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (uint64_t n = 2; n < 50; n++) {
            verso_schedule_spec spec = roomy(kinds[i], n);
            spec.slots = spec.kind == VERSO_KIND_SINGLE_RECOVERY ? 2 : 1;
            spec.tiers[0].capacity = 1;
            uint64_t expected = n * (n - 1) / 2;
            if (spec.kind == VERSO_KIND_MIXED) /* the first step is recorded on the way to the second */
                expected--;
            REQUIRE_OF(&spec, walked(&spec).forward_steps == expected);
        }
    }
}

static void with_slots_for_all_nothing_is_recomputed(void **state) {
    (void)state;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        if (kind == VERSO_KIND_NONE || kind == VERSO_KIND_EVERY_K)
            continue;
        for (uint64_t n = 2; n < 40; n++) {
            for (uint64_t slots = n; slots < 3 * n; slots += n - 1) { /* one less would suffice */
                verso_schedule_spec spec = roomy((verso_schedule_kind)kind, n);
                spec.slots = spec.space = spec.tiers[0].capacity = slots;
                spec.time = spec.kind == VERSO_KIND_BINARY ? 1 : 0;
                uint64_t expected = spec.kind == VERSO_KIND_MIXED ? 0 : n - 1;
                REQUIRE_OF(&spec, walked(&spec).forward_steps == expected);
            }
        }
    }
}

static void require_same_actions(const verso_schedule_spec *left, const verso_schedule_spec *right) {
    verso_schedule *a = make(left);
    verso_schedule *b = make(right);
    verso_action from_a = {0}, from_b = {0};
    while (from_a.kind != VERSO_ACTION_DONE) {
        REQUIRE_OF(left, verso_schedule_next(a, &from_a, NULL) == VERSO_STATUS_OK);
        REQUIRE_OF(left, verso_schedule_next(b, &from_b, NULL) == VERSO_STATUS_OK);
        REQUIRE_OF(left, from_a.kind == from_b.kind && from_a.from == from_b.from && from_a.to == from_b.to &&
                             from_a.slot == from_b.slot && from_a.tier == from_b.tier);
    }
    verso_schedule_free(a);
    verso_schedule_free(b);
}

/* A distance that is never reached changes nothing. */
static void distances_beyond_the_end_do_nothing(void **state) {
    (void)state;
    const uint64_t distances[] = {60, 61, 1000, VERSO_UNKNOWN};
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        verso_schedule_spec revolve = roomy(VERSO_KIND_REVOLVE, 60);
        verso_schedule_spec spec = roomy(VERSO_KIND_CONTINUOUS, 60);
        spec.distance = spec.adjoint_distance = distances[i];
        require_same_actions(&spec, &revolve);
        spec.kind = VERSO_KIND_TWO_LEVEL;
        require_same_actions(&spec, &revolve);
        spec.kind = VERSO_KIND_RESILIENT;
        assert_true(walked(&spec).forward_steps == walked(&revolve).forward_steps);
        assert_true(walked(&spec).adjoint_stores == 0);
        spec.kind = VERSO_KIND_SINGLE_RECOVERY;
        spec.slots++;
        require_same_actions(&spec, &revolve);
        spec.kind = VERSO_KIND_EVERY_K;
        require_actions(&spec, "reverse 60 0");
        spec.kind = VERSO_KIND_TREEVERSE;
        spec.leaf = distances[i];
        require_actions(&spec, "reverse 60 0");
    }
}

static void costs_of_zero(void **state) {
    (void)state;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        for (uint64_t n = 0; n < 100; n++) {
            verso_schedule_spec spec = roomy((verso_schedule_kind)kind, n);
            spec.forward_cost = spec.backward_cost = spec.write_cost = spec.read_cost = 0;
            spec.with_disk = true;
            REQUIRE_OF(&spec, walked(&spec).makespan == 0);
            spec.backward_cost = 1;
            REQUIRE_OF(&spec, walked(&spec).makespan == n);
        }
    }
}

/* ---- 10^12 steps ---- */

static const uint64_t trillion = 1000000000000;

/* Makes the plan, its cost and the first actions, which would take forever if anything walked all steps. */
static void require_playable(const verso_schedule_spec *spec) {
    verso_schedule *schedule = make(spec);
    verso__cost cost;
    verso_status status = verso__schedule_cost(schedule, &cost, NULL);
    bool unknown = spec->steps == VERSO_UNKNOWN;
    REQUIRE_OF(spec, status == (unknown ? VERSO_STATUS_STATE : VERSO_STATUS_OK));
    REQUIRE_OF(spec, unknown || cost.recorded_steps == spec->steps);
    checker check;
    checker_open(&check, spec, spec->steps);
    for (int i = 0; i < 10000; i++) {
        verso_action action;
        REQUIRE_OF(spec, verso_schedule_next(schedule, &action, NULL) == VERSO_STATUS_OK);
        if (!checker_play(&check, &action))
            print_error("action %d, %s: %s\n", i, verso_action_word(action.kind), check.wrong);
        REQUIRE_OF(spec, check.wrong == NULL);
        REQUIRE_OF(spec, !check.over);
        if (unknown && check.at > trillion)
            break;
    }
    checker_close(&check);
    verso_schedule_free(schedule);
}

static void a_trillion_steps(void **state) {
    (void)state;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        for (uint64_t slots = 2; slots <= 20000; slots *= 100) {
            verso_schedule_spec spec = roomy((verso_schedule_kind)kind, trillion);
            spec.slots = spec.slots > 0 ? slots : 0;
            spec.space = slots > 2 ? slots : 0;
            spec.distance = spec.kind == VERSO_KIND_EVERY_K ? 1000 : trillion / slots * 2;
            spec.adjoint_distance = 1000;
            spec.with_disk = slots == 200;
            spec.tier_count = 3;
            spec.tiers[0].capacity = slots;
            spec.tiers[1] = (verso_tier){20, 3, 2};
            spec.tiers[2] = (verso_tier){500, 70, 30};
            require_playable(&spec);
        }
    }
}

static void a_trillion_steps_at_the_ends(void **state) {
    (void)state;
    const verso_schedule_kind kinds[] = {VERSO_KIND_REVOLVE, VERSO_KIND_MIXED, VERSO_KIND_DISK, VERSO_KIND_PERIODIC};
    const uint64_t costs[] = {0, 1, 1000000, (uint64_t)1 << 60};
    for (size_t i = 0; i < 4 * 4 * 4; i++) {
        verso_schedule_spec spec = roomy(kinds[i % 4], trillion);
        spec.write_cost = costs[i / 4 % 4];
        spec.read_cost = costs[i / 16];
        spec.slots = 1;
        require_playable(&spec);
        spec.slots = 2 * trillion;
        require_playable(&spec);
    }
    verso_schedule_spec without = roomy(VERSO_KIND_DISK, trillion);
    without.slots = 0;
    require_playable(&without);
    verso_schedule_spec unknown = roomy(VERSO_KIND_ONLINE, VERSO_UNKNOWN);
    unknown.slots = 50;
    require_playable(&unknown);
    unknown.with_disk = true;
    require_playable(&unknown);
}

/* No number of slots makes an online plan slow: it decides for many states at once. */
static void online_with_any_number_of_slots(void **state) {
    (void)state;
    const uint64_t slots[] = {1, 16, 17, 127, 128, 1000, 65535, 1000000, 1000000000, trillion, (uint64_t)1 << 60};
    const uint64_t steps[] = {trillion, (uint64_t)1 << 60, VERSO_UNKNOWN};
    for (size_t i = 0; i < sizeof slots / sizeof *slots * 6; i++) {
        verso_schedule_spec spec = roomy(VERSO_KIND_ONLINE, steps[i % 3]);
        spec.with_disk = i / 3 % 2 == 1;
        spec.slots = slots[i / 6];
        require_playable(&spec);
    }
}

/* An algorithm with one operation for each step, slot, row or piece would take seconds to years for these. */
static void predictions_at_the_extremes(void **state) {
    (void)state;
    const uint64_t most = (uint64_t)1 << 60;
    const verso_schedule_kind kinds[] = {VERSO_KIND_RESILIENT, VERSO_KIND_CONTINUOUS, VERSO_KIND_SINGLE_RECOVERY,
                                         VERSO_KIND_TWO_LEVEL, VERSO_KIND_REVOLVE,    VERSO_KIND_MIXED,
                                         VERSO_KIND_DISK,      VERSO_KIND_PERIODIC};
    const uint64_t slots[] = {2, 3, 1000000, 100000000, most / 1000, most / 2, most};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds * sizeof slots / sizeof *slots; i++) {
        verso_schedule_spec spec = roomy(kinds[i % (sizeof kinds / sizeof *kinds)], most);
        spec.slots = slots[i / (sizeof kinds / sizeof *kinds)];
        spec.distance = (most - 1) / spec.slots * 2 + 1;
        spec.write_cost = most;
        spec.read_cost = 0;
        verso__cost cost = cost_of(&spec);
        REQUIRE_OF(&spec, cost.recorded_steps == most && cost.peak_slots[0] <= spec.slots);
        if (spec.kind == VERSO_KIND_RESILIENT) { /* at a distance that costs nothing */
            spec.distance = cost.free_distance;
            cost = cost_of(&spec);
            spec.kind = VERSO_KIND_REVOLVE;
            REQUIRE_OF(&spec, cost.forward_steps == cost_of(&spec).forward_steps);
        }
    }
    for (uint64_t count = 1; count <= 2; count++) {
        verso_schedule_spec spec = roomy(VERSO_KIND_TREEVERSE, most);
        spec.space = count;
        REQUIRE_OF(&spec, cost_of(&spec).peak_slots[0] == count);
        spec.space = 0;
        spec.time = count;
        REQUIRE_OF(&spec, cost_of(&spec).repetition == count);
    }
}

static void costs_beyond_64_bits_are_exact(void **state) {
    (void)state;
    char text[VERSO_WIDE_TEXT];
    verso_schedule_spec spec = roomy(VERSO_KIND_NONE, trillion);
    assert_string_equal(verso__wide_text(cost_of(&spec).forward_steps, text), "499999999999500000000000");
    spec.forward_cost = 1000;
    spec.backward_cost = 7;
    assert_string_equal(verso__wide_text(cost_of(&spec).makespan, text), "499999999999507000000000000");
}

/* ---- What cannot be done ---- */

static bool names(const char *message, uint64_t number) {
    while ((message = strpbrk(message, "0123456789")) != NULL) {
        char *after;
        if (strtoull(message, &after, 10) == number)
            return true;
        message = after;
    }
    return false;
}

/* Checks that the spec is impossible, that it becomes possible exactly if `*field` is at least `least`, and that the
 * message names that number. */
static void require_least(const verso_schedule_spec *spec, const uint64_t *field, uint64_t least) {
    verso_schedule_spec tried = *spec;
    uint64_t *tried_field = (uint64_t *)((char *)&tried + ((const char *)field - (const char *)spec));
    verso_schedule *schedule;
    verso_error error = {0};
    REQUIRE_OF(spec, verso_schedule_new(spec, &schedule, &error) == VERSO_STATUS_IMPOSSIBLE);
    REQUIRE_OF(spec, schedule == NULL && error.status == VERSO_STATUS_IMPOSSIBLE);
    if (!names(error.message, least))
        print_error("%s\n", error.message);
    REQUIRE_OF(spec, names(error.message, least));
    *tried_field = least - 1;
    REQUIRE_OF(&tried, verso_schedule_new(&tried, &schedule, NULL) == VERSO_STATUS_IMPOSSIBLE);
    *tried_field = least;
    walked(&tried);
}

static void without_slots(void **state) {
    (void)state;
    const verso_schedule_kind kinds[] = {VERSO_KIND_REVOLVE,   VERSO_KIND_PERIODIC,       VERSO_KIND_ONLINE,
                                         VERSO_KIND_MIXED,     VERSO_KIND_RESILIENT,      VERSO_KIND_CONTINUOUS,
                                         VERSO_KIND_TWO_LEVEL, VERSO_KIND_SINGLE_RECOVERY};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        verso_schedule_spec spec = roomy(kinds[i], 25);
        spec.slots = 0;
        require_least(&spec, &spec.slots, spec.kind == VERSO_KIND_SINGLE_RECOVERY ? 2 : 1);
    }
    verso_schedule_spec levels = roomy(VERSO_KIND_LEVELS, 25);
    levels.tiers[0].capacity = 0;
    require_least(&levels, &levels.tiers[0].capacity, 1);
}

static void with_too_short_a_distance(void **state) {
    (void)state;
    verso_schedule_spec spec = roomy(VERSO_KIND_RESILIENT, 100);
    for (spec.slots = 1; spec.slots < 40; spec.slots++) {
        for (spec.distance = 1; spec.distance * spec.slots < 100; spec.distance++) {
            require_least(&spec, &spec.distance, (100 + spec.slots - 1) / spec.slots);
            require_least(&spec, &spec.slots, (100 + spec.distance - 1) / spec.distance);
        }
        spec.distance = 0;
        require_least(&spec, &spec.distance, (100 + spec.slots - 1) / spec.slots);
    }
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        verso_schedule_spec zero = roomy((verso_schedule_kind)kind, 10);
        zero.slots = 20;
        zero.distance = 0;
        if (zero.kind == VERSO_KIND_EVERY_K || zero.kind == VERSO_KIND_TWO_LEVEL || zero.kind == VERSO_KIND_RESILIENT)
            require_least(&zero, &zero.distance, 1);
        else
            walked(&zero);
    }
}

static void with_too_few_outer_slots(void **state) {
    (void)state;
    verso_schedule_spec spec = roomy(VERSO_KIND_TWO_LEVEL, 100);
    for (spec.distance = 1; spec.distance < 100; spec.distance++) {
        uint64_t least = 99 / spec.distance + 1; /* the outer capsules, and one inside */
        for (spec.slots = 0; spec.slots < least; spec.slots += least / 3 + 1)
            require_least(&spec, &spec.slots, least);
    }
}

static void without_leaf(void **state) {
    (void)state;
    verso_schedule_spec spec = roomy(VERSO_KIND_TREEVERSE, 10);
    spec.leaf = 0;
    require_least(&spec, &spec.leaf, 1);
    spec.kind = VERSO_KIND_BINARY;
    require_least(&spec, &spec.leaf, 1);
}

static void require_invalid(const verso_schedule_spec *spec, uint64_t named) {
    verso_schedule *schedule;
    verso_error error = {0};
    REQUIRE_OF(spec, verso_schedule_new(spec, &schedule, &error) == VERSO_STATUS_INVALID);
    REQUIRE_OF(spec, schedule == NULL && error.status == VERSO_STATUS_INVALID && names(error.message, named));
    REQUIRE_OF(spec, verso_schedule_new(spec, &schedule, NULL) == VERSO_STATUS_INVALID);
    REQUIRE_OF(spec, verso__schedule_simulate(spec, NULL, NULL) == VERSO_STATUS_INVALID);
}

static void numbers_beyond_all_plans_are_invalid(void **state) {
    (void)state;
    const uint64_t most = (uint64_t)1 << 60;
    for (int kind = 0; kind <= VERSO_KIND_COUNT; kind++) {
        verso_schedule_spec spec = roomy(VERSO_KIND_REVOLVE, most + 1);
        spec.kind = (verso_schedule_kind)kind;
        require_invalid(&spec, kind < VERSO_KIND_COUNT ? most : VERSO_KIND_COUNT);
    }
    verso_schedule_spec spec = roomy(VERSO_KIND_LEVELS, 10);
    uint64_t *fields[] = {&spec.forward_cost, &spec.backward_cost,       &spec.write_cost,         &spec.read_cost,
                          &spec.slots,        &spec.tiers[0].write_cost, &spec.tiers[0].read_cost, &spec.steps};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        uint64_t before = *fields[i];
        *fields[i] = most;
        if (fields[i] != &spec.steps)
            verso_schedule_free(make(&spec));
        *fields[i] = VERSO_UNKNOWN;
        require_invalid(&spec, most);
        *fields[i] = before;
    }
    spec.tier_count = 0;
    require_invalid(&spec, VERSO_TIERS_MAX);
    spec.tier_count = VERSO_TIERS_MAX + 1;
    require_invalid(&spec, VERSO_TIERS_MAX);
}

/* Many actions at a time are the same actions, however many are asked for. */
static void several_actions_at_a_time(void **unused) {
    (void)unused;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++)
        for (size_t room = 1; room < 40; room += 7) {
            verso_schedule_spec spec = roomy((verso_schedule_kind)kind, 30);
            verso_schedule *one = make(&spec), *many = make(&spec);
            verso_action action = {.kind = VERSO_ACTION_ADVANCE}, actions[40];
            while (action.kind != VERSO_ACTION_DONE) {
                size_t count;
                assert_int_equal(verso_schedule_next_actions(many, actions, room, &count, NULL), VERSO_STATUS_OK);
                assert_in_range(count, 1, room);
                for (size_t i = 0; i < count; i++) {
                    assert_int_equal(verso_schedule_next(one, &action, NULL), VERSO_STATUS_OK);
                    assert_memory_equal(&actions[i], &action, sizeof action);
                }
                assert_true(count == room || action.kind == VERSO_ACTION_DONE);
            }
            verso_schedule_free(one);
            verso_schedule_free(many);
        }
}

/* Without a number of steps, nothing is taken beyond an advance, where the end may be known. */
static void several_actions_stop_where_the_end_may_be(void **unused) {
    (void)unused;
    verso_schedule_spec spec = roomy(VERSO_KIND_ONLINE, VERSO_UNKNOWN);
    verso_schedule *schedule = make(&spec);
    verso_action actions[16] = {{.kind = VERSO_ACTION_STORE}};
    size_t count = 0;
    while (count == 0 || actions[count - 1].to < 20) {
        assert_int_equal(verso_schedule_next_actions(schedule, actions, 16, &count, NULL), VERSO_STATUS_OK);
        assert_in_range(count, 1, 15);
        assert_int_equal(actions[count - 1].kind, VERSO_ACTION_ADVANCE);
    }
    uint64_t end = actions[count - 1].to;
    assert_int_equal(verso_schedule_end(schedule, end, end, NULL), VERSO_STATUS_OK);
    while (actions[count - 1].kind != VERSO_ACTION_DONE)
        assert_int_equal(verso_schedule_next_actions(schedule, actions, 16, &count, NULL), VERSO_STATUS_OK);
    verso_schedule_free(schedule);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_actions_at_a_time),
        cmocka_unit_test(several_actions_stop_where_the_end_may_be),
        cmocka_unit_test(none_one_and_two_steps),
        cmocka_unit_test(short_work_needs_no_slot),
        cmocka_unit_test(one_slot_recomputes_everything),
        cmocka_unit_test(with_slots_for_all_nothing_is_recomputed),
        cmocka_unit_test(distances_beyond_the_end_do_nothing),
        cmocka_unit_test(costs_of_zero),
        cmocka_unit_test(a_trillion_steps),
        cmocka_unit_test(a_trillion_steps_at_the_ends),
        cmocka_unit_test(online_with_any_number_of_slots),
        cmocka_unit_test(predictions_at_the_extremes),
        cmocka_unit_test(costs_beyond_64_bits_are_exact),
        cmocka_unit_test(without_slots),
        cmocka_unit_test(with_too_short_a_distance),
        cmocka_unit_test(with_too_few_outer_slots),
        cmocka_unit_test(without_leaf),
        cmocka_unit_test(numbers_beyond_all_plans_are_invalid),
    };
    return cmocka_run_group_tests_name("edges of schedules", tests, NULL, NULL);
}
