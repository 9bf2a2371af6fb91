/* verso_run: opens a run, plays its schedule and closes it. Also functions that all files of the driver use. */
#include "base/alloc.h"
#include "base/file.h"
#include "base/sized.h"
#include "drive/inside.h"
#include "schedule/cost.h"
#include "schedule/words.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ROOM_TRIES = 100 };

void verso_run_options_init_sized(verso_run_options *options, size_t size) {
    verso_run_options full = {.size = sizeof full};
    verso_schedule_spec_init(&full.spec, VERSO_KIND_REVOLVE);
    memset(options, 0, size);
    options->size = size;
    verso__sized_write(options, &full, sizeof full);
}

/* ---- For all files of the driver ---- */

static void send_notice(verso__drive *drive, const char *format, va_list arguments) {
    char sentence[VERSO_MESSAGE_MAX + 256];
    vsnprintf(sentence, sizeof sentence, format, arguments);
    drive->options->notice(drive->options->notice_context, sentence);
}

void verso__drive_notice(verso__drive *drive, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (drive->options->notice != NULL && !drive->options->losses_only)
        send_notice(drive, format, arguments);
    va_end(arguments);
}

void verso__drive_warn(verso__drive *drive, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (drive->options->notice != NULL)
        send_notice(drive, format, arguments);
    va_end(arguments);
}

verso_status verso__drive_least(verso__drive *drive, uint64_t *value, verso_error *error) {
    const verso_group *group = drive->options->group;
    return group == NULL ? VERSO_STATUS_OK : group->least(group->context, *value, value, error);
}

verso_status verso__drive_all(verso__drive *drive, bool *value, verso_error *error) {
    uint64_t number = *value;
    verso_status status = verso__drive_least(drive, &number, error);
    *value = number != 0;
    return status;
}

verso_status verso__drive_any(verso__drive *drive, bool *value, verso_error *error) {
    bool none = !*value;
    verso_status status = verso__drive_all(drive, &none, error);
    *value = !none;
    return status;
}

verso_status verso__drive_learn_cost(verso__drive *drive, verso_error *error) {
    verso_status status = verso__schedule_cost(drive->schedule, &drive->cost, error);
    if (status == VERSO_STATUS_OK)
        drive->steps = drive->cost.steps;
    return status;
}

uint64_t verso__drive_memory(const verso__drive *drive) {
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

verso_status verso__drive_drain(verso__drive *drive, verso_error *error) {
    double began = verso__now();
    verso_status status = verso__worker_drain(drive->worker, error);
    drive->pace.drained += verso__now() - began;
    return status;
}

static double seconds_left(const verso_progress *progress) {
    if (progress->phase == VERSO_PHASE_DONE)
        return 0;
    if (progress->work_total == 0 || progress->work_done == 0)
        return -1;
    return progress->seconds * (double)(progress->work_total - progress->work_done) / (double)progress->work_done;
}

/* Returns 0 if nothing is expected, or the run is longer than expected. */
static uint64_t expected_work(const verso__drive *drive) {
    return drive->counts.reached < drive->options->steps_expected ? drive->expected_work : 0;
}

void verso__drive_progress(const verso__drive *drive, verso_progress *progress) {
    const verso_action *pending = &drive->pending;
    double now = verso__now();
    *progress = (verso_progress){
        .phase = drive->adjoint == VERSO_UNKNOWN ? VERSO_PHASE_FORWARD
                 : drive->adjoint > 0            ? VERSO_PHASE_REVERSE
                                                 : VERSO_PHASE_DONE,
        .steps = drive->steps,
        .reached = drive->counts.reached,
        .adjoint = drive->adjoint,
        .work_done = verso__narrow(drive->counts.work_forward + drive->counts.work_reversed),
        .work_total = drive->steps == VERSO_UNKNOWN ? expected_work(drive)
                                                    : verso__narrow(drive->cost.forward_steps + drive->steps),
        .steps_at_risk = verso__pace_steps(drive) - drive->committed_steps,
        .seconds = drive->counts.seconds + (now - drive->pace.began),
        .seconds_at_risk = now - (drive->committed_at > 0 ? drive->committed_at : drive->pace.began),
        .memory = verso__drive_memory(drive),
    };
    if (pending->kind == VERSO_ACTION_ADVANCE && drive->working != VERSO_UNKNOWN && drive->working > pending->from)
        progress->work_done += drive->working - pending->from;
    progress->seconds_left = seconds_left(progress);
}

/* Counts are written only once the run has a journal; until then the note keeps those of earlier processes. */
void verso__drive_note(verso__drive *drive, const verso_progress *progress) {
    if (drive->journal != NULL) {
        verso__counts counts = drive->counts;
        counts.seconds = progress->seconds;
        verso__lock_count(drive->lock, drive->head.run, &counts);
    }
    (void)verso__lock_write(drive->lock, progress, NULL); /* a failure is ignored: the note is information only */
}

/* ---- Schedule ---- */

static verso_status slots_from_memory(verso__drive *drive, verso_schedule_spec *spec, verso_error *error) {
    uint64_t left;
    size_t tiers = verso__spec_tiers(spec);
    verso_status status = verso__memory_left(drive, 1, verso__states_bytes(drive, tiers, 1), &left, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (left == VERSO_UNKNOWN)
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "%s needs a number of slots, or a memory budget from which to compute it",
                           verso_kind_word(spec->kind));
    spec->slots = verso__states_within(drive, tiers, left);
    return verso__drive_least(drive, &spec->slots, error); /* the process with the largest states has the fewest */
}

static verso_status complete_spec(verso__drive *drive, verso_schedule_spec *spec, verso_error *error) {
    uint64_t steps = drive->program->steps;
    *spec = drive->options->spec;
    if (spec->steps != 0 && steps != VERSO_UNKNOWN && spec->steps != steps)
        return verso__fail(error, VERSO_STATUS_INVALID, "the schedule is for %llu steps, the program has %llu",
                           (unsigned long long)spec->steps, (unsigned long long)steps);
    if (spec->steps != 0 && spec->steps != VERSO_UNKNOWN && steps == VERSO_UNKNOWN)
        return verso__fail(
            error, VERSO_STATUS_INVALID,
            "the schedule is for %llu steps, but the program does not know its number of steps in advance; set the "
            "steps of the schedule to 0",
            (unsigned long long)spec->steps);
    spec->steps = steps;
    if (spec->steps == VERSO_UNKNOWN && spec->kind != VERSO_KIND_ONLINE)
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "%s needs the number of steps, which this program does not know in advance; use online",
                           verso_kind_word(spec->kind));
    return spec->slots == 0 && verso__kind_has_slots(spec->kind) ? slots_from_memory(drive, spec, error)
                                                                 : VERSO_STATUS_OK;
}

static verso_status make_schedule(verso__drive *drive, verso_error *error) {
    verso_schedule_spec spec;
    verso_status status;
    if (drive->options->automatic) {
        verso__room room = {.files = drive->options->directory != NULL};
        /* such a schedule can do without states in memory */
        bool in_files = room.files && drive->program->steps != VERSO_UNKNOWN;
        uint64_t left;
        status = verso__memory_left(drive, 1, in_files ? 0 : drive->capsule_size, &left, error);
        /* without a budget, use half of the machine's memory */
        if (left == VERSO_UNKNOWN && verso__machine_memory() > 0)
            left = verso__machine_memory() / 2;
        room.slots = left == VERSO_UNKNOWN ? VERSO_UNKNOWN : left / drive->capsule_size;
        if (status == VERSO_STATUS_OK) /* the process with the largest states has the fewest */
            status = verso__drive_least(drive, &room.slots, error);
        if (status == VERSO_STATUS_OK)
            status = verso__choose(drive, &room, &spec, error);
        if (status == VERSO_STATUS_OK)
            verso__drive_notice(drive, "%s", drive->reason);
    } else
        status = complete_spec(drive, &spec, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso_error why = {0};
    status = verso_schedule_new(&spec, &drive->schedule, &why);
    if (status == VERSO_STATUS_IMPOSSIBLE && spec.slots != drive->options->spec.slots)
        return verso__fail(error, status, "%.380s (the memory budget of %llu bytes gives %llu slots of %zu bytes)",
                           why.message, (unsigned long long)drive->options->memory, (unsigned long long)spec.slots,
                           drive->capsule_size);
    return status == VERSO_STATUS_OK ? status : verso__fail(error, status, "%s", why.message);
}

/* ---- Opening ---- */

static verso_status check_program(const verso_program *program, verso_error *error) {
    const verso_program_operations *operations = program->operations;
    if (operations == NULL || operations->advance == NULL || operations->reverse == NULL ||
        operations->capsule_size == NULL || operations->capture == NULL || operations->resume == NULL)
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "the program lacks an operation: only recording_size may be left out");
    return VERSO_STATUS_OK;
}

static verso_status check_options(const verso_run_options *options, verso_error *error) {
    if (!(options->time_limit >= 0) || !(options->interval >= 0)) /* also refuses NaN */
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "time_limit and interval must be numbers of seconds, at least 0");
    if (options->directory != NULL && options->directory[0] == '\0')
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "the directory is an empty string; give a path, or NULL for none");
    if (options->group != NULL && options->group->least == NULL)
        return verso__fail(error, VERSO_STATUS_INVALID, "the group has no function `least`");
    if (options->scratch && options->directory == NULL)
        return verso__fail(error, VERSO_STATUS_INVALID, "`scratch` needs a directory, and none is given");
    if (options->group != NULL && (options->directory == NULL || options->scratch))
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "a group runs durably: each process needs a directory of its own");
    return VERSO_STATUS_OK;
}

/* Creates a directory for the capsules of this run within the scratch directory, which several runs may share.
 * Another run that ends may remove the empty scratch directory before this one has created its own in it; therefore
 * it retries. */
static verso_status open_scratch(verso__drive *drive, verso_error *error) {
    const verso__system *system = drive->system;
    verso_status status = verso__refuse_run(drive, error);
    for (int tries = 0; status == VERSO_STATUS_OK && tries < ROOM_TRIES; tries++) {
        status = verso__directory_make(system, drive->directory, false, error);
        if (status == VERSO_STATUS_OK && (system->make_directory(system, drive->capsules_path) == 0 || errno != ENOENT))
            break; /* opening the vault will report other failures */
    }
    return status == VERSO_STATUS_OK ? verso__open_vault(drive, error) : status;
}

static verso_status name_directory(verso__drive *drive, verso_error *error) {
    drive->directory = verso__path_absolute(drive->options->directory);
    return drive->directory != NULL ? VERSO_STATUS_OK
                                    : verso__fail(error, VERSO_STATUS_NO_MEMORY, "cannot make an absolute path of '%s'",
                                                  drive->options->directory);
}

static verso_status name_capsules(verso__drive *drive, verso_error *error) {
    char name[32] = "capsules";
    drive->head.run = verso__new_run(drive);
    if (!drive->durable)
        snprintf(name, sizeof name, "scratch-%016llx", (unsigned long long)drive->head.run.words[0]);
    drive->capsules_path = verso__path_join(drive->directory, name);
    return drive->capsules_path != NULL ? VERSO_STATUS_OK
                                        : verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a path");
}

/* Predicts the work if the program has as many steps as expected. It is for progress only, so failures are ignored. */
static void expect_work(verso__drive *drive) {
    verso_schedule_spec spec = *verso_schedule_get_spec(drive->schedule);
    verso_schedule *schedule = NULL;
    verso__cost cost;
    spec.steps = drive->options->steps_expected;
    if (spec.steps == 0)
        return;
    if (spec.slots > spec.steps)
        spec.slots = spec.steps;
    if (verso_schedule_new(&spec, &schedule, NULL) == VERSO_STATUS_OK &&
        verso__schedule_cost(schedule, &cost, NULL) == VERSO_STATUS_OK)
        drive->expected_work = verso__narrow(cost.forward_steps + spec.steps);
    verso_schedule_free(schedule);
}

static verso_status open_schedule(verso__drive *drive, bool done, verso_error *error) {
    verso_status status = drive->schedule != NULL ? VERSO_STATUS_OK : make_schedule(drive, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso_error why = {0};
    status = verso__schedule_cost(drive->schedule, &drive->cost, &why);
    if (status == VERSO_STATUS_STATE) { /* an online schedule whose end is not yet known */
        drive->cost = (verso__cost){0};
        expect_work(drive);
        status = VERSO_STATUS_OK;
    } else if (status == VERSO_STATUS_OK)
        drive->steps = drive->cost.steps;
    else
        return verso__fail(error, status, "%s", why.message);
    return status == VERSO_STATUS_OK && !done ? verso__open_tiers(drive, error)
                                              : status; /* a run that is done stores nothing more */
}

static verso_status open_run(verso__drive *drive, bool *done, verso_error *error) {
    const verso_run_options *options = drive->options;
    const verso_program *program = drive->program;
    bool continued = false;
    *done = false;
    drive->capsule_size = program->operations->capsule_size(program->self, VERSO_CAPSULE_STATE);
    drive->adjoint_size = program->operations->capsule_size(program->self, VERSO_CAPSULE_ADJOINT);
    if (program->capsule_most > drive->capsule_size)
        drive->capsule_size = program->capsule_most;
    if (program->adjoint_most > drive->adjoint_size)
        drive->adjoint_size = program->adjoint_most;
    if (drive->capsule_size == 0)
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "capsule_size() returned 0 for the state; it must be at least 1 byte");
    drive->vault_memory = verso__file_buffers(drive, options->memory);
    verso_status status = VERSO_STATUS_OK;
    if (options->directory != NULL) {
        status = name_directory(drive, error);
        if (status == VERSO_STATUS_OK)
            status = name_capsules(drive, error);
        if (status != VERSO_STATUS_OK)
            return status;
        double began = verso__now();
        status = drive->durable ? verso__reopen(drive, &continued, done, error) : open_scratch(drive, error);
        drive->pace.drained += verso__now() - began;
    }
    if (status == VERSO_STATUS_OK)
        status = open_schedule(drive, *done, error);
    if (status != VERSO_STATUS_OK || *done)
        return status;
    if (continued)
        return verso__reopen_slots(drive, error);
    return drive->durable ? verso__begin(drive, error) : VERSO_STATUS_OK;
}

/* ---- Ending ---- */

static verso_status finish(verso__drive *drive, verso_error *error) {
    verso_status status = VERSO_STATUS_OK;
    if (drive->durable)
        status = verso__restart_commit(drive, VERSO_COMMIT_DONE, error);
    if (status == VERSO_STATUS_OK && drive->durable)
        status = verso__vault_clear(drive, drive->adjoint, error);
    if (status == VERSO_STATUS_OK && drive->worker != NULL)
        status = verso__drive_drain(drive, error);
    return status;
}

static verso_status suspend(verso__drive *drive, verso_error *error) {
    if (!drive->durable)
        return verso__fail(error, VERSO_STATUS_SUSPENDED,
                           "stopped; without a directory that makes it durable, the run is lost");
    verso_status status = verso__restart_commit(drive, VERSO_COMMIT_STOPPING, error);
    if (status == VERSO_STATUS_OK)
        status = verso__restart_commit(drive, VERSO_COMMIT_SUSPENDED, error);
    if (status == VERSO_STATUS_OK)
        status = verso__drive_drain(drive, error);
    if (status != VERSO_STATUS_OK)
        return status;
    return verso__fail(error, VERSO_STATUS_SUSPENDED, "suspended in '%s'; run the same program again to continue it",
                       drive->directory);
}

/* Reports the final progress, unless the run failed, and writes the note in any case. */
static void report_last_progress(verso__drive *drive, bool has_failed) {
    verso_progress progress;
    verso__drive_progress(drive, &progress);
    if (!has_failed && drive->options->progress != NULL)
        drive->options->progress(drive->options->progress_context, &progress);
    if (drive->lock != NULL)
        verso__drive_note(drive, &progress);
}

/* Waits for the worker first: a failure must not lose what is being written. */
static void close_run(verso__drive *drive, bool done, bool suspended) {
    const verso__system *system = drive->system;
    if (drive->worker != NULL)
        (void)verso__worker_drain(drive->worker, NULL);
    verso__fill_report(drive, done, suspended);
    if (drive->options->scratch && drive->vault.store.operations != NULL)
        (void)verso__vault_clear(drive, VERSO_UNKNOWN, NULL);
    for (size_t tier = 0; tier < VERSO_TIERS_MAX; tier++)
        verso_store_close(&drive->owned[tier]);
    verso__vault_free(drive);
    verso__worker_free(drive->worker);
    /* this fails if the directories are not empty, as it should */
    if (drive->options->scratch && drive->capsules_path != NULL) {
        (void)system->remove_directory(system, drive->capsules_path);
        (void)system->remove_directory(system, drive->directory);
    }
    verso__reopen_close(drive);
    verso__slots_free(drive);
    verso_schedule_free(drive->schedule);
}

static verso_status play_all(verso__drive *drive, bool *done, verso_error *error) {
    verso_status status = open_run(drive, done, error);
    if (status != VERSO_STATUS_OK || *done)
        return status;
    status = verso__play(drive, error);
    if (status == VERSO_STATUS_SUSPENDED)
        return suspend(drive, error);
    if (status == VERSO_STATUS_OK)
        status = finish(drive, error);
    *done = status == VERSO_STATUS_OK;
    return status;
}

/* verso_run with options and a report of this library's size. */
static verso_status run(const verso_program *program, const verso_run_options *options, verso_run_report *report,
                        verso_error *error) {
    verso_status status = check_program(program, error);
    if (status == VERSO_STATUS_OK)
        status = check_options(options, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__drive drive = {
        .program = program,
        .options = options,
        .system = verso__system_current(),
        .report = report,
        .steps = VERSO_UNKNOWN,
        .adjoint = VERSO_UNKNOWN,
        .safe = VERSO_UNKNOWN,
        .pending = {.kind = VERSO_ACTION_DONE},
        .durable = options->directory != NULL && !options->scratch,
    };
    for (size_t i = 0; i < VERSO_COMMITS_KEPT; i++)
        drive.adjoint_stored[i] = VERSO_UNKNOWN;
    if (report != NULL)
        *report = (verso_run_report)VERSO_RUN_REPORT_INIT;
    bool done = false;
    verso__pace_start(&drive);
    status = play_all(&drive, &done, error);
    verso__pace_end(&drive);
    report_last_progress(&drive, status != VERSO_STATUS_OK && status != VERSO_STATUS_SUSPENDED);
    close_run(&drive, done, status == VERSO_STATUS_SUSPENDED && drive.durable);
    return status;
}

/* A report takes some kilobytes: on the heap, since the caller may run on a small stack. */
static verso_status run_reported(const verso_program *program, const verso_run_options *options,
                                 verso_run_report *report, verso_error *error) {
    verso_run_report *filled = verso__alloc(1, sizeof *filled);
    if (filled == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the report of the run");
    *filled = (verso_run_report)VERSO_RUN_REPORT_INIT;
    verso_status status = run(program, options, filled, error);
    verso__sized_write(report, filled, sizeof *filled);
    verso__dealloc(filled);
    return status;
}

verso_status verso_run(const verso_program *program, const verso_run_options *options, verso_run_report *report,
                       verso_error *error) {
    verso_run_options own;
    verso_status status = verso__sized_read(options, &own, sizeof own, "verso_run_options_init", error);
    if (status == VERSO_STATUS_OK && report != NULL)
        status = verso__sized_check(report, "VERSO_RUN_REPORT_INIT", error);
    if (status != VERSO_STATUS_OK)
        return status;
    return report != NULL ? run_reported(program, &own, report, error) : run(program, &own, NULL, error);
}
