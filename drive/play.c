/* Plays the schedule: takes the next action, gives it the working state that it needs, applies it.
 *
 * An action is `pending` from when the schedule hands it out until it is done, so that a restart point in the middle of
 * a long advance can say what is still to do. Times are taken of one action in many where steps are short: a clock is
 * as slow as a small step. */
#include "drive/drive.h"

enum { SHORT_STEPS = 1000, TIME_ONE_IN = 61 };

static bool is_timed(verso_drive *drive) {
    return drive->pace.fuel_size < SHORT_STEPS || ++drive->pace.sample % TIME_ONE_IN == 0;
}

/* ---- Between program and stores ---- */

/* States into and out of memory; what is on its way to and from files is the vault's to measure. */
static bool is_copy_timed(verso_drive *drive, const verso_store *store) {
    if (store == &drive->vault.store)
        return false;
    drive->pace.copies++;
    return is_timed(drive);
}

static void add_copy(verso_drive *drive, double began) {
    drive->pace.copy_seconds += verso_now() - began;
    drive->pace.copies_timed++;
}

verso_status verso_capture_into(verso_drive *drive, const verso_store *store, const verso_capsule_name *name,
                                verso_error *error) {
    const verso_program *program = drive->program;
    size_t size = program->operations->capsule_size(program->self, name->kind);
    void *bytes;
    if (name->kind == VERSO_CAPSULE_STATE && size > drive->capsule_size && drive->options->memory > 0)
        return verso_fail(error, VERSO_USER,
                          "x_%llu has %zu bytes, and the memory budget was divided for states of at most %zu: let the "
                          "program say how large they become (capsule_most)",
                          (unsigned long long)name->step, size, drive->capsule_size);
    bool timed = is_copy_timed(drive, store);
    double began = timed ? verso_now() : 0;
    verso_status status = store->operations->reserve(store->self, name, size, &bytes, error);
    if (status != VERSO_OK)
        return status;
    status = program->operations->capture(program->self, name->kind, bytes, size, error);
    if (status != VERSO_OK) {
        store->operations->cancel(store->self, name);
        return status;
    }
    if (timed)
        add_copy(drive, began);
    return store->operations->commit(store->self, name, error);
}

verso_status verso_resume_from(verso_drive *drive, const verso_store *store, const verso_capsule_name *name,
                               verso_error *error) {
    const verso_program *program = drive->program;
    const void *bytes;
    size_t size;
    bool timed = is_copy_timed(drive, store);
    double began = timed ? verso_now() : 0;
    verso_status status = store->operations->borrow(store->self, name, &bytes, &size, error);
    if (status != VERSO_OK)
        return status;
    status = program->operations->resume(program->self, name->kind, bytes, size, error);
    store->operations->release(store->self, name);
    if (timed)
        add_copy(drive, began);
    return status;
}

verso_status verso_keep_in_slot(verso_drive *drive, const verso_live *live, verso_error *error) {
    verso_status status;
    if (drive->tiers[live->tier] == &drive->vault.store) {
        verso_vault_entry *entry;
        status = verso_vault_put(drive, live->from, true, &entry, error);
        if (status == VERSO_OK) {
            entry->live++;
            drive->vault.waiting -= entry->waiting;
            entry->waiting = false;
        }
    } else {
        verso_capsule_name name = {VERSO_CAPSULE_STATE, live->from, live->slot};
        status = verso_capture_into(drive, drive->tiers[live->tier], &name, error);
    }
    return status == VERSO_OK ? verso_slots_set(drive, live, VERSO_SLOT_PRESENT, error) : status;
}

/* ---- Forwards ---- */

/* One call of the program's advance, from the working state to at most x_to. */
static verso_status advance_some(verso_drive *drive, uint64_t to, bool *ended, verso_error *error) {
    const verso_program *program = drive->program;
    uint64_t from = drive->working, reached = to;
    bool timed = is_timed(drive);
    double began = timed ? verso_now() : 0;
    drive->working = VERSO_UNKNOWN;
    verso_status status = program->operations->advance(program->self, from, to, &reached, error);
    if (status != VERSO_OK)
        return status;
    if (reached < from || reached > to)
        return verso_fail(error, VERSO_USER,
                          "the program was to advance from step %llu to %llu and says that it is at %llu",
                          (unsigned long long)from, (unsigned long long)to, (unsigned long long)reached);
    if (timed) {
        drive->pace.forward_seconds += verso_now() - began;
        drive->pace.forward_timed += reached - from;
    }
    drive->working = reached;
    drive->pace.forward_steps += reached - from;
    drive->counts.forward_steps += reached - from;
    if (reached > drive->counts.reached)
        drive->counts.reached = reached;
    *ended = reached < to;
    return VERSO_OK;
}

verso_status verso_run_to(verso_drive *drive, uint64_t to, bool may_stop, bool *ended, verso_error *error) {
    *ended = false;
    while (drive->working < to && !*ended) {
        verso_status status = VERSO_OK;
        if (may_stop && drive->pace.stop)
            return VERSO_SUSPENDED;
        if (may_stop && drive->durable && drive->pace.due)
            status = verso_restart_commit(drive, VERSO_COMMIT_GOING_ON, error);
        uint64_t from = drive->working, room = verso_pace_room(drive);
        if (status == VERSO_OK)
            status = advance_some(drive, room < to - from ? from + room : to, ended, error);
        if (status == VERSO_OK)
            status = verso_pace_burn(drive, drive->working - from, error);
        if (status != VERSO_OK)
            return status;
    }
    return VERSO_OK;
}

static verso_status need(verso_drive *drive, uint64_t step, verso_error *error) {
    return drive->working == step ? VERSO_OK : verso_recover(drive, step, error);
}

/* Where an advance can begin: on its way already, or at the furthest state that an interrupted run left in the vault.
 */
static verso_status find_start(verso_drive *drive, const verso_action *action, uint64_t *start, verso_error *error) {
    uint64_t working = drive->working;
    bool under_way = working != VERSO_UNKNOWN && working >= action->from && working <= action->to;
    *start = under_way ? working : action->from;
    if (!drive->leftovers)
        return VERSO_OK;
    const verso_vault_entry *entry = verso_vault_at_most(drive, action->to);
    if (entry != NULL && entry->step > *start)
        *start = entry->step;
    return verso_drive_least(drive, start, error);
}

static verso_status learn_end(verso_drive *drive, uint64_t steps, verso_error *error) {
    if (drive->steps != VERSO_UNKNOWN)
        return verso_fail(error, VERSO_USER, "the program ended after %llu steps, but was to have %llu",
                          (unsigned long long)steps, (unsigned long long)drive->steps);
    verso_status status = verso_schedule_end(drive->schedule, steps, steps, error);
    if (status == VERSO_OK)
        status = verso_drive_learn_cost(drive, error);
    return status;
}

static verso_status play_advance(verso_drive *drive, const verso_action *action, verso_error *error) {
    bool ended;
    uint64_t start;
    verso_status status = find_start(drive, action, &start, error);
    if (status == VERSO_OK)
        status = need(drive, start, error);
    if (status == VERSO_OK)
        status = verso_run_to(drive, action->to, true, &ended, error);
    if (status != VERSO_OK)
        return status;
    drive->counts.work_forward += drive->working - action->from;
    return ended ? learn_end(drive, drive->working, error) : VERSO_OK;
}

/* ---- Capsules ---- */

static verso_live place_of(const verso_action *action, uint64_t to) {
    return (verso_live){action->tier, action->slot, action->from, to};
}

static verso_status play_store(verso_drive *drive, const verso_action *action, verso_error *error) {
    verso_status status = need(drive, action->from, error);
    verso_live live = place_of(action, action->from);
    drive->counts.writes[action->tier]++;
    if (status == VERSO_OK)
        status = verso_keep_in_slot(drive, &live, error);
    if (status != VERSO_OK || !drive->durable || drive->tiers[action->tier] != &drive->vault.store ||
        drive->adjoint != VERSO_UNKNOWN)
        return status;
    drive->pending.kind = VERSO_DONE;
    return verso_restart_promised(drive, error);
}

verso_status verso_discard_if_held(const verso_store *store, uint64_t step, uint64_t slot, verso_error *error) {
    verso_capsule_name name = {VERSO_CAPSULE_STATE, step, slot};
    verso_error why = {0};
    verso_status status = store->operations->discard(store->self, &name, &why);
    return status == VERSO_OK || status == VERSO_STATE ? VERSO_OK : verso_fail(error, status, "%s", why.message);
}

/* What the slot should hold cannot be had from it. */
static verso_status lose(verso_drive *drive, uint32_t tier, uint64_t slot, uint64_t step, const verso_error *why,
                         verso_error *error) {
    verso_drive_notice(drive, "%s; x_%llu is computed again", why->message, (unsigned long long)step);
    drive->loss = *why;
    verso_slots_mark(drive, tier, slot, VERSO_SLOT_MISSING);
    if (drive->tiers[tier] == &drive->vault.store) {
        verso_vault_entry *entry = verso_vault_find(drive, step);
        return entry != NULL ? verso_vault_lose(drive, entry, error) : VERSO_OK;
    }
    return verso_discard_if_held(drive->tiers[tier], step, slot, error);
}

/* Makes x_step, which the slot should hold, the working state. */
static verso_status load(verso_drive *drive, uint32_t tier, uint64_t slot, uint64_t step, verso_error *error) {
    if (drive->working == step)
        return VERSO_OK;
    const verso_slot *held = verso_slots_find(drive, tier, slot);
    bool there = held != NULL && held->presence == VERSO_SLOT_PRESENT;
    if (there) {
        verso_capsule_name name = {VERSO_CAPSULE_STATE, step, slot};
        verso_error why; /* not cleared: it is large, and this is done for every step */
        drive->working = VERSO_UNKNOWN;
        verso_status status = verso_resume_from(drive, drive->tiers[tier], &name, &why);
        there = status == VERSO_OK;
        if (verso_is_lost(status))
            status = lose(drive, tier, slot, step, &why, error);
        else if (status != VERSO_OK && error != NULL)
            *error = why;
        if (status != VERSO_OK)
            return status;
    }
    verso_status status = verso_drive_all(drive, &there, error);
    if (status != VERSO_OK)
        return status;
    if (!there)
        return verso_recover(drive, step, error);
    drive->working = step;
    return VERSO_OK;
}

static verso_status play_restore(verso_drive *drive, const verso_action *action, verso_error *error) {
    drive->counts.reads[action->tier]++;
    drive->hint |= drive->tiers[action->tier] == &drive->vault.store;
    return load(drive, action->tier, action->slot, action->from, error);
}

static verso_status empty_slot(verso_drive *drive, uint32_t tier, uint64_t slot, verso_error *error) {
    verso_slot *held = verso_slots_find(drive, tier, slot);
    if (held == NULL)
        return VERSO_OK;
    bool present = held->presence == VERSO_SLOT_PRESENT;
    uint64_t step = held->from;
    verso_slots_mark(drive, tier, slot, VERSO_SLOT_EMPTY);
    if (drive->tiers[tier] == &drive->vault.store) {
        drive->used_up = true;
        drive->hint = true;
        verso_vault_entry *entry = present ? verso_vault_find(drive, step) : NULL;
        if (entry == NULL)
            return VERSO_OK;
        entry->live--;
        return verso_vault_settle(drive, entry, error);
    }
    verso_capsule_name name = {VERSO_CAPSULE_STATE, step, slot};
    return present ? drive->tiers[tier]->operations->discard(drive->tiers[tier]->self, &name, error) : VERSO_OK;
}

/* ---- Backwards ---- */

/* Tells the store which state will be read next: nearly always the highest that is still held. */
static void expect_next(verso_drive *drive) {
    drive->hint = false;
    const verso_store *store = &drive->vault.store;
    if (store->operations == NULL || store->operations->expect == NULL || drive->adjoint == 0)
        return;
    const verso_vault_entry *entry = verso_vault_at_most(drive, drive->adjoint - 1);
    while (entry != NULL && entry->live == 0)
        entry = entry > drive->vault.entries ? entry - 1 : NULL;
    if (entry != NULL) {
        verso_capsule_name name = {VERSO_CAPSULE_STATE, entry->step, 0};
        store->operations->expect(store->self, &name);
    }
}

/* The working state is x_to. */
static verso_status sweep_back(verso_drive *drive, uint64_t from, uint64_t to, verso_error *error) {
    const verso_program *program = drive->program;
    bool timed = is_timed(drive), last = drive->adjoint == VERSO_UNKNOWN;
    double began = timed ? verso_now() : 0;
    drive->working = VERSO_UNKNOWN;
    verso_status status = program->operations->reverse(program->self, from, to, last, error);
    if (status != VERSO_OK)
        return status;
    if (timed) {
        drive->pace.reverse_seconds += verso_now() - began;
        drive->pace.reverse_timed += from - to;
    }
    drive->adjoint = to;
    drive->pace.reverse_steps += from - to;
    drive->counts.reversed_steps += from - to;
    drive->counts.work_reversed += from - to;
    drive->pending.kind = VERSO_DONE;
    if (drive->hint)
        expect_next(drive);
    status = verso_pace_burn(drive, from - to, error);
    return status == VERSO_OK && drive->durable ? verso_restart_consider(drive, error) : status;
}

static verso_status play_reverse(verso_drive *drive, const verso_action *action, verso_error *error) {
    verso_status status = need(drive, action->to, error);
    return status == VERSO_OK ? sweep_back(drive, action->from, action->to, error) : status;
}

/* The record of a stretch is kept as its first state: sweeping records it again, which no schedule counts as a forward
 * step. */
static verso_status play_record(verso_drive *drive, const verso_action *action, verso_error *error) {
    bool ended;
    verso_status status = need(drive, action->from, error);
    verso_live live = place_of(action, action->to);
    drive->counts.writes[action->tier]++;
    if (status == VERSO_OK)
        status = verso_keep_in_slot(drive, &live, error);
    return status == VERSO_OK ? verso_run_to(drive, action->to, false, &ended, error) : status;
}

static verso_status play_sweep(verso_drive *drive, const verso_action *action, verso_error *error) {
    drive->counts.reads[action->tier]++;
    verso_status status = load(drive, action->tier, action->slot, action->to, error);
    if (status == VERSO_OK)
        status = empty_slot(drive, action->tier, action->slot, error);
    return status == VERSO_OK ? sweep_back(drive, action->from, action->to, error) : status;
}

/* ---- The loop ---- */

static verso_status play_one(verso_drive *drive, verso_error *error) {
    /* Not a copy: reading as a whole what was just written in parts would stall the processor. */
    const verso_action *action = &drive->pending;
    switch (action->kind) {
    case VERSO_ADVANCE: return play_advance(drive, action, error);
    case VERSO_STORE: return play_store(drive, action, error);
    case VERSO_RESTORE: return play_restore(drive, action, error);
    case VERSO_DISCARD: return empty_slot(drive, action->tier, action->slot, error);
    case VERSO_REVERSE: return play_reverse(drive, action, error);
    case VERSO_RECORD: return play_record(drive, action, error);
    case VERSO_SWEEP: return play_sweep(drive, action, error);
    case VERSO_STORE_ADJOINT:
        drive->pending.kind = VERSO_DONE;
        return drive->durable ? verso_restart_promised(drive, error) : VERSO_OK;
    case VERSO_DONE: break;
    }
    return VERSO_OK;
}

verso_status verso_play(verso_drive *drive, verso_error *error) {
    for (;;) {
        if (drive->pace.stop && drive->adjoint != 0) /* else all is done but for what is left to discard */
            return VERSO_SUSPENDED;
        verso_status status = VERSO_OK;
        if (drive->pending.kind == VERSO_DONE) {
            status = verso_schedule_next(drive->schedule, &drive->pending, error);
            if (status == VERSO_OK && drive->pending.kind == VERSO_DONE)
                return drive->adjoint == VERSO_UNKNOWN ? sweep_back(drive, 0, 0, error) : VERSO_OK;
        }
        if (status == VERSO_OK)
            status = play_one(drive, error);
        if (status != VERSO_OK)
            return status;
        drive->pending.kind = VERSO_DONE;
    }
}
