/* Computes a missing state again: one that a dead process held in memory, that was damaged on disk, or that was
 * removed after the restart point from which the run continues. It starts from the latest earlier state that is
 * available and stores all other missing states on the way.
 *
 * In a group it starts from the latest state that all processes have, because they must take the steps together. */
#include "base/alloc.h"
#include "drive/inside.h"

/* A capsule from which a state can be loaded. */
typedef struct source {
    uint64_t step;
    bool found;
    bool in_vault;
    verso__live live;
} source;

static source highest_source(verso__drive *drive, uint64_t limit) {
    source best = {0};
    const verso__vault_entry *entry = verso__vault_at_most(drive, limit);
    verso__live live;
    if (entry != NULL)
        best = (source){.step = entry->step, .found = true, .in_vault = true};
    if (verso__slots_highest(drive, limit, &live) && (!best.found || live.from >= best.step))
        best = (source){.step = live.from, .found = true, .live = live};
    return best;
}

static verso_status mark_source_lost(verso__drive *drive, const source *from, verso_error *error) {
    if (from->in_vault)
        return verso__vault_lose(drive, verso__vault_find(drive, from->step), error);
    verso__slots_mark(drive, from->live.tier, from->live.slot, VERSO_SLOT_MISSING);
    return verso__discard_if_held(drive->tiers[from->live.tier], from->step, from->live.slot, error);
}

/* Loads the source and sets *there if that succeeded. Reports a damaged source and marks it as lost. */
static verso_status load_source(verso__drive *drive, const source *from, bool *there, verso_error *error) {
    const verso_store *store = from->in_vault ? &drive->vault.store : drive->tiers[from->live.tier];
    verso_capsule_name name = {VERSO_CAPSULE_STATE, from->step, from->live.slot};
    verso_error why = {0};
    drive->working = VERSO_UNKNOWN;
    verso_status status = verso__resume_from(drive, store, &name, &why);
    *there = status == VERSO_STATUS_OK;
    if (verso__is_lost(status)) {
        verso__drive_warn(drive, "%s; an older state is used instead", why.message);
        drive->loss = why;
        return mark_source_lost(drive, from, error);
    }
    if (status != VERSO_STATUS_OK && error != NULL)
        *error = why;
    return status;
}

/* Fails because no state is left to start from. In a durable run the next process starts from x_0 again. */
static verso_status fail_unrecoverable(const verso__drive *drive, uint64_t step, verso_error *error) {
    const verso_error *why = &drive->loss;
    const char *remedy = drive->durable ? "; run the program again: it starts from x_0" : "";
    if (why->status == VERSO_STATUS_OK)
        return verso__fail(error, VERSO_STATUS_CORRUPT,
                           "x_%llu is lost, and no older state is left to compute it from%s", (unsigned long long)step,
                           remedy);
    return verso__fail(error, why->status, "%.380s; no older state is left to compute x_%llu from%s", why->message,
                       (unsigned long long)step, remedy);
}

/* Loads the latest state at or before `limit` that all processes of the group have. */
static verso_status load_highest(verso__drive *drive, uint64_t limit, verso_error *error) {
    for (uint64_t step = limit, highest = limit;; limit = highest - 1) {
        source from = highest_source(drive, limit);
        highest = from.found ? from.step : 0;
        verso_status status = verso__drive_least(drive, &highest, error);
        if (status != VERSO_STATUS_OK)
            return status;
        if (from.step != highest)
            from = highest_source(drive, highest);
        bool there = from.found && from.step == highest;
        if (there)
            status = load_source(drive, &from, &there, error);
        if (status == VERSO_STATUS_OK)
            status = verso__drive_all(drive, &there, error);
        if (status != VERSO_STATUS_OK)
            return status;
        if (there) {
            drive->working = highest;
            return VERSO_STATUS_OK;
        }
        if (highest == 0)
            return fail_unrecoverable(drive, step, error);
    }
}

static verso_status rerun_to(verso__drive *drive, uint64_t to, verso_error *error) {
    bool ended;
    uint64_t from = drive->working;
    verso_status status = verso__run_to(drive, to, true, &ended, error);
    if (status == VERSO_STATUS_OK && ended)
        return verso__fail(error, VERSO_STATUS_USER,
                           "the program ended at step %llu when it was run again, before step %llu",
                           (unsigned long long)drive->working, (unsigned long long)to);
    if (status == VERSO_STATUS_OK || status == VERSO_STATUS_SUSPENDED) /* a suspended run has covered a part */
        drive->counts.recovered_steps += drive->working - from;
    return status;
}

verso_status verso__recover(verso__drive *drive, uint64_t step, verso_error *error) {
    verso__live *missing = NULL;
    size_t count = 0;
    verso_status status = load_highest(drive, step, error);
    /* The loaded state may itself be missing in its slot, so the list begins with its own step. */
    if (status == VERSO_STATUS_OK)
        status = verso__slots_missing(drive, drive->working == 0 ? VERSO_UNKNOWN : drive->working - 1, step, &missing,
                                      &count, error);
    for (size_t i = 0; i < count && status == VERSO_STATUS_OK; i++) {
        status = rerun_to(drive, missing[i].from, error);
        if (status == VERSO_STATUS_OK)
            status = verso__keep_in_slot(drive, &missing[i], error);
        drive->counts.recovered_capsules += status == VERSO_STATUS_OK;
    }
    verso__dealloc(missing);
    return status == VERSO_STATUS_OK ? rerun_to(drive, step, error) : status;
}
