/* verso_run: from options to a report. */
#include "base/alloc.h"
#include "base/file.h"
#include "base/wide.h"
#include "drive/drive.h"
#include "schedule/words.h"
#include "store/capsule_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void verso_run_options_init(verso_run_options *options) {
    *options = (verso_run_options){0};
    verso_schedule_spec_init(&options->spec, VERSO_KIND_REVOLVE);
}

/* ---- For all files of the driver ---- */

void verso_drive_notice(verso_drive *drive, const char *format, ...) {
    if (drive->options->notice == NULL)
        return;
    char sentence[VERSO_MESSAGE_MAX + 256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    drive->options->notice(drive->options->notice_context, sentence);
}

verso_status verso_drive_least(verso_drive *drive, uint64_t *value, verso_error *error) {
    const verso_group *group = drive->options->group;
    return group == NULL ? VERSO_OK : group->least(group->context, *value, value, error);
}

verso_status verso_drive_all(verso_drive *drive, bool *value, verso_error *error) {
    uint64_t number = *value;
    verso_status status = verso_drive_least(drive, &number, error);
    *value = number != 0;
    return status;
}

verso_status verso_drive_any(verso_drive *drive, bool *value, verso_error *error) {
    bool none = !*value;
    verso_status status = verso_drive_all(drive, &none, error);
    *value = !none;
    return status;
}

verso_status verso_drive_learn_cost(verso_drive *drive, verso_error *error) {
    verso_status status = verso_schedule_cost(drive->schedule, &drive->cost, error);
    if (status == VERSO_OK)
        drive->steps = drive->cost.steps;
    return status;
}

uint64_t verso_drive_memory(const verso_drive *drive) {
    uint64_t bytes = 0;
    verso_store_usage usage;
    for (size_t tier = 0; tier < drive->tier_count; tier++) {
        if (drive->tiers[tier] == &drive->vault.store)
            continue;
        drive->tiers[tier]->operations->usage(drive->tiers[tier]->self, &usage);
        bytes += usage.memory;
    }
    if (drive->vault.store.operations != NULL) {
        drive->vault.store.operations->usage(drive->vault.store.self, &usage);
        bytes += usage.memory;
    }
    return bytes;
}

verso_status verso_drive_drain(verso_drive *drive, verso_error *error) {
    double began = verso_now();
    verso_status status = verso_worker_drain(drive->worker, error);
    drive->pace.drained += verso_now() - began;
    return status;
}

static double seconds_left(const verso_progress *progress) {
    if (progress->phase == VERSO_PHASE_DONE)
        return 0;
    if (progress->work_total == 0 || progress->work_done == 0)
        return -1;
    return progress->seconds * (double)(progress->work_total - progress->work_done) / (double)progress->work_done;
}

void verso_drive_progress(const verso_drive *drive, verso_progress *progress) {
    const verso_action *pending = &drive->pending;
    double now = verso_now();
    *progress = (verso_progress){
        .phase = drive->adjoint == VERSO_UNKNOWN ? VERSO_PHASE_FORWARD
                 : drive->adjoint > 0            ? VERSO_PHASE_REVERSE
                                                 : VERSO_PHASE_DONE,
        .steps = drive->steps,
        .reached = drive->counts.reached,
        .adjoint = drive->adjoint,
        .work_done = drive->counts.work_forward + drive->counts.work_reversed,
        .work_total = drive->steps == VERSO_UNKNOWN ? 0 : drive->cost.forward_steps + drive->steps,
        .steps_at_risk = verso_pace_steps(drive) - drive->committed_steps,
        .seconds = drive->counts.seconds + (now - drive->pace.began),
        .seconds_at_risk = now - (drive->committed_at > 0 ? drive->committed_at : drive->pace.began),
        .memory = verso_drive_memory(drive),
    };
    if (pending->kind == VERSO_ADVANCE && drive->working != VERSO_UNKNOWN && drive->working > pending->from)
        progress->work_done += drive->working - pending->from;
    progress->seconds_left = seconds_left(progress);
}

/* ---- Budget ---- */

static const char *tier_name(const verso_drive *drive, size_t tier) {
    return verso_schedule_tier_name(drive->schedule, tier);
}

static uint64_t recording(const verso_drive *drive, uint64_t steps) {
    const verso_program *program = drive->program;
    return program->operations->recording_size == NULL ? 0 : program->operations->recording_size(program->self, steps);
}

/* Up to four capsules on their way to and from files, a quarter of the budget, but at least one. */
static uint64_t buffers_of_files(const verso_drive *drive, uint64_t memory) {
    uint64_t largest = drive->capsule_size > drive->adjoint_size ? drive->capsule_size : drive->adjoint_size;
    uint64_t quarter = memory / 4, most = verso_mul_u64(4, largest);
    if (drive->options->directory == NULL || memory == 0)
        return 0;
    return quarter < largest ? largest : quarter > most ? most : quarter;
}

/* The least budget that leaves so many bytes beside the buffers of files. */
static uint64_t least_memory(const verso_drive *drive, uint64_t needed) {
    uint64_t low = needed > 0 ? needed : 1, high = verso_add_u64(low, buffers_of_files(drive, UINT64_MAX));
    while (low < high) { /* what the buffers leave never shrinks when the budget grows */
        uint64_t middle = low + (high - low) / 2, buffers = buffers_of_files(drive, middle);
        if (buffers <= middle && middle - buffers >= needed)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The budget without the buffers of files and without the recording of `stretch` steps: VERSO_IMPOSSIBLE unless that
 * is at least `states` bytes. */
static verso_status memory_left(const verso_drive *drive, uint64_t stretch, uint64_t states, uint64_t *left,
                                verso_error *error) {
    uint64_t memory = drive->options->memory, recorded = recording(drive, stretch);
    uint64_t taken = verso_add_u64(drive->vault_memory, recorded);
    *left = VERSO_UNKNOWN;
    if (memory == 0)
        return VERSO_OK;
    if (taken > memory || states > memory - taken)
        return verso_fail(error, VERSO_IMPOSSIBLE,
                          "a memory of %llu bytes is too small for %llu bytes of states (of %zu each) beside %llu of "
                          "recording and %llu of buffers for files; %llu would do",
                          (unsigned long long)memory, (unsigned long long)states, drive->capsule_size,
                          (unsigned long long)recorded, (unsigned long long)drive->vault_memory,
                          (unsigned long long)least_memory(drive, verso_add_u64(recorded, states)));
    *left = memory - taken;
    return VERSO_OK;
}

/* ---- Schedule ---- */

static verso_status slots_from_memory(verso_drive *drive, verso_schedule_spec *spec, verso_error *error) {
    uint64_t left;
    verso_status status = memory_left(drive, 1, drive->capsule_size, &left, error);
    if (status != VERSO_OK)
        return status;
    if (left == VERSO_UNKNOWN)
        return verso_fail(error, VERSO_INVALID, "%s needs a number of slots, or a memory budget that gives it",
                          verso_kind_word(spec->kind));
    spec->slots = left / drive->capsule_size;
    return verso_drive_least(drive, &spec->slots, error); /* whose states are largest has the fewest */
}

static verso_status complete_spec(verso_drive *drive, verso_schedule_spec *spec, verso_error *error) {
    uint64_t steps = drive->program->steps;
    *spec = drive->options->spec;
    if (spec->steps != 0 && steps != VERSO_UNKNOWN && spec->steps != steps)
        return verso_fail(error, VERSO_INVALID, "the schedule is for %llu steps, the program has %llu",
                          (unsigned long long)spec->steps, (unsigned long long)steps);
    if (spec->steps != 0 && spec->steps != VERSO_UNKNOWN && steps == VERSO_UNKNOWN)
        return verso_fail(error, VERSO_INVALID,
                          "the schedule is for %llu steps, but the program finds out itself how many it has; leave the "
                          "steps of the schedule 0",
                          (unsigned long long)spec->steps);
    spec->steps = steps;
    if (spec->steps == VERSO_UNKNOWN && spec->kind != VERSO_KIND_ONLINE)
        return verso_fail(error, VERSO_INVALID,
                          "%s must know the number of steps, and the program does not; use online",
                          verso_kind_word(spec->kind));
    return spec->slots == 0 && verso_kind_has_slots(spec->kind) ? slots_from_memory(drive, spec, error) : VERSO_OK;
}

static verso_status make_schedule(verso_drive *drive, verso_error *error) {
    verso_schedule_spec spec;
    verso_status status;
    if (drive->options->automatic) {
        verso_room room = {.files = drive->options->directory != NULL};
        bool in_files = room.files && drive->program->steps != VERSO_UNKNOWN; /* which needs no state in memory */
        uint64_t left;
        status = memory_left(drive, 1, in_files ? 0 : drive->capsule_size, &left, error);
        if (left == VERSO_UNKNOWN && verso_machine_memory() > 0) /* half of it is not too much to ask */
            left = verso_machine_memory() / 2;
        room.slots = left == VERSO_UNKNOWN ? VERSO_UNKNOWN : left / drive->capsule_size;
        if (status == VERSO_OK) /* whose states are largest has the fewest */
            status = verso_drive_least(drive, &room.slots, error);
        if (status == VERSO_OK)
            status = verso_choose(drive, &room, &spec, error);
        if (status == VERSO_OK)
            verso_drive_notice(drive, "%s", drive->reason);
    } else
        status = complete_spec(drive, &spec, error);
    if (status != VERSO_OK)
        return status;
    verso_error why = {0};
    status = verso_schedule_new(&spec, &drive->schedule, &why);
    if (status == VERSO_IMPOSSIBLE && spec.slots != drive->options->spec.slots)
        return verso_fail(error, status, "%.380s (a memory of %llu bytes gives %llu slots of %zu)", why.message,
                          (unsigned long long)drive->options->memory, (unsigned long long)spec.slots,
                          drive->capsule_size);
    return status == VERSO_OK ? status : verso_fail(error, status, "%s", why.message);
}

/* ---- Tiers ---- */

/* A tier of the kinds that paper 5 compares is meant to survive. */
static bool is_resilient(verso_schedule_kind kind) {
    return kind == VERSO_KIND_RESILIENT || kind == VERSO_KIND_CONTINUOUS || kind == VERSO_KIND_SINGLE_RECOVERY;
}

static verso_place place_of_tier(const verso_drive *drive, size_t tier) {
    verso_schedule_kind kind = verso_schedule_get_spec(drive->schedule)->kind;
    if (drive->options->places[tier] != VERSO_PLACE_DEFAULT)
        return drive->options->places[tier];
    if (tier > 0)
        return VERSO_PLACE_FILES;
    return is_resilient(kind) && drive->options->directory != NULL ? VERSO_PLACE_FILES : VERSO_PLACE_MEMORY;
}

/* Slots that a tier will need; VERSO_UNKNOWN when it cannot be told. */
static uint64_t slots_needed(const verso_drive *drive, size_t tier) {
    const verso_schedule_spec *spec = verso_schedule_get_spec(drive->schedule);
    if (drive->steps != VERSO_UNKNOWN)
        return drive->cost.peak_slots[tier];
    return tier == 0 ? spec->slots : VERSO_UNKNOWN;
}

static bool is_in_memory(const verso_drive *drive, size_t tier) {
    return drive->options->stores[tier] == NULL && place_of_tier(drive, tier) == VERSO_PLACE_MEMORY;
}

static uint64_t bytes_of_tier(const verso_drive *drive, size_t tier) {
    return verso_mul_u64(slots_needed(drive, tier), drive->capsule_size);
}

/* Whether the budget holds all tiers in memory, and the longest recording. */
static verso_status check_budget(const verso_drive *drive, verso_error *error) {
    uint64_t left, states = 0, stretch = drive->steps == VERSO_UNKNOWN ? 1 : drive->cost.longest_recording;
    for (size_t tier = 0; tier < verso_schedule_tiers(drive->schedule); tier++)
        if (is_in_memory(drive, tier))
            states = verso_add_u64(states, bytes_of_tier(drive, tier));
    return memory_left(drive, stretch, states, &left, error);
}

/* Besides: x_0, the working state of a restart point, what waits for one, and the adjoints. */
uint64_t verso_disk_needed(const verso_drive *drive, uint64_t slots) {
    uint64_t states = verso_add_u64(slots, 2 + VERSO_WAITING_MAX + 1);
    if (!drive->durable)
        return verso_mul_u64(slots, drive->capsule_size + VERSO_CAPSULE_HEADER);
    return verso_add_u64(verso_mul_u64(states, drive->capsule_size + VERSO_CAPSULE_HEADER),
                         (verso_adjoints_kept(drive) + 1) * (uint64_t)(drive->adjoint_size + VERSO_CAPSULE_HEADER));
}

/* Compressed files have a size that only writing them tells. */
static verso_status check_disk(const verso_drive *drive, verso_error *error) {
    uint64_t slots = 0;
    if (drive->options->disk == 0 || drive->options->compression != 0 || drive->vault.store.operations == NULL)
        return VERSO_OK;
    for (size_t tier = 0; tier < drive->tier_count; tier++)
        if (drive->tiers[tier] == &drive->vault.store && slots_needed(drive, tier) != VERSO_UNKNOWN)
            slots = verso_add_u64(slots, slots_needed(drive, tier));
    uint64_t needed = verso_disk_needed(drive, slots);
    if (needed <= drive->options->disk)
        return VERSO_OK;
    return verso_fail(
        error, VERSO_IMPOSSIBLE,
        "a disk of %llu bytes is too small for %llu states of %zu bytes and what a restart needs besides; %llu "
        "would do",
        (unsigned long long)drive->options->disk, (unsigned long long)slots, drive->capsule_size,
        (unsigned long long)needed);
}

static verso_status open_memory_tier(verso_drive *drive, size_t tier, verso_error *error) {
    uint64_t budget = drive->options->memory == 0 ? 0 : bytes_of_tier(drive, tier);
    drive->tiers[tier] = &drive->owned[tier];
    return verso_store_memory_open(budget, &drive->owned[tier], error);
}

/* What an earlier process left in it would be in the way: it is the driver's to know what is where. */
static verso_status take_users_store(verso_drive *drive, size_t tier, verso_error *error) {
    drive->tiers[tier] = drive->options->stores[tier];
    return drive->tiers[tier]->operations->list != NULL ? verso_clear(drive->tiers[tier], VERSO_UNKNOWN, error)
                                                        : VERSO_OK;
}

static verso_status open_tiers(verso_drive *drive, verso_error *error) {
    verso_status status = check_budget(drive, error);
    drive->tier_count = verso_schedule_tiers(drive->schedule);
    size_t opened = 0;
    for (; opened < drive->tier_count && status == VERSO_OK; opened++) {
        if (drive->options->stores[opened] != NULL)
            status = take_users_store(drive, opened, error);
        else if (is_in_memory(drive, opened))
            status = open_memory_tier(drive, opened, error);
        else if (drive->vault.store.operations == NULL)
            status =
                verso_fail(error, VERSO_INVALID, "the tier '%s' of %s is kept in files: name a directory for them",
                           tier_name(drive, opened), verso_kind_word(verso_schedule_get_spec(drive->schedule)->kind));
        else
            drive->tiers[opened] = &drive->vault.store;
    }
    if (status != VERSO_OK)
        drive->tier_count = opened > 0 ? opened - 1 : 0;
    return status == VERSO_OK ? check_disk(drive, error) : status;
}

/* ---- Opening ---- */

static verso_status check_program(const verso_program *program, verso_error *error) {
    const verso_program_operations *operations = program->operations;
    if (operations == NULL || operations->advance == NULL || operations->reverse == NULL ||
        operations->capsule_size == NULL || operations->capture == NULL || operations->resume == NULL)
        return verso_fail(error, VERSO_INVALID, "the program lacks an operation: only recording_size may be left out");
    return VERSO_OK;
}

static verso_status check_options(const verso_run_options *options, verso_error *error) {
    if (!(options->time_limit >= 0) || !(options->interval >= 0)) /* what is not a number is not at least 0 */
        return verso_fail(error, VERSO_INVALID, "a time limit or an interval is a number of seconds, at least 0");
    if (options->directory != NULL && options->directory[0] == '\0')
        return verso_fail(error, VERSO_INVALID, "a directory without a name: give a path, or NULL for none");
    if (options->group != NULL && options->group->least == NULL)
        return verso_fail(error, VERSO_INVALID, "a group decides with `least`, and this one has none");
    if (options->scratch && options->directory == NULL)
        return verso_fail(error, VERSO_INVALID, "`scratch` is a property of a directory, and none is given");
    if (options->group != NULL && (options->directory == NULL || options->scratch))
        return verso_fail(error, VERSO_INVALID, "a group runs durably: each process needs a directory of its own");
    return VERSO_OK;
}

/* Room for capsules that nothing is to outlive: a directory of this run's own, because several may be at work in one.
 */
static verso_status open_scratch(verso_drive *drive, verso_error *error) {
    verso_status status = verso_refuse_run(drive, error);
    if (status == VERSO_OK)
        status = verso_directory_make(drive->system, drive->directory, false, error);
    return status == VERSO_OK ? verso_open_vault(drive, error) : status;
}

static verso_status name_directory(verso_drive *drive, verso_error *error) {
    drive->directory = verso_path_absolute(drive->options->directory);
    return drive->directory != NULL
               ? VERSO_OK
               : verso_fail(error, VERSO_NO_MEMORY, "cannot make an absolute path of '%s'", drive->options->directory);
}

static verso_status name_capsules(verso_drive *drive, verso_error *error) {
    char name[32] = "capsules";
    drive->head.run = verso_new_run(drive);
    if (!drive->durable)
        snprintf(name, sizeof name, "scratch-%016llx", (unsigned long long)drive->head.run.words[0]);
    drive->capsules_path = verso_path_join(drive->directory, name);
    return drive->capsules_path != NULL ? VERSO_OK : verso_fail(error, VERSO_NO_MEMORY, "no memory for a path");
}

static verso_status open_schedule(verso_drive *drive, bool done, verso_error *error) {
    verso_status status = drive->schedule != NULL ? VERSO_OK : make_schedule(drive, error);
    if (status != VERSO_OK)
        return status;
    verso_error why = {0};
    status = verso_schedule_cost(drive->schedule, &drive->cost, &why);
    if (status == VERSO_STATE) { /* online, and the end is not known yet */
        drive->cost = (verso_cost){0};
        status = VERSO_OK;
    } else if (status == VERSO_OK)
        drive->steps = drive->cost.steps;
    else
        return verso_fail(error, status, "%s", why.message);
    return status == VERSO_OK && !done ? open_tiers(drive, error) : status; /* nothing will be stored any more */
}

static verso_status open_run(verso_drive *drive, bool *done, verso_error *error) {
    const verso_run_options *options = drive->options;
    const verso_program *program = drive->program;
    bool continued = false;
    *done = false;
    drive->capsule_size = program->operations->capsule_size(program->self, VERSO_CAPSULE_STATE);
    drive->adjoint_size = program->operations->capsule_size(program->self, VERSO_CAPSULE_ADJOINT);
    if (program->capsule_most > drive->capsule_size)
        drive->capsule_size = program->capsule_most;
    if (drive->capsule_size == 0)
        return verso_fail(error, VERSO_INVALID, "a state of no bytes cannot be kept");
    drive->vault_memory = buffers_of_files(drive, options->memory);
    verso_status status = VERSO_OK;
    if (options->directory != NULL) {
        status = name_directory(drive, error);
        if (status == VERSO_OK)
            status = name_capsules(drive, error);
        if (status != VERSO_OK)
            return status;
        double began = verso_now();
        status = drive->durable ? verso_reopen(drive, &continued, done, error) : open_scratch(drive, error);
        drive->pace.drained += verso_now() - began;
    }
    if (status == VERSO_OK)
        status = open_schedule(drive, *done, error);
    if (status != VERSO_OK || *done)
        return status;
    if (continued)
        return verso_reopen_slots(drive, error);
    return drive->durable ? verso_begin(drive, error) : VERSO_OK;
}

/* ---- Ending ---- */

static double speed(double seconds, uint64_t timed, uint64_t steps) {
    return timed == 0 ? 0 : seconds / (double)timed * (double)steps;
}

static void fill_stores(verso_drive *drive, verso_run_report *report) {
    if (drive->pace.reverse_steps > 0)
        report->memory_peak = recording(drive, drive->cost.longest_recording);
    bool vault_has_tier = false;
    for (size_t tier = 0; tier < drive->tier_count; tier++) {
        const verso_store *store = drive->tiers[tier];
        if (store == &drive->vault.store && vault_has_tier)
            continue;
        vault_has_tier = vault_has_tier || store == &drive->vault.store;
        store->operations->usage(store->self, &report->tiers[tier]);
        report->seconds_waited += report->tiers[tier].seconds_waited;
        report->memory_peak += report->tiers[tier].memory_peak;
    }
    if (drive->vault.store.operations == NULL)
        return;
    drive->vault.store.operations->usage(drive->vault.store.self, &report->durable);
    if (vault_has_tier)
        return;
    report->seconds_waited += report->durable.seconds_waited;
    report->memory_peak += report->durable.memory_peak;
}

/* One after the other, with the mean times of this process: what overlapping saves shows as a smaller actual time. */
static double predicted_seconds(const verso_drive *drive) {
    const verso_pace *pace = &drive->pace;
    const verso_cost *cost = &drive->cost;
    verso_store_usage files = {0};
    if (pace->reverse_timed == 0 || drive->steps == VERSO_UNKNOWN)
        return 0;
    double forward = speed(pace->forward_seconds, pace->forward_timed, 1);
    double seconds = forward * (double)cost->forward_steps +
                     speed(pace->reverse_seconds, pace->reverse_timed, 1) * (double)cost->recorded_steps;
    if (drive->vault.store.operations != NULL)
        drive->vault.store.operations->usage(drive->vault.store.self, &files);
    double write = files.writes == 0 ? 0 : files.seconds_written / (double)files.writes;
    double read = files.reads == 0 ? 0 : files.seconds_read / (double)files.reads;
    double copy = speed(pace->copy_seconds, pace->copies_timed, 1);
    for (size_t tier = 0; tier < drive->tier_count; tier++) {
        bool in_files = drive->tiers[tier] == &drive->vault.store;
        seconds += (in_files ? write : copy) * (double)cost->writes[tier] +
                   (in_files ? read : copy) * (double)cost->reads[tier];
    }
    return seconds;
}

static void fill_report(verso_drive *drive, bool done, bool suspended) {
    verso_run_report *report = drive->report;
    const verso_pace *pace = &drive->pace;
    const verso_counts *counts = &drive->counts;
    if (report == NULL)
        return;
    if (drive->schedule != NULL)
        report->spec = *verso_schedule_get_spec(drive->schedule);
    memcpy(report->reason, drive->reason, sizeof report->reason);
    report->done = done;
    report->suspended = suspended;
    report->predicted = drive->cost;
    report->forward_steps = counts->forward_steps;
    report->reversed_steps = counts->reversed_steps;
    memcpy(report->writes, counts->writes, sizeof report->writes);
    memcpy(report->reads, counts->reads, sizeof report->reads);
    report->adjoint_stores = counts->adjoint_stores;
    report->restarts = drive->restarts;
    report->recovered_steps = counts->recovered_steps;
    report->recovered_capsules = counts->recovered_capsules;
    report->capsule_size = drive->capsule_size;
    report->adjoint_size = drive->adjoint_size;
    report->memory_budget = drive->options->memory;
    report->seconds = counts->seconds;
    report->seconds_process = pace->seconds;
    report->signal = pace->signal;
    report->seconds_predicted = predicted_seconds(drive);
    report->seconds_forward = speed(pace->forward_seconds, pace->forward_timed, pace->forward_steps);
    report->seconds_copying = speed(pace->copy_seconds, pace->copies_timed, pace->copies);
    report->seconds_waited = pace->drained;
    report->seconds_reverse = speed(pace->reverse_seconds, pace->reverse_timed, pace->reverse_steps);
    fill_stores(drive, report);
}

static verso_status finish(verso_drive *drive, verso_error *error) {
    verso_status status = VERSO_OK;
    if (drive->durable)
        status = verso_restart_commit(drive, VERSO_COMMIT_DONE, error);
    if (status == VERSO_OK && drive->durable)
        status = verso_vault_clear(drive, drive->adjoint, error);
    if (status == VERSO_OK && drive->worker != NULL)
        status = verso_drive_drain(drive, error);
    return status;
}

static verso_status suspend(verso_drive *drive, verso_error *error) {
    if (!drive->durable)
        return verso_fail(error, VERSO_SUSPENDED,
                          "stopped; without a directory that makes it durable, the run is lost");
    verso_status status = verso_restart_commit(drive, VERSO_COMMIT_STOPPING, error);
    if (status == VERSO_OK)
        status = verso_restart_commit(drive, VERSO_COMMIT_SUSPENDED, error);
    if (status == VERSO_OK)
        status = verso_drive_drain(drive, error);
    if (status != VERSO_OK)
        return status;
    return verso_fail(error, VERSO_SUSPENDED, "suspended in '%s'; run the same program again to go on",
                      drive->directory);
}

static void last_progress(verso_drive *drive) {
    verso_progress progress;
    verso_drive_progress(drive, &progress);
    if (drive->options->progress != NULL)
        drive->options->progress(drive->options->progress_context, &progress);
    if (drive->lock != NULL)
        (void)verso_lock_write(drive->lock, &progress, NULL);
}

/* A failure must not lose what is already on its way to the disk. */
static void close_run(verso_drive *drive, bool done, bool suspended) {
    const verso_system *system = drive->system;
    if (drive->worker != NULL)
        (void)verso_worker_drain(drive->worker, NULL);
    fill_report(drive, done, suspended);
    if (drive->options->scratch && drive->vault.store.operations != NULL)
        (void)verso_vault_clear(drive, VERSO_UNKNOWN, NULL);
    for (size_t tier = 0; tier < VERSO_TIERS_MAX; tier++)
        verso_store_close(&drive->owned[tier]);
    verso_vault_free(drive);
    verso_worker_free(drive->worker);
    if (drive->options->scratch && drive->capsules_path != NULL) { /* where the user has put nothing else into it */
        (void)system->remove_directory(system, drive->capsules_path);
        (void)system->remove_directory(system, drive->directory);
    }
    verso_reopen_close(drive);
    verso_slots_free(drive);
    verso_schedule_free(drive->schedule);
}

static verso_status play_all(verso_drive *drive, bool *done, verso_error *error) {
    verso_status status = open_run(drive, done, error);
    if (status != VERSO_OK || *done)
        return status;
    status = verso_play(drive, error);
    if (status == VERSO_SUSPENDED)
        return suspend(drive, error);
    if (status == VERSO_OK)
        status = finish(drive, error);
    *done = status == VERSO_OK;
    return status;
}

verso_status verso_run(const verso_program *program, const verso_run_options *options, verso_run_report *report,
                       verso_error *error) {
    verso_status status = check_program(program, error);
    if (status == VERSO_OK)
        status = check_options(options, error);
    if (status != VERSO_OK)
        return status;
    verso_drive drive = {
        .program = program,
        .options = options,
        .system = options->system != NULL ? options->system : &verso_system_machine,
        .report = report,
        .steps = VERSO_UNKNOWN,
        .adjoint = VERSO_UNKNOWN,
        .safe = VERSO_UNKNOWN,
        .pending = {.kind = VERSO_DONE},
        .durable = options->directory != NULL && !options->scratch,
    };
    for (size_t i = 0; i < VERSO_COMMITS_KEPT; i++)
        drive.adjoint_stored[i] = VERSO_UNKNOWN;
    if (report != NULL)
        *report = (verso_run_report){0};
    bool done = false;
    verso_pace_start(&drive);
    status = play_all(&drive, &done, error);
    verso_pace_end(&drive);
    if (status == VERSO_OK || status == VERSO_SUSPENDED)
        last_progress(&drive);
    close_run(&drive, done, status == VERSO_SUSPENDED && drive.durable);
    return status;
}
