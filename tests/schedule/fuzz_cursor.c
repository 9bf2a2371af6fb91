/* libFuzzer target: loads arbitrary bytes as a cursor. Loading them and asking for actions neither crashes nor hangs
 * nor leaks; the actions may be nonsensical.
 *
 * Each input is tried in three ways: as it is; as a cursor whose magic, version, length and checksum are corrected,
 * so that the checks after them are reached; and as a recipe for a real cursor (a spec, a number of actions) in which
 * a few words are then changed, which reaches the deep checks most often. */
#include "schedule/cost.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "tests/support/random_spec.c" /* a fuzzer is a single file */

enum {
    WORD = 8,
    SPEC_AT = 2, /* words: magic, version, the spec, … */
    STEPS_AT = SPEC_AT + 1,
    SLOTS_AT = SPEC_AT + 2,
    TIERS_AT = SPEC_AT + 15,
    WALK_AT = TIERS_AT + 3 * VERSO_TIERS_MAX,
    USED_AT = WALK_AT + 3,
    STEPS_MAX = 100000,
    ACTIONS_MAX = 20000,
};

static const uint64_t magic = 0x3130726373727376;

/* Words of a true cursor without stack: magic to checksum. */
static size_t fixed_words(void) {
    verso_schedule_spec spec;
    verso_schedule *schedule;
    verso_schedule_spec_init(&spec, VERSO_KIND_STORE_ALL);
    if (verso_schedule_new(&spec, &schedule, NULL) != VERSO_STATUS_OK)
        abort();
    size_t size = verso_schedule_saved_size(schedule);
    verso_schedule_free(schedule);
    return size / WORD;
}

static uint64_t get(const unsigned char *bytes, size_t index) {
    uint64_t word = 0;
    for (size_t i = WORD; i-- > 0;)
        word = word << 8 | bytes[index * WORD + i];
    return word;
}

static void set(unsigned char *bytes, size_t index, uint64_t word) {
    for (size_t i = 0; i < WORD; i++)
        bytes[index * WORD + i] = (unsigned char)(word >> (8 * i));
}

static void run(const unsigned char *bytes, size_t size) {
    verso_schedule *schedule;
    verso_error error;
    verso__cost cost;
    verso_action action = {0};
    if (verso_schedule_load(bytes, size, &schedule, &error) != VERSO_STATUS_OK) {
        if (schedule != NULL)
            abort();
        return;
    }
    if (verso_schedule_get_spec(schedule)->steps <=
        STEPS_MAX) /* the cursor of an online schedule may contain any number of steps */
        (void)verso__schedule_cost(schedule, &cost, &error);
    for (int i = 0; i < ACTIONS_MAX && action.kind != VERSO_ACTION_DONE; i++)
        if (verso_schedule_next(schedule, &action, &error) != VERSO_STATUS_OK)
            break;
    verso_schedule_free(schedule);
}

static void sign_and_run(unsigned char *bytes, size_t words) {
    set(bytes, words - 1, XXH3_64bits(bytes, (words - 1) * WORD));
    run(bytes, words * WORD);
}

/* Plans of limited size, so that time is spent on cursors. */
static void bound(unsigned char *bytes, size_t index, uint64_t most) {
    uint64_t word = get(bytes, index);
    if (word > most)
        set(bytes, index, word % (most + 1));
}

static void run_repaired(const uint8_t *data, size_t size) {
    size_t fixed = fixed_words();
    size_t words = size / WORD;
    if (words < fixed)
        return;
    unsigned char *bytes = malloc(words * WORD);
    if (bytes == NULL)
        return;
    memcpy(bytes, data, words * WORD);
    set(bytes, 0, magic);
    set(bytes, 1, 1);
    bound(bytes, SPEC_AT, VERSO_KIND_COUNT - 1);
    if (get(bytes, SPEC_AT) != VERSO_KIND_ONLINE || get(bytes, STEPS_AT) != VERSO_UNKNOWN)
        bound(bytes, STEPS_AT, STEPS_MAX);
    bound(bytes, SLOTS_AT, 10000);
    for (size_t i = 0; i < 3 * VERSO_TIERS_MAX; i++) /* capacities and costs */
        bound(bytes, TIERS_AT + i, i % 3 == 0 ? 16 : 1000);
    set(bytes, USED_AT, words - fixed);
    sign_and_run(bytes, words);
    free(bytes);
}

/* ---- True cursors, changed ---- */

static unsigned char *true_cursor(random_source *source, size_t *words) {
    verso_schedule_kind kind = (verso_schedule_kind)random_below(source, VERSO_KIND_COUNT);
    verso_schedule_spec spec = random_spec(source, kind, kind == VERSO_KIND_LEVELS ? 150 : 2000);
    if (kind == VERSO_KIND_ONLINE && random_below(source, 4) == 0)
        spec.steps = VERSO_UNKNOWN;
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++)
        spec.tiers[i].capacity %= 32;
    verso_schedule *schedule;
    verso_action action;
    if (verso_schedule_new(&spec, &schedule, NULL) != VERSO_STATUS_OK)
        return NULL;
    for (uint64_t i = random_below(source, 256) * (1 + random_below(source, 16)); i > 0; i--) {
        if (verso_schedule_next(schedule, &action, NULL) != VERSO_STATUS_OK)
            break; /* an online schedule gives up after 2^60 steps */
        if (spec.steps == VERSO_UNKNOWN && action.kind == VERSO_ACTION_ADVANCE && random_below(source, 16) == 1)
            (void)verso_schedule_end(schedule, action.to, action.to + random_below(source, 2), NULL);
    }
    size_t size = verso_schedule_saved_size(schedule);
    unsigned char *bytes = malloc(size);
    if (bytes != NULL && verso_schedule_save(schedule, bytes, size, NULL) != VERSO_STATUS_OK)
        abort();
    verso_schedule_free(schedule);
    *words = size / WORD;
    return bytes;
}

static void change(random_source *source, unsigned char *bytes, size_t words) {
    size_t index = WALK_AT + (size_t)random_below(source, words - 1 - WALK_AT);
    uint64_t word = get(bytes, index);
    switch (random_below(source, 6)) {
    case 0: word += 1 + random_below(source, 8); break;
    case 1: word -= 1 + random_below(source, 8); break;
    case 2: word = random_below(source, 64); break;
    case 3: word = get(bytes, STEPS_AT + (size_t)random_below(source, words - 1 - STEPS_AT)); break;
    case 4: word = VERSO_UNKNOWN - random_below(source, 4); break;
    default: word = random_below(source, VERSO_UNKNOWN) >> random_below(source, 64); break;
    }
    if (index != USED_AT)
        set(bytes, index, word);
}

static void run_changed(const uint8_t *data, size_t size) {
    random_source source = random_from_bytes(data, size);
    size_t words = 0;
    unsigned char *bytes = true_cursor(&source, &words);
    if (bytes == NULL)
        return;
    run(bytes, words * WORD);
    for (uint64_t changes = random_below(&source, 4); changes > 0; changes--)
        change(&source, bytes, words);
    sign_and_run(bytes, words);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    run(data, size);
    run_repaired(data, size);
    run_changed(data, size);
    return 0;
}
