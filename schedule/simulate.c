/* The simulator: walks a schedule and proves that it could be played. It knows the rules of verso/schedule.h and
 * nothing of how any kind works; every schedule test rests on it. */
#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"
#include "schedule/kind.h"

/* What a slot holds. */
typedef struct held {
    uint64_t from;
    uint64_t to; /* of a record; equal to `from` for a state */
    bool full;
} held;

typedef struct simulation {
    const verso_schedule *schedule;
    verso_cost *cost;
    held *slots[VERSO_TIERS_MAX];
    uint64_t room[VERSO_TIERS_MAX];
    uint64_t in_use[VERSO_TIERS_MAX];
    bool working;     /* whether there is a working state */
    uint64_t at;      /* its step */
    uint64_t end;     /* steps [0, end) are to be reversed */
    uint64_t number;  /* of the action, for messages */
    uint64_t *passes; /* how often each step was advanced over; NULL when there are too many to count each */
} simulation;

static const uint64_t passes_max = (uint64_t)1 << 16;

static verso_status wrong(const simulation *sim, const verso_action *action, verso_error *error, const char *what) {
    return verso_fail(error, VERSO_STATE, "action %llu, %s %llu %llu (tier %u, slot %llu): %s",
                      (unsigned long long)sim->number, verso_action_word(action->kind),
                      (unsigned long long)action->from, (unsigned long long)action->to, (unsigned)action->tier,
                      (unsigned long long)action->slot, what);
}

static uint64_t capacity_of(const simulation *sim, uint32_t tier) {
    const verso_schedule_spec *spec = &sim->schedule->spec;
    switch (spec->kind) {
    case VERSO_KIND_LEVELS: return spec->tiers[tier].capacity;
    case VERSO_KIND_NONE: return 1;
    case VERSO_KIND_STORE_ALL:
    case VERSO_KIND_EVERY_K: return VERSO_UNKNOWN;
    case VERSO_KIND_TREEVERSE:
    case VERSO_KIND_BINARY: return spec->space > 0 ? spec->space : VERSO_UNKNOWN;
    case VERSO_KIND_TWO_LEVEL: return spec->slots;
    default: return tier == 0 ? spec->slots : VERSO_UNKNOWN;
    }
}

static verso_status find_slot(simulation *sim, const verso_action *action, held **slot, verso_error *error) {
    uint32_t tier = action->tier;
    if (tier >= sim->schedule->tiers)
        return wrong(sim, action, error, "there is no such tier");
    if (action->slot >= capacity_of(sim, tier))
        return wrong(sim, action, error, "the tier has no such slot");
    if (action->slot >= sim->room[tier]) {
        uint64_t room = verso_max_u64(2 * sim->room[tier], action->slot + 16);
        held *grown = verso_realloc(sim->slots[tier], room, sizeof *grown);
        if (grown == NULL)
            return verso_fail(error, VERSO_NO_MEMORY, "no memory to simulate %llu slots", (unsigned long long)room);
        for (uint64_t i = sim->room[tier]; i < room; i++)
            grown[i] = (held){0};
        sim->slots[tier] = grown;
        sim->room[tier] = room;
    }
    *slot = &sim->slots[tier][action->slot];
    return VERSO_OK;
}

static verso_status fill(simulation *sim, const verso_action *action, held *slot, uint64_t to, verso_error *error) {
    if (slot->full)
        return wrong(sim, action, error, "the slot is not free");
    *slot = (held){.from = action->from, .to = to, .full = true};
    uint64_t in_use = ++sim->in_use[action->tier];
    sim->cost->peak_slots[action->tier] = verso_max_u64(sim->cost->peak_slots[action->tier], in_use);
    sim->cost->writes[action->tier]++;
    return VERSO_OK;
}

static void empty(simulation *sim, const verso_action *action, held *slot) {
    slot->full = false;
    sim->in_use[action->tier]--;
}

static bool at_work(const simulation *sim, uint64_t step) {
    return sim->working && sim->at == step;
}

static verso_status advance(simulation *sim, const verso_action *action, verso_error *error) {
    if (!at_work(sim, action->from))
        return wrong(sim, action, error, "the working state is another");
    if (action->to <= action->from || action->to > sim->end)
        return wrong(sim, action, error, "the stretch is empty or has been reversed already");
    uint64_t length = action->to - action->from;
    if (action->kind == VERSO_ADVANCE) {
        sim->cost->forward_steps += length;
        for (uint64_t i = action->from; sim->passes != NULL && i < action->to; i++)
            sim->cost->repetition = verso_max_u64(sim->cost->repetition, ++sim->passes[i]);
    } else {
        sim->cost->recorded_steps += length;
        sim->cost->longest_recording = verso_max_u64(sim->cost->longest_recording, length);
    }
    sim->at = action->to;
    return VERSO_OK;
}

static verso_status reverse(simulation *sim, const verso_action *action, verso_error *error) {
    if (action->from != sim->end || action->to >= action->from)
        return wrong(sim, action, error, "it is not the next stretch to be reversed");
    sim->end = action->to;
    sim->working = false;
    return VERSO_OK;
}

static verso_status restore(simulation *sim, const verso_action *action, const held *slot, verso_error *error) {
    if (!slot->full || slot->from != action->from || slot->to != action->from)
        return wrong(sim, action, error, "the slot does not hold that state");
    if (action->from >= sim->end)
        return wrong(sim, action, error, "that state is of no use any more");
    sim->working = true;
    sim->at = action->from;
    sim->cost->reads[action->tier]++;
    return VERSO_OK;
}

static verso_status play_slot_action(simulation *sim, const verso_action *action, verso_error *error) {
    held *slot = NULL;
    verso_status status = find_slot(sim, action, &slot, error);
    if (status != VERSO_OK)
        return status;
    switch (action->kind) {
    case VERSO_STORE:
        if (!at_work(sim, action->from))
            return wrong(sim, action, error, "the working state is another");
        return fill(sim, action, slot, action->from, error);
    case VERSO_RECORD:
        status = advance(sim, action, error);
        return status == VERSO_OK ? fill(sim, action, slot, action->to, error) : status;
    case VERSO_RESTORE: return restore(sim, action, slot, error);
    case VERSO_SWEEP:
        if (!slot->full || slot->from != action->to || slot->to != action->from)
            return wrong(sim, action, error, "the slot does not hold that record");
        sim->cost->reads[action->tier]++;
        empty(sim, action, slot);
        return reverse(sim, action, error);
    default:
        if (!slot->full || slot->from != action->from)
            return wrong(sim, action, error, "the slot does not hold that state");
        empty(sim, action, slot);
        return VERSO_OK;
    }
}

static verso_status play(simulation *sim, const verso_action *action, verso_error *error) {
    switch (action->kind) {
    case VERSO_ADVANCE: return advance(sim, action, error);
    case VERSO_REVERSE:
        if (!at_work(sim, action->to))
            return wrong(sim, action, error, "the working state is another");
        sim->cost->recorded_steps += action->from - action->to;
        sim->cost->longest_recording = verso_max_u64(sim->cost->longest_recording, action->from - action->to);
        return reverse(sim, action, error);
    case VERSO_STORE_ADJOINT:
        sim->cost->adjoint_stores++;
        return action->from == sim->end ? VERSO_OK : wrong(sim, action, error, "that adjoint is not the current one");
    case VERSO_DONE:
        if (sim->end != 0)
            return wrong(sim, action, error, "steps are left to be reversed");
        for (size_t tier = 0; tier < sim->schedule->tiers; tier++)
            if (sim->in_use[tier] != 0)
                return wrong(sim, action, error, "capsules are left behind");
        return VERSO_OK;
    default: return play_slot_action(sim, action, error);
    }
}

static verso_status walk(simulation *sim, verso_schedule *schedule, verso_error *error) {
    verso_action action;
    do {
        sim->number++;
        verso_status status = verso_schedule_next(schedule, &action, error);
        if (status == VERSO_OK)
            status = play(sim, &action, error);
        if (status != VERSO_OK)
            return status;
    } while (action.kind != VERSO_DONE);
    verso_wide recorded = sim->cost->recorded_steps;
    verso_cost_total(schedule, sim->cost);
    sim->cost->recorded_steps = recorded;
    return VERSO_OK;
}

verso_status verso_schedule_simulate(const verso_schedule_spec *spec, verso_cost *cost, verso_error *error) {
    verso_schedule *schedule;
    verso_cost unwanted;
    verso_status status = verso_schedule_new(spec, &schedule, error);
    if (status != VERSO_OK)
        return status;
    if (spec->steps == VERSO_UNKNOWN) {
        verso_schedule_free(schedule);
        return verso_fail(error, VERSO_INVALID, "an online schedule can be simulated only for a known number of steps");
    }
    simulation sim = {
        .schedule = schedule, .cost = cost != NULL ? cost : &unwanted, .working = true, .end = spec->steps};
    *sim.cost = (verso_cost){.steps = spec->steps};
    if (spec->steps <= passes_max && (sim.passes = verso_alloc((size_t)spec->steps, sizeof *sim.passes)) == NULL)
        status = verso_fail(error, VERSO_NO_MEMORY, "no memory to count how often each step is run");
    else
        status = walk(&sim, schedule, error);
    verso_dealloc(sim.passes);
    for (size_t tier = 0; tier < VERSO_TIERS_MAX; tier++)
        verso_dealloc(sim.slots[tier]);
    verso_schedule_free(schedule);
    return status;
}
