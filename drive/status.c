/* A run, seen from outside: what its journal, its lock's note and the names of its files say. Nothing is taken but the
 * lock, for an instant (drive/lock.c), and nothing is written, so a run can be looked at while it works. */
#include <verso/run.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/wide.h"
#include "drive/journal.h"
#include "drive/lock.h"
#include "store/name.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { READS_MAX = 3 }; /* of a journal that may be in the middle of an append */

/* ---- The journal ---- */

static verso_status read_in(const char *directory, const char *name,
                            verso_status (*read)(const char *path, void *context, verso_error *error), void *context,
                            verso_error *error) {
    char *path = verso_path_join(directory, name);
    if (path == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory to look at '%s'", directory);
    verso_status status = read(path, context, error);
    verso_dealloc(path);
    return status;
}

static verso_status read_journal(const char *path, void *context, verso_error *error) {
    verso_journal_contents *contents = context;
    return verso_journal_read(&verso_system_machine, path, contents, error);
}

static double seconds_left(const verso_progress *progress) {
    if (progress->phase == VERSO_PHASE_DONE)
        return 0;
    if (progress->work_done == 0 || progress->work_total < progress->work_done)
        return -1;
    double done = (double)progress->work_done, left = (double)(progress->work_total - progress->work_done);
    return progress->seconds * (left / done);
}

/* What a commit says about a schedule that is loaded: its place is in the counts, its length in the cost, which an
 * online schedule cannot tell before it has met the end. */
static verso_status describe_commit(const verso_commit *commit, bool done, const verso_schedule *schedule,
                                    verso_progress *last, verso_error *error) {
    verso_cost cost = {0};
    verso_error reason;
    verso_status status = verso_schedule_cost(schedule, &cost, &reason);
    if (status == VERSO_STATE)
        cost = (verso_cost){.steps = VERSO_UNKNOWN};
    else if (status != VERSO_OK)
        return verso_fail(error, status, "%s", reason.message);
    *last = (verso_progress){
        .phase = done                               ? VERSO_PHASE_DONE
                 : commit->adjoint != VERSO_UNKNOWN ? VERSO_PHASE_REVERSE
                                                    : VERSO_PHASE_FORWARD,
        .steps = cost.steps,
        .reached = commit->counts.reached,
        .adjoint = commit->adjoint,
        .work_done = verso_add_wide(commit->counts.work_forward, commit->counts.work_reversed),
        .work_total = verso_add_wide(cost.forward_steps, cost.recorded_steps),
        .seconds = commit->counts.seconds,
    };
    last->seconds_left = seconds_left(last);
    return VERSO_OK;
}

static verso_status take_commit(const verso_commit *commit, bool done, verso_run_status *status, verso_error *error) {
    verso_schedule *schedule;
    verso_error reason;
    verso_status result = verso_schedule_load(commit->cursor, commit->cursor_size, &schedule, &reason);
    if (result != VERSO_OK)
        return verso_fail(error, result, "restart point %" PRIu64 " cannot be used: %.400s", commit->number,
                          reason.message);
    status->spec = *verso_schedule_get_spec(schedule);
    status->commits = commit->number;
    result = describe_commit(commit, done, schedule, &status->last, error);
    verso_schedule_free(schedule);
    return result;
}

static verso_status take_journal(const verso_journal_contents *contents, verso_run_status *status, verso_error *error) {
    memcpy(status->reason, contents->head.reason, sizeof status->reason);
    status->program = contents->head.program;
    status->started = contents->head.started;
    status->restarts = contents->restarts;
    status->done = contents->done;
    status->journal_bytes = contents->bytes;
    status->journal_damaged_at = contents->trusted < contents->bytes ? contents->trusted : VERSO_UNKNOWN;
    status->last = (verso_progress){.steps = VERSO_UNKNOWN, .adjoint = VERSO_UNKNOWN, .seconds_left = -1};
    if (contents->commit_count == 0)
        return VERSO_OK;
    status->suspended = contents->commits[0].suspended && !contents->continued && !contents->done;
    return take_commit(&contents->commits[0], contents->done, status, error);
}

/* ---- The lock ---- */

typedef struct holder {
    verso_lock_note note;
    bool held;
} holder;

static verso_status read_lock(const char *path, void *context, verso_error *error) {
    holder *found = context;
    verso_status status = verso_lock_read(&verso_system_machine, path, &found->note, &found->held, error);
    return status == VERSO_STATE ? VERSO_OK : status; /* without a lock nobody holds it */
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
    if (verso_file_name_read(text, &name))
        ++*(name.kind == VERSO_CAPSULE_STATE ? &status->state_capsules : &status->adjoint_capsules);
    return true;
}

/* A directory that is not there holds nothing. */
static verso_status count_capsules(const char *path, void *context, verso_error *error) {
    const verso_system *system = &verso_system_machine;
    if (system->list(system, path, count_capsule, context) != 0 && errno != ENOENT && errno != ENOTDIR)
        return verso_file_error(error, "list", path);
    return VERSO_OK;
}

/* ---- All of it ---- */

/* Who works is asked before the journal is read: a process that ends in between has written all it will write. An
 * append that is under way looks like damage, so the journal of a process at work is read again when it seems to have
 * some. */
static verso_status read_run(const char *directory, verso_journal_contents *contents, holder *found,
                             verso_error *error) {
    verso_status status = read_in(directory, "lock", read_lock, found, error);
    for (int reads = 1; status == VERSO_OK; reads++) {
        status = read_in(directory, "journal", read_journal, contents, error);
        if (status != VERSO_OK || contents->trusted == contents->bytes || !found->held || reads >= READS_MAX)
            break;
        verso_journal_contents_free(contents);
    }
    if (status == VERSO_STATE)
        return verso_fail(error, VERSO_INVALID, "there is no run in '%s': it has no journal", directory);
    return status;
}

verso_status verso_run_status_read(const char *directory, verso_run_status *status, verso_error *error) {
    *status = (verso_run_status){0};
    verso_journal_contents contents;
    holder found = {0};
    verso_status result = read_run(directory, &contents, &found, error);
    if (result != VERSO_OK)
        return result;
    result = take_journal(&contents, status, error);
    verso_journal_contents_free(&contents);
    if (result != VERSO_OK)
        return result;
    take_holder(&found, status);
    return read_in(directory, "capsules", count_capsules, status, error);
}
