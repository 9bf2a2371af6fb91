/* Decides when to make restart points, and makes them. reopen.c continues from one.
 *
 * A restart point is made
 *  1. when a run begins, is suspended or is done;
 *  2. in the first sweep, after each state that is stored in files, and every `interval` seconds;
 *  3. afterwards, at each action store-adjoint, after adjoint_distance steps, every `interval` seconds, and when a
 *     state in a file has been used for the last time if a restart point is cheap. That state can then be removed,
 *     and a restart from here does not need it (future work in paper 5). The adjoint capsules of the last two or
 *     three restart points are kept, so that a damaged one costs only the stretch between two restart points. */
#include "base/alloc.h"
#include "drive/inside.h"

#include <string.h>

/* ---- The record ---- */

typedef struct commit_job {
    verso__job job;
    verso__drive *drive; /* its atomic fields are updated when the record is durable */
    uint64_t steps;      /* steps of this process when it was submitted */
    double began;        /* moment before the capsules that it needs were submitted */
    verso__commit commit;
    bool done;
    unsigned char *cursor;
    verso__live *live;
} commit_job;

static verso_status append(verso__job *job, verso_error *error) {
    commit_job *self = (commit_job *)job;
    verso__drive *drive = self->drive;
    verso_status status = verso__journal_commit(drive->journal, &self->commit, self->done, error);
    if (status != VERSO_STATUS_OK)
        return status;
    drive->committed_steps = self->steps;
    drive->committed_at = self->began;
    drive->commit_seconds = verso__now() - self->began;
    return VERSO_STATUS_OK;
}

static void dispose(verso__job *job) {
    commit_job *self = (commit_job *)job;
    --self->drive->commits_under_way;
    verso__dealloc(self->cursor);
    verso__dealloc(self->live);
    verso__dealloc(self);
}

static verso_status fill_cursor(const verso__drive *drive, commit_job *self, verso_error *error) {
    size_t size = verso_schedule_saved_size(drive->schedule);
    self->cursor = verso__alloc(size, 1);
    if (self->cursor == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a restart point");
    self->commit.cursor = self->cursor;
    self->commit.cursor_size = size;
    return verso_schedule_save(drive->schedule, self->cursor, size, error);
}

static verso_status submit_record(verso__drive *drive, verso__commit_kind kind, double began, verso_error *error) {
    commit_job *self = verso__alloc(1, sizeof *self);
    if (self == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a restart point");
    self->job = (verso__job){NULL, append, dispose};
    self->drive = drive;
    self->steps = verso__pace_steps(drive);
    self->began = began;
    ++drive->commits_under_way;
    self->done = kind == VERSO_COMMIT_DONE;
    self->commit = (verso__commit){.number = drive->commit_number + 1,
                                   .suspended = kind == VERSO_COMMIT_SUSPENDED,
                                   .adjoint = drive->adjoint,
                                   .working = drive->safe,
                                   .pending = drive->pending,
                                   .counts = drive->counts};
    self->commit.counts.seconds += verso__now() - drive->pace.began;
    verso_status status = fill_cursor(drive, self, error);
    if (status == VERSO_STATUS_OK)
        status = verso__slots_list(drive, &self->live, &self->commit.live_count, error);
    self->commit.live = self->live;
    if (status != VERSO_STATUS_OK) {
        dispose(&self->job);
        return status;
    }
    drive->commit_number++;
    return verso__worker_submit(drive->worker, &self->job, error);
}

/* ---- What a restart point needs in the vault ---- */

static void stop_waiting(verso__drive *drive, verso__vault_entry *entry) {
    drive->vault.waiting -= entry->waiting;
    entry->waiting = false;
}

/* Writes the working state x_step to the vault and marks it as `safe` in place of the previous one. With `step` =
 * VERSO_UNKNOWN no state is safe. */
static verso_status make_safe(verso__drive *drive, uint64_t step, verso_error *error) {
    verso__vault_entry *entry;
    uint64_t before = drive->safe;
    if (step != VERSO_UNKNOWN) {
        verso_status status = verso__vault_put(drive, step, true, &entry, error);
        if (status != VERSO_STATUS_OK)
            return status;
        stop_waiting(drive, entry);
        entry->safe = true;
    }
    drive->safe = step;
    entry = before != VERSO_UNKNOWN && before != step ? verso__vault_find(drive, before) : NULL;
    if (entry == NULL)
        return VERSO_STATUS_OK;
    entry->safe = false;
    return verso__vault_settle(drive, entry, error);
}

/* Copies a state from memory to the vault by way of the program, which loses its working state. */
static verso_status copy_to_vault(verso__drive *drive, const verso__live *live, verso_error *error) {
    verso__vault_entry *entry = verso__vault_find(drive, live->from);
    verso_capsule_name name = {VERSO_CAPSULE_STATE, live->from, live->slot};
    verso_status status = VERSO_STATUS_OK;
    if (entry == NULL || entry->damaged) {
        drive->working = VERSO_UNKNOWN;
        status = verso__resume_from(drive, drive->tiers[live->tier], &name, error);
        if (status == VERSO_STATUS_OK)
            status = verso__vault_put(drive, live->from, false, &entry, error);
    }
    if (status == VERSO_STATUS_OK)
        verso__vault_keep(drive, entry);
    return status;
}

/* Copies all states in memory to the vault, so that a suspended run loses nothing. */
static verso_status keep_memory(verso__drive *drive, verso_error *error) {
    verso__live *live;
    size_t count;
    verso_status status = verso__slots_list(drive, &live, &count, error);
    if (status == VERSO_STATUS_OK)
        status = verso__vault_tidy(drive, error);
    for (size_t i = 0; i < count && status == VERSO_STATUS_OK; i++) {
        const verso__slot *held = verso__slots_find(drive, live[i].tier, live[i].slot);
        if (drive->tiers[live[i].tier] != &drive->vault.store && held->presence == VERSO_SLOT_PRESENT)
            status = copy_to_vault(drive, &live[i], error);
    }
    if (status == VERSO_STATUS_IMPOSSIBLE) { /* the disk limit; states that do not fit are computed again */
        verso__drive_warn(drive, "the limit of the disk leaves no room for all states that memory holds");
        status = VERSO_STATUS_OK;
    }
    verso__dealloc(live);
    return status;
}

static verso_status keep_adjoint(verso__drive *drive, verso_error *error) {
    if (drive->adjoint == VERSO_UNKNOWN || drive->adjoint == drive->adjoint_stored[0])
        return VERSO_STATUS_OK;
    verso_capsule_name name = {VERSO_CAPSULE_ADJOINT, drive->adjoint, 0};
    drive->counts.adjoint_stores++;
    return verso__vault_capture(drive, &name, error);
}

/* A process of a group may be one restart point behind the others and have a damaged one: then it needs the one
 * before. */
size_t verso__adjoints_kept(const verso__drive *drive) {
    return drive->options->group != NULL ? 3 : 2;
}

static verso_status drop_old_adjoints(verso__drive *drive, verso_error *error) {
    if (drive->adjoint == VERSO_UNKNOWN || drive->adjoint == drive->adjoint_stored[0])
        return VERSO_STATUS_OK;
    size_t kept = verso__adjoints_kept(drive);
    uint64_t oldest = drive->adjoint_stored[kept - 1];
    memmove(drive->adjoint_stored + 1, drive->adjoint_stored, (VERSO_COMMITS_KEPT - 1) * sizeof *drive->adjoint_stored);
    drive->adjoint_stored[0] = drive->adjoint;
    if (oldest == VERSO_UNKNOWN)
        return VERSO_STATUS_OK;
    verso_capsule_name name = {VERSO_CAPSULE_ADJOINT, oldest, 0};
    return drive->vault.store.operations->discard(drive->vault.store.self, &name, error);
}

/* Waits until all processes of the group have this restart point: only then may they remove what an older one
 * needs. */
static verso_status wait_for_all(verso__drive *drive, verso_error *error) {
    bool here = true;
    if (drive->options->group == NULL)
        return VERSO_STATUS_OK;
    verso_status status = verso__drive_drain(drive, error);
    if (status == VERSO_STATUS_OK)
        status = verso__drive_all(drive, &here, error);
    drive->leftovers = drive->vault.kept > 0;
    return status == VERSO_STATUS_OK ? verso__drive_any(drive, &drive->leftovers, error) : status;
}

verso_status verso__restart_commit(verso__drive *drive, verso__commit_kind kind, verso_error *error) {
    double began = verso__now();
    bool stops = kind == VERSO_COMMIT_STOPPING || kind == VERSO_COMMIT_SUSPENDED;
    bool needs_working = drive->adjoint == VERSO_UNKNOWN || drive->pending.kind != VERSO_ACTION_DONE || stops;
    verso_status status = make_safe(drive, needs_working ? drive->working : VERSO_UNKNOWN, error);
    if (status == VERSO_STATUS_OK && kind == VERSO_COMMIT_SUSPENDED)
        status = keep_memory(drive, error);
    if (status == VERSO_STATUS_OK)
        status = keep_adjoint(drive, error);
    if (status == VERSO_STATUS_OK)
        status = submit_record(drive, kind, began, error);
    if (status == VERSO_STATUS_OK)
        status = wait_for_all(drive, error);
    if (status == VERSO_STATUS_OK)
        status = drop_old_adjoints(drive, error);
    if (status == VERSO_STATUS_OK)
        status = verso__vault_sweep(drive, error);
    drive->pace.committed = verso__now();
    drive->pace.due = false;
    drive->used_up = false;
    return status;
}

verso_status verso__restart_promised(verso__drive *drive, verso_error *error) {
    verso_status status = drive->commits_under_way > 0 ? verso__drive_drain(drive, error) : VERSO_STATUS_OK;
    return status == VERSO_STATUS_OK ? verso__restart_commit(drive, VERSO_COMMIT_GOING_ON, error) : status;
}

verso_status verso__restart_consider(verso__drive *drive, verso_error *error) {
    uint64_t distance = drive->options->adjoint_distance;
    uint64_t last = drive->adjoint_stored[0];
    if (last == VERSO_UNKNOWN)
        last = drive->steps;
    /* Up to here all processes of a group decide alike; what follows may differ and is decided together. */
    if (distance > 0 && last >= drive->adjoint && last - drive->adjoint >= distance)
        return verso__restart_promised(drive, error);
    bool now = drive->pace.due;
    if (!now && !drive->used_up)
        return VERSO_STATUS_OK;
    verso_status status = VERSO_STATUS_OK;
    if (!now) {
        now = (drive->options->disk > 0 && drive->vault.waiting >= VERSO_WAITING_MAX) ||
              verso__restart_is_cheap(drive, verso__now() - drive->pace.committed);
        status = verso__drive_any(drive, &now, error);
    }
    drive->used_up = false;
    return status == VERSO_STATUS_OK && now ? verso__restart_commit(drive, VERSO_COMMIT_GOING_ON, error) : status;
}
