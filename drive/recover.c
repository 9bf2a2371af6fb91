/* A state that should be there and is not. What an interrupted process held in memory, what was damaged on disk, and
 * what was thrown away since the restart point that a run goes back to: all of it is computed again in the same way,
 * from the nearest older state that there is, and every other missing state that lies on the way is kept in passing.
 *
 * In a group the nearest older state is one that all have, because all must take the steps together. */
#include "base/alloc.h"
#include "drive/drive.h"

/* Where a state can be had from. */
typedef struct source {
    uint64_t step;
    bool found;
    bool in_vault;
    verso_live live;
} source;

static source highest_source(verso_drive *drive, uint64_t limit) {
    source best = {0};
    const verso_vault_entry *entry = verso_vault_at_most(drive, limit);
    verso_live live;
    if (entry != NULL)
        best = (source){.step = entry->step, .found = true, .in_vault = true};
    if (verso_slots_highest(drive, limit, &live) && (!best.found || live.from >= best.step))
        best = (source){.step = live.from, .found = true, .live = live};
    return best;
}

static verso_status drop_source(verso_drive *drive, const source *from, verso_error *error) {
    if (from->in_vault)
        return verso_vault_lose(drive, verso_vault_find(drive, from->step), error);
    verso_slots_mark(drive, from->live.tier, from->live.slot, VERSO_SLOT_MISSING);
    return verso_discard_if_held(drive->tiers[from->live.tier], from->step, from->live.slot, error);
}

/* *there: the working state is x_step now. A damaged source is dropped, and said so. */
static verso_status load_source(verso_drive *drive, const source *from, bool *there, verso_error *error) {
    const verso_store *store = from->in_vault ? &drive->vault.store : drive->tiers[from->live.tier];
    verso_capsule_name name = {VERSO_CAPSULE_STATE, from->step, from->live.slot};
    verso_error why = {0};
    drive->working = VERSO_UNKNOWN;
    verso_status status = verso_resume_from(drive, store, &name, &why);
    *there = status == VERSO_OK;
    if (verso_is_lost(status)) {
        verso_drive_notice(drive, "%s; an older state is used instead", why.message);
        drive->loss = why;
        return drop_source(drive, from, error);
    }
    if (status != VERSO_OK && error != NULL)
        *error = why;
    return status;
}

/* The program itself begins at x_0: the next process writes it again. */
static verso_status nothing_left(const verso_drive *drive, uint64_t step, verso_error *error) {
    const verso_error *why = &drive->loss;
    const char *remedy = drive->durable ? "; run again, the program itself has the first one" : "";
    if (why->status == VERSO_OK)
        return verso_fail(error, VERSO_CORRUPT, "x_%llu is lost, and no older state is left to compute it from%s",
                          (unsigned long long)step, remedy);
    return verso_fail(error, why->status, "%.380s; no older state is left to compute x_%llu from%s", why->message,
                      (unsigned long long)step, remedy);
}

/* Makes the highest state at or below `limit` that all of the group have the working state. */
static verso_status load_highest(verso_drive *drive, uint64_t limit, verso_error *error) {
    for (uint64_t step = limit, highest = limit;; limit = highest - 1) {
        source from = highest_source(drive, limit);
        highest = from.found ? from.step : 0;
        verso_status status = verso_drive_least(drive, &highest, error);
        if (status != VERSO_OK)
            return status;
        if (from.step != highest)
            from = highest_source(drive, highest);
        bool there = from.found && from.step == highest;
        if (there)
            status = load_source(drive, &from, &there, error);
        if (status == VERSO_OK)
            status = verso_drive_all(drive, &there, error);
        if (status != VERSO_OK)
            return status;
        if (there) {
            drive->working = highest;
            return VERSO_OK;
        }
        if (highest == 0)
            return nothing_left(drive, step, error);
    }
}

static verso_status run_on(verso_drive *drive, uint64_t to, verso_error *error) {
    bool ended;
    uint64_t from = drive->working;
    verso_status status = verso_run_to(drive, to, true, &ended, error);
    if (status == VERSO_OK && ended)
        return verso_fail(error, VERSO_USER, "the program ended at step %llu when it was run again, before step %llu",
                          (unsigned long long)drive->working, (unsigned long long)to);
    if (status == VERSO_OK || status == VERSO_SUSPENDED) /* which is a part of the way */
        drive->counts.recovered_steps += drive->working - from;
    return status;
}

verso_status verso_recover(verso_drive *drive, uint64_t step, verso_error *error) {
    verso_live *missing = NULL;
    size_t count = 0;
    verso_status status = load_highest(drive, step, error);
    /* The state itself may be the missing one that was loaded from elsewhere: from its own step on. */
    if (status == VERSO_OK)
        status = verso_slots_missing(drive, drive->working == 0 ? VERSO_UNKNOWN : drive->working - 1, step, &missing,
                                     &count, error);
    for (size_t i = 0; i < count && status == VERSO_OK; i++) {
        status = run_on(drive, missing[i].from, error);
        if (status == VERSO_OK)
            status = verso_keep_in_slot(drive, &missing[i], error);
        drive->counts.recovered_capsules += status == VERSO_OK;
    }
    verso_dealloc(missing);
    return status == VERSO_OK ? run_on(drive, step, error) : status;
}
