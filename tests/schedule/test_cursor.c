/* Tests cursors: a schedule that is saved after any action and loaded in another process continues with the same
 * actions. Changed bytes are refused; forged bytes with a valid checksum do no harm. The format is fixed: this file
 * contains one cursor, byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>

#include "tests/support/by_kind.h"
#include "tests/support/random_spec.h"

enum { WORD = 8 };

static uint64_t seed;

static bool same_action(const verso_action *a, const verso_action *b) {
    return a->kind == b->kind && a->tier == b->tier && a->slot == b->slot && a->from == b->from && a->to == b->to;
}

/* ---- A schedule and its saved bytes ---- */

typedef struct saved {
    unsigned char *bytes; /* a block of exactly this size */
    size_t size;
} saved;

static saved save(const verso_schedule *schedule) {
    saved cursor = {.size = verso_schedule_saved_size(schedule)};
    cursor.bytes = malloc(cursor.size);
    assert_non_null(cursor.bytes);
    memset(cursor.bytes, 0xa5, cursor.size);
    assert_int_equal(verso_schedule_save(schedule, cursor.bytes, cursor.size, NULL), VERSO_STATUS_OK);
    return cursor;
}

static verso_schedule *make(const verso_schedule_spec *spec) {
    verso_schedule *schedule;
    verso_error error;
    if (verso_schedule_new(spec, &schedule, &error) != VERSO_STATUS_OK)
        assert_true(error.status == VERSO_STATUS_IMPOSSIBLE);
    return schedule;
}

/* Saves a schedule and loads it; the loaded one must be saved as the same bytes. */
static verso_schedule *twin_of(const verso_schedule_spec *spec, const verso_schedule *schedule) {
    saved cursor = save(schedule);
    verso_schedule *twin;
    verso_error error = {0};
    if (verso_schedule_load(cursor.bytes, cursor.size, &twin, &error) != VERSO_STATUS_OK)
        print_error("%s\n", error.message);
    REQUIRE_OF(spec, twin != NULL);
    saved again = save(twin);
    REQUIRE_OF(spec, again.size == cursor.size && memcmp(again.bytes, cursor.bytes, cursor.size) == 0);
    free(again.bytes);
    free(cursor.bytes);
    return twin;
}

static uint64_t word_at(const saved *cursor, size_t index) {
    uint64_t word = 0;
    for (size_t i = WORD; i-- > 0;)
        word = word << 8 | cursor->bytes[index * WORD + i];
    return word;
}

static void set_word(const saved *cursor, size_t index, uint64_t word) {
    for (size_t i = 0; i < WORD; i++)
        cursor->bytes[index * WORD + i] = (unsigned char)(word >> (8 * i));
}

/* Corrects the checksum. */
static void sign(const saved *cursor) {
    uint64_t sum = XXH3_64bits(cursor->bytes, cursor->size - WORD);
    for (size_t i = 0; i < WORD; i++)
        cursor->bytes[cursor->size - WORD + i] = (unsigned char)(sum >> (8 * i));
}

/* ---- The rest is the same ---- */

/* A schedule that is being walked. If its number of steps is unknown, it is announced after the advance to x_stop. */
typedef struct journey {
    verso_schedule *schedule;
    uint64_t stop, steps;
    bool to_tell; /* the end is not announced yet */
    bool at_stop; /* the walk has reached x_stop */
} journey;

static journey set_out(const verso_schedule_spec *spec, bool unknown, uint64_t stop) {
    verso_schedule_spec given = *spec;
    if (unknown)
        given.steps = VERSO_UNKNOWN;
    return (journey){.schedule = make(&given),
                     .stop = stop,
                     .steps = spec->steps,
                     .to_tell = unknown,
                     .at_stop = unknown && stop == 0};
}

static void tell(const verso_schedule_spec *spec, journey *way) {
    if (!way->at_stop)
        return;
    REQUIRE_OF(spec, verso_schedule_end(way->schedule, way->stop, way->steps, NULL) == VERSO_STATUS_OK);
    way->to_tell = way->at_stop = false;
}

static verso_action step(const verso_schedule_spec *spec, journey *way) {
    verso_action action;
    tell(spec, way);
    REQUIRE_OF(spec, verso_schedule_next(way->schedule, &action, NULL) == VERSO_STATUS_OK);
    way->at_stop = way->to_tell && action.kind == VERSO_ACTION_ADVANCE && action.to >= way->stop;
    return action;
}

enum { ACTIONS_MAX = 4096 };

typedef struct list {
    size_t count;
    verso_action actions[ACTIONS_MAX]; /* DONE is the last */
} list;

static void check_twin(const verso_schedule_spec *spec, const journey *way, const list *all, size_t from) {
    journey twin = *way;
    twin.schedule = twin_of(spec, way->schedule);
    for (size_t i = from; i < all->count; i++) {
        verso_action action = step(spec, &twin);
        REQUIRE_OF(spec, same_action(&action, &all->actions[i]));
    }
    verso_action action = step(spec, &twin); /* and once more */
    REQUIRE_OF(spec, action.kind == VERSO_ACTION_DONE);
    verso_schedule_free(twin.schedule);
}

/* Returns false if the spec is impossible. */
static bool check_every_action(const verso_schedule_spec *spec, bool unknown, uint64_t stop) {
    static list all;
    journey way = set_out(spec, unknown, stop);
    if (way.schedule == NULL)
        return false;
    all.count = 0;
    do {
        REQUIRE_OF(spec, all.count < ACTIONS_MAX);
        all.actions[all.count++] = step(spec, &way);
    } while (all.actions[all.count - 1].kind != VERSO_ACTION_DONE);
    verso_schedule_free(way.schedule);
    way = set_out(spec, unknown, stop);
    for (size_t i = 0; i < all.count; i++) {
        check_twin(spec, &way, &all, i);
        if (way.at_stop) {
            tell(spec, &way);
            check_twin(spec, &way, &all, i);
        }
        verso_action action = step(spec, &way);
        REQUIRE_OF(spec, same_action(&action, &all.actions[i]));
    }
    verso_schedule_free(way.schedule);
    return true;
}

/* A schedule that is saved after its last action can be loaded, and is done. */
static void finished(void **state) {
    verso_schedule_kind kind = *(const verso_schedule_kind *)*state;
    random_source source = random_from_seed(seed);
    for (size_t i = 0; i < 100; i++) {
        verso_schedule_spec spec = random_spec(&source, kind, 30);
        verso_schedule *schedule, *loaded;
        verso_action action = {.kind = VERSO_ACTION_ADVANCE};
        if (verso_schedule_new(&spec, &schedule, NULL) != VERSO_STATUS_OK)
            continue;
        while (action.kind != VERSO_ACTION_DONE)
            assert_int_equal(verso_schedule_next(schedule, &action, NULL), VERSO_STATUS_OK);
        size_t size = verso_schedule_saved_size(schedule);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        assert_int_equal(verso_schedule_save(schedule, bytes, size, NULL), VERSO_STATUS_OK);
        assert_int_equal(verso_schedule_load(bytes, size, &loaded, NULL), VERSO_STATUS_OK);
        assert_int_equal(verso_schedule_next(loaded, &action, NULL), VERSO_STATUS_OK);
        assert_int_equal(action.kind, VERSO_ACTION_DONE);
        verso_schedule_free(loaded);
        verso_schedule_free(schedule);
        free(bytes);
    }
}

static void saved_at_every_action(void **state) {
    verso_schedule_kind kind = *(const verso_schedule_kind *)*state;
    random_source source = random_from_seed(seed);
    size_t done = 0;
    for (size_t i = 0; i < 150; i++) {
        verso_schedule_spec spec = random_spec(&source, kind, i % 15 == 0 ? 150 : 40);
        done += check_every_action(&spec, false, 0);
    }
    assert_true(done > 75);
}

static void saved_before_and_after_the_end_is_announced(void **state) {
    (void)state;
    random_source source = random_from_seed(seed);
    for (size_t i = 0; i < 100; i++) {
        verso_schedule_spec spec = random_spec(&source, VERSO_KIND_ONLINE, 40);
        spec.slots += spec.slots == 0;
        assert_true(check_every_action(&spec, true, spec.steps));
        assert_true(check_every_action(&spec, true, spec.steps > 0 ? spec.steps - 1 : 0));
    }
}

/* With many slots, online discards several states one after the other, and orders its set after the last one. */
static void saved_with_many_slots(void **state) {
    (void)state;
    for (uint64_t slots = 17; slots <= 130; slots += 113) {
        verso_schedule_spec spec;
        verso_schedule_spec_init(&spec, VERSO_KIND_ONLINE);
        spec.slots = slots;
        spec.steps = slots == 17 ? 270 : 560;
        assert_true(check_every_action(&spec, false, 0));
        assert_true(check_every_action(&spec, true, spec.steps));
    }
}

/* ---- What is accepted ---- */

static uint64_t any_number(random_source *source) {
    return random_below(source, VERSO_UNKNOWN) >> random_below(source, 64);
}

/* Returns a spec as a careless program might fill it: some fields have any value, also those that the kind ignores. */
static verso_schedule_spec careless_spec(random_source *source, verso_schedule_kind kind) {
    verso_schedule_spec spec = random_spec(source, kind, 200);
    uint64_t *const fields[] = {&spec.slots,
                                &spec.forward_cost,
                                &spec.backward_cost,
                                &spec.write_cost,
                                &spec.read_cost,
                                &spec.distance,
                                &spec.adjoint_distance,
                                &spec.leaf,
                                &spec.space,
                                &spec.time,
                                &spec.tiers[0].capacity,
                                &spec.tiers[1].write_cost,
                                &spec.tiers[7].read_cost};
    enum { FIELDS = sizeof fields / sizeof *fields };
    for (uint64_t left = random_below(source, 3); left > 0; left--)
        *fields[random_below(source, FIELDS)] = any_number(source);
    if (random_below(source, 2) == 0)
        spec.split = (verso_split)random_below(source, 5);
    if (random_below(source, 4) == 0)
        spec.tier_count = (size_t)any_number(source);
    return spec;
}

/* A schedule that is accepted can be saved and loaded; otherwise a durable run would begin anew at each restart. */
static void what_is_accepted_can_be_saved_and_loaded(void **state) {
    verso_schedule_kind kind = *(const verso_schedule_kind *)*state;
    random_source source = random_from_seed(seed);
    size_t accepted = 0;
    for (size_t i = 0; i < 1500; i++) {
        verso_schedule_spec spec = careless_spec(&source, kind);
        verso_schedule *schedule;
        if (verso_schedule_new(&spec, &schedule, NULL) != VERSO_STATUS_OK)
            continue;
        accepted++;
        verso_schedule_free(twin_of(&spec, schedule));
        verso_schedule_free(schedule);
    }
    assert_true(accepted > 300);
}

/* ---- What is refused ---- */

/* A spec of the kind with all kinds of capsules about half-way through. */
static verso_schedule_spec typical(verso_schedule_kind kind) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, kind);
    spec.steps = 60;
    spec.slots = kind == VERSO_KIND_STORE_ALL || kind == VERSO_KIND_EVERY_K ? 0 : kind == VERSO_KIND_TWO_LEVEL ? 9 : 4;
    spec.distance = 16;
    spec.adjoint_distance = 5;
    spec.write_cost = 3;
    spec.read_cost = 2;
    spec.with_disk = true;
    spec.leaf = 2;
    spec.tier_count = 3;
    spec.tiers[0] = (verso_tier){2, 0, 0};
    spec.tiers[1] = (verso_tier){2, 1, 1};
    spec.tiers[2] = (verso_tier){2, 5, 5};
    return spec;
}

static saved cursor_after(const verso_schedule_spec *spec, size_t actions) {
    verso_schedule *schedule = make(spec);
    verso_action action;
    REQUIRE_OF(spec, schedule != NULL);
    for (size_t i = 0; i < actions; i++)
        assert_int_equal(verso_schedule_next(schedule, &action, NULL), VERSO_STATUS_OK);
    saved cursor = save(schedule);
    verso_schedule_free(schedule);
    return cursor;
}

static saved typical_cursor(verso_schedule_kind kind, size_t actions) {
    verso_schedule_spec spec = typical(kind);
    return cursor_after(&spec, actions);
}

static void require_corrupt(const void *bytes, size_t size) {
    verso_schedule *schedule = (verso_schedule *)(uintptr_t)1;
    verso_error error = {0};
    assert_int_equal(verso_schedule_load(bytes, size, &schedule, &error), VERSO_STATUS_CORRUPT);
    assert_null(schedule);
    assert_int_equal(error.status, VERSO_STATUS_CORRUPT);
    assert_true(strlen(error.message) > 0);
}

static void every_changed_byte_is_noticed(void **state) {
    (void)state;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        saved cursor = typical_cursor((verso_schedule_kind)kind, 31);
        for (size_t i = 0; i < cursor.size; i++) {
            unsigned char right = cursor.bytes[i];
            for (unsigned change = 1; change < 256; change++) {
                cursor.bytes[i] = right ^ (unsigned char)change;
                require_corrupt(cursor.bytes, cursor.size);
            }
            cursor.bytes[i] = right;
        }
        free(cursor.bytes);
    }
}

static void bytes_that_are_missing_or_added_are_noticed(void **state) {
    (void)state;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        saved cursor = typical_cursor((verso_schedule_kind)kind, 31);
        for (size_t size = 0; size < cursor.size + 20; size++) {
            unsigned char *other = calloc(size > 0 ? size : 1, 1);
            assert_non_null(other);
            memcpy(other, cursor.bytes, size < cursor.size ? size : cursor.size);
            if (size != cursor.size)
                require_corrupt(other, size);
            if (size != cursor.size && size >= WORD) { /* even when the checksum fits */
                saved changed = {other, size};
                sign(&changed);
                require_corrupt(other, size);
            }
            free(other);
        }
        free(cursor.bytes);
    }
}

static void buffers_that_are_too_small_are_left_alone(void **state) {
    (void)state;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        verso_schedule_spec spec = typical((verso_schedule_kind)kind);
        verso_schedule *schedule = make(&spec);
        size_t needed = verso_schedule_saved_size(schedule);
        for (size_t size = 0; size < needed; size++) {
            unsigned char *bytes = calloc(size > 0 ? size : 1, 1);
            verso_error error = {0};
            assert_non_null(bytes);
            assert_int_equal(verso_schedule_save(schedule, bytes, size, &error), VERSO_STATUS_INVALID);
            assert_int_equal(error.status, VERSO_STATUS_INVALID);
            for (size_t i = 0; i < size; i++)
                assert_int_equal(bytes[i], 0);
            free(bytes);
        }
        verso_schedule_free(schedule);
    }
}

/* ---- What lies ---- */

/* Words of the spec: kind is the third of all. */
enum {
    VERSION_AT = 1,
    KIND_AT = 2,
    STEPS_AT,
    SLOTS_AT,
    WITH_DISK_AT = KIND_AT + 7,
    TIER_COUNT_AT,
    SPLIT_AT = KIND_AT + 14,
    SPEC_WORDS = 39
};

static void parameters_that_do_not_exist_are_noticed(void **state) {
    (void)state;
    const size_t at[] = {VERSION_AT, VERSION_AT,   KIND_AT,       KIND_AT, STEPS_AT,
                         SLOTS_AT,   WITH_DISK_AT, TIER_COUNT_AT, SPLIT_AT};
    const uint64_t values[] = {0, 2, VERSO_KIND_COUNT,    VERSO_UNKNOWN,         VERSO_UNKNOWN,
                               0, 2, VERSO_TIERS_MAX + 1, VERSO_SPLIT_HALVES + 1};
    saved cursor = typical_cursor(VERSO_KIND_REVOLVE, 31);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        uint64_t right = word_at(&cursor, at[i]);
        set_word(&cursor, at[i], values[i]);
        sign(&cursor);
        require_corrupt(cursor.bytes, cursor.size);
        set_word(&cursor, at[i], right);
    }
    free(cursor.bytes);
}

/* The cursor must be refused, or yield actions, which may be nonsensical. */
static bool load_and_run(const saved *cursor) {
    verso_schedule *schedule;
    verso_action action;
    if (verso_schedule_load(cursor->bytes, cursor->size, &schedule, NULL) != VERSO_STATUS_OK)
        return false;
    for (size_t i = 0; i < 300; i++)
        if (verso_schedule_next(schedule, &action, NULL) != VERSO_STATUS_OK || action.kind == VERSO_ACTION_DONE)
            break;
    verso_schedule_free(schedule);
    return true;
}

static size_t lie_about(const saved *cursor, size_t index) {
    uint64_t right = word_at(cursor, index);
    uint64_t lies[] = {right + 1, right - 1, 0, 1, 2, 59, 60, 61, UINT32_MAX, VERSO_UNKNOWN / 2, VERSO_UNKNOWN};
    size_t refused = 0;
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
        set_word(cursor, index, lies[k]);
        sign(cursor);
        refused += lies[k] != right && !load_and_run(cursor);
    }
    set_word(cursor, index, right);
    sign(cursor);
    return refused;
}

static size_t lie_about_all(const saved *cursor) {
    size_t refused = 0;
    for (size_t i = KIND_AT + SPEC_WORDS; i + 1 < cursor->size / WORD; i++)
        refused += lie_about(cursor, i);
    assert_true(load_and_run(cursor));
    return refused;
}

/* Changes every word of the walk, at every action. */
static void signed_lies_do_no_harm(void **state) {
    verso_schedule_kind kind = *(const verso_schedule_kind *)*state;
    size_t refused = 0;
    for (size_t actions = 0; actions < 120; actions += 3) {
        saved cursor = typical_cursor(kind, actions);
        refused += lie_about_all(&cursor);
        free(cursor.bytes);
    }
    assert_true(refused > 100);
}

/* Online schedules let several states go at once when slots are many, and plan no reversal when they are very many. */
static void signed_lies_about_many_slots_do_no_harm(void **state) {
    (void)state;
    const uint64_t slots[] = {17, 70, 140}, steps[] = {300, 400, 620};
    const size_t between[] = {29, 131, 421};
    for (size_t k = 0; k < 3; k++) {
        verso_schedule_spec spec = typical(VERSO_KIND_ONLINE);
        spec.slots = slots[k];
        spec.steps = steps[k];
        spec.with_disk = false;
        for (size_t actions = 0; actions < 5 * steps[k]; actions += between[k]) {
            saved cursor = cursor_after(&spec, actions);
            lie_about_all(&cursor);
            free(cursor.bytes);
        }
    }
}

/* ---- The format ---- */

/* revolve, 10 steps, 3 slots, after 7 actions. A change of any byte is a new FORMAT_VERSION in schedule/cursor.c. */
#define ZERO "0000000000000000"
#define ZEROS ZERO ZERO ZERO ZERO ZERO ZERO ZERO
/* clang-format off */
static const char golden[] =
    /* "vsrscr01", version */
    "7673727363723031" "0100000000000000"
    /* kind, steps, slots */
    "0300000000000000" "0a00000000000000" "0300000000000000"
    /* costs: forward, backward, write, read */
    "0100000000000000" "0100000000000000" ZERO ZERO
    /* with disk, number of tiers, distance, adjoint distance */
    ZERO ZERO ZERO ZERO
    /* leaf, space, time, split */
    "0100000000000000" ZERO ZERO ZERO
    /* eight tiers */
    ZEROS ZEROS ZEROS ZERO ZERO ZERO
    /* phase, at, end, words of the stack */
    "0200000000000000" "0900000000000000" "0900000000000000" "0900000000000000"
    /* sixteen words of the kind's own */
    ZERO "0200000000000000" ZEROS ZEROS
    /* the stack: three capsules */
    ZERO "0200000000000000" ZERO
    "0400000000000000" "0200000000000000" ZERO
    "0700000000000000" "0200000000000000" ZERO
    /* checksum */
    "53fe4923872f6891";
/* clang-format on */

static unsigned char hex_digit(char digit) {
    return (unsigned char)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

static void the_format_is_fixed(void **state) {
    (void)state;
    unsigned char expected[sizeof golden / 2];
    verso_schedule_spec spec;
    verso_action action, other;
    for (size_t i = 0; i < sizeof expected; i++)
        expected[i] = (unsigned char)(hex_digit(golden[2 * i]) << 4 | hex_digit(golden[2 * i + 1]));
    verso_schedule_spec_init(&spec, VERSO_KIND_REVOLVE);
    spec.steps = 10;
    spec.slots = 3;
    verso_schedule *schedule = make(&spec);
    verso_schedule *loaded;
    for (int i = 0; i < 7; i++)
        assert_int_equal(verso_schedule_next(schedule, &action, NULL), VERSO_STATUS_OK);
    saved cursor = save(schedule);
    assert_int_equal(cursor.size, sizeof expected);
    assert_memory_equal(cursor.bytes, expected, sizeof expected);
    assert_int_equal(verso_schedule_load(expected, sizeof expected, &loaded, NULL), VERSO_STATUS_OK);
    do {
        assert_int_equal(verso_schedule_next(schedule, &action, NULL), VERSO_STATUS_OK);
        assert_int_equal(verso_schedule_next(loaded, &other, NULL), VERSO_STATUS_OK);
        assert_true(same_action(&action, &other));
    } while (action.kind != VERSO_ACTION_DONE);
    free(cursor.bytes);
    verso_schedule_free(schedule);
    verso_schedule_free(loaded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define SAVED(name, word, meaning) TEST_OF_KIND(saved_at_every_action, name, word)
#define LIES(name, word, meaning) TEST_OF_KIND(signed_lies_do_no_harm, name, word)
#define FINISHED(name, word, meaning) TEST_OF_KIND(finished, name, word)
#define ACCEPTED(name, word, meaning) TEST_OF_KIND(what_is_accepted_can_be_saved_and_loaded, name, word)
        VERSO_KIND_LIST(SAVED) VERSO_KIND_LIST(LIES) VERSO_KIND_LIST(FINISHED) VERSO_KIND_LIST(ACCEPTED)
#undef ACCEPTED
#undef FINISHED
#undef SAVED
#undef LIES
            cmocka_unit_test(saved_before_and_after_the_end_is_announced),
        cmocka_unit_test(saved_with_many_slots),
        cmocka_unit_test(every_changed_byte_is_noticed),
        cmocka_unit_test(bytes_that_are_missing_or_added_are_noticed),
        cmocka_unit_test(buffers_that_are_too_small_are_left_alone),
        cmocka_unit_test(parameters_that_do_not_exist_are_noticed),
        cmocka_unit_test(signed_lies_about_many_slots_do_no_harm),
        cmocka_unit_test(the_format_is_fixed),
    };
    seed = random_seed();
    return cmocka_run_group_tests_name("cursors", tests, NULL, NULL);
}
