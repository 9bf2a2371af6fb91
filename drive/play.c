/* Plays the schedule: takes the next action, provides the working state that it needs, and executes it.
 *
 * An action is `pending` from when it is taken from the schedule until it is done, so that a restart point in the
 * middle of a long advance can record it. If steps are short, only one in many actions is timed, because reading
 * the clock takes as long as a small step. */
#include "drive/inside.h"

enum { SHORT_STEPS = 1000, TIME_ONE_IN = 61 };

static bool is_timed(verso__drive *drive) {
    return drive->pace.fuel_size < SHORT_STEPS || ++drive->pace.sample % TIME_ONE_IN == 0;
}

/* ---- Between program and stores ---- */

/* Returns whether to time this copy between program and store. Only copies to and from memory are timed here; the file
 * store measures its own. */
static bool is_copy_timed(verso__drive *drive, const verso_store *store) {
    if (store == &drive->vault.store)
        return false;
    drive->pace.copies++;
    return is_timed(drive);
}

static void add_copy(verso__drive *drive, double began) {
    drive->pace.copy_seconds += verso__now() - began;
    drive->pace.copies_timed++;
}

verso_status verso__capture_into(verso__drive *drive, const verso_store *store, const verso_capsule_name *name,
                                 verso_error *error) {
    const verso_program *program = drive->program;
    size_t size = program->operations->capsule_size(program->self, name->kind);
    void *bytes;
    if (name->kind == VERSO_CAPSULE_STATE && size > drive->capsule_size + program->capsule_spare &&
        drive->options->memory > 0)
        return verso__fail(error, VERSO_STATUS_USER,
                           "x_%llu has %zu bytes, but the memory budget was divided for states of at most %zu bytes; "
                           "set the program's capsule_most to the largest size",
                           (unsigned long long)name->step, size, drive->capsule_size);
    bool timed = is_copy_timed(drive, store);
    double began = timed ? verso__now() : 0;
    verso_status status = store->operations->reserve(store->self, name, size, &bytes, error);
    if (status != VERSO_STATUS_OK)
        return status;
    status = program->operations->capture(program->self, name->kind, bytes, size, error);
    if (status != VERSO_STATUS_OK) {
        store->operations->cancel(store->self, name);
        return status;
    }
    if (timed)
        add_copy(drive, began);
    return store->operations->commit(store->self, name, error);
}

verso_status verso__resume_from(verso__drive *drive, const verso_store *store, const verso_capsule_name *name,
                                verso_error *error) {
    const verso_program *program = drive->program;
    const void *bytes;
    size_t size;
    bool timed = is_copy_timed(drive, store);
    double began = timed ? verso__now() : 0;
    verso_status status = store->operations->borrow(store->self, name, &bytes, &size, error);
    if (status != VERSO_STATUS_OK)
        return status;
    status = program->operations->resume(program->self, name->kind, bytes, size, error);
    store->operations->release(store->self, name);
    if (timed)
        add_copy(drive, began);
    return status;
}

verso_status verso__keep_in_slot(verso__drive *drive, const verso__live *live, verso_error *error) {
    verso_status status;
    if (drive->tiers[live->tier] == &drive->vault.store) {
        verso__vault_entry *entry;
        status = verso__vault_put(drive, live->from, true, &entry, error);
        if (status == VERSO_STATUS_OK) {
            entry->live++;
            drive->vault.waiting -= entry->waiting;
            entry->waiting = false;
        }
    } else {
        verso_capsule_name name = {VERSO_CAPSULE_STATE, live->from, live->slot};
        status = verso__capture_into(drive, drive->tiers[live->tier], &name, error);
    }
    return status == VERSO_STATUS_OK ? verso__slots_set(drive, live, VERSO_SLOT_PRESENT, error) : status;
}

/* ---- Forwards ---- */

/* Calls the program's advance once, from the working state to at most x_to. */
static verso_status advance_some(verso__drive *drive, uint64_t to, bool *ended, verso_error *error) {
    const verso_program *program = drive->program;
    uint64_t from = drive->working, reached = to;
    bool timed = is_timed(drive);
    double began = timed ? verso__now() : 0;
    drive->working = VERSO_UNKNOWN;
    verso_status status = program->operations->advance(program->self, from, to, &reached, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (reached < from || reached > to)
        return verso__fail(error, VERSO_STATUS_USER,
                           "the program was asked to advance from step %llu to %llu, but reports that it reached %llu",
                           (unsigned long long)from, (unsigned long long)to, (unsigned long long)reached);
    if (timed) {
        drive->pace.forward_seconds += verso__now() - began;
        drive->pace.forward_timed += reached - from;
    }
    drive->working = reached;
    drive->pace.forward_steps += reached - from;
    drive->counts.forward_steps += reached - from;
    if (reached > drive->counts.reached)
        drive->counts.reached = reached;
    *ended = reached < to;
    return VERSO_STATUS_OK;
}

verso_status verso__run_to(verso__drive *drive, uint64_t to, bool may_stop, bool *ended, verso_error *error) {
    *ended = false;
    while (drive->working < to && !*ended) {
        verso_status status = VERSO_STATUS_OK;
        if (may_stop && drive->pace.stop)
            return VERSO_STATUS_SUSPENDED;
        if (may_stop && drive->durable && drive->pace.due)
            status = verso__restart_commit(drive, VERSO_COMMIT_GOING_ON, error);
        uint64_t from = drive->working, room = verso__pace_room(drive);
        if (status == VERSO_STATUS_OK)
            status = advance_some(drive, room < to - from ? from + room : to, ended, error);
        if (status == VERSO_STATUS_OK)
            status = verso__pace_burn(drive, drive->working - from, error);
        if (status != VERSO_STATUS_OK)
            return status;
    }
    return VERSO_STATUS_OK;
}

/* Makes x_step the working state, recomputing it if necessary. */
static verso_status need_working(verso__drive *drive, uint64_t step, verso_error *error) {
    return drive->working == step ? VERSO_STATUS_OK : verso__recover(drive, step, error);
}

/* Sets *start to the state from which to advance: the working state if it lies within the advance, or a later state
 * that an interrupted run left in the vault, else the advance's own start. */
static verso_status find_start(verso__drive *drive, const verso_action *action, uint64_t *start, verso_error *error) {
    uint64_t working = drive->working;
    bool under_way = working != VERSO_UNKNOWN && working >= action->from && working <= action->to;
    *start = under_way ? working : action->from;
    if (!drive->leftovers)
        return VERSO_STATUS_OK;
    const verso__vault_entry *entry = verso__vault_at_most(drive, action->to);
    if (entry != NULL && entry->step > *start)
        *start = entry->step;
    return verso__drive_least(drive, start, error);
}

static verso_status learn_end(verso__drive *drive, uint64_t steps, verso_error *error) {
    if (drive->steps != VERSO_UNKNOWN)
        return verso__fail(error, VERSO_STATUS_USER, "the program ended after %llu steps, but %llu were expected",
                           (unsigned long long)steps, (unsigned long long)drive->steps);
    verso_status status = verso_schedule_end(drive->schedule, steps, steps, error);
    if (status == VERSO_STATUS_OK)
        status = verso__drive_learn_cost(drive, error);
    return status;
}

static verso_status play_advance(verso__drive *drive, const verso_action *action, verso_error *error) {
    bool ended;
    uint64_t start;
    verso_status status = find_start(drive, action, &start, error);
    if (status == VERSO_STATUS_OK)
        status = need_working(drive, start, error);
    if (status == VERSO_STATUS_OK)
        status = verso__run_to(drive, action->to, true, &ended, error);
    if (status != VERSO_STATUS_OK)
        return status;
    drive->counts.work_forward += drive->working - action->from;
    return ended ? learn_end(drive, drive->working, error) : VERSO_STATUS_OK;
}

/* ---- Capsules ---- */

static verso__live place_of(const verso_action *action, uint64_t to) {
    return (verso__live){action->tier, action->slot, action->from, to};
}

static verso_status play_store(verso__drive *drive, const verso_action *action, verso_error *error) {
    verso_status status = need_working(drive, action->from, error);
    verso__live live = place_of(action, action->from);
    drive->counts.writes[action->tier]++;
    if (status == VERSO_STATUS_OK)
        status = verso__keep_in_slot(drive, &live, error);
    if (status != VERSO_STATUS_OK || !drive->durable || drive->tiers[action->tier] != &drive->vault.store ||
        drive->adjoint != VERSO_UNKNOWN)
        return status;
    drive->pending.kind = VERSO_ACTION_DONE;
    return verso__restart_promised(drive, error);
}

verso_status verso__discard_if_held(const verso_store *store, uint64_t step, uint64_t slot, verso_error *error) {
    verso_capsule_name name = {VERSO_CAPSULE_STATE, step, slot};
    verso_error why = {0};
    verso_status status = store->operations->discard(store->self, &name, &why);
    return status == VERSO_STATUS_OK || status == VERSO_STATUS_STATE ? VERSO_STATUS_OK
                                                                     : verso__fail(error, status, "%s", why.message);
}

/* Handles a state that could not be read from its slot: reports it and marks the slot as MISSING. */
static verso_status mark_lost(verso__drive *drive, uint32_t tier, uint64_t slot, uint64_t step, const verso_error *why,
                              verso_error *error) {
    verso__drive_warn(drive, "%s; x_%llu is computed again", why->message, (unsigned long long)step);
    drive->loss = *why;
    verso__slots_mark(drive, tier, slot, VERSO_SLOT_MISSING);
    if (drive->tiers[tier] == &drive->vault.store) {
        verso__vault_entry *entry = verso__vault_find(drive, step);
        return entry != NULL ? verso__vault_lose(drive, entry, error) : VERSO_STATUS_OK;
    }
    return verso__discard_if_held(drive->tiers[tier], step, slot, error);
}

/* Makes x_step, which the slot should hold, the working state; computes it again if the slot has lost it. */
static verso_status load_state(verso__drive *drive, uint32_t tier, uint64_t slot, uint64_t step, verso_error *error) {
    if (drive->working == step)
        return VERSO_STATUS_OK;
    const verso__slot *held = verso__slots_find(drive, tier, slot);
    bool there = held != NULL && held->presence == VERSO_SLOT_PRESENT;
    if (there) {
        verso_capsule_name name = {VERSO_CAPSULE_STATE, step, slot};
        verso_error why; /* not cleared: it is large, and this code runs for every step */
        drive->working = VERSO_UNKNOWN;
        verso_status status = verso__resume_from(drive, drive->tiers[tier], &name, &why);
        there = status == VERSO_STATUS_OK;
        if (verso__is_lost(status))
            status = mark_lost(drive, tier, slot, step, &why, error);
        else if (status != VERSO_STATUS_OK && error != NULL)
            *error = why;
        if (status != VERSO_STATUS_OK)
            return status;
    }
    verso_status status = verso__drive_all(drive, &there, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (!there)
        return verso__recover(drive, step, error);
    drive->working = step;
    return VERSO_STATUS_OK;
}

static verso_status play_restore(verso__drive *drive, const verso_action *action, verso_error *error) {
    drive->counts.reads[action->tier]++;
    drive->hint |= drive->tiers[action->tier] == &drive->vault.store;
    return load_state(drive, action->tier, action->slot, action->from, error);
}

static verso_status empty_slot(verso__drive *drive, uint32_t tier, uint64_t slot, verso_error *error) {
    verso__slot *held = verso__slots_find(drive, tier, slot);
    if (held == NULL)
        return VERSO_STATUS_OK;
    bool present = held->presence == VERSO_SLOT_PRESENT;
    uint64_t step = held->from;
    verso__slots_mark(drive, tier, slot, VERSO_SLOT_EMPTY);
    if (drive->tiers[tier] == &drive->vault.store) {
        drive->used_up = true;
        drive->hint = true;
        verso__vault_entry *entry = present ? verso__vault_find(drive, step) : NULL;
        if (entry == NULL)
            return VERSO_STATUS_OK;
        entry->live--;
        return verso__vault_settle(drive, entry, error);
    }
    verso_capsule_name name = {VERSO_CAPSULE_STATE, step, slot};
    return present ? drive->tiers[tier]->operations->discard(drive->tiers[tier]->self, &name, error) : VERSO_STATUS_OK;
}

/* ---- Backwards ---- */

/* Tells the store which state will be read next: nearly always the latest one that is still held. */
static void expect_next(verso__drive *drive) {
    drive->hint = false;
    const verso_store *store = &drive->vault.store;
    if (store->operations == NULL || store->operations->expect == NULL || drive->adjoint == 0)
        return;
    const verso__vault_entry *entry = verso__vault_at_most(drive, drive->adjoint - 1);
    while (entry != NULL && entry->live == 0)
        entry = entry > drive->vault.entries ? entry - 1 : NULL;
    if (entry != NULL) {
        verso_capsule_name name = {VERSO_CAPSULE_STATE, entry->step, 0};
        store->operations->expect(store->self, &name);
    }
}

/* Reverses the steps [to, from). The working state must be x_to. */
static verso_status sweep_back(verso__drive *drive, uint64_t from, uint64_t to, verso_error *error) {
    const verso_program *program = drive->program;
    bool timed = is_timed(drive), last = drive->adjoint == VERSO_UNKNOWN;
    double began = timed ? verso__now() : 0;
    drive->working = VERSO_UNKNOWN;
    verso_status status = program->operations->reverse(program->self, from, to, last, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (timed) {
        drive->pace.reverse_seconds += verso__now() - began;
        drive->pace.reverse_timed += from - to;
    }
    drive->adjoint = to;
    drive->pace.reverse_steps += from - to;
    drive->counts.reversed_steps += from - to;
    drive->counts.work_reversed += from - to;
    drive->pending.kind = VERSO_ACTION_DONE;
    if (drive->hint)
        expect_next(drive);
    status = verso__pace_burn(drive, from - to, error);
    return status == VERSO_STATUS_OK && drive->durable ? verso__restart_consider(drive, error) : status;
}

static verso_status play_reverse(verso__drive *drive, const verso_action *action, verso_error *error) {
    verso_status status = need_working(drive, action->to, error);
    return status == VERSO_STATUS_OK ? sweep_back(drive, action->from, action->to, error) : status;
}

/* Keeps the record of a stretch as the state at its start. Sweeping it records the stretch again, which no schedule
 * counts as forward steps. */
static verso_status play_record(verso__drive *drive, const verso_action *action, verso_error *error) {
    bool ended;
    verso_status status = need_working(drive, action->from, error);
    verso__live live = place_of(action, action->to);
    drive->counts.writes[action->tier]++;
    if (status == VERSO_STATUS_OK)
        status = verso__keep_in_slot(drive, &live, error);
    return status == VERSO_STATUS_OK ? verso__run_to(drive, action->to, false, &ended, error) : status;
}

static verso_status play_sweep(verso__drive *drive, const verso_action *action, verso_error *error) {
    drive->counts.reads[action->tier]++;
    verso_status status = load_state(drive, action->tier, action->slot, action->to, error);
    if (status == VERSO_STATUS_OK)
        status = empty_slot(drive, action->tier, action->slot, error);
    return status == VERSO_STATUS_OK ? sweep_back(drive, action->from, action->to, error) : status;
}

/* ---- The loop ---- */

static verso_status play_one(verso__drive *drive, verso_error *error) {
    /* a pointer, not a copy: copying a struct that was just written field by field would stall the processor */
    const verso_action *action = &drive->pending;
    switch (action->kind) {
    case VERSO_ACTION_ADVANCE: return play_advance(drive, action, error);
    case VERSO_ACTION_STORE: return play_store(drive, action, error);
    case VERSO_ACTION_RESTORE: return play_restore(drive, action, error);
    case VERSO_ACTION_DISCARD: return empty_slot(drive, action->tier, action->slot, error);
    case VERSO_ACTION_REVERSE: return play_reverse(drive, action, error);
    case VERSO_ACTION_RECORD: return play_record(drive, action, error);
    case VERSO_ACTION_SWEEP: return play_sweep(drive, action, error);
    case VERSO_ACTION_STORE_ADJOINT:
        drive->pending.kind = VERSO_ACTION_DONE;
        return drive->durable ? verso__restart_promised(drive, error) : VERSO_STATUS_OK;
    case VERSO_ACTION_DONE: break;
    }
    return VERSO_STATUS_OK;
}

/* Fails because of an impossible action. Only a schedule loaded from a wrong restart point asks for one. */
static verso_status refuse_action(const verso__drive *drive, const verso_action *action, verso_error *error) {
    return verso__fail(
        error, VERSO_STATUS_CORRUPT,
        "the schedule asks for an action (%s %llu %llu) that is impossible at this point: the restart point "
        "from which '%.200s' was continued does not belong to this run. Restore the journal from a copy, or "
        "remove the directory to begin anew",
        verso_action_word(action->kind), (unsigned long long)action->from, (unsigned long long)action->to,
        drive->directory != NULL ? drive->directory : "it");
}

verso_status verso__play(verso__drive *drive, verso_error *error) {
    for (;;) {
        if (drive->pace.stop && drive->adjoint != 0) /* if the adjoint is that of x_0, only discards are left */
            return VERSO_STATUS_SUSPENDED;
        verso_status status = VERSO_STATUS_OK;
        if (drive->pending.kind == VERSO_ACTION_DONE) {
            status = verso_schedule_next(drive->schedule, &drive->pending, error);
            if (status == VERSO_STATUS_OK &&
                !verso__action_fits(&drive->pending, drive->schedule, drive->steps, drive->adjoint))
                return refuse_action(drive, &drive->pending, error);
            if (status == VERSO_STATUS_OK && drive->pending.kind == VERSO_ACTION_DONE)
                return drive->adjoint == VERSO_UNKNOWN ? sweep_back(drive, 0, 0, error) : VERSO_STATUS_OK;
        }
        if (status == VERSO_STATUS_OK)
            status = play_one(drive, error);
        if (status != VERSO_STATUS_OK)
            return status;
        drive->pending.kind = VERSO_ACTION_DONE;
    }
}
