/* Opens a store for each tier, and checks before the first step that the budgets of memory and disk suffice for the
 * schedule. If not, the message names the least budget, exact to the byte. */
#include "base/wide.h"
#include "drive/inside.h"
#include "store/capsule_file.h"

/* ---- The budget of memory ---- */

uint64_t verso__recording(const verso__drive *drive, uint64_t steps) {
    const verso_program *program = drive->program;
    return program->operations->recording_size == NULL ? 0 : program->operations->recording_size(program->self, steps);
}

uint64_t verso__buffers_for(uint64_t memory, uint64_t largest) {
    uint64_t quarter = memory / 4, most = verso__mul_u64(4, largest);
    return quarter < largest ? largest : quarter > most ? most : quarter;
}

uint64_t verso__memory_for(uint64_t needed, uint64_t largest) {
    uint64_t low = needed > 0 ? needed : 1, high = verso__add_u64(low, verso__buffers_for(UINT64_MAX, largest));
    while (low < high) { /* bisection works because a larger budget never leaves less beside the buffers */
        uint64_t middle = low + (high - low) / 2, buffers = verso__buffers_for(middle, largest);
        if (buffers <= middle && middle - buffers >= needed)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static uint64_t largest_capsule(const verso__drive *drive) {
    return drive->capsule_size > drive->adjoint_size ? drive->capsule_size : drive->adjoint_size;
}

uint64_t verso__file_buffers(const verso__drive *drive, uint64_t memory) {
    return drive->options->directory == NULL || memory == 0 ? 0 : verso__buffers_for(memory, largest_capsule(drive));
}

static uint64_t least_memory(const verso__drive *drive, uint64_t needed) {
    return verso__memory_for(needed, drive->options->directory == NULL ? 0 : largest_capsule(drive));
}

verso_status verso__memory_left(const verso__drive *drive, uint64_t stretch, uint64_t states, uint64_t *left,
                                verso_error *error) {
    uint64_t memory = drive->options->memory, recorded = verso__recording(drive, stretch);
    uint64_t taken = verso__add_u64(drive->vault_memory, recorded);
    *left = VERSO_UNKNOWN;
    if (memory == 0)
        return VERSO_STATUS_OK;
    if (taken > memory || states > memory - taken)
        return verso__fail(error, VERSO_STATUS_IMPOSSIBLE,
                           "the memory budget of %llu bytes is too small for %llu bytes of states (%zu bytes each), "
                           "%llu bytes of recording and %llu bytes of file buffers; at least %llu bytes are needed",
                           (unsigned long long)memory, (unsigned long long)states, drive->capsule_size,
                           (unsigned long long)recorded, (unsigned long long)drive->vault_memory,
                           (unsigned long long)least_memory(drive, verso__add_u64(recorded, states)));
    *left = memory - taken;
    return VERSO_STATUS_OK;
}

/* ---- Tiers ---- */

/* The kinds that paper 5 compares keep their tier in files, so that it survives a crash. */
static bool is_resilient(verso_schedule_kind kind) {
    return kind == VERSO_KIND_RESILIENT || kind == VERSO_KIND_CONTINUOUS || kind == VERSO_KIND_SINGLE_RECOVERY;
}

static verso_place place_of_tier(const verso__drive *drive, size_t tier) {
    verso_schedule_kind kind = verso_schedule_get_spec(drive->schedule)->kind;
    if (drive->options->places[tier] != VERSO_PLACE_DEFAULT)
        return drive->options->places[tier];
    if (tier > 0)
        return VERSO_PLACE_FILES;
    return is_resilient(kind) && drive->options->directory != NULL ? VERSO_PLACE_FILES : VERSO_PLACE_MEMORY;
}

/* Returns the number of slots that a tier will need; VERSO_UNKNOWN if it cannot be predicted. */
static uint64_t slots_needed(const verso__drive *drive, size_t tier) {
    const verso_schedule_spec *spec = verso_schedule_get_spec(drive->schedule);
    if (drive->steps != VERSO_UNKNOWN)
        return drive->cost.peak_slots[tier];
    return tier == 0 ? spec->slots : VERSO_UNKNOWN;
}

static bool is_in_memory(const verso__drive *drive, size_t tier) {
    return drive->options->stores[tier] == NULL && place_of_tier(drive, tier) == VERSO_PLACE_MEMORY;
}

/* If there is only one tier, one of its slots holds x_0 all the time, whose size is at most start_most. */
uint64_t verso__states_bytes(const verso__drive *drive, size_t tiers, uint64_t slots) {
    uint64_t start = drive->program->start_most;
    if (tiers != 1 || start == 0 || slots == 0)
        return verso__mul_u64(slots, drive->capsule_size);
    return verso__add_u64(start, verso__mul_u64(slots - 1, drive->capsule_size));
}

uint64_t verso__states_within(const verso__drive *drive, size_t tiers, uint64_t bytes) {
    uint64_t start = drive->program->start_most;
    if (tiers != 1 || start == 0)
        return bytes / drive->capsule_size;
    return bytes < start ? 0 : 1 + (bytes - start) / drive->capsule_size;
}

static uint64_t bytes_of_tier(const verso__drive *drive, size_t tier) {
    return verso__states_bytes(drive, verso_schedule_tiers(drive->schedule), slots_needed(drive, tier));
}

/* Checks that the memory budget holds all tiers in memory and the longest recording. */
static verso_status check_budget(const verso__drive *drive, verso_error *error) {
    uint64_t left, states = 0, stretch = drive->steps == VERSO_UNKNOWN ? 1 : drive->cost.longest_recording;
    for (size_t tier = 0; tier < verso_schedule_tiers(drive->schedule); tier++)
        if (is_in_memory(drive, tier))
            states = verso__add_u64(states, bytes_of_tier(drive, tier));
    return verso__memory_left(drive, stretch, states, &left, error);
}

/* ---- The budget of disk ---- */

/* Adds x_0, the working state of a restart point, the states that wait for a restart point, and the adjoints. */
uint64_t verso__disk_needed(const verso__drive *drive, uint64_t slots) {
    uint64_t states = verso__add_u64(slots, 2 + VERSO_WAITING_MAX + 1);
    if (!drive->durable)
        return verso__mul_u64(slots, drive->capsule_size + VERSO_CAPSULE_HEADER);
    return verso__add_u64(verso__mul_u64(states, drive->capsule_size + VERSO_CAPSULE_HEADER),
                          (verso__adjoints_kept(drive) + 1) * (uint64_t)(drive->adjoint_size + VERSO_CAPSULE_HEADER));
}

/* The size of compressed files is unknown before they are written, so nothing is checked for them. */
static verso_status check_disk(const verso__drive *drive, verso_error *error) {
    uint64_t slots = 0;
    if (drive->options->disk == 0 || drive->options->compression != 0 || drive->vault.store.operations == NULL)
        return VERSO_STATUS_OK;
    for (size_t tier = 0; tier < drive->tier_count; tier++)
        if (drive->tiers[tier] == &drive->vault.store && slots_needed(drive, tier) != VERSO_UNKNOWN)
            slots = verso__add_u64(slots, slots_needed(drive, tier));
    uint64_t needed = verso__disk_needed(drive, slots);
    if (needed <= drive->options->disk)
        return VERSO_STATUS_OK;
    return verso__fail(
        error, VERSO_STATUS_IMPOSSIBLE,
        "the disk budget of %llu bytes is too small for %llu states of %zu bytes and the other files of a restart; "
        "at least %llu bytes are needed",
        (unsigned long long)drive->options->disk, (unsigned long long)slots, drive->capsule_size,
        (unsigned long long)needed);
}

/* ---- Opening them ---- */

static const char *tier_name(const verso__drive *drive, size_t tier) {
    return verso_schedule_tier_name(drive->schedule, tier);
}

static verso_status open_memory_tier(verso__drive *drive, size_t tier, verso_error *error) {
    uint64_t budget = drive->options->memory == 0 ? 0 : bytes_of_tier(drive, tier);
    drive->tiers[tier] = &drive->owned[tier];
    return verso_store_memory_open(budget, &drive->owned[tier], error);
}

/* Empties the user's store: the driver does not know the capsules that an earlier process left there. */
static verso_status take_users_store(verso__drive *drive, size_t tier, verso_error *error) {
    drive->tiers[tier] = drive->options->stores[tier];
    return drive->tiers[tier]->operations->list != NULL ? verso__clear(drive->tiers[tier], VERSO_UNKNOWN, error)
                                                        : VERSO_STATUS_OK;
}

verso_status verso__open_tiers(verso__drive *drive, verso_error *error) {
    verso_status status = check_budget(drive, error);
    drive->tier_count = verso_schedule_tiers(drive->schedule);
    size_t opened = 0;
    for (; opened < drive->tier_count && status == VERSO_STATUS_OK; opened++) {
        if (drive->options->stores[opened] != NULL)
            status = take_users_store(drive, opened, error);
        else if (is_in_memory(drive, opened))
            status = open_memory_tier(drive, opened, error);
        else if (drive->vault.store.operations == NULL)
            status = verso__fail(
                error, VERSO_STATUS_INVALID, "the tier '%s' of %s is kept in files: name a directory for them",
                tier_name(drive, opened), verso_kind_word(verso_schedule_get_spec(drive->schedule)->kind));
        else
            drive->tiers[opened] = &drive->vault.store;
    }
    if (status != VERSO_STATUS_OK)
        drive->tier_count = opened > 0 ? opened - 1 : 0;
    return status == VERSO_STATUS_OK ? check_disk(drive, error) : status;
}
