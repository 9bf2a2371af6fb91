/* The kind `levels`: plays the decisions of levels_plan.c. A stack of frames holds the capsules of the tiers; below the
 * last tier that costs something, a free base is revolved by the capsule machine, whose frames lie on top of the
 * others. */
#include "schedule/levels.h"

#include "base/alloc.h"
#include "base/status.h"
#include "schedule/disk.h"

typedef struct levels_plan {
    verso_levels levels;
    verso_revolve rule; /* of a free base */
    bool is_disk;       /* free memory, and one more tier that is as good as unlimited: the sequence below is optimal */
    uint32_t tier_ids[2];
    verso_sequence sequence;
} levels_plan;

enum mode { FRESH, STORED, NEXT, INNER, MODES };
enum words { MODE = VERSO_MACHINE_WORDS, BASE, TIER, SLOTS, PRICE };
enum { FRAME_WORDS = 4 }; /* position, tier, slots, price */

/* Free memory and one other tier with slots for all the disk capsules that the optimum without limits would write. */
static bool find_disk(const verso_schedule_spec *spec, levels_plan *plan) {
    size_t count = 0;
    for (size_t i = 0; i < spec->tier_count; i++) {
        if (spec->tiers[i].capacity == 0)
            continue;
        if (count == 2)
            return false;
        plan->tier_ids[count++] = (uint32_t)i;
    }
    if (count != 2)
        return false;
    const verso_tier *memory = &spec->tiers[plan->tier_ids[0]];
    const verso_tier *disk = &spec->tiers[plan->tier_ids[1]];
    if (memory->write_cost > 0 || memory->read_cost > 0 || memory->capacity > VERSO_STEPS_MAX)
        return false;
    verso_platform platform = {.slots = memory->capacity,
                               .write_cost = disk->write_cost,
                               .read_cost = disk->read_cost,
                               .forward_cost = spec->forward_cost};
    verso_disk_plan(&plan->sequence, &platform, spec->steps);
    return plan->sequence.optimal && plan->sequence.periods <= disk->capacity;
}

static void set_fresh(verso_walk *walk, const verso_level_node *fresh) {
    walk->extra[MODE] = FRESH;
    walk->extra[TIER] = fresh->tier;
    walk->extra[SLOTS] = fresh->slots;
    walk->extra[PRICE] = fresh->price;
}

static verso_status plan(verso_schedule *schedule, verso_error *error) {
    const verso_schedule_spec *spec = &schedule->spec;
    levels_plan *plan = schedule->plan = verso_alloc(1, sizeof *plan);
    if (plan == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a schedule");
    verso_status status = verso_levels_check(spec, error);
    if (status != VERSO_OK)
        return status;
    plan->is_disk = find_disk(spec, plan);
    if (plan->is_disk)
        return verso_disk_start(schedule, &plan->sequence, error);
    status = verso_levels_make(spec, &plan->levels, error);
    if (status != VERSO_OK)
        return status;
    if (plan->levels.free_base && !verso_revolve_init(&plan->rule, spec->steps, plan->levels.tier[0].capacity, 0))
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a schedule");
    verso_level_node root = verso_levels_root(&plan->levels, spec->steps);
    set_fresh(&schedule->walk, &root);
    if (spec->steps == 0)
        schedule->walk.extra[MODE] = NEXT;
    return VERSO_OK;
}

static void plan_free(void *plan) {
    levels_plan *owned = plan;
    verso_levels_clear(&owned->levels);
    verso_revolve_clear(&owned->rule);
    verso_revolve_clear(&owned->sequence.rule);
}

/* ---- Actions ---- */

static verso_machine machine_of(const verso_schedule *schedule) {
    const levels_plan *plan = schedule->plan;
    verso_machine machine = verso_revolve_machine(&plan->rule, plan->levels.tier[0].capacity);
    machine.base = schedule->walk.extra[BASE];
    return machine;
}

static verso_action slot_action(const levels_plan *plan, verso_action_kind kind, const uint64_t *frame) {
    const verso_levels *levels = &plan->levels;
    return verso_make_slot_action(kind, frame[0], levels->id[frame[1]], levels->tier[frame[1]].capacity - frame[2]);
}

static verso_action reverse(verso_walk *walk) {
    verso_action action = verso_make_action(VERSO_REVERSE, walk->end, walk->at);
    walk->end = walk->at;
    walk->extra[MODE] = NEXT;
    return action;
}

static verso_status inner(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso_machine machine = machine_of(schedule);
    const levels_plan *plan = schedule->plan;
    verso_status status = verso_machine_next(schedule, &machine, action, error);
    if (status != VERSO_OK)
        return status;
    if (action->kind == VERSO_STORE || action->kind == VERSO_RESTORE || action->kind == VERSO_DISCARD)
        action->tier = plan->levels.id[0];
    if (action->kind == VERSO_REVERSE && schedule->walk.end == schedule->walk.extra[VERSO_MACHINE_FLOOR])
        schedule->walk.extra[MODE] = NEXT;
    return VERSO_OK;
}

static verso_status begin(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso_walk *walk = &schedule->walk;
    const levels_plan *plan = schedule->plan;
    verso_level_node node = {.tier = walk->extra[TIER],
                             .slots = walk->extra[SLOTS],
                             .length = walk->end - walk->at,
                             .price = walk->extra[PRICE]};
    verso_level_node stored;
    if (node.length == 1) {
        *action = reverse(walk);
        return VERSO_OK;
    }
    if (!verso_levels_place(&plan->levels, &node, &stored)) {
        walk->extra[BASE] = walk->used;
        walk->extra[MODE] = INNER;
        verso_machine_start(schedule, walk->at, walk->end, 0, 0);
        return inner(schedule, action, error);
    }
    verso_status status = verso_stack_reserve(schedule, FRAME_WORDS, error);
    if (status != VERSO_OK)
        return status;
    uint64_t *frame = schedule->stack + walk->used;
    frame[0] = walk->at;
    frame[1] = stored.tier;
    frame[2] = stored.slots;
    frame[3] = stored.price;
    walk->used += FRAME_WORDS;
    walk->extra[MODE] = STORED;
    *action = slot_action(plan, VERSO_STORE, frame);
    return VERSO_OK;
}

/* The top frame's state is the working state: advance past its left part, or give it up. */
static verso_action split(verso_schedule *schedule) {
    verso_walk *walk = &schedule->walk;
    const levels_plan *plan = schedule->plan;
    uint64_t *top = schedule->stack + walk->used - FRAME_WORDS;
    verso_level_node node = {.tier = top[1], .slots = top[2], .length = walk->end - walk->at, .price = top[3]};
    verso_level_split split = verso_levels_split(&plan->levels, &node);
    verso_action action = verso_make_action(VERSO_ADVANCE, walk->at, walk->at + split.left);
    if (split.left == 0) {
        action = slot_action(plan, VERSO_DISCARD, top);
        walk->used -= FRAME_WORDS;
    }
    top[3] = split.left_price;
    walk->at += split.left;
    set_fresh(walk, &split.right);
    return action;
}

static verso_status next_of_disk(verso_schedule *schedule, verso_action *action, verso_error *error) {
    const levels_plan *plan = schedule->plan;
    verso_status status = verso_disk_next(schedule, &plan->sequence, action, error);
    bool has_slot = action->kind == VERSO_STORE || action->kind == VERSO_RESTORE || action->kind == VERSO_DISCARD;
    if (status == VERSO_OK && has_slot)
        action->tier = plan->tier_ids[action->tier];
    return status;
}

static verso_status next(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso_walk *walk = &schedule->walk;
    if (((const levels_plan *)schedule->plan)->is_disk)
        return next_of_disk(schedule, action, error);
    switch ((enum mode)walk->extra[MODE]) {
    case FRESH: return begin(schedule, action, error);
    case STORED: *action = split(schedule); break;
    case INNER: return inner(schedule, action, error);
    case NEXT:
    case MODES:
        if (walk->used == 0) {
            *action = verso_make_action(VERSO_DONE, 0, 0);
            break;
        }
        *action = slot_action(schedule->plan, VERSO_RESTORE, schedule->stack + walk->used - FRAME_WORDS);
        walk->at = action->from;
        walk->extra[MODE] = STORED;
        break;
    }
    return VERSO_OK;
}

static verso_status cost_of_disk(const verso_schedule *schedule, verso_cost *cost) {
    const levels_plan *plan = schedule->plan;
    verso_cost counts = {.steps = schedule->spec.steps};
    verso_disk_cost(&plan->sequence, &counts);
    *cost = counts;
    for (size_t tier = 0; tier < 2; tier++)
        cost->writes[tier] = cost->reads[tier] = cost->peak_slots[tier] = 0;
    for (size_t tier = 0; tier < 2; tier++) {
        cost->writes[plan->tier_ids[tier]] = counts.writes[tier];
        cost->reads[plan->tier_ids[tier]] = counts.reads[tier];
        cost->peak_slots[plan->tier_ids[tier]] = counts.peak_slots[tier];
    }
    verso_cost_total(schedule, cost);
    cost->least_makespan = cost->makespan;
    return VERSO_OK;
}

static verso_status cost(const verso_schedule *schedule, verso_cost *cost, verso_error *error) {
    const levels_plan *plan = schedule->plan;
    if (plan->is_disk)
        return cost_of_disk(schedule, cost);
    cost->steps = schedule->spec.steps;
    cost->longest_recording = cost->steps > 0;
    verso_status status = verso_levels_cost(&plan->levels, cost->steps, cost, error);
    if (status != VERSO_OK)
        return status;
    verso_cost_total(schedule, cost);
    if ((plan->levels.ordered && !plan->levels.clipped) || cost->steps <= 1)
        cost->least_makespan = verso_add_wide(verso_levels_bound(&plan->levels, cost->steps),
                                              (verso_wide)schedule->spec.backward_cost * cost->steps);
    return VERSO_OK;
}

/* ---- What is read back ---- */

static bool valid_node(const verso_levels *levels, uint64_t tier, uint64_t slots, uint64_t price) {
    return tier < levels->tiers && slots <= levels->tier[tier].capacity &&
           (price == 0 || price / levels->full.stride < levels->full.prices);
}

static bool valid(const verso_schedule *schedule) {
    const levels_plan *plan = schedule->plan;
    const verso_levels *levels = &plan->levels;
    const verso_walk *walk = &schedule->walk;
    if (plan->is_disk)
        return verso_disk_valid(schedule, &plan->sequence);
    uint64_t mode = walk->extra[MODE];
    uint64_t frames = mode == INNER ? walk->extra[BASE] : walk->used;
    uint64_t low = 0;
    if (mode >= MODES || frames > walk->used || frames % FRAME_WORDS != 0 || walk->end > schedule->spec.steps)
        return false;
    for (uint64_t i = 0; i < frames; i += FRAME_WORDS) {
        const uint64_t *frame = schedule->stack + i;
        if (frame[0] < low || frame[0] >= walk->end || frame[2] == 0 ||
            !valid_node(levels, frame[1], frame[2], frame[3]) || (levels->free_base && frame[1] == 0))
            return false;
        low = frame[0] + 1;
    }
    if (mode == INNER) {
        verso_machine machine = machine_of(schedule);
        return levels->free_base && walk->extra[VERSO_MACHINE_FLOOR] >= low && verso_machine_valid(schedule, &machine);
    }
    if (mode == NEXT)
        return frames > 0 || walk->end == 0;
    if (walk->at >= walk->end)
        return false;
    if (mode == STORED)
        return frames > 0 && schedule->stack[frames - FRAME_WORDS] == walk->at;
    uint64_t tier = walk->extra[TIER];
    uint64_t slots = walk->extra[SLOTS];
    if (walk->at < low || (walk->end - walk->at > 1 && !valid_node(levels, tier, slots, walk->extra[PRICE])))
        return false;
    return walk->end - walk->at == 1 || tier > 0 || slots > 0;
}

const verso_kind verso_kind_levels = {.plan = plan, .plan_free = plan_free, .next = next, .cost = cost, .valid = valid};
