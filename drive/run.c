/* verso_run: from options to a result. */
#include "base/file.h"
#include "drive/drive.h"
#include "schedule/words.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ROOM_TRIES = 100 };

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

/* ---- Schedule ---- */

static verso_status slots_from_memory(verso_drive *drive, verso_schedule_spec *spec, verso_error *error) {
    uint64_t left;
    verso_status status = verso_memory_left(drive, 1, drive->capsule_size, &left, error);
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
        status = verso_memory_left(drive, 1, in_files ? 0 : drive->capsule_size, &left, error);
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
 * Until there is something in it, another run that ends may remove that one. */
static verso_status open_scratch(verso_drive *drive, verso_error *error) {
    const verso_system *system = drive->system;
    verso_status status = verso_refuse_run(drive, error);
    for (int tries = 0; status == VERSO_OK && tries < ROOM_TRIES; tries++) {
        status = verso_directory_make(system, drive->directory, false, error);
        if (status == VERSO_OK && (system->make_directory(system, drive->capsules_path) == 0 || errno != ENOENT))
            break; /* whatever else is wrong the vault will say */
    }
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
    return status == VERSO_OK && !done ? verso_open_tiers(drive, error) : status; /* nothing will be stored any more */
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
    if (program->adjoint_most > drive->adjoint_size)
        drive->adjoint_size = program->adjoint_most;
    if (drive->capsule_size == 0)
        return verso_fail(error, VERSO_INVALID, "a state of no bytes cannot be kept");
    drive->vault_memory = verso_file_buffers(drive, options->memory);
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
    verso_fill_report(drive, done, suspended);
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
