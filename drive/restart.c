/* Restart points: when they are made, and how. reopen.c continues from one.
 *
 * A restart point is made
 *  1. when a run begins, and when it is suspended or done;
 *  2. in the first sweep, after each state that goes to a durable tier and every `interval` seconds;
 *  3. afterwards wherever the schedule says `store-adjoint`, at the adjoint distance, every `interval` seconds, and
 * when a state in a file has just been used up, if that takes little of the time: the state can then go, and a restart
 * from here needs none that is gone (paper 5's future work). The adjoint capsules of the last restart points are kept,
 * so that a damaged one costs no more than the stretch between two. */
#include "base/alloc.h"
#include "drive/drive.h"

#include <string.h>

/* ---- The record ---- */

typedef struct commit_job {
    verso_job job;
    verso_drive *drive; /* whose atomic fields say what is durable */
    uint64_t steps;     /* when it was submitted */
    double began;       /* before the capsules that it needs were submitted */
    verso_commit commit;
    bool done;
    unsigned char *cursor;
    verso_live *live;
} commit_job;

static verso_status append(verso_job *job, verso_error *error) {
    commit_job *self = (commit_job *)job;
    verso_drive *drive = self->drive;
    verso_status status = verso_journal_commit(drive->journal, &self->commit, self->done, error);
    if (status != VERSO_OK)
        return status;
    drive->committed_steps = self->steps;
    drive->committed_at = self->began;
    drive->commit_seconds = verso_now() - self->began;
    return VERSO_OK;
}

static void dispose(verso_job *job) {
    commit_job *self = (commit_job *)job;
    --self->drive->commits_under_way;
    verso_dealloc(self->cursor);
    verso_dealloc(self->live);
    verso_dealloc(self);
}

static verso_status fill_cursor(const verso_drive *drive, commit_job *self, verso_error *error) {
    size_t size = verso_schedule_saved_size(drive->schedule);
    self->cursor = verso_alloc(size, 1);
    if (self->cursor == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a restart point");
    self->commit.cursor = self->cursor;
    self->commit.cursor_size = size;
    return verso_schedule_save(drive->schedule, self->cursor, size, error);
}

static verso_status submit_record(verso_drive *drive, verso_commit_kind kind, double began, verso_error *error) {
    commit_job *self = verso_alloc(1, sizeof *self);
    if (self == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a restart point");
    self->job = (verso_job){NULL, append, dispose};
    self->drive = drive;
    self->steps = verso_pace_steps(drive);
    self->began = began;
    ++drive->commits_under_way;
    self->done = kind == VERSO_COMMIT_DONE;
    self->commit = (verso_commit){.number = drive->commit_number + 1,
                                  .suspended = kind == VERSO_COMMIT_SUSPENDED,
                                  .adjoint = drive->adjoint,
                                  .working = drive->safe,
                                  .pending = drive->pending,
                                  .counts = drive->counts};
    self->commit.counts.seconds += verso_now() - drive->pace.began;
    verso_status status = fill_cursor(drive, self, error);
    if (status == VERSO_OK)
        status = verso_slots_list(drive, &self->live, &self->commit.live_count, error);
    self->commit.live = self->live;
    if (status != VERSO_OK) {
        dispose(&self->job);
        return status;
    }
    drive->commit_number++;
    return verso_worker_submit(drive->worker, &self->job, error);
}

/* ---- What a restart point needs in the vault ---- */

static void stop_waiting(verso_drive *drive, verso_vault_entry *entry) {
    drive->vault.waiting -= entry->waiting;
    entry->waiting = false;
}

/* The working state is safe until the next restart point; with `step` VERSO_UNKNOWN none is. */
static verso_status make_safe(verso_drive *drive, uint64_t step, verso_error *error) {
    verso_vault_entry *entry;
    uint64_t before = drive->safe;
    if (step != VERSO_UNKNOWN) {
        verso_status status = verso_vault_put(drive, step, true, &entry, error);
        if (status != VERSO_OK)
            return status;
        stop_waiting(drive, entry);
        entry->safe = true;
    }
    drive->safe = step;
    entry = before != VERSO_UNKNOWN && before != step ? verso_vault_find(drive, before) : NULL;
    if (entry == NULL)
        return VERSO_OK;
    entry->safe = false;
    return verso_vault_settle(drive, entry, error);
}

/* Through the program, whose state is lost for it. */
static verso_status copy_to_vault(verso_drive *drive, const verso_live *live, verso_error *error) {
    verso_vault_entry *entry = verso_vault_find(drive, live->from);
    verso_capsule_name name = {VERSO_CAPSULE_STATE, live->from, live->slot};
    verso_status status = VERSO_OK;
    if (entry == NULL || entry->damaged) {
        drive->working = VERSO_UNKNOWN;
        status = verso_resume_from(drive, drive->tiers[live->tier], &name, error);
        if (status == VERSO_OK)
            status = verso_vault_put(drive, live->from, false, &entry, error);
    }
    if (status == VERSO_OK)
        verso_vault_keep(drive, entry);
    return status;
}

/* Copies what memory holds into the vault, so that a suspended run loses nothing. */
static verso_status keep_memory(verso_drive *drive, verso_error *error) {
    verso_live *live;
    size_t count;
    verso_status status = verso_slots_list(drive, &live, &count, error);
    if (status == VERSO_OK)
        status = verso_vault_tidy(drive, error);
    for (size_t i = 0; i < count && status == VERSO_OK; i++) {
        const verso_slot *held = verso_slots_find(drive, live[i].tier, live[i].slot);
        if (drive->tiers[live[i].tier] != &drive->vault.store && held->presence == VERSO_SLOT_PRESENT)
            status = copy_to_vault(drive, &live[i], error);
    }
    if (status == VERSO_IMPOSSIBLE) { /* the disk's limit; what does not fit is computed again */
        verso_drive_notice(drive, "the limit of the disk leaves no room for all states that memory holds");
        status = VERSO_OK;
    }
    verso_dealloc(live);
    return status;
}

static verso_status keep_adjoint(verso_drive *drive, verso_error *error) {
    if (drive->adjoint == VERSO_UNKNOWN || drive->adjoint == drive->adjoint_stored[0])
        return VERSO_OK;
    verso_capsule_name name = {VERSO_CAPSULE_ADJOINT, drive->adjoint, 0};
    drive->counts.adjoint_stores++;
    return verso_vault_capture(drive, &name, error);
}

/* A member of a group that is one restart point behind, and whose newest one is damaged, needs the one before. */
size_t verso_adjoints_kept(const verso_drive *drive) {
    return drive->options->group != NULL ? 3 : 2;
}

static verso_status drop_old_adjoints(verso_drive *drive, verso_error *error) {
    if (drive->adjoint == VERSO_UNKNOWN || drive->adjoint == drive->adjoint_stored[0])
        return VERSO_OK;
    size_t kept = verso_adjoints_kept(drive);
    uint64_t oldest = drive->adjoint_stored[kept - 1];
    memmove(drive->adjoint_stored + 1, drive->adjoint_stored, (VERSO_COMMITS_KEPT - 1) * sizeof *drive->adjoint_stored);
    drive->adjoint_stored[0] = drive->adjoint;
    if (oldest == VERSO_UNKNOWN)
        return VERSO_OK;
    verso_capsule_name name = {VERSO_CAPSULE_ADJOINT, oldest, 0};
    return drive->vault.store.operations->discard(drive->vault.store.self, &name, error);
}

/* All of the group have it before anyone removes what an older one needs. */
static verso_status wait_for_all(verso_drive *drive, verso_error *error) {
    bool here = true;
    if (drive->options->group == NULL)
        return VERSO_OK;
    verso_status status = verso_drive_drain(drive, error);
    if (status == VERSO_OK)
        status = verso_drive_all(drive, &here, error);
    drive->leftovers = drive->vault.kept > 0;
    return status == VERSO_OK ? verso_drive_any(drive, &drive->leftovers, error) : status;
}

verso_status verso_restart_commit(verso_drive *drive, verso_commit_kind kind, verso_error *error) {
    double began = verso_now();
    bool stops = kind == VERSO_COMMIT_STOPPING || kind == VERSO_COMMIT_SUSPENDED;
    bool needs_working = drive->adjoint == VERSO_UNKNOWN || drive->pending.kind != VERSO_DONE || stops;
    verso_status status = make_safe(drive, needs_working ? drive->working : VERSO_UNKNOWN, error);
    if (status == VERSO_OK && kind == VERSO_COMMIT_SUSPENDED)
        status = keep_memory(drive, error);
    if (status == VERSO_OK)
        status = keep_adjoint(drive, error);
    if (status == VERSO_OK)
        status = submit_record(drive, kind, began, error);
    if (status == VERSO_OK)
        status = wait_for_all(drive, error);
    if (status == VERSO_OK)
        status = drop_old_adjoints(drive, error);
    if (status == VERSO_OK)
        status = verso_vault_sweep(drive, error);
    drive->pace.committed = verso_now();
    drive->pace.due = false;
    drive->used_up = false;
    return status;
}

verso_status verso_restart_promised(verso_drive *drive, verso_error *error) {
    verso_status status = drive->commits_under_way > 0 ? verso_drive_drain(drive, error) : VERSO_OK;
    return status == VERSO_OK ? verso_restart_commit(drive, VERSO_COMMIT_GOING_ON, error) : status;
}

verso_status verso_restart_consider(verso_drive *drive, verso_error *error) {
    uint64_t distance = drive->options->adjoint_distance;
    uint64_t last = drive->adjoint_stored[0];
    if (last == VERSO_UNKNOWN)
        last = drive->steps;
    /* Both the same for all of a group; what follows may differ, and is agreed on. */
    if (distance > 0 && last >= drive->adjoint && last - drive->adjoint >= distance)
        return verso_restart_promised(drive, error);
    bool now = drive->pace.due;
    if (!now && !drive->used_up)
        return VERSO_OK;
    verso_status status = VERSO_OK;
    if (!now) {
        now = (drive->options->disk > 0 && drive->vault.waiting >= VERSO_WAITING_MAX) ||
              verso_restart_is_cheap(drive, verso_now() - drive->pace.committed);
        status = verso_drive_any(drive, &now, error);
    }
    drive->used_up = false;
    return status == VERSO_OK && now ? verso_restart_commit(drive, VERSO_COMMIT_GOING_ON, error) : status;
}
