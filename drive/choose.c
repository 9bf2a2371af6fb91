/* Chooses the schedule if the option `automatic` is set: times a few steps, one write and one read, predicts the
 * cost of the kinds that fit, and takes the cheapest. The report contains a sentence that gives the reason.
 *
 * Reversing is not timed: there is no adjoint before the end of the first sweep, and what the user's adjoint
 * callback adds to a gradient could not be undone. The choice does not need it, because every schedule reverses
 * every step once. The prediction leaves it out and says so.
 *
 * A group uses its slowest times, so that all processes choose the same schedule. */
#include "base/alloc.h"
#include "base/wide.h"
#include "drive/inside.h"
#include "schedule/cost.h"

#include <stdio.h>
#include <string.h>

/* a fixed number, because a group takes its steps together and cannot use a clock */
enum { PROBE_STEPS = 64, PROBE_STEPS_OF_GROUP = 2 };
#define PROBE_SECONDS 0.05
/* The maximum number of slots of an online schedule in a durable run, because the saved schedule grows with its
 * slots and is part of every restart point. This number suffices for 10^8 steps that are each run twice. */
enum { DURABLE_SLOTS = 1 << 14 };

/* Times in nanoseconds, at least 1: the unit of the costs of the specs made here. */
typedef struct measured {
    uint64_t step, write, read;
} measured;

static uint64_t nanoseconds(double seconds) {
    return seconds <= 1e-9 ? 1 : seconds >= 1e6 ? (uint64_t)1e15 : (uint64_t)(seconds * 1e9);
}

/* ---- Measuring ---- */

static verso_status time_steps(verso__drive *drive, measured *times, verso_error *error) {
    const verso_program *program = drive->program;
    bool alone = drive->options->group == NULL;
    uint64_t at = 0, most = verso__min_u64(program->steps, alone ? PROBE_STEPS : PROBE_STEPS_OF_GROUP);
    double began = verso__now(), now = began;
    while (at < most && (!alone || now - began < PROBE_SECONDS)) {
        uint64_t reached = at + 1;
        verso_status status = program->operations->advance(program->self, at, at + 1, &reached, error);
        if (status != VERSO_STATUS_OK)
            return status;
        if (reached == at)
            break;
        at = reached;
        now = verso__now();
    }
    times->step = at == 0 ? 1 : nanoseconds((now - began) / (double)at);
    return VERSO_STATUS_OK;
}

/* Writes the working state x_0 to a file and reads it back; the sync makes sure that it is read from the file. */
static verso_status time_files(verso__drive *drive, measured *times, verso_error *error) {
    const verso_store *store = &drive->vault.store;
    const verso_capsule_name name = {VERSO_CAPSULE_STATE, 0, 0};
    double began = verso__now();
    verso_status status = verso__capture_into(drive, store, &name, error);
    if (status == VERSO_STATUS_OK)
        status = store->operations->sync(store->self, error);
    times->write = nanoseconds(verso__now() - began);
    began = verso__now();
    if (status == VERSO_STATUS_OK)
        status = verso__resume_from(drive, store, &name, error);
    times->read = nanoseconds(verso__now() - began);
    if (status == VERSO_STATUS_OK)
        status = store->operations->discard(store->self, &name, error);
    return status;
}

static verso_status slowest(verso__drive *drive, uint64_t *value, verso_error *error) {
    uint64_t below = UINT64_MAX - *value;
    verso_status status = verso__drive_least(drive, &below, error);
    *value = UINT64_MAX - below;
    return status;
}

/* Measures the times. The program must be at x_0 and is there again afterwards. */
static verso_status measure(verso__drive *drive, const verso__room *room, measured *times, verso_error *error) {
    const verso_program *program = drive->program;
    /* later states may be larger */
    size_t size = program->operations->capsule_size(program->self, VERSO_CAPSULE_STATE);
    void *start = verso__alloc(size, 1);
    if (start == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a state of %zu bytes", size);
    verso_status status = program->operations->capture(program->self, VERSO_CAPSULE_STATE, start, size, error);
    if (status == VERSO_STATUS_OK && room->files)
        status = time_files(drive, times, error);
    if (status == VERSO_STATUS_OK)
        status = time_steps(drive, times, error);
    if (status == VERSO_STATUS_OK)
        status = program->operations->resume(program->self, VERSO_CAPSULE_STATE, start, size, error);
    verso__dealloc(start);
    uint64_t *all[] = {&times->step, &times->write, &times->read};
    for (size_t i = 0; i < sizeof all / sizeof *all && status == VERSO_STATUS_OK; i++)
        status = slowest(drive, all[i], error);
    return status;
}

/* ---- Choosing ---- */

static void fill_spec(verso_schedule_spec *spec, verso_schedule_kind kind, uint64_t steps, uint64_t slots,
                      const measured *times) {
    verso_schedule_spec_init(spec, kind);
    spec->steps = steps;
    spec->slots = slots;
    spec->forward_cost = times->step;
    spec->backward_cost = verso__mul_u64(2, times->step);
    spec->write_cost = times->write;
    spec->read_cost = times->read;
}

/* Formats a duration: "1.2 ms". */
static char *duration(double nanoseconds, char text[32]) {
    const char *unit = nanoseconds < 1e3 ? "ns" : nanoseconds < 1e6 ? "us" : nanoseconds < 1e9 ? "ms" : "s";
    double scale = nanoseconds < 1e3 ? 1 : nanoseconds < 1e6 ? 1e3 : nanoseconds < 1e9 ? 1e6 : 1e9;
    snprintf(text, 32, "%.3g %s", nanoseconds / scale, unit);
    return text;
}

static void explain(verso__drive *drive, const measured *times, const verso_schedule_spec *spec,
                    const verso__room *room, verso__wide best, verso__wide other) {
    char step[32], write[32], read[32], cost[32], rest[32], slots[32], files[128] = "";
    snprintf(slots, sizeof slots, "%llu", (unsigned long long)room->slots);
    if (room->files)
        snprintf(files, sizeof files, ", a write %s, a read %s", duration((double)times->write, write),
                 duration((double)times->read, read));
    if (spec->steps == VERSO_UNKNOWN)
        snprintf(drive->reason, sizeof drive->reason,
                 "online%s: the number of steps is unknown; a step takes %s%s, and memory has room for %s states",
                 spec->with_disk ? " with files" : "", duration((double)times->step, step), files, slots);
    else if (spec->kind == VERSO_KIND_STORE_ALL)
        snprintf(drive->reason, sizeof drive->reason, "store-all: the states of all %llu steps fit into memory",
                 (unsigned long long)spec->steps);
    else
        snprintf(drive->reason, sizeof drive->reason,
                 "%s: a step takes %s%s, and memory has room for %s states; predicted %s%s%s, beside "
                 "reversing every step once",
                 verso_kind_word(spec->kind), duration((double)times->step, step), files, slots,
                 duration((double)best, cost),
                 other > 0 ? (spec->kind == VERSO_KIND_REVOLVE ? ", with files " : ", in memory alone ") : "",
                 other > 0 ? duration((double)other, rest) : "");
}

/* Sets *makespan to the makespan of the spec, or to VERSO_WIDE_MAX if it is impossible, which is not an error. */
static verso_status makespan_of(const verso_schedule_spec *spec, bool possible, verso__wide *makespan,
                                verso_error *error) {
    verso_schedule *schedule = NULL;
    verso__cost cost;
    verso_error why = {0};
    *makespan = VERSO_WIDE_MAX;
    if (!possible)
        return VERSO_STATUS_OK;
    verso_status status = verso_schedule_new(spec, &schedule, &why);
    if (status == VERSO_STATUS_OK)
        status = verso__schedule_cost(schedule, &cost, &why);
    if (status == VERSO_STATUS_OK)
        *makespan = cost.makespan;
    verso_schedule_free(schedule);
    return status == VERSO_STATUS_NO_MEMORY ? verso__fail(error, status, "%s", why.message) : VERSO_STATUS_OK;
}

/* Returns the number of states that files may hold; VERSO_UNKNOWN: unlimited. */
static uint64_t files_most(const verso__drive *drive) {
    uint64_t limit = drive->options->disk, none = verso__disk_needed(drive, 0), one = verso__disk_needed(drive, 1);
    if (limit == 0)
        return VERSO_UNKNOWN;
    return limit < one ? 0 : (limit - none) / (one - none);
}

/* Fills in the spec that uses files: the kind `disk` if files are unlimited, else `levels` with a limited tier. */
static void fill_files_spec(const verso__drive *drive, verso_schedule_spec *spec, uint64_t steps, uint64_t slots,
                            const measured *times) {
    uint64_t most = files_most(drive);
    fill_spec(spec, most == VERSO_UNKNOWN ? VERSO_KIND_DISK : VERSO_KIND_LEVELS, steps, slots, times);
    spec->tier_count = 2;
    spec->tiers[0] = (verso_tier){slots, 0, 0};
    spec->tiers[1] = (verso_tier){most, times->write, times->read};
}

static verso_status choose_known(verso__drive *drive, const verso__room *room, const measured *times, uint64_t steps,
                                 verso_schedule_spec *spec, verso_error *error) {
    verso_schedule_spec files;
    fill_spec(spec, VERSO_KIND_REVOLVE, steps, room->slots, times);
    fill_files_spec(drive, &files, steps, room->slots, times);
    verso__wide in_memory, with_files;
    verso_status status = makespan_of(spec, room->slots > 0, &in_memory, error);
    if (status == VERSO_STATUS_OK)
        status = makespan_of(&files, room->files && files_most(drive) > 0, &with_files, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (in_memory == VERSO_WIDE_MAX && with_files == VERSO_WIDE_MAX)
        return verso__fail(error, VERSO_STATUS_IMPOSSIBLE,
                           "the memory budget of %llu bytes has no room for a state of %zu bytes, and there is no "
                           "directory, or no room in it, for files",
                           (unsigned long long)drive->options->memory, drive->capsule_size);
    bool on_disk = with_files < in_memory;
    verso__wide best = on_disk ? with_files : in_memory, other = on_disk ? in_memory : with_files;
    verso__wide reversing = (verso__wide)steps * spec->backward_cost;
    if (on_disk)
        *spec = files;
    explain(drive, times, spec, room, best - reversing, other == VERSO_WIDE_MAX ? 0 : other - reversing);
    return VERSO_STATUS_OK;
}

verso_status verso__choose(verso__drive *drive, const verso__room *room, verso_schedule_spec *spec,
                           verso_error *error) {
    uint64_t steps = drive->program->steps;
    measured times = {1, 1, 1};
    if (steps != VERSO_UNKNOWN && (room->slots == VERSO_UNKNOWN || room->slots >= steps)) {
        fill_spec(spec, VERSO_KIND_STORE_ALL, steps, 0, &times);
        explain(drive, &times, spec, room, 0, 0);
        return VERSO_STATUS_OK;
    }
    verso_status status = measure(drive, room, &times, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (steps != VERSO_UNKNOWN)
        return choose_known(drive, room, &times, steps, spec, error);
    if (room->slots == 0 || room->slots == VERSO_UNKNOWN)
        return verso__fail(error, room->slots == 0 ? VERSO_STATUS_IMPOSSIBLE : VERSO_STATUS_INVALID,
                           "the number of steps is unknown, so a memory budget with room for at least one state of "
                           "%zu bytes is needed",
                           drive->capsule_size);
    uint64_t slots = drive->durable ? verso__min_u64(room->slots, DURABLE_SLOTS) : room->slots;
    fill_spec(spec, VERSO_KIND_ONLINE, VERSO_UNKNOWN, slots, &times);
    spec->with_disk = room->files && files_most(drive) == VERSO_UNKNOWN; /* online needs unlimited files */
    explain(drive, &times, spec, room, 0, 0);
    return VERSO_STATUS_OK;
}
