/* Tests properties of all schedules: thousands of random specs of each kind are walked. The walk obeys the rules
 * (checked by the library's simulator and by a second one of the tests), costs what was predicted, keeps the promises
 * of its kind, and costs no less than theory allows. Refusals have a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedule/cost.h"
#include "tests/support/by_kind.h"
#include "tests/support/checker.h"
#include "tests/support/random_spec.h"

enum { STEPS_MAX = 1500 };

static uint64_t seed;

/* ---- Walks ---- */

typedef struct walk {
    verso_action *actions; /* DONE is the last */
    size_t count, room;
} walk;

static void append(walk *list, const verso_action *action) {
    if (list->count == list->room) {
        list->room = list->room > 0 ? 2 * list->room : 256;
        list->actions = realloc(list->actions, list->room * sizeof *list->actions);
        assert_non_null(list->actions);
    }
    list->actions[list->count++] = *action;
}

static void play(checker *check, const verso_schedule_spec *spec, const walk *list) {
    const verso_action *action = &list->actions[list->count - 1];
    if (!checker_play(check, action))
        print_error("action %zu, %s %llu %llu (tier %u, slot %llu): %s\n", list->count, verso_action_word(action->kind),
                    (unsigned long long)action->from, (unsigned long long)action->to, action->tier,
                    (unsigned long long)action->slot, check->wrong);
    REQUIRE_OF(spec, check->wrong == NULL);
}

/* Walks a schedule to its end and checks each action. */
static walk walk_all(const verso_schedule_spec *spec, verso_schedule *schedule, verso__cost *counted) {
    walk list = {0};
    checker check;
    checker_open(&check, spec, spec->steps);
    while (!check.over) {
        verso_action action;
        REQUIRE_OF(spec, verso_schedule_next(schedule, &action, NULL) == VERSO_STATUS_OK);
        append(&list, &action);
        play(&check, spec, &list);
    }
    *counted = check.counted;
    checker_close(&check);
    return list;
}

/* ---- What was predicted is what happens ---- */

static verso__wide makespan_of(const verso_schedule_spec *spec, const verso__cost *cost) {
    verso__wide sum = spec->forward_cost * cost->forward_steps + (verso__wide)spec->backward_cost * spec->steps;
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++) {
        if (spec->kind == VERSO_KIND_LEVELS)
            sum += spec->tiers[i].write_cost * cost->writes[i] + spec->tiers[i].read_cost * cost->reads[i];
        else if (i > 0)
            sum += spec->write_cost * cost->writes[i] + spec->read_cost * cost->reads[i];
    }
    return sum;
}

static void compare(const verso_schedule_spec *spec, const verso__cost *cost, const verso__cost *counted) {
    REQUIRE_OF(spec, cost->steps == counted->steps);
    REQUIRE_OF(spec, cost->forward_steps == counted->forward_steps);
    REQUIRE_OF(spec, cost->recorded_steps == counted->recorded_steps);
    for (size_t tier = 0; tier < VERSO_TIERS_MAX; tier++) {
        REQUIRE_OF(spec, cost->writes[tier] == counted->writes[tier]);
        REQUIRE_OF(spec, cost->reads[tier] == counted->reads[tier]);
        REQUIRE_OF(spec, cost->peak_slots[tier] == counted->peak_slots[tier]);
    }
    REQUIRE_OF(spec, cost->repetition == counted->repetition);
    REQUIRE_OF(spec, cost->adjoint_stores == counted->adjoint_stores);
    REQUIRE_OF(spec, cost->longest_recording == counted->longest_recording);
}

static bool has_digit(const char *text) {
    return strpbrk(text, "0123456789") != NULL;
}

/* Makes the schedule, or makes sure that it is refused properly and returns NULL. */
static verso_schedule *make(const verso_schedule_spec *spec) {
    verso_schedule *schedule;
    verso_error error = {0};
    verso_status status = verso_schedule_new(spec, &schedule, &error);
    if (status == VERSO_STATUS_OK)
        return schedule;
    REQUIRE_OF(spec, status == VERSO_STATUS_IMPOSSIBLE || status == VERSO_STATUS_INVALID);
    REQUIRE_OF(spec, schedule == NULL && error.status == status && has_digit(error.message));
    REQUIRE_OF(spec, verso__schedule_simulate(spec, NULL, NULL) == status);
    return NULL;
}

static void check_costs(const verso_schedule_spec *spec, const verso_schedule *fresh, const verso__cost *counted) {
    verso__cost cost, simulated;
    verso_error error = {0};
    REQUIRE_OF(spec, verso__schedule_cost(fresh, &cost, NULL) == VERSO_STATUS_OK);
    compare(spec, &cost, counted);
    if (verso__schedule_simulate(spec, &simulated, &error) != VERSO_STATUS_OK)
        print_error("%s\n", error.message);
    REQUIRE_OF(spec, error.status == VERSO_STATUS_OK);
    compare(spec, &cost, &simulated);
    REQUIRE_OF(spec, cost.recorded_steps == spec->steps);
    REQUIRE_OF(spec, cost.makespan == makespan_of(spec, counted));
    REQUIRE_OF(spec, simulated.makespan == cost.makespan);
    REQUIRE_OF(spec, cost.least_makespan <= cost.makespan);
    REQUIRE_OF(spec, simulated.least_makespan == 0 && simulated.free_distance == 0 && simulated.period == 0);
}

static uint64_t specs_of(verso_schedule_kind kind) {
    return kind == VERSO_KIND_LEVELS ? 1500 : 4000;
}

static void costs_are_what_was_predicted(void **state) {
    verso_schedule_kind kind = *(const verso_schedule_kind *)*state;
    random_source source = random_from_seed(seed);
    uint64_t possible = 0;
    for (uint64_t i = 0; i < specs_of(kind); i++) {
        verso_schedule_spec spec = random_spec(&source, kind, STEPS_MAX);
        verso_schedule *walked = make(&spec);
        if (walked == NULL)
            continue;
        verso_schedule *fresh = make(&spec);
        verso__cost counted;
        walk list = walk_all(&spec, walked, &counted);
        check_costs(&spec, fresh, &counted);
        check_costs(&spec, walked, &counted); /* the cost does not depend on the position */
        free(list.actions);
        verso_schedule_free(walked);
        verso_schedule_free(fresh);
        possible++;
    }
    assert_true(possible > specs_of(kind) / 2);
}

/* Counts that the closed forms are for: a few, about half the steps, as many as the steps. */
static uint64_t extreme_count(random_source *source, uint64_t steps) {
    switch (random_below(source, 4)) {
    case 0: return steps / 2 + random_below(source, 3);
    case 1: return steps / (2 + random_below(source, 30)) + 2;
    case 2: return steps + 2 - random_below(source, 4);
    default: return 2 + random_below(source, 3);
    }
}

static verso_schedule_spec extreme_spec(random_source *source) {
    static const verso_schedule_kind kinds[] = {
        VERSO_KIND_TREEVERSE,  VERSO_KIND_BINARY,          VERSO_KIND_RESILIENT,
        VERSO_KIND_CONTINUOUS, VERSO_KIND_SINGLE_RECOVERY, VERSO_KIND_TWO_LEVEL,
        VERSO_KIND_REVOLVE,    VERSO_KIND_MIXED,           VERSO_KIND_DISK,
        VERSO_KIND_PERIODIC,
    };
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, kinds[random_below(source, sizeof kinds / sizeof *kinds)]);
    spec.steps = 10 + random_below(source, 5000);
    spec.slots = extreme_count(source, spec.steps);
    spec.distance = (spec.steps + spec.slots - 1) / spec.slots + random_below(source, 3) * random_below(source, 20);
    uint64_t fixed = random_below(source, 3); /* one of the two, or both */
    spec.space = fixed != 0 ? extreme_count(source, spec.steps) : 0;
    spec.time = fixed != 1 ? extreme_count(source, spec.steps) : 0;
    spec.leaf = random_below(source, 2) ? 1 : 1 + random_below(source, 9);
    spec.write_cost = UINT64_C(1) << random_below(source, 50);
    spec.read_cost = random_below(source, 2) * random_below(source, spec.write_cost);
    return spec;
}

static void costs_at_the_extremes_are_what_was_predicted(void **state) {
    (void)state;
    random_source source = random_from_seed(seed);
    for (int i = 0; i < 3000; i++) {
        verso_schedule_spec spec = extreme_spec(&source);
        verso_schedule *schedule = make(&spec);
        if (schedule == NULL)
            continue;
        verso__cost counted;
        REQUIRE_OF(&spec, verso__schedule_simulate(&spec, &counted, NULL) == VERSO_STATUS_OK);
        check_costs(&spec, schedule, &counted);
        verso_schedule_free(schedule);
    }
}

/* ---- Promises of single kinds ---- */

/* Reversed steps without an adjoint capsule are never more than the distance. */
static void check_adjoints(const verso_schedule_spec *spec, const walk *list) {
    uint64_t durable = spec->steps;
    for (size_t i = 0; i < list->count && spec->adjoint_distance > 0; i++) {
        const verso_action *action = &list->actions[i];
        if (action->kind == VERSO_ACTION_STORE_ADJOINT)
            durable = action->from;
        if (action->kind == VERSO_ACTION_REVERSE)
            REQUIRE_OF(spec, durable - action->to <= spec->adjoint_distance);
    }
}

static void check_advances(const verso_schedule_spec *spec, const walk *list) {
    for (size_t i = 0; i < list->count; i++)
        if (list->actions[i].kind == VERSO_ACTION_ADVANCE)
            REQUIRE_OF(spec, list->actions[i].to - list->actions[i].from <= spec->distance);
}

/* In the first sweep no two stores are further apart than the distance; nor is the end from the last of them, as long
 * as there is a slot for a capsule in between. */
static void check_recovery(const verso_schedule_spec *spec, const walk *list) {
    uint64_t distance = spec->distance > 0 ? spec->distance : 1;
    uint64_t last = 0;
    uint64_t at = 0;
    uint64_t held = 0;
    for (size_t i = 0; list->actions[i].kind != VERSO_ACTION_REVERSE && list->actions[i].kind != VERSO_ACTION_DONE;
         i++) {
        const verso_action *action = &list->actions[i];
        held += action->kind == VERSO_ACTION_STORE;
        held -= action->kind == VERSO_ACTION_DISCARD;
        if (action->kind == VERSO_ACTION_ADVANCE)
            at = action->to;
        if (action->kind != VERSO_ACTION_STORE)
            continue;
        REQUIRE_OF(spec, action->from - last <= distance);
        last = action->from;
    }
    if (spec->kind == VERSO_KIND_SINGLE_RECOVERY || held < spec->slots)
        REQUIRE_OF(spec, at - last <= distance);
}

static void capsules_are_never_too_far_apart(void **state) {
    (void)state;
    random_source source = random_from_seed(seed);
    const verso_schedule_kind kinds[] = {VERSO_KIND_RESILIENT, VERSO_KIND_CONTINUOUS, VERSO_KIND_SINGLE_RECOVERY};
    for (uint64_t i = 0; i < 6000; i++) {
        verso_schedule_spec spec = random_spec(&source, kinds[i % 3], STEPS_MAX);
        verso_schedule *schedule = make(&spec);
        if (schedule == NULL)
            continue;
        verso__cost counted;
        walk list = walk_all(&spec, schedule, &counted);
        check_adjoints(&spec, &list);
        if (spec.kind == VERSO_KIND_RESILIENT)
            check_advances(&spec, &list);
        else
            check_recovery(&spec, &list);
        free(list.actions);
        verso_schedule_free(schedule);
    }
}

static bool same_action(const verso_action *a, const verso_action *b) {
    return a->kind == b->kind && a->tier == b->tier && a->slot == b->slot && a->from == b->from && a->to == b->to;
}

static void require_same_actions(const verso_schedule_spec *left, const verso_schedule_spec *right) {
    verso_schedule *a = make(left);
    verso_schedule *b = make(right);
    REQUIRE_OF(left, (a == NULL) == (b == NULL));
    verso_action from_a = {0}, from_b = {0};
    while (a != NULL && from_a.kind != VERSO_ACTION_DONE) {
        REQUIRE_OF(left, verso_schedule_next(a, &from_a, NULL) == VERSO_STATUS_OK);
        REQUIRE_OF(left, verso_schedule_next(b, &from_b, NULL) == VERSO_STATUS_OK);
        REQUIRE_OF(left, same_action(&from_a, &from_b));
    }
    verso_schedule_free(a);
    verso_schedule_free(b);
}

static void kinds_that_are_the_same_act_the_same(void **state) {
    (void)state;
    random_source source = random_from_seed(seed);
    for (uint64_t i = 0; i < 3000; i++) {
        verso_schedule_spec left = random_spec(&source, VERSO_KIND_TREEVERSE, STEPS_MAX);
        verso_schedule_spec right = left;
        right.kind = VERSO_KIND_BINARY;
        require_same_actions(&left, &right);
        left.kind = VERSO_KIND_NONE;
        right.kind = VERSO_KIND_REVOLVE;
        right.slots = 1;
        require_same_actions(&left, &right);
        left.kind = VERSO_KIND_STORE_ALL;
        right.kind = VERSO_KIND_EVERY_K;
        right.distance = 1;
        left.slots = right.slots = 0;
        require_same_actions(&left, &right);
    }
}

/* ---- Online schedules whose end is announced ---- */

/* Walks a schedule of unknown length; at x_stop it announces that there are `steps`. */
static walk walk_unknown(const verso_schedule_spec *spec, uint64_t stop, uint64_t steps) {
    verso_schedule_spec unknown = *spec;
    unknown.steps = VERSO_UNKNOWN;
    verso_schedule *schedule = make(&unknown);
    walk list = {0};
    verso__cost cost;
    checker check;
    checker_open(&check, spec, steps);
    bool announced = stop == 0 && verso_schedule_end(schedule, 0, steps, NULL) == VERSO_STATUS_OK;
    while (!check.over) {
        verso_action action;
        REQUIRE_OF(spec, verso_schedule_next(schedule, &action, NULL) == VERSO_STATUS_OK);
        if (!announced && action.kind == VERSO_ACTION_ADVANCE && action.to >= stop) {
            REQUIRE_OF(spec, verso__schedule_cost(schedule, &cost, NULL) == VERSO_STATUS_STATE);
            REQUIRE_OF(spec, verso_schedule_end(schedule, stop, steps, NULL) == VERSO_STATUS_OK);
            REQUIRE_OF(spec, verso_schedule_end(schedule, stop, steps, NULL) == VERSO_STATUS_STATE);
            action.to = stop;
            announced = true;
        }
        append(&list, &action);
        play(&check, spec, &list);
    }
    REQUIRE_OF(spec, verso__schedule_cost(schedule, &cost, NULL) == VERSO_STATUS_OK);
    compare(spec, &cost, &check.counted);
    checker_close(&check);
    verso_schedule_free(schedule);
    return list;
}

static void online_learns_its_end(void **state) {
    (void)state;
    random_source source = random_from_seed(seed);
    for (uint64_t i = 0; i < 4000; i++) {
        verso_schedule_spec spec = random_spec(&source, VERSO_KIND_ONLINE, STEPS_MAX);
        spec.slots += spec.slots == 0;
        verso__cost counted;
        verso_schedule *knows = make(&spec);
        walk known = walk_all(&spec, knows, &counted);
        walk late = walk_unknown(&spec, spec.steps, spec.steps);
        walk in_time = walk_unknown(&spec, spec.steps > 0 ? spec.steps - 1 : 0, spec.steps);
        REQUIRE_OF(&spec, in_time.count == known.count);
        for (size_t k = 0; k < known.count; k++)
            REQUIRE_OF(&spec, same_action(&in_time.actions[k], &known.actions[k]));
        free(known.actions);
        free(late.actions);
        free(in_time.actions);
        verso_schedule_free(knows);
    }
}

/* ---- No kind beats the one that is optimal for what both may use ---- */

static bool cost_of(const verso_schedule_spec *spec, verso__cost *cost) {
    verso_schedule *schedule = make(spec);
    if (schedule == NULL)
        return false;
    REQUIRE_OF(spec, verso__schedule_cost(schedule, cost, NULL) == VERSO_STATUS_OK);
    verso_schedule_free(schedule);
    return true;
}

static verso__cost cost_as(const verso_schedule_spec *spec, verso_schedule_kind kind) {
    verso_schedule_spec other = *spec;
    verso__cost cost;
    other.kind = kind;
    REQUIRE_OF(&other, cost_of(&other, &cost));
    return cost;
}

static void revolve_is_best_of_one_tier(void **state) {
    (void)state;
    random_source source = random_from_seed(seed);
    const verso_schedule_kind others[] = {VERSO_KIND_NONE,      VERSO_KIND_TREEVERSE,  VERSO_KIND_ONLINE,
                                          VERSO_KIND_RESILIENT, VERSO_KIND_CONTINUOUS, VERSO_KIND_SINGLE_RECOVERY,
                                          VERSO_KIND_TWO_LEVEL, VERSO_KIND_LEVELS};
    for (uint64_t i = 0; i < 16000; i++) {
        verso_schedule_spec spec = random_spec(&source, others[i % 8], i % 8 == 7 ? 200 : STEPS_MAX);
        verso__cost cost;
        spec.leaf = 1;
        spec.with_disk = false;
        if (!cost_of(&spec, &cost) || cost.longest_recording > 1 || spec.steps < 2)
            continue;
        uint64_t slots = 0;
        for (size_t tier = 0; tier < VERSO_TIERS_MAX; tier++)
            slots += cost.peak_slots[tier];
        verso_schedule_spec best = spec;
        best.slots = slots;
        REQUIRE_OF(&spec, cost_as(&best, VERSO_KIND_REVOLVE).forward_steps <= cost.forward_steps);
        REQUIRE_OF(&spec, cost_as(&best, VERSO_KIND_MIXED).forward_steps <= cost.forward_steps);
    }
}

/* A disk can only help: an optimal sequence costs no more than a periodic one, and that no more than none. */
static void disk_is_no_dearer_than_what_it_may_do(void **state) {
    (void)state;
    random_source source = random_from_seed(seed);
    for (uint64_t i = 0; i < 4000; i++) {
        verso_schedule_spec spec = random_spec(&source, VERSO_KIND_DISK, STEPS_MAX);
        spec.with_disk = true;
        spec.slots += spec.slots == 0;
        verso__cost disk = cost_as(&spec, VERSO_KIND_DISK);
        verso__cost periodic = cost_as(&spec, VERSO_KIND_PERIODIC);
        verso__cost revolve = cost_as(&spec, VERSO_KIND_REVOLVE);
        verso__cost online = cost_as(&spec, VERSO_KIND_ONLINE);
        REQUIRE_OF(&spec, disk.makespan <= periodic.makespan);
        REQUIRE_OF(&spec, disk.makespan <= online.makespan);
        REQUIRE_OF(&spec, periodic.makespan <= revolve.makespan);
        REQUIRE_OF(&spec, disk.least_makespan == disk.makespan);
        spec.slots++;
        REQUIRE_OF(&spec, cost_as(&spec, VERSO_KIND_DISK).makespan <= disk.makespan);
        REQUIRE_OF(&spec, cost_as(&spec, VERSO_KIND_REVOLVE).makespan <= revolve.makespan);
    }
}

/* Memory and an unlimited disk are two tiers of `levels`. */
static void levels_with_a_disk_cost_what_disk_does(void **state) {
    (void)state;
    random_source source = random_from_seed(seed);
    for (uint64_t i = 0; i < 400; i++) {
        verso_schedule_spec spec = random_spec(&source, VERSO_KIND_DISK, 120);
        spec.tier_count = 2;
        spec.tiers[0] = (verso_tier){.capacity = spec.slots};
        spec.tiers[1] = (verso_tier){VERSO_UNKNOWN, spec.write_cost, spec.read_cost};
        verso__cost levels = cost_as(&spec, VERSO_KIND_LEVELS);
        verso__cost disk = cost_as(&spec, VERSO_KIND_DISK);
        REQUIRE_OF(&spec, levels.makespan == disk.makespan);
        REQUIRE_OF(&spec, levels.least_makespan == disk.makespan);
    }
}

/* free_distance costs nothing, and a distance that is less by one does. */
static void free_distance_is_the_least_that_is_free(void **state) {
    (void)state;
    random_source source = random_from_seed(seed);
    for (uint64_t i = 0; i < 4000; i++) {
        verso_schedule_spec spec = random_spec(&source, VERSO_KIND_RESILIENT, STEPS_MAX);
        if (spec.steps < 2 || spec.slots == 0)
            continue;
        spec.distance = spec.steps;
        verso__cost revolve = cost_as(&spec, VERSO_KIND_REVOLVE);
        verso__cost unbound = cost_as(&spec, VERSO_KIND_RESILIENT);
        REQUIRE_OF(&spec, unbound.forward_steps == revolve.forward_steps);
        verso__cost bound;
        spec.distance = unbound.free_distance;
        if (cost_of(&spec, &bound))
            REQUIRE_OF(&spec, bound.forward_steps == revolve.forward_steps);
        else /* all advances would fit, but the slots do not cover the last step */
            REQUIRE_OF(&spec, spec.distance * spec.slots == spec.steps - 1);
        spec.distance--;
        if (cost_of(&spec, &bound))
            REQUIRE_OF(&spec, bound.forward_steps > revolve.forward_steps);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define COSTS(name, word, meaning) TEST_OF_KIND(costs_are_what_was_predicted, name, word)
        VERSO_KIND_LIST(COSTS)
#undef COSTS
            cmocka_unit_test(costs_at_the_extremes_are_what_was_predicted),
        cmocka_unit_test(capsules_are_never_too_far_apart),
        cmocka_unit_test(kinds_that_are_the_same_act_the_same),
        cmocka_unit_test(online_learns_its_end),
        cmocka_unit_test(revolve_is_best_of_one_tier),
        cmocka_unit_test(disk_is_no_dearer_than_what_it_may_do),
        cmocka_unit_test(levels_with_a_disk_cost_what_disk_does),
        cmocka_unit_test(free_distance_is_the_least_that_is_free),
    };
    seed = random_seed();
    return cmocka_run_group_tests_name("properties of schedules", tests, NULL, NULL);
}
