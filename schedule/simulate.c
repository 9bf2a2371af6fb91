/* The simulator: walks a schedule and checks that it can be played. It knows the rules of verso/schedule.h and
 * nothing about any kind; all tests of schedules are based on it. */
#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"
#include "schedule/cost.h"
#include "schedule/kind.h"
#include "schedule/words.h"

/* The contents of a slot. */
typedef struct held {
    uint64_t from;
    uint64_t to; /* end of a record; equal to `from` for a state */
    bool full;
} held;

typedef struct simulation {
    const verso_schedule *schedule;
    verso__cost *cost;
    held *slots[VERSO_TIERS_MAX];
    uint64_t room[VERSO_TIERS_MAX];
    uint64_t in_use[VERSO_TIERS_MAX];
    bool working;     /* there is a working state */
    uint64_t at;      /* step of the working state */
    uint64_t end;     /* steps [0, end) are to be reversed */
    uint64_t number;  /* number of the action, for messages */
    uint64_t *passes; /* how often each step was advanced over; NULL if there are too many steps */
} simulation;

static const uint64_t passes_max = (uint64_t)1 << 16;

static verso_status fail_action(const simulation *sim, const verso_action *action, verso_error *error,
                                const char *what) {
    return verso__fail(error, VERSO_STATUS_STATE, "action %llu, %s %llu %llu (tier %u, slot %llu): %s",
                       (unsigned long long)sim->number, verso_action_word(action->kind),
                       (unsigned long long)action->from, (unsigned long long)action->to, (unsigned)action->tier,
                       (unsigned long long)action->slot, what);
}

static verso_status find_slot(simulation *sim, const verso_action *action, held **slot, verso_error *error) {
    uint32_t tier = action->tier;
    if (tier >= sim->schedule->tiers)
        return fail_action(sim, action, error, "the tier does not exist");
    if (action->slot >= verso__spec_capacity(&sim->schedule->spec, tier))
        return fail_action(sim, action, error, "the slot does not exist");
    if (action->slot >= sim->room[tier]) {
        uint64_t room = verso__max_u64(2 * sim->room[tier], action->slot + 16);
        held *grown = verso__realloc(sim->slots[tier], room, sizeof *grown);
        if (grown == NULL)
            return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to simulate %llu slots",
                               (unsigned long long)room);
        for (uint64_t i = sim->room[tier]; i < room; i++)
            grown[i] = (held){0};
        sim->slots[tier] = grown;
        sim->room[tier] = room;
    }
    *slot = &sim->slots[tier][action->slot];
    return VERSO_STATUS_OK;
}

static verso_status fill(simulation *sim, const verso_action *action, held *slot, uint64_t to, verso_error *error) {
    if (slot->full)
        return fail_action(sim, action, error, "the slot is not free");
    *slot = (held){.from = action->from, .to = to, .full = true};
    uint64_t in_use = ++sim->in_use[action->tier];
    sim->cost->peak_slots[action->tier] = verso__max_u64(sim->cost->peak_slots[action->tier], in_use);
    sim->cost->writes[action->tier]++;
    return VERSO_STATUS_OK;
}

static void empty(simulation *sim, const verso_action *action, held *slot) {
    slot->full = false;
    sim->in_use[action->tier]--;
}

static bool is_working(const simulation *sim, uint64_t step) {
    return sim->working && sim->at == step;
}

static verso_status advance(simulation *sim, const verso_action *action, verso_error *error) {
    if (!is_working(sim, action->from))
        return fail_action(sim, action, error, "that is not the working state");
    if (action->to <= action->from || action->to > sim->end)
        return fail_action(sim, action, error, "the stretch is empty or has been reversed already");
    uint64_t length = action->to - action->from;
    if (action->kind == VERSO_ACTION_ADVANCE) {
        sim->cost->forward_steps += length;
        for (uint64_t i = action->from; sim->passes != NULL && i < action->to; i++)
            sim->cost->repetition = verso__max_u64(sim->cost->repetition, ++sim->passes[i]);
    } else {
        sim->cost->recorded_steps += length;
        sim->cost->longest_recording = verso__max_u64(sim->cost->longest_recording, length);
    }
    sim->at = action->to;
    return VERSO_STATUS_OK;
}

static verso_status reverse(simulation *sim, const verso_action *action, verso_error *error) {
    if (action->from != sim->end || action->to >= action->from)
        return fail_action(sim, action, error, "it is not the next stretch to be reversed");
    sim->end = action->to;
    sim->working = false;
    return VERSO_STATUS_OK;
}

static verso_status restore(simulation *sim, const verso_action *action, const held *slot, verso_error *error) {
    if (!slot->full || slot->from != action->from || slot->to != action->from)
        return fail_action(sim, action, error, "the slot does not hold that state");
    if (action->from >= sim->end)
        return fail_action(sim, action, error, "that state is no longer needed");
    sim->working = true;
    sim->at = action->from;
    sim->cost->reads[action->tier]++;
    return VERSO_STATUS_OK;
}

static verso_status play_slot_action(simulation *sim, const verso_action *action, verso_error *error) {
    held *slot = NULL;
    verso_status status = find_slot(sim, action, &slot, error);
    if (status != VERSO_STATUS_OK)
        return status;
    switch (action->kind) {
    case VERSO_ACTION_STORE:
        if (!is_working(sim, action->from))
            return fail_action(sim, action, error, "that is not the working state");
        return fill(sim, action, slot, action->from, error);
    case VERSO_ACTION_RECORD:
        status = advance(sim, action, error);
        return status == VERSO_STATUS_OK ? fill(sim, action, slot, action->to, error) : status;
    case VERSO_ACTION_RESTORE: return restore(sim, action, slot, error);
    case VERSO_ACTION_SWEEP:
        if (!slot->full || slot->from != action->to || slot->to != action->from)
            return fail_action(sim, action, error, "the slot does not hold that record");
        sim->cost->reads[action->tier]++;
        empty(sim, action, slot);
        return reverse(sim, action, error);
    default:
        if (!slot->full || slot->from != action->from)
            return fail_action(sim, action, error, "the slot does not hold that state");
        empty(sim, action, slot);
        return VERSO_STATUS_OK;
    }
}

static verso_status play(simulation *sim, const verso_action *action, verso_error *error) {
    switch (action->kind) {
    case VERSO_ACTION_ADVANCE: return advance(sim, action, error);
    case VERSO_ACTION_REVERSE:
        if (!is_working(sim, action->to))
            return fail_action(sim, action, error, "that is not the working state");
        sim->cost->recorded_steps += action->from - action->to;
        sim->cost->longest_recording = verso__max_u64(sim->cost->longest_recording, action->from - action->to);
        return reverse(sim, action, error);
    case VERSO_ACTION_STORE_ADJOINT:
        sim->cost->adjoint_stores++;
        return action->from == sim->end ? VERSO_STATUS_OK
                                        : fail_action(sim, action, error, "that adjoint is not the current one");
    case VERSO_ACTION_DONE:
        if (sim->end != 0)
            return fail_action(sim, action, error, "steps are left to be reversed");
        for (size_t tier = 0; tier < sim->schedule->tiers; tier++)
            if (sim->in_use[tier] != 0)
                return fail_action(sim, action, error, "capsules are left over");
        return VERSO_STATUS_OK;
    default: return play_slot_action(sim, action, error);
    }
}

static verso_status walk(simulation *sim, verso_schedule *schedule, verso_error *error) {
    verso_action action;
    do {
        sim->number++;
        verso_status status = verso_schedule_next(schedule, &action, error);
        if (status == VERSO_STATUS_OK)
            status = play(sim, &action, error);
        if (status != VERSO_STATUS_OK)
            return status;
    } while (action.kind != VERSO_ACTION_DONE);
    verso__wide recorded = sim->cost->recorded_steps;
    verso__cost_total(schedule, sim->cost);
    sim->cost->recorded_steps = recorded;
    return VERSO_STATUS_OK;
}

verso_status verso__schedule_simulate(const verso_schedule_spec *spec, verso__cost *cost, verso_error *error) {
    verso_schedule *schedule;
    verso__cost unwanted;
    verso_status status = verso_schedule_new(spec, &schedule, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (spec->steps == VERSO_UNKNOWN) {
        verso_schedule_free(schedule);
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "an online schedule can be simulated only for a known number of steps");
    }
    simulation sim = {
        .schedule = schedule, .cost = cost != NULL ? cost : &unwanted, .working = true, .end = spec->steps};
    *sim.cost = (verso__cost){.steps = spec->steps};
    if (spec->steps <= passes_max && (sim.passes = verso__alloc((size_t)spec->steps, sizeof *sim.passes)) == NULL)
        status = verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to count how often each step is run");
    else
        status = walk(&sim, schedule, error);
    verso__dealloc(sim.passes);
    for (size_t tier = 0; tier < VERSO_TIERS_MAX; tier++)
        verso__dealloc(sim.slots[tier]);
    verso_schedule_free(schedule);
    return status;
}
