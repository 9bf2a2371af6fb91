/* Tests schedules with every allocation failing once, for every call and every kind: the call returns NO_MEMORY and
 * leaks nothing, and the schedule keeps its position, so that repeating the call yields the same action. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "schedule/cost.h"
#include "tests/support/by_kind.h"
#include "tests/support/random_spec.h"

enum { SPECS = 40, CURSOR_MAX = 1 << 16 };

static uint64_t seed;

/* ---- One call, with its n-th allocation failing, for n = 1, 2, 3 … until it succeeds ---- */

typedef struct call {
    const verso_schedule_spec *spec;
    verso_schedule *schedule;
    verso_action action;
    verso__cost cost;
    unsigned char *bytes; /* a saved schedule */
    size_t size;
} call;

typedef verso_status call_run(call *call, verso_error *error);

/* Repeats the call until it succeeds and returns how often it failed. `kept` names what a successful call keeps
 * allocated; NULL: nothing. */
static uint64_t until_success(call_run *run, call *call, const char *kept) {
    uint64_t before = verso__alloc_live();
    for (uint64_t n = 1;; n++) {
        verso_error error = {0};
        verso__alloc_fail_at(n);
        verso_status status = run(call, &error);
        verso__alloc_fail_at(0);
        if (status == VERSO_STATUS_OK) {
            REQUIRE_OF(call->spec, kept != NULL || verso__alloc_live() == before);
            return n - 1;
        }
        REQUIRE_OF(call->spec, status == VERSO_STATUS_NO_MEMORY && error.status == VERSO_STATUS_NO_MEMORY);
        REQUIRE_OF(call->spec, strlen(error.message) > 0);
        REQUIRE_OF(call->spec, verso__alloc_live() == before);
        REQUIRE_OF(call->spec, n < 1000);
    }
}

static verso_status run_new(call *call, verso_error *error) {
    return verso_schedule_new(call->spec, &call->schedule, error);
}

static verso_status run_next(call *call, verso_error *error) {
    return verso_schedule_next(call->schedule, &call->action, error);
}

static verso_status run_cost(call *call, verso_error *error) {
    return verso__schedule_cost(call->schedule, &call->cost, error);
}

static verso_status run_simulate(call *call, verso_error *error) {
    return verso__schedule_simulate(call->spec, &call->cost, error);
}

static verso_status run_save(call *call, verso_error *error) {
    return verso_schedule_save(call->schedule, call->bytes, call->size, error);
}

static verso_status run_load(call *call, verso_error *error) {
    return verso_schedule_load(call->bytes, call->size, &call->schedule, error);
}

/* ---- Random specs that are possible ---- */

static verso_schedule_spec possible_spec(random_source *source, verso_schedule_kind kind, uint64_t most_steps) {
    for (;;) {
        verso_schedule_spec spec = random_spec(source, kind, most_steps);
        verso_schedule *schedule;
        verso_status status = verso_schedule_new(&spec, &schedule, NULL);
        verso_schedule_free(schedule);
        if (status == VERSO_STATUS_OK && spec.steps > 1)
            return spec;
    }
}

static bool same_cost(const verso__cost *a, const verso__cost *b) {
    bool same = a->forward_steps == b->forward_steps && a->recorded_steps == b->recorded_steps &&
                a->makespan == b->makespan && a->repetition == b->repetition &&
                a->adjoint_stores == b->adjoint_stores && a->longest_recording == b->longest_recording;
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++)
        same =
            same && a->writes[i] == b->writes[i] && a->reads[i] == b->reads[i] && a->peak_slots[i] == b->peak_slots[i];
    return same;
}

static bool same_action(const verso_action *a, const verso_action *b) {
    return a->kind == b->kind && a->tier == b->tier && a->slot == b->slot && a->from == b->from && a->to == b->to;
}

/* ---- Tests, each for one kind ---- */

static void making_and_pricing(void **state) {
    random_source source = random_from_seed(seed);
    uint64_t failures = 0;
    for (int i = 0; i < SPECS; i++) {
        verso_schedule_spec spec = possible_spec(&source, *(const verso_schedule_kind *)*state, 200);
        uint64_t before = verso__alloc_live();
        call call = {.spec = &spec};
        failures += until_success(run_new, &call, "the schedule");
        until_success(run_cost, &call, NULL);
        verso__cost predicted = call.cost;
        verso_schedule_free(call.schedule);
        REQUIRE_OF(&spec, verso__alloc_live() == before);
        until_success(run_simulate, &call, NULL);
        REQUIRE_OF(&spec, same_cost(&predicted, &call.cost));
    }
    assert_true(failures >= SPECS);
}

/* The same actions as a schedule that is never disturbed. */
static void walking(void **state) {
    random_source source = random_from_seed(seed);
    for (int i = 0; i < SPECS; i++) {
        verso_schedule_spec spec = possible_spec(&source, *(const verso_schedule_kind *)*state, 200);
        uint64_t before = verso__alloc_live();
        verso_schedule *calm;
        verso_action expected;
        call call = {.spec = &spec};
        REQUIRE_OF(&spec, verso_schedule_new(&spec, &calm, NULL) == VERSO_STATUS_OK);
        REQUIRE_OF(&spec, verso_schedule_new(&spec, &call.schedule, NULL) == VERSO_STATUS_OK);
        do {
            REQUIRE_OF(&spec, verso_schedule_next(calm, &expected, NULL) == VERSO_STATUS_OK);
            until_success(run_next, &call, "a longer stack");
            REQUIRE_OF(&spec, same_action(&call.action, &expected));
        } while (expected.kind != VERSO_ACTION_DONE);
        verso_schedule_free(calm);
        verso_schedule_free(call.schedule);
        REQUIRE_OF(&spec, verso__alloc_live() == before);
    }
}

/* Saves the schedule, loads it again and asks that one for its next action. */
static verso_action next_elsewhere(const verso_schedule_spec *spec, const verso_schedule *schedule) {
    static unsigned char bytes[CURSOR_MAX];
    verso_schedule *twin;
    verso_action action;
    size_t size = verso_schedule_saved_size(schedule);
    REQUIRE_OF(spec, verso_schedule_save(schedule, bytes, sizeof bytes, NULL) == VERSO_STATUS_OK);
    REQUIRE_OF(spec, verso_schedule_load(bytes, size, &twin, NULL) == VERSO_STATUS_OK);
    REQUIRE_OF(spec, verso_schedule_next(twin, &action, NULL) == VERSO_STATUS_OK);
    verso_schedule_free(twin);
    return action;
}

/* A schedule whose `next` failed can be saved, and its copy yields the action that had failed. */
static void saving_after_a_failure(void **state) {
    random_source source = random_from_seed(seed);
    for (int i = 0; i < SPECS; i++) {
        verso_schedule_spec spec = possible_spec(&source, *(const verso_schedule_kind *)*state, 60);
        verso_schedule *schedule;
        verso_action action = {0};
        REQUIRE_OF(&spec, verso_schedule_new(&spec, &schedule, NULL) == VERSO_STATUS_OK);
        while (action.kind != VERSO_ACTION_DONE) {
            verso_action expected = next_elsewhere(&spec, schedule);
            verso_status status = VERSO_STATUS_NO_MEMORY;
            for (uint64_t n = 1; status == VERSO_STATUS_NO_MEMORY; n++) {
                verso__alloc_fail_at(n);
                status = verso_schedule_next(schedule, &action, NULL);
                verso__alloc_fail_at(0);
                if (status == VERSO_STATUS_NO_MEMORY)
                    action = next_elsewhere(&spec, schedule);
                REQUIRE_OF(&spec, same_action(&action, &expected));
            }
            REQUIRE_OF(&spec, status == VERSO_STATUS_OK);
        }
        verso_schedule_free(schedule);
    }
}

static void saving_and_loading(void **state) {
    static unsigned char bytes[CURSOR_MAX], again[CURSOR_MAX];
    random_source source = random_from_seed(seed);
    for (int i = 0; i < SPECS; i++) {
        verso_schedule_spec spec = possible_spec(&source, *(const verso_schedule_kind *)*state, 60);
        uint64_t before = verso__alloc_live();
        call call = {.spec = &spec, .bytes = bytes};
        REQUIRE_OF(&spec, verso_schedule_new(&spec, &call.schedule, NULL) == VERSO_STATUS_OK);
        for (uint64_t k = random_below(&source, 4 * spec.steps); k > 0; k--)
            REQUIRE_OF(&spec, verso_schedule_next(call.schedule, &call.action, NULL) == VERSO_STATUS_OK);
        call.size = verso_schedule_saved_size(call.schedule);
        REQUIRE_OF(&spec, call.size <= CURSOR_MAX);
        REQUIRE_OF(&spec, until_success(run_save, &call, NULL) == 0);
        verso_schedule_free(call.schedule);
        REQUIRE_OF(&spec, until_success(run_load, &call, "the schedule") > 0);
        REQUIRE_OF(&spec, verso_schedule_save(call.schedule, again, sizeof again, NULL) == VERSO_STATUS_OK);
        REQUIRE_OF(&spec, memcmp(bytes, again, call.size) == 0);
        verso_schedule_free(call.schedule);
        REQUIRE_OF(&spec, verso__alloc_live() == before);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define ALL(name, word, meaning) \
    TEST_OF_KIND(making_and_pricing, name, word) \
    TEST_OF_KIND(walking, name, word) \
    TEST_OF_KIND(saving_after_a_failure, name, word) TEST_OF_KIND(saving_and_loading, name, word)
        VERSO_KIND_LIST(ALL)
#undef ALL
    };
    seed = random_seed();
    return cmocka_run_group_tests_name("schedules without memory", tests, NULL, NULL);
}
