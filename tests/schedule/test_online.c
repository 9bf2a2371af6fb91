/* Tests online schedules: held states are reversed optimally, no decision uses an unknown number of steps, the end
 * can be announced late, and not knowing it costs little. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedule/cost.h"
#include "schedule/held.h"
#include "tests/support/brute.h"
#include "tests/support/checker.h"
#include "tests/support/planned.h"
#include "tests/support/random_spec.h"
#include "tests/support/reference.h"

enum { HELD_MAX = 24, STREAM_STEPS = 700 };

static verso_schedule_spec spec_of(uint64_t steps, uint64_t slots, uint64_t write_cost, uint64_t read_cost) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, VERSO_KIND_ONLINE);
    spec.steps = steps;
    spec.slots = slots;
    spec.with_disk = write_cost + read_cost > 0;
    spec.write_cost = write_cost;
    spec.read_cost = read_cost;
    return spec;
}

/* ---- Reversing what is held ---- */

typedef struct held_set {
    uint64_t count, slots;
    uint64_t positions[HELD_MAX];
} held_set;

/* x_0 and others below `limit`, in order, often all of them near the start; `most` slots or fewer. */
static held_set random_held(random_source *source, uint64_t limit, uint64_t most) {
    held_set set = {.count = 1, .slots = 1 + random_below(source, most)};
    if (random_below(source, 2) == 0)
        limit = 1 + random_below(source, limit);
    for (uint64_t at = 1; at < limit && set.count < set.slots; at++)
        if (random_below(source, limit) < set.slots + 1)
            set.positions[set.count++] = at;
    return set;
}

static void print_held(const held_set *set, uint64_t end) {
    fprintf(stderr, "%llu slots, [0, %llu) from", (unsigned long long)set->slots, (unsigned long long)end);
    for (uint64_t i = 0; i < set->count; i++)
        fprintf(stderr, " %llu", (unsigned long long)set->positions[i]);
    fprintf(stderr, "\n");
}

static verso__wide planned_steps(const held_set *set, uint64_t end) {
    uint64_t words[HELD_MAX * VERSO_HELD_WORDS] = {0};
    verso__wide forward = 0;
    for (uint64_t i = 0; i < set->count; i++) {
        words[i * VERSO_HELD_WORDS + VERSO_HELD_POSITION] = set->positions[i];
        words[i * VERSO_HELD_WORDS + VERSO_HELD_SLOT] = i;
    }
    assert_true(verso__held_plan(words, set->count, set->slots, end, &forward));
    return forward;
}

/* x_{n-1} is at work and [0, n-1) is left, or x_n is and [0, n) is. */
static void test_held_brute(void **unused) {
    (void)unused;
    random_source source = random_from_seed(random_seed());
    for (int round = 0; round < 3000; round++) {
        uint64_t n = 1 + random_below(&source, 11);
        held_set set = random_held(&source, n, 5);
        uint32_t held = 0;
        for (uint64_t i = 0; i < set.count; i++)
            held |= UINT32_C(1) << set.positions[i];
        verso__wide known = planned_steps(&set, n - 1), lost = planned_steps(&set, n);
        if (known != brute_online(n, set.slots, held, false) || lost != brute_online(n, set.slots, held, true)) {
            print_held(&set, n);
            fail_msg("held_plan says %llu and %llu, the search %llu and %llu", (unsigned long long)known,
                     (unsigned long long)lost, (unsigned long long)brute_online(n, set.slots, held, false),
                     (unsigned long long)brute_online(n, set.slots, held, true));
        }
    }
}

/* least[u][i][e]: to reverse [0, e) when entry i is the last one kept and u are kept before it; it may be moved to q:
 * (q - p_i) + M(e - q, slots - u) + the best of least[u - 1][j][q], j < i. Tried in full. */
static uint64_t reference_held(const reference_forward *table, const held_set *set, uint64_t end) {
    uint64_t width = end + 1, best = UINT64_MAX;
    uint64_t *least = malloc(set->count * set->count * width * sizeof *least);
    assert_non_null(least);
    for (uint64_t u = 0; u < set->count; u++)
        for (uint64_t i = 0; i < set->count; i++) {
            uint64_t *row = least + (u * set->count + i) * width;
            for (uint64_t e = 0; e < width; e++)
                row[e] = u == 0 && i == 0 ? reference_forward_at(table, e, set->slots) : REFERENCE_INF;
            for (uint64_t q = set->positions[i]; u > 0 && i >= u && q < end; q++) {
                uint64_t rest = REFERENCE_INF;
                for (uint64_t j = 0; j < i; j++) {
                    uint64_t before = least[((u - 1) * set->count + j) * width + q];
                    rest = before < rest ? before : rest;
                }
                for (uint64_t e = q + 1; rest != REFERENCE_INF && e < width; e++) {
                    uint64_t cost = q - set->positions[i] + rest + reference_forward_at(table, e - q, set->slots - u);
                    row[e] = cost < row[e] ? cost : row[e];
                }
            }
            best = row[end] < best ? row[end] : best;
        }
    free(least);
    return best;
}

/* Sets too large to be planned exactly: never below the optimum, and how far above it. */
static void test_held_large(void **unused) {
    (void)unused;
    random_source source = random_from_seed(random_seed());
    reference_forward table = reference_forward_new(500, HELD_MAX, VERSO_UNKNOWN);
    double worst = 1;
    for (int round = 0; round < 150; round++) {
        uint64_t end = 20 + random_below(&source, 380);
        held_set set = random_held(&source, end, HELD_MAX);
        uint64_t optimum = reference_held(&table, &set, end);
        verso__wide planned = planned_steps(&set, end);
        if (planned < optimum)
            print_held(&set, end);
        assert_true(planned >= optimum);
        if (optimum > 0 && (double)planned / (double)optimum > worst)
            worst = (double)planned / (double)optimum;
    }
    reference_forward_free(&table);
    printf("online: reversing a random large set costs at worst %.4f of the optimum\n", worst);
    assert_true(worst <= 1.05);
}

/* ---- The end, announced late ---- */

/* Returns the first actions of a schedule whose end is never announced, up to STREAM_STEPS steps. */
static planned_actions endless(const verso_schedule_spec *spec) {
    planned_actions all = {.actions = malloc(8 * STREAM_STEPS * sizeof *all.actions)};
    verso_schedule *schedule = planned_new(spec);
    assert_non_null(all.actions);
    do {
        assert_true(all.count < 8 * STREAM_STEPS);
        assert_int_equal(verso_schedule_next(schedule, &all.actions[all.count], NULL), VERSO_STATUS_OK);
    } while (all.actions[all.count++].to <= STREAM_STEPS);
    verso_schedule_free(schedule);
    return all;
}

static void play(checker *check, const verso_action *action) {
    if (!checker_play(check, action)) {
        random_spec_print(&check->spec);
        fail_msg("%llu steps: %s %llu %llu: %s", (unsigned long long)check->counted.steps,
                 verso_action_word(action->kind), (unsigned long long)action->from, (unsigned long long)action->to,
                 check->wrong);
    }
}

static bool same_action(const verso_action *a, const verso_action *b) {
    return a->kind == b->kind && a->tier == b->tier && a->slot == b->slot && a->from == b->from && a->to == b->to;
}

/* Plays the first sweep up to x_at, comparing each action with the endless stream; the last advance is cut there.
 * `late`: where x_at was reached by an advance, the end is met only in the next one, before its first step. */
static void sweep_to(verso_schedule *schedule, checker *check, const planned_actions *stream, uint64_t at, bool late) {
    uint64_t reached = 0;
    for (size_t i = 0; reached < at || late; i++) {
        verso_action action;
        assert_int_equal(verso_schedule_next(schedule, &action, NULL), VERSO_STATUS_OK);
        if (i >= stream->count || !same_action(&action, &stream->actions[i]))
            fail_msg("action %zu differs from that of another number of steps", i);
        if (action.kind == VERSO_ACTION_ADVANCE && reached == at)
            return;
        if (action.kind == VERSO_ACTION_ADVANCE) {
            reached = action.to > at ? at : action.to;
            late = late && reached == action.to;
            action.to = reached;
        }
        play(check, &action);
    }
}

static void check_counted(verso_schedule *schedule, const checker *check) {
    verso__cost cost;
    assert_int_equal(verso__schedule_cost(schedule, &cost, NULL), VERSO_STATUS_OK);
    planned_equal(&check->spec, "forward_steps after the end", cost.forward_steps, check->counted.forward_steps);
    planned_equal(&check->spec, "recorded_steps after the end", cost.recorded_steps, check->counted.recorded_steps);
    planned_equal(&check->spec, "repetition after the end", cost.repetition, check->counted.repetition);
    for (size_t k = 0; k < 2; k++) {
        planned_equal(&check->spec, "writes after the end", cost.writes[k], check->counted.writes[k]);
        planned_equal(&check->spec, "reads after the end", cost.reads[k], check->counted.reads[k]);
        planned_equal(&check->spec, "peak_slots after the end", cost.peak_slots[k], check->counted.peak_slots[k]);
    }
}

/* Announces the end at x_at to a schedule of unknown length and walks the rest; returns the forward steps. */
static verso__wide end_at(const verso_schedule_spec *spec, const planned_actions *stream, uint64_t at, uint64_t steps,
                          bool late) {
    checker check;
    verso_error error = {0};
    verso_action action;
    verso_schedule *schedule = planned_new(spec);
    checker_open(&check, spec, steps);
    sweep_to(schedule, &check, stream, at, late);
    if (verso_schedule_end(schedule, at, steps, &error) != VERSO_STATUS_OK)
        fail_msg("the end of %llu steps at %llu is refused: %s", (unsigned long long)steps, (unsigned long long)at,
                 error.message);
    do {
        assert_int_equal(verso_schedule_next(schedule, &action, NULL), VERSO_STATUS_OK);
        play(&check, &action);
    } while (action.kind != VERSO_ACTION_DONE);
    check_counted(schedule, &check);
    verso_schedule_free(schedule);
    checker_close(&check);
    return check.counted.forward_steps;
}

static void check_stream(const verso_schedule_spec *spec, random_source *source) {
    planned_actions stream = endless(spec);
    for (uint64_t n = 0; n <= STREAM_STEPS; n += n < 40 ? 1 : 1 + random_below(source, 60)) {
        verso_schedule_spec known = *spec;
        known.steps = n;
        end_at(spec, &stream, n, n, random_below(source, 2) == 0);
        if (n == 0)
            continue;
        verso__wide forward = end_at(spec, &stream, n - 1, n, false);
        planned_equal(&known, "forward_steps", planned_walked(&known).forward_steps,
                      forward); /* known from the start */
        end_at(spec, &stream, n - 1, n, true);
    }
    planned_free(&stream);
}

static void test_late_end(void **unused) {
    (void)unused;
    static const uint64_t disks[][2] = {{0, 0}, {1, 1}, {5, 2}, {30, 40}};
    random_source source = random_from_seed(random_seed());
    for (uint64_t slots = 1; slots <= 200; slots += slots < 8 ? 1 : slots < 40 ? 16 : 80)
        for (size_t i = 0; i < sizeof disks / sizeof *disks; i++) {
            verso_schedule_spec spec = spec_of(VERSO_UNKNOWN, slots, disks[i][0], disks[i][1]);
            check_stream(&spec, &source);
        }
}

/* ---- What not knowing costs ---- */

static double ratio_of(uint64_t n, uint64_t c) {
    verso_schedule_spec online = spec_of(n, c, 0, 0), revolve = online;
    revolve.kind = VERSO_KIND_REVOLVE;
    verso__wide least = planned_cost(&revolve).forward_steps, steps = planned_cost(&online).forward_steps;
    if (steps < least)
        fail_msg("online needs fewer forward steps than the optimum for n = %llu, c = %llu", (unsigned long long)n,
                 (unsigned long long)c);
    return (double)steps / (double)least;
}

typedef struct ratios {
    double worst, sum;
    uint64_t n, c; /* of the worst */
    uint64_t count;
} ratios;

/* n from 50, or the slots, to `limit`, from 120 on each larger by 1/density than the one before. */
static void add_ratios(ratios *all, uint64_t slots, uint64_t limit, uint64_t density) {
    for (uint64_t n = slots > 50 ? slots : 50; n < limit; n += n < 120 ? 1 : n / density) {
        double ratio = ratio_of(n, slots);
        all->sum += ratio;
        all->count++;
        if (ratio > all->worst) {
            all->worst = ratio;
            all->n = n;
            all->c = slots;
        }
    }
}

static void require_ratios(const ratios *all, const char *what, double worst, double average) {
    printf("online, %s: forward steps / revolve's at worst %.4f (n = %llu, c = %llu), average %.4f\n", what, all->worst,
           (unsigned long long)all->n, (unsigned long long)all->c, all->sum / (double)all->count);
    assert_true(all->worst <= worst && all->sum / (double)all->count <= average);
}

static void test_ratio(void **unused) {
    (void)unused;
    static const uint64_t few[] = {1, 2, 3, 4, 5, 6, 8, 10, 13, 16};
    static const uint64_t many[] = {17, 20, 24, 32, 52, 80, 127, 128, 200, 1000, 20000, 1000000};
    ratios of_few = {0}, of_many = {0};
    for (size_t i = 0; i < sizeof few / sizeof *few; i++)
        add_ratios(&of_few, few[i], 100000000, 9);
    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        add_ratios(&of_many, many[i], 1000000000000, 9);
    require_ratios(&of_few, "1 to 16 slots", 1.11, 1.008);
    require_ratios(&of_many, "17 to 1000000 slots", 1.06, 1.004);
}

/* Sets of many slots, reversed as they are: predicted by sums over runs of equal intervals. */
static void test_many_slots(void **unused) {
    (void)unused;
    random_source source = random_from_seed(random_seed());
    for (int round = 0; round < 600; round++) {
        uint64_t slots = 17 + random_below(&source, round % 2 == 0 ? 120 : 1500);
        uint64_t steps = 1 + slots * (1 + random_below(&source, 12)) * (1 + random_below(&source, 6)) +
                         random_below(&source, 3 * slots);
        verso_schedule_spec spec = spec_of(steps, slots, 0, 0);
        verso__cost walked = planned_walked(&spec), cost = planned_cost(&spec);
        planned_equal(&spec, "forward_steps", cost.forward_steps, walked.forward_steps);
        planned_equal(&spec, "writes", cost.writes[0], walked.writes[0]);
        planned_equal(&spec, "reads", cost.reads[0], walked.reads[0]);
        planned_equal(&spec, "peak_slots", cost.peak_slots[0], walked.peak_slots[0]);
        planned_equal(&spec, "repetition", cost.repetition, walked.repetition);
    }
}

/* ---- Calls out of order ---- */

static void refused(verso_schedule *schedule, uint64_t at, uint64_t steps, verso_status wanted) {
    verso_error error = {0};
    assert_int_equal(verso_schedule_end(schedule, at, steps, &error), wanted);
    assert_int_equal(error.status, wanted);
    assert_true(strlen(error.message) > 10);
}

static verso_action next_of(verso_schedule *schedule) {
    verso_action action;
    assert_int_equal(verso_schedule_next(schedule, &action, NULL), VERSO_STATUS_OK);
    return action;
}

static void test_other_kinds(void **unused) {
    (void)unused;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        verso_schedule_spec spec = spec_of(4, 4, 0, 0);
        spec.kind = (verso_schedule_kind)kind;
        spec.distance = 4;
        spec.tier_count = 1;
        spec.tiers[0].capacity = 4;
        verso_schedule *schedule = planned_new(&spec); /* online, too, if it has known its steps from the start */
        refused(schedule, 0, 1, VERSO_STATUS_STATE);
        verso_schedule_free(schedule);
    }
}

/* A refused call changes nothing. */
static void test_wrong_end(void **unused) {
    (void)unused;
    verso_schedule_spec spec = spec_of(VERSO_UNKNOWN, 3, 0, 0);
    verso__cost cost;
    verso_error error = {0};
    verso_schedule *schedule = planned_new(&spec);
    planned_actions stream = endless(&spec);
    for (size_t i = 0; i < 200; i++) {
        verso_action action = next_of(schedule);
        assert_true(same_action(&action, &stream.actions[i]));
        if (action.kind != VERSO_ACTION_ADVANCE) {
            refused(schedule, action.from, action.from, VERSO_STATUS_STATE);
            continue;
        }
        refused(schedule, action.to + 1, action.to + 1, VERSO_STATUS_INVALID);
        if (action.from > 0)
            refused(schedule, action.from - 1, action.from, VERSO_STATUS_INVALID);
        refused(schedule, action.to, action.to + 2, VERSO_STATUS_INVALID);
        refused(schedule, action.to, action.to - 1, VERSO_STATUS_INVALID);
        refused(schedule, action.to, VERSO_UNKNOWN, VERSO_STATUS_INVALID);
    }
    assert_int_equal(verso__schedule_cost(schedule, &cost, &error), VERSO_STATUS_STATE);
    verso_action action;
    do
        action = next_of(schedule);
    while (action.kind != VERSO_ACTION_ADVANCE);
    assert_int_equal(verso_schedule_end(schedule, action.to, action.to, NULL), VERSO_STATUS_OK);
    refused(schedule, action.to, action.to, VERSO_STATUS_STATE); /* a second time */
    while (next_of(schedule).kind != VERSO_ACTION_DONE)
        refused(schedule, action.to, action.to, VERSO_STATUS_STATE);
    planned_free(&stream);
    verso_schedule_free(schedule);
}

/* The end is announced before the first action: there is no step, or one. */
static void test_end_at_once(void **unused) {
    (void)unused;
    verso_schedule_spec spec = spec_of(VERSO_UNKNOWN, 2, 0, 0);
    verso_schedule *schedule = planned_new(&spec);
    refused(schedule, 0, 2, VERSO_STATUS_INVALID);
    refused(schedule, 1, 1, VERSO_STATUS_INVALID);
    assert_int_equal(verso_schedule_end(schedule, 0, 0, NULL), VERSO_STATUS_OK);
    assert_int_equal(next_of(schedule).kind, VERSO_ACTION_DONE);
    verso_schedule_free(schedule);
    schedule = planned_new(&spec);
    assert_int_equal(verso_schedule_end(schedule, 0, 1, NULL), VERSO_STATUS_OK);
    verso_action action = next_of(schedule);
    assert_true(action.kind == VERSO_ACTION_REVERSE && action.from == 1 && action.to == 0);
    assert_int_equal(next_of(schedule).kind, VERSO_ACTION_DONE);
    verso_schedule_free(schedule);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_held_brute), cmocka_unit_test(test_held_large),  cmocka_unit_test(test_late_end),
        cmocka_unit_test(test_many_slots), cmocka_unit_test(test_ratio),       cmocka_unit_test(test_other_kinds),
        cmocka_unit_test(test_wrong_end),  cmocka_unit_test(test_end_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
