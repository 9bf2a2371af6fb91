/* The cursor: the position of a schedule as bytes. It consists of 64-bit words, little-endian:
 *
 *   magic, version, the spec, the walk, the words of the stack, XXH3-64 of all these
 *
 * The plan is not saved, because it follows from the spec (kind.h, invariant 1). Loading trusts nothing: the
 * checksum detects damage, the spec is checked like a user's, and the kind checks that its words cannot lead it
 * outside of its arrays. */
#include <string.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/status.h"
#include "base/words.h"
#include "schedule/kind.h"

enum {
    FORMAT_VERSION = 1,
    SPEC_WORDS = 15 + 3 * VERSO_TIERS_MAX,
    WALK_WORDS = sizeof(verso__walk) / sizeof(uint64_t),
    FIXED_WORDS = 2 + SPEC_WORDS + WALK_WORDS + 1, /* everything except the stack */
};

static const uint64_t magic = 0x3130726373727376; /* "vsrscr01" */

static void put_spec(unsigned char **at, const verso_schedule_spec *spec) {
    const uint64_t words[] = {
        (uint64_t)spec->kind,   spec->steps,     spec->slots,     spec->forward_cost, spec->backward_cost,
        spec->write_cost,       spec->read_cost, spec->with_disk, spec->tier_count,   spec->distance,
        spec->adjoint_distance, spec->leaf,      spec->space,     spec->time,         (uint64_t)spec->split};
    _Static_assert(sizeof words / sizeof *words + 3 * VERSO_TIERS_MAX == SPEC_WORDS, "the spec's words");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        verso__put_word(at, words[i]);
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++) {
        verso__put_word(at, spec->tiers[i].capacity);
        verso__put_word(at, spec->tiers[i].write_cost);
        verso__put_word(at, spec->tiers[i].read_cost);
    }
}

static bool get_spec(const unsigned char **at, verso_schedule_spec *spec) {
    uint64_t kind = verso__get_word(at);
    spec->steps = verso__get_word(at);
    spec->slots = verso__get_word(at);
    spec->forward_cost = verso__get_word(at);
    spec->backward_cost = verso__get_word(at);
    spec->write_cost = verso__get_word(at);
    spec->read_cost = verso__get_word(at);
    uint64_t with_disk = verso__get_word(at);
    spec->tier_count = verso__get_word(at);
    spec->distance = verso__get_word(at);
    spec->adjoint_distance = verso__get_word(at);
    spec->leaf = verso__get_word(at);
    spec->space = verso__get_word(at);
    spec->time = verso__get_word(at);
    uint64_t split = verso__get_word(at);
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++) {
        spec->tiers[i].capacity = verso__get_word(at);
        spec->tiers[i].write_cost = verso__get_word(at);
        spec->tiers[i].read_cost = verso__get_word(at);
    }
    if (kind >= VERSO_KIND_COUNT || with_disk > 1 || split > VERSO_SPLIT_HALVES || spec->tier_count > VERSO_TIERS_MAX)
        return false;
    spec->kind = (verso_schedule_kind)kind;
    spec->with_disk = with_disk == 1;
    spec->split = (verso_split)split;
    return true;
}

size_t verso_schedule_saved_size(const verso_schedule *schedule) {
    return (FIXED_WORDS + (size_t)schedule->walk.used) * 8;
}

verso_status verso_schedule_save(const verso_schedule *schedule, void *bytes, size_t size, verso_error *error) {
    size_t needed = verso_schedule_saved_size(schedule);
    if (size < needed)
        return verso__fail(error, VERSO_STATUS_INVALID, "the buffer has %zu bytes; the schedule's cursor takes %zu",
                           size, needed);
    unsigned char *at = bytes;
    verso__put_word(&at, magic);
    verso__put_word(&at, FORMAT_VERSION);
    put_spec(&at, &schedule->spec);
    uint64_t walk[WALK_WORDS];
    memcpy(walk, &schedule->walk, sizeof walk);
    for (size_t i = 0; i < WALK_WORDS; i++)
        verso__put_word(&at, walk[i]);
    for (size_t i = 0; i < schedule->walk.used; i++)
        verso__put_word(&at, schedule->stack[i]);
    verso__put_word(&at, verso__checksum(bytes, needed - 8));
    return VERSO_STATUS_OK;
}

static verso_status read_stack(verso_schedule *schedule, const unsigned char **at, verso_error *error) {
    uint64_t used = schedule->walk.used;
    schedule->walk.used = 0;
    verso_status status = verso__stack_reserve(schedule, (size_t)used, error);
    if (status != VERSO_STATUS_OK)
        return status;
    for (uint64_t i = 0; i < used; i++)
        schedule->stack[i] = verso__get_word(at);
    schedule->walk.used = used;
    if (!schedule->kind->valid(schedule))
        return verso__fail(error, VERSO_STATUS_CORRUPT, "the saved schedule is inconsistent");
    return VERSO_STATUS_OK;
}

verso_status verso_schedule_load(const void *bytes, size_t size, verso_schedule **schedule, verso_error *error) {
    *schedule = NULL;
    if (size < FIXED_WORDS * 8 || size % 8 != 0)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "%zu bytes cannot be a saved schedule", size);
    const unsigned char *at = bytes;
    const unsigned char *tail = at + size - 8;
    if (verso__get_word(&at) != magic)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "the bytes are not a saved schedule");
    uint64_t version = verso__get_word(&at);
    if (version != FORMAT_VERSION)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "the saved schedule has format %llu; this library reads %d",
                           (unsigned long long)version, FORMAT_VERSION);
    if (verso__get_word(&tail) != verso__checksum(bytes, size - 8))
        return verso__fail(error, VERSO_STATUS_CORRUPT, "the saved schedule is damaged: its checksum is wrong");
    verso_schedule_spec spec;
    if (!get_spec(&at, &spec))
        return verso__fail(error, VERSO_STATUS_CORRUPT, "the saved schedule has invalid parameters");
    verso_schedule *loaded;
    verso_status status = verso_schedule_new(&spec, &loaded, error);
    if (status == VERSO_STATUS_INVALID || status == VERSO_STATUS_IMPOSSIBLE)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "the saved schedule has parameters that cannot be planned");
    if (status != VERSO_STATUS_OK)
        return status;
    uint64_t walk[WALK_WORDS];
    for (size_t i = 0; i < WALK_WORDS; i++)
        walk[i] = verso__get_word(&at);
    memcpy(&loaded->walk, walk, sizeof walk);
    if (loaded->walk.used != size / 8 - FIXED_WORDS)
        status = verso__fail(error, VERSO_STATUS_CORRUPT, "the saved schedule's length does not match its contents");
    else
        status = read_stack(loaded, &at, error);
    if (status != VERSO_STATUS_OK) {
        verso_schedule_free(loaded);
        return status;
    }
    *schedule = loaded;
    return VERSO_STATUS_OK;
}
