/* Tests details of the public headers: names, texts, numbers as text, defaults, and which calls are refused when.
 * tests/consumer tests that the headers can be used from C++. */
#include "schedule/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <verso/schedule.h>
#include <verso/status.h>
#include <verso/version.h>

static verso_schedule *make(verso_schedule_kind kind, uint64_t steps) {
    verso_schedule_spec spec;
    verso_schedule *schedule;
    verso_schedule_spec_init(&spec, kind);
    spec.steps = steps;
    spec.slots = kind == VERSO_KIND_STORE_ALL || kind == VERSO_KIND_EVERY_K ? 0 : 3;
    spec.distance = 100;
    spec.tier_count = 3;
    spec.tiers[0].capacity = 3;
    assert_int_equal(verso_schedule_new(&spec, &schedule, NULL), VERSO_STATUS_OK);
    return schedule;
}

/* ---- Words ---- */

/* Codes are part of the ABI. */
static void statuses_have_codes_names_and_texts(void **state) {
    (void)state;
    const verso_status codes[] = {
        VERSO_STATUS_OK,      VERSO_STATUS_INVALID, VERSO_STATUS_IMPOSSIBLE, VERSO_STATUS_NO_MEMORY, VERSO_STATUS_STATE,
        VERSO_STATUS_CORRUPT, VERSO_STATUS_IO,      VERSO_STATUS_BUSY,       VERSO_STATUS_SUSPENDED, VERSO_STATUS_USER};
    const char *names[] = {"OK",      "INVALID", "IMPOSSIBLE", "NO_MEMORY", "STATE",
                           "CORRUPT", "IO",      "BUSY",       "SUSPENDED", "USER"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        assert_int_equal(codes[i], i);
        assert_string_equal(verso_status_name(codes[i]), names[i]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(verso_status_text(codes[i]), verso_status_text(codes[j]));
    }
    assert_string_equal(verso_status_text(VERSO_STATUS_OK), "success");
    assert_string_equal(verso_status_text(VERSO_STATUS_NO_MEMORY), "out of memory");
    assert_string_equal(verso_status_name((verso_status)10), "UNKNOWN");
    assert_string_equal(verso_status_name((verso_status)-1), "UNKNOWN");
    assert_string_equal(verso_status_text((verso_status)10), "unknown status");
}

static void actions_have_words(void **state) {
    (void)state;
    assert_string_equal(verso_action_word(VERSO_ACTION_ADVANCE), "advance");
    assert_string_equal(verso_action_word(VERSO_ACTION_STORE), "store");
    assert_string_equal(verso_action_word(VERSO_ACTION_RESTORE), "restore");
    assert_string_equal(verso_action_word(VERSO_ACTION_DISCARD), "discard");
    assert_string_equal(verso_action_word(VERSO_ACTION_REVERSE), "reverse");
    assert_string_equal(verso_action_word(VERSO_ACTION_STORE_ADJOINT), "store-adjoint");
    assert_string_equal(verso_action_word(VERSO_ACTION_RECORD), "record");
    assert_string_equal(verso_action_word(VERSO_ACTION_SWEEP), "sweep");
    assert_string_equal(verso_action_word(VERSO_ACTION_DONE), "done");
    assert_string_equal(verso_action_word((verso_action_kind)(VERSO_ACTION_DONE + 1)), "unknown");
    assert_string_equal(verso_action_word((verso_action_kind)-1), "unknown");
}

/* Numbers of kinds are in saved cursors: the order is for ever. */
static void kinds_have_numbers_and_words(void **state) {
    (void)state;
    const char *words[] = {"store-all", "every-k",   "none",       "revolve",         "treeverse",
                           "binary",    "disk",      "periodic",   "levels",          "online",
                           "mixed",     "resilient", "continuous", "single-recovery", "two-level"};
    assert_int_equal(VERSO_KIND_COUNT, sizeof words / sizeof *words);
    for (int i = 0; i < VERSO_KIND_COUNT; i++) {
        verso_schedule_kind kind = VERSO_KIND_COUNT;
        assert_string_equal(verso_kind_word((verso_schedule_kind)i), words[i]);
        assert_true(strlen(verso_kind_meaning((verso_schedule_kind)i)) > 10);
        assert_true(verso_kind_from_word(words[i], &kind));
        assert_int_equal(kind, i);
    }
    assert_string_equal(verso_kind_word(VERSO_KIND_COUNT), "unknown");
    assert_string_equal(verso_kind_word((verso_schedule_kind)-1), "unknown");
    assert_string_equal(verso_kind_meaning(VERSO_KIND_COUNT), "unknown");
}

static void words_of_no_kind_are_refused(void **state) {
    (void)state;
    const char *words[] = {"", "revolv", "revolve ", "Revolve", "store_all", "unknown"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        verso_schedule_kind kind = VERSO_KIND_MIXED;
        assert_false(verso_kind_from_word(words[i], &kind));
        assert_int_equal(kind, VERSO_KIND_MIXED);
    }
}

static void require_tiers(verso_schedule *schedule, size_t count, const char *first, const char *second) {
    assert_int_equal(verso_schedule_tiers(schedule), count);
    assert_string_equal(verso_schedule_tier_name(schedule, 0), first);
    assert_string_equal(verso_schedule_tier_name(schedule, 1), second);
    assert_string_equal(verso_schedule_tier_name(schedule, count), "none");
    verso_schedule_free(schedule);
}

static void tiers_have_names(void **state) {
    (void)state;
    require_tiers(make(VERSO_KIND_STORE_ALL, 10), 1, "memory", "none");
    require_tiers(make(VERSO_KIND_REVOLVE, 10), 1, "memory", "none");
    require_tiers(make(VERSO_KIND_ONLINE, 10), 1, "memory", "none");
    require_tiers(make(VERSO_KIND_DISK, 10), 2, "memory", "disk");
    require_tiers(make(VERSO_KIND_PERIODIC, 10), 2, "memory", "disk");
    require_tiers(make(VERSO_KIND_TWO_LEVEL, 10), 2, "memory", "disk");
    require_tiers(make(VERSO_KIND_LEVELS, 10), 3, "0", "1");
}

/* ---- Numbers ---- */

static void require_text(verso__wide value, const char *expected) {
    char text[VERSO_WIDE_TEXT];
    memset(text, '#', sizeof text);
    assert_ptr_equal(verso__wide_text(value, text), text);
    assert_string_equal(text, expected);
}

static void wide_numbers_as_text(void **state) {
    (void)state;
    verso__wide power = 1;
    char expected[VERSO_WIDE_TEXT] = "1";
    for (size_t digits = 1; digits <= 39; digits++) { /* 10^0 … 10^38, and one less than each */
        require_text(power, expected);
        if (digits > 1) {
            char nines[VERSO_WIDE_TEXT] = {0};
            memset(nines, '9', digits - 1);
            require_text(power - 1, nines);
        }
        power *= 10;
        expected[digits] = '0';
        expected[digits + 1] = '\0';
    }
    require_text(0, "0");
    require_text(UINT64_MAX, "18446744073709551615");
    require_text((verso__wide)UINT64_MAX + 1, "18446744073709551616");
    require_text(~(verso__wide)0, "340282366920938463463374607431768211455");
}

static void version_is_one(void **state) {
    (void)state;
    char text[32];
    (void)snprintf(text, sizeof text, "%d.%d.%d", VERSO_VERSION_MAJOR, VERSO_VERSION_MINOR, VERSO_VERSION_PATCH);
    assert_string_equal(VERSO_VERSION, text);
    assert_string_equal(verso_version(), text);
}

/* ---- Specs and schedules ---- */

static void specs_begin_with_defaults(void **state) {
    (void)state;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        verso_schedule_spec spec;
        memset(&spec, 0xff, sizeof spec);
        verso_schedule_spec_init(&spec, (verso_schedule_kind)kind);
        assert_int_equal(spec.kind, kind);
        assert_true(spec.forward_cost == 1 && spec.backward_cost == 1 && spec.leaf == 1);
        assert_true(spec.steps == 0 && spec.slots == 0 && spec.write_cost == 0 && spec.read_cost == 0);
        assert_true(!spec.with_disk && spec.distance == 0 && spec.adjoint_distance == 0);
        assert_true(spec.space == 0 && spec.time == 0 && spec.split == VERSO_SPLIT_BINOMIAL && spec.tier_count == 0);
        for (size_t i = 0; i < VERSO_TIERS_MAX; i++)
            assert_true(spec.tiers[i].capacity == 0 && spec.tiers[i].write_cost == 0 && spec.tiers[i].read_cost == 0);
    }
}

static void specs_are_copied(void **state) {
    (void)state;
    verso_schedule_spec spec;
    verso_schedule *schedule;
    verso_schedule_spec_init(&spec, VERSO_KIND_REVOLVE);
    spec.steps = 77;
    spec.slots = 5;
    assert_int_equal(verso_schedule_new(&spec, &schedule, NULL), VERSO_STATUS_OK);
    spec.steps = 1;
    const verso_schedule_spec *kept = verso_schedule_get_spec(schedule);
    assert_true(kept != &spec && kept->kind == VERSO_KIND_REVOLVE && kept->steps == 77 && kept->slots == 5);
    verso_schedule_free(schedule);
    verso_schedule_free(NULL);
}

static void done_comes_again_and_again(void **state) {
    (void)state;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        verso_schedule *schedule = make((verso_schedule_kind)kind, 9);
        verso_action action = {0};
        for (int i = 0; i < 500 && action.kind != VERSO_ACTION_DONE; i++)
            assert_int_equal(verso_schedule_next(schedule, &action, NULL), VERSO_STATUS_OK);
        for (int i = 0; i < 5; i++) {
            memset(&action, 0xff, sizeof action);
            assert_int_equal(verso_schedule_next(schedule, &action, NULL), VERSO_STATUS_OK);
            assert_true(action.kind == VERSO_ACTION_DONE && action.from == 0 && action.to == 0 && action.tier == 0);
            assert_true(action.slot == 0);
        }
        verso_schedule_free(schedule);
    }
}

/* ---- Calls out of order ---- */

static void only_online_accepts_an_end(void **state) {
    (void)state;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        verso_schedule *schedule = make((verso_schedule_kind)kind, 9);
        verso_error error = {0};
        assert_int_equal(verso_schedule_end(schedule, 0, 0, &error), VERSO_STATUS_STATE);
        assert_int_equal(error.status, VERSO_STATUS_STATE);
        assert_true(strlen(error.message) > 0);
        assert_int_equal(verso_schedule_end(schedule, 0, 0, NULL), VERSO_STATUS_STATE);
        verso_schedule_free(schedule);
    }
}

static void require_end(verso_schedule *schedule, uint64_t at, uint64_t steps, verso_status expected) {
    verso_error error = {0};
    assert_int_equal(verso_schedule_end(schedule, at, steps, &error), expected);
    assert_int_equal(error.status, expected);
}

/* Right after an advance, for where that led, and only once. */
static void an_end_is_announced_in_time_or_refused(void **state) {
    (void)state;
    verso_schedule *schedule = make(VERSO_KIND_ONLINE, VERSO_UNKNOWN);
    verso_action action = {0};
    verso__cost cost;
    assert_int_equal(verso__schedule_cost(schedule, &cost, NULL), VERSO_STATUS_STATE);
    assert_int_equal(verso_schedule_next(schedule, &action, NULL), VERSO_STATUS_OK);
    assert_int_equal(action.kind, VERSO_ACTION_STORE);
    require_end(schedule, 0, 0, VERSO_STATUS_STATE); /* not after a store */
    while (action.kind != VERSO_ACTION_DISCARD)
        assert_int_equal(verso_schedule_next(schedule, &action, NULL), VERSO_STATUS_OK);
    require_end(schedule, action.from, action.from, VERSO_STATUS_STATE); /* nor after a discard */
    while (action.kind != VERSO_ACTION_ADVANCE)
        assert_int_equal(verso_schedule_next(schedule, &action, NULL), VERSO_STATUS_OK);
    require_end(schedule, action.from - 1, action.from - 1, VERSO_STATUS_INVALID);
    require_end(schedule, action.to + 1, action.to + 1, VERSO_STATUS_INVALID);
    require_end(schedule, action.to, action.to + 2, VERSO_STATUS_INVALID);
    require_end(schedule, action.to, action.to - 1, VERSO_STATUS_INVALID);
    require_end(schedule, action.to, action.to + 1, VERSO_STATUS_OK);
    require_end(schedule, action.to, action.to + 1, VERSO_STATUS_STATE);
    assert_int_equal(verso__schedule_cost(schedule, &cost, NULL), VERSO_STATUS_OK);
    assert_int_equal(cost.steps, action.to + 1);
    verso_schedule_free(schedule);
}

static void no_steps_can_be_announced_at_once(void **state) {
    (void)state;
    verso_schedule *schedule = make(VERSO_KIND_ONLINE, VERSO_UNKNOWN);
    verso_action action;
    require_end(schedule, 0, 0, VERSO_STATUS_OK);
    assert_int_equal(verso_schedule_next(schedule, &action, NULL), VERSO_STATUS_OK);
    assert_int_equal(action.kind, VERSO_ACTION_DONE);
    verso_schedule_free(schedule);
}

static void unknown_steps_cannot_be_simulated(void **state) {
    (void)state;
    verso_schedule_spec spec;
    verso_error error = {0};
    verso_schedule_spec_init(&spec, VERSO_KIND_ONLINE);
    spec.slots = 3;
    spec.steps = VERSO_UNKNOWN;
    assert_int_equal(verso__schedule_simulate(&spec, NULL, &error), VERSO_STATUS_INVALID);
    assert_int_equal(error.status, VERSO_STATUS_INVALID);
    spec.steps = 50;
    assert_int_equal(verso__schedule_simulate(&spec, NULL, NULL), VERSO_STATUS_OK);
}

/* verso_period_find returns the period of a platform, or VERSO_UNKNOWN if a disk never pays. */
static void facts_of_a_platform(void **state) {
    (void)state;
    verso_platform platform = {.slots = 3, .write_cost = 5, .read_cost = 5, .forward_cost = 1};
    verso_period period;
    assert_int_equal(verso_period_find(&platform, &period, NULL), VERSO_STATUS_OK);
    assert_true(period.period > 1 && period.period <= period.longest && period.first_useful < VERSO_UNKNOWN);
    platform.forward_cost = 0;
    assert_int_equal(verso_period_find(&platform, &period, NULL), VERSO_STATUS_OK);
    assert_true(period.period == VERSO_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_have_codes_names_and_texts),
        cmocka_unit_test(actions_have_words),
        cmocka_unit_test(kinds_have_numbers_and_words),
        cmocka_unit_test(words_of_no_kind_are_refused),
        cmocka_unit_test(tiers_have_names),
        cmocka_unit_test(wide_numbers_as_text),
        cmocka_unit_test(version_is_one),
        cmocka_unit_test(specs_begin_with_defaults),
        cmocka_unit_test(specs_are_copied),
        cmocka_unit_test(done_comes_again_and_again),
        cmocka_unit_test(only_online_accepts_an_end),
        cmocka_unit_test(an_end_is_announced_in_time_or_refused),
        cmocka_unit_test(no_steps_can_be_announced_at_once),
        cmocka_unit_test(unknown_steps_cannot_be_simulated),
        cmocka_unit_test(facts_of_a_platform),
    };
    return cmocka_run_group_tests_name("public headers", tests, NULL, NULL);
}
