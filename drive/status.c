/* Reads the status of a run from its journal, its lock's note and the names of its files. It writes nothing and
 * takes only the lock, for an instant (drive/lock.c), so that a running run can be examined. */
#include <verso/run.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/sized.h"
#include "base/wide.h"
#include "drive/journal.h"
#include "drive/lock.h"
#include "schedule/cost.h"
#include "store/name.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { READS_MAX = 3 }; /* attempts to read a journal to which another process may be appending */

/* ---- The journal ---- */

static verso_status read_in(const char *directory, const char *name,
                            verso_status (*read)(const char *path, void *context, verso_error *error), void *context,
                            verso_error *error) {
    char *path = verso__path_join(directory, name);
    if (path == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to read the status of '%s'", directory);
    verso_status status = read(path, context, error);
    verso__dealloc(path);
    return status;
}

static verso_status read_journal(const char *path, void *context, verso_error *error) {
    verso__journal_contents *contents = context;
    return verso__journal_read(&verso__system_machine, path, contents, error);
}

static double seconds_left(const verso_progress *progress) {
    if (progress->phase == VERSO_PHASE_DONE)
        return 0;
    if (progress->work_done == 0 || progress->work_total < progress->work_done)
        return -1;
    double done = (double)progress->work_done, left = (double)(progress->work_total - progress->work_done);
    return progress->seconds * (left / done);
}

/* Describes the progress of a restart point. The counts give the position, and the schedule's cost the length,
 * which an online schedule does not know before it has reached the end. */
static verso_status describe_commit(const verso__commit *commit, bool done, const verso_schedule *schedule,
                                    verso_progress *last, verso_error *error) {
    verso__cost cost = {0};
    verso_error reason;
    verso_status status = verso__schedule_cost(schedule, &cost, &reason);
    if (status == VERSO_STATUS_STATE)
        cost = (verso__cost){.steps = VERSO_UNKNOWN};
    else if (status != VERSO_STATUS_OK)
        return verso__fail(error, status, "%s", reason.message);
    *last = (verso_progress){
        .phase = done                               ? VERSO_PHASE_DONE
                 : commit->adjoint != VERSO_UNKNOWN ? VERSO_PHASE_REVERSE
                                                    : VERSO_PHASE_FORWARD,
        .steps = cost.steps,
        .reached = commit->counts.reached,
        .adjoint = commit->adjoint,
        .work_done = verso__narrow(verso__add_wide(commit->counts.work_forward, commit->counts.work_reversed)),
        .work_total = verso__narrow(verso__add_wide(cost.forward_steps, cost.recorded_steps)),
        .seconds = commit->counts.seconds,
    };
    last->seconds_left = seconds_left(last);
    return VERSO_STATUS_OK;
}

static verso_status take_commit(const verso__commit *commit, bool done, verso_run_status *status, verso_error *error) {
    verso_schedule *schedule;
    verso_error reason;
    verso_status result = verso_schedule_load(commit->cursor, commit->cursor_size, &schedule, &reason);
    if (result != VERSO_STATUS_OK)
        return verso__fail(error, result, "restart point %" PRIu64 " cannot be used: %.400s", commit->number,
                           reason.message);
    status->spec = *verso_schedule_get_spec(schedule);
    status->commits = commit->number;
    result = describe_commit(commit, done, schedule, &status->last, error);
    verso_schedule_free(schedule);
    return result;
}

static verso_status take_journal(const verso__journal_contents *contents, verso_run_status *status,
                                 verso_error *error) {
    memcpy(status->reason, contents->head.reason, sizeof status->reason);
    status->program = contents->head.program;
    status->started = contents->head.started;
    status->restarts = contents->restarts;
    status->done = contents->done;
    status->journal_bytes = contents->bytes;
    status->journal_damaged_at = contents->trusted < contents->bytes ? contents->trusted : VERSO_UNKNOWN;
    status->last = (verso_progress){.steps = VERSO_UNKNOWN, .adjoint = VERSO_UNKNOWN, .seconds_left = -1};
    if (contents->commit_count == 0)
        return VERSO_STATUS_OK;
    status->suspended = contents->commits[0].suspended && !contents->continued && !contents->done;
    return take_commit(&contents->commits[0], contents->done, status, error);
}

/* ---- The lock ---- */

typedef struct holder {
    verso__lock_note note;
    bool held;
} holder;

static verso_status read_lock(const char *path, void *context, verso_error *error) {
    holder *found = context;
    verso_status status = verso__lock_read(&verso__system_machine, path, &found->note, &found->held, error);
    return status == VERSO_STATUS_STATE ? VERSO_STATUS_OK : status; /* without a lock file no process holds it */
}

static void take_holder(const holder *found, verso_run_status *status) {
    status->running = found->held;
    status->now = status->last;
    if (!found->held)
        return;
    status->suspended = false;
    status->pid = found->note.pid;
    memcpy(status->host, found->note.host, sizeof status->host);
    status->updated = found->note.updated;
    if (found->note.updated > 0)
        status->now = found->note.progress;
}

/* ---- The capsules ---- */

static bool count_capsule(void *context, const char *text) {
    verso_run_status *status = context;
    verso_capsule_name name;
    if (verso__file_name_read(text, &name))
        ++*(name.kind == VERSO_CAPSULE_STATE ? &status->state_capsules : &status->adjoint_capsules);
    return true;
}

/* A directory that does not exist counts as empty. */
static verso_status count_capsules(const char *path, void *context, verso_error *error) {
    const verso__system *system = &verso__system_machine;
    if (system->list(system, path, count_capsule, context) != 0 && errno != ENOENT && errno != ENOTDIR)
        return verso__file_error(error, "list", path);
    return VERSO_STATUS_OK;
}

/* ---- The whole status ---- */

/* Reads the lock before the journal: if a process ends in between, its journal is complete. An append in progress
 * looks like damage, so the journal of a running process is read again if it seems damaged. */
static verso_status read_run(const char *directory, verso__journal_contents *contents, holder *found,
                             verso_error *error) {
    verso_status status = read_in(directory, "lock", read_lock, found, error);
    for (int reads = 1; status == VERSO_STATUS_OK; reads++) {
        status = read_in(directory, "journal", read_journal, contents, error);
        if (status != VERSO_STATUS_OK || contents->trusted == contents->bytes || !found->held || reads >= READS_MAX)
            break;
        verso__journal_contents_free(contents);
    }
    if (status == VERSO_STATUS_STATE)
        return verso__fail(error, VERSO_STATUS_INVALID, "there is no run in '%s': it has no journal", directory);
    return status;
}

static verso_status read_status(const char *directory, verso_run_status *status, verso_error *error) {
    verso__journal_contents contents;
    holder found = {0};
    verso_status result = read_run(directory, &contents, &found, error);
    if (result != VERSO_STATUS_OK)
        return result;
    result = take_journal(&contents, status, error);
    verso__journal_contents_free(&contents);
    if (result != VERSO_STATUS_OK)
        return result;
    take_holder(&found, status);
    return read_in(directory, "capsules", count_capsules, status, error);
}

verso_status verso_run_status_read(const char *directory, verso_run_status *status, verso_error *error) {
    verso_run_status own = VERSO_RUN_STATUS_INIT;
    verso_status result = verso__sized_check(status, "VERSO_RUN_STATUS_INIT", error);
    if (result != VERSO_STATUS_OK)
        return result;
    result = read_status(directory, &own, error);
    verso__sized_write(status, &own, sizeof own);
    return result;
}
