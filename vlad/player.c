/* See player.h. The state of a player is one object, which is replaced and never changed. It contains the cursor
 * of the schedule as bytes. No evaluation happens between two actions, so an interruption always finds the machine
 * inside an action or before a step. */
#include "vlad/player.h"

#include "vlad/checkpoint.h"
#include "vlad/differentiate.h"

#include "base/status.h"

typedef struct player {
    vlad_machine *machine;
    uint32_t i;
} player;

static vlad_object *play_of(const player *p) {
    return vlad_object_of(p->machine->plays[p->i]);
}

static vlad_player *place_of(const player *p) {
    return &p->machine->players[p->i];
}

/* Replaces the state by a copy, which the caller may change until the next safe point. */
static vlad_object *renew(const player *p) {
    vlad_object *copy = vlad_make(&p->machine->heap, VLAD_PLAY, VLAD_PLAY_FIELDS);
    if (copy == NULL) {
        (void)vlad_heap_failure(&p->machine->heap, p->machine->error);
        return NULL;
    }
    memcpy(copy->field, play_of(p)->field, VLAD_PLAY_FIELDS * sizeof(vlad_value));
    p->machine->plays[p->i] = vlad_value_of(copy);
    return copy;
}

static bool set(const player *p, int field, vlad_value value) {
    if (value == VLAD_NOTHING) {
        (void)vlad_heap_failure(&p->machine->heap, p->machine->error);
        return false;
    }
    vlad_object *play = renew(p);
    if (play != NULL)
        play->field[field] = value;
    return play != NULL;
}

static bool fail(const player *p) {
    return vlad_fail_here(p->machine, (const vlad_expression *)(uintptr_t)play_of(p)->field[VLAD_PLAY_PLACE]);
}

/* ---- The schedule as a value ---- */

static vlad_value save(const player *p, const verso_schedule *schedule) {
    size_t size = verso_schedule_saved_size(schedule);
    vlad_object *bytes = vlad_make(&p->machine->heap, VLAD_BYTES, 1 + (size + 7) / 8);
    if (bytes == NULL)
        return VLAD_NOTHING;
    bytes->field[0] = size;
    if (verso_schedule_save(schedule, &bytes->field[1], size, p->machine->error) != VERSO_STATUS_OK)
        return VLAD_NOTHING;
    return vlad_value_of(bytes);
}

static uint64_t leaf_of(const player *p) {
    const vlad_checkpointing *how = p->machine->nested;
    return how->leaf_within != 0 ? how->leaf_within : how->leaf;
}

/* Returns the schedule that the user asked for if a player can play it: without files, without records, and with a
 * known end. Else returns binary. */
static verso_schedule_spec choose(const player *p, uint64_t steps) {
    const vlad_checkpointing *how = p->machine->nested;
    verso_schedule_spec spec = how->run.spec;
    switch (spec.kind) {
    case VERSO_KIND_STORE_ALL:
    case VERSO_KIND_EVERY_K:
    case VERSO_KIND_NONE:
    case VERSO_KIND_REVOLVE:
    case VERSO_KIND_TREEVERSE:
    case VERSO_KIND_BINARY: break;
    default: verso_schedule_spec_init(&spec, VERSO_KIND_BINARY);
    }
    /* slots that are chosen from a budget, which only the outermost checkpoint-*j does */
    if (spec.kind == VERSO_KIND_REVOLVE && spec.slots == 0)
        verso_schedule_spec_init(&spec, VERSO_KIND_BINARY);
    spec.leaf = vlad_has_leaves(spec.kind) ? leaf_of(p) : 1;
    spec.steps = steps;
    return spec;
}

static uint64_t unit_of(const player *p) {
    verso_schedule_spec spec = choose(p, 1);
    return vlad_has_leaves(spec.kind) ? 1 : leaf_of(p);
}

/* ---- Capsules ---- */

static vlad_value capture(const player *p) {
    return vlad_machine_capture(p->machine, place_of(p)->level, p->i + 1);
}

/* Resumes a capsule of the state after `position` steps. */
static void resume(const player *p, vlad_value capsule, uint64_t position) {
    vlad_machine_resume(p->machine, capsule, place_of(p)->level, p->i + 1);
    place_of(p)->base = p->machine->steps - position;
}

/* Returns the list of slots that begins with this one; VLAD_NULL if there is no such slot, and the machine has
 * failed. */
static vlad_value find(const player *p, uint64_t slot) {
    vlad_value list = play_of(p)->field[VLAD_PLAY_SLOTS];
    while (list != VLAD_NULL && vlad_object_of(vlad_object_of(list)->field[0])->field[0] != slot)
        list = vlad_object_of(list)->field[1];
    if (list == VLAD_NULL) {
        verso__fail(p->machine->error, VERSO_STATUS_STATE, "slot %llu holds no state", (unsigned long long)slot);
        (void)fail(p);
    }
    return list;
}

static bool restore(const player *p, uint64_t slot, uint64_t position) {
    vlad_value list = find(p, slot);
    if (list != VLAD_NULL)
        resume(p, vlad_object_of(vlad_object_of(list)->field[0])->field[1], position);
    return list != VLAD_NULL;
}

static bool keep(const player *p, uint64_t slot) {
    vlad_heap *heap = &p->machine->heap;
    vlad_value capsule = capture(p);
    vlad_value entry = capsule == VLAD_NOTHING ? capsule : vlad_pair(heap, slot, capsule);
    vlad_value list = entry == VLAD_NOTHING ? entry : vlad_pair(heap, entry, play_of(p)->field[VLAD_PLAY_SLOTS]);
    return set(p, VLAD_PLAY_SLOTS, list);
}

/* Removes a slot from the list; copies the entries before it. */
static bool forget(const player *p, uint64_t slot) {
    vlad_value list = play_of(p)->field[VLAD_PLAY_SLOTS], last = find(p, slot), copy = VLAD_NULL;
    vlad_value *end = &copy;
    if (last == VLAD_NULL)
        return false;
    for (; list != last; list = vlad_object_of(list)->field[1]) {
        *end = vlad_pair(&p->machine->heap, vlad_object_of(list)->field[0], VLAD_NULL);
        if (*end == VLAD_NOTHING)
            return set(p, VLAD_PLAY_SLOTS, VLAD_NOTHING);
        end = &vlad_object_of(*end)->field[1];
    }
    *end = vlad_object_of(list)->field[1];
    return set(p, VLAD_PLAY_SLOTS, copy);
}

/* ---- Reversing ---- */

static void record(const player *p, bool recording) {
    vlad_numbers *numbers = &p->machine->numbers;
    vlad_level *level = &numbers->levels[place_of(p)->level];
    level->recording = recording;
    level->first = level->born;
    level->filled = VLAD_CHUNK;
    numbers->tapes[place_of(p)->level] = VLAD_NULL;
}

/* Sweeps over the recording. `value` is the value of the function, at its end; VLAD_NOTHING: this is not the end. */
static bool sweep_with(const player *p, vlad_cotangents *cotangents, vlad_value value) {
    vlad_machine *machine = p->machine;
    const vlad_level *level = &machine->numbers.levels[place_of(p)->level];
    uint64_t tag = play_of(p)->field[VLAD_PLAY_TAG];
    vlad_value y;
    bool done = vlad_cotangents_load(cotangents, play_of(p)->field[VLAD_PLAY_TABLE]) &&
                vlad_cotangents_turn(cotangents, level->first, level->born);
    if (done && value != VLAD_NOTHING) {
        if (vlad_seed(cotangents, tag, value, play_of(p)->field[VLAD_PLAY_SEED], machine->error) != VERSO_STATUS_OK ||
            vlad_lower(&machine->numbers, tag, value, &y, machine->error) != VERSO_STATUS_OK)
            return fail(p);
        if (!set(p, VLAD_PLAY_Y, y))
            return false;
    }
    if (!done || !vlad_cotangents_sweep(cotangents, place_of(p)->level)) {
        (void)vlad_heap_failure(&machine->heap, machine->error);
        return fail(p);
    }
    record(p, false);
    return set(p, VLAD_PLAY_TABLE, vlad_cotangents_save(cotangents));
}

static bool sweep(const player *p, vlad_value value) {
    vlad_cotangents cotangents;
    vlad_cotangents_open(&cotangents, &p->machine->numbers);
    bool done = sweep_with(p, &cotangents, value);
    vlad_cotangents_close(&cotangents);
    return done;
}

/* ---- Playing ---- */

static bool finish(const player *p) {
    vlad_machine *machine = p->machine;
    const vlad_object *play = play_of(p);
    vlad_cotangents cotangents;
    vlad_value result = VLAD_NOTHING;
    vlad_cotangents_open(&cotangents, &machine->numbers);
    bool done =
        vlad_cotangents_load(&cotangents, play->field[VLAD_PLAY_TABLE]) &&
        vlad_cotangents_turn(&cotangents, 0, play->field[VLAD_PLAY_INPUTS]) &&
        vlad_gather_cotangents(&cotangents, play->field[VLAD_PLAY_X], &result, machine->error) == VERSO_STATUS_OK;
    vlad_cotangents_close(&cotangents);
    if (!done)
        result = VLAD_NOTHING;
    machine->numbers.count = place_of(p)->level;
    vlad_numbers_release(&machine->numbers, play_of(p)->field[VLAD_PLAY_TAG]);
    machine->numbers.tapes[machine->numbers.count] = VLAD_NULL;
    machine->effects->at = play->field[VLAD_PLAY_EFFECTS];
    machine->registers[VLAD_CONTINUATION] = play->field[VLAD_PLAY_OUTER];
    machine->plays[p->i] = VLAD_NULL;
    machine->player_count = p->i;
    return vlad_give(machine,
                     result == VLAD_NOTHING ? result : vlad_pair(&machine->heap, play->field[VLAD_PLAY_Y], result));
}

/* Begins an action. Sets *evaluates if the action is complete only when the machine reaches its stop. */
static bool act(const player *p, const verso_action *action, bool *evaluates) {
    uint64_t unit = unit_of(p);
    bool last = action->from == play_of(p)->field[VLAD_PLAY_STEPS];
    switch (action->kind) {
    case VERSO_ACTION_ADVANCE:
        place_of(p)->stop = action->to * unit;
        *evaluates = true;
        return true;
    case VERSO_ACTION_STORE: return keep(p, action->slot);
    case VERSO_ACTION_RESTORE: return restore(p, action->slot, action->from * unit);
    case VERSO_ACTION_DISCARD: return forget(p, action->slot);
    case VERSO_ACTION_REVERSE:
        record(p, true);
        place_of(p)->stop = last ? VLAD_FOR_EVER : action->from * unit;
        *evaluates = true;
        return true;
    default: return true; /* STORE_ADJOINT: the adjoint is always kept */
    }
}

/* Runs actions until one evaluates, or all are done. */
static bool go_on(const player *p) {
    vlad_machine *machine = p->machine;
    verso_schedule *schedule = NULL;
    verso_action action = {.kind = VERSO_ACTION_DONE};
    const vlad_object *bytes = vlad_object_of(play_of(p)->field[VLAD_PLAY_SCHEDULE]);
    if (verso_schedule_load(&bytes->field[1], (size_t)bytes->field[0], &schedule, machine->error) != VERSO_STATUS_OK)
        return fail(p);
    bool done = true, evaluates = false;
    place_of(p)->stop = VLAD_FOR_EVER;
    while (done && !evaluates) {
        done = verso_schedule_next(schedule, &action, machine->error) == VERSO_STATUS_OK || fail(p);
        if (!done || action.kind == VERSO_ACTION_DONE)
            break;
        done = act(p, &action, &evaluates);
    }
    if (done && action.kind != VERSO_ACTION_DONE)
        done = set(p, VLAD_PLAY_ACTION, action.kind) && set(p, VLAD_PLAY_SCHEDULE, save(p, schedule));
    verso_schedule_free(schedule);
    return done && action.kind == VERSO_ACTION_DONE ? finish(p) : done;
}

/* Makes the schedule, when the steps are counted, and begins to play it. */
static bool start(const player *p) {
    vlad_machine *machine = p->machine;
    uint64_t steps = machine->steps - place_of(p)->base, unit = unit_of(p);
    uint64_t whole = steps == 0 ? 1 : (steps + unit - 1) / unit;
    verso_schedule_spec spec = choose(p, whole);
    verso_schedule *schedule = NULL;
    if (verso_schedule_new(&spec, &schedule, machine->error) != VERSO_STATUS_OK)
        return fail(p);
    bool done = set(p, VLAD_PLAY_STEPS, whole) && set(p, VLAD_PLAY_EFFECTS, machine->effects->at) &&
                set(p, VLAD_PLAY_SCHEDULE, save(p, schedule));
    verso_schedule_free(schedule);
    if (!done)
        return false;
    resume(p, play_of(p)->field[VLAD_PLAY_START], 0);
    return go_on(p);
}

bool vlad_player_value(vlad_machine *machine, vlad_value value) {
    player p = {machine, machine->player_count - 1};
    const vlad_object *play = play_of(&p);
    if (play->field[VLAD_PLAY_STEPS] == 0)
        return start(&p);
    return (play->field[VLAD_PLAY_ACTION] != VERSO_ACTION_REVERSE || sweep(&p, value)) && go_on(&p);
}

bool vlad_player_stop(vlad_machine *machine, uint32_t i) {
    player p = {machine, i};
    return (play_of(&p)->field[VLAD_PLAY_ACTION] != VERSO_ACTION_REVERSE || sweep(&p, VLAD_NOTHING)) && go_on(&p);
}

/* ---- Beginning ---- */

static bool open_play(vlad_machine *machine, const vlad_expression *e, const vlad_value *values, uint64_t tag) {
    vlad_object *play = vlad_make(&machine->heap, VLAD_PLAY, VLAD_PLAY_FIELDS);
    if (play == NULL)
        return vlad_give(machine, VLAD_NOTHING);
    for (int i = 0; i < VLAD_PLAY_FIELDS; i++)
        play->field[i] = VLAD_NULL;
    play->field[VLAD_PLAY_PLACE] = (uint64_t)(uintptr_t)e;
    play->field[VLAD_PLAY_OUTER] = machine->registers[VLAD_CONTINUATION];
    play->field[VLAD_PLAY_TAG] = tag;
    play->field[VLAD_PLAY_INPUTS] = machine->numbers.levels[machine->numbers.count - 1].born;
    play->field[VLAD_PLAY_X] = values[1];
    play->field[VLAD_PLAY_SEED] = values[2];
    play->field[VLAD_PLAY_STEPS] = play->field[VLAD_PLAY_EFFECTS] = play->field[VLAD_PLAY_ACTION] = 0;
    machine->plays[machine->player_count] = vlad_value_of(play);
    machine->players[machine->player_count++] =
        (vlad_player){.base = machine->steps, .stop = VLAD_FOR_EVER, .level = machine->numbers.count - 1};
    return true;
}

bool vlad_player_begin(vlad_machine *machine, const vlad_expression *e, const vlad_value *values) {
    uint64_t tag = vlad_numbers_tag(&machine->numbers);
    vlad_value lifted;
    if (!vlad_level_begin(&machine->numbers, tag, false)) {
        vlad_too_deep(machine->error);
        return vlad_fail_here(machine, e);
    }
    if (vlad_lift(&machine->numbers, values[1], &lifted, machine->error) != VERSO_STATUS_OK)
        return vlad_fail_here(machine, e);
    if (!open_play(machine, e, values, tag) || vlad_push_frame(machine, VLAD_FRAME_CHECKPOINT, NULL, 0, 0) == NULL ||
        !vlad_apply(machine, e, values[0], lifted))
        return false;
    player p = {machine, machine->player_count - 1};
    return set(&p, VLAD_PLAY_START, capture(&p));
}
