/* The kind `levels`: plays the decisions of levels_plan.c. A stack of frames holds the capsules of the tiers. Below
 * the lowest tier that costs something, the capsule machine uses a free base with revolve; its frames are on top of
 * the others. */
#include "schedule/levels.h"

#include "base/alloc.h"
#include "base/status.h"
#include "schedule/cost.h"
#include "schedule/disk.h"

typedef struct levels_plan {
    verso__levels levels;
    verso__revolve rule; /* for a free base */
    bool is_disk;        /* free memory and one other, practically unlimited tier: `sequence` is optimal */
    uint32_t tier_ids[2];
    verso__sequence sequence;
    bool is_subset;    /* some tiers are not used, because the plan without them is cheaper */
    verso__wide least; /* least_makespan of the plan with all tiers */
} levels_plan;

enum mode { FRESH, STORED, NEXT, INNER, MODES };
enum words { MODE = VERSO_MACHINE_WORDS, BASE, TIER, SLOTS, PRICE };
enum { FRAME_WORDS = 4 }; /* position, tier, slots, price */

/* Returns whether the tiers are free memory and one other tier with enough slots for all disk capsules of the optimum
 * without limits. */
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
    verso__disk_plan(&plan->sequence, &platform, spec->steps);
    return plan->sequence.optimal && plan->sequence.periods <= disk->capacity;
}

static void set_fresh(verso__walk *walk, const verso__level_node *fresh) {
    walk->extra[MODE] = FRESH;
    walk->extra[TIER] = fresh->tier;
    walk->extra[SLOTS] = fresh->slots;
    walk->extra[PRICE] = fresh->price;
}

/* ---- Actions ---- */

static verso__machine machine_of(const verso_schedule *schedule) {
    const levels_plan *plan = schedule->plan;
    verso__machine machine = verso__revolve_machine(&plan->rule, plan->levels.tier[0].capacity);
    machine.base = schedule->walk.extra[BASE];
    return machine;
}

static verso_action slot_action(const levels_plan *plan, verso_action_kind kind, const uint64_t *frame) {
    const verso__levels *levels = &plan->levels;
    return verso__make_slot_action(kind, frame[0], levels->id[frame[1]], levels->tier[frame[1]].capacity - frame[2]);
}

static verso_action reverse(verso__walk *walk) {
    verso_action action = verso__make_action(VERSO_ACTION_REVERSE, walk->end, walk->at);
    walk->end = walk->at;
    walk->extra[MODE] = NEXT;
    return action;
}

static verso_status inner(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso__machine machine = machine_of(schedule);
    const levels_plan *plan = schedule->plan;
    verso_status status = verso__machine_next(schedule, &machine, action, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (action->kind == VERSO_ACTION_STORE || action->kind == VERSO_ACTION_RESTORE ||
        action->kind == VERSO_ACTION_DISCARD)
        action->tier = plan->levels.id[0];
    if (action->kind == VERSO_ACTION_REVERSE && schedule->walk.end == schedule->walk.extra[VERSO_MACHINE_FLOOR])
        schedule->walk.extra[MODE] = NEXT;
    return VERSO_STATUS_OK;
}

static verso_status begin(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso__walk *walk = &schedule->walk;
    const levels_plan *plan = schedule->plan;
    verso__level_node node = {.tier = walk->extra[TIER],
                              .slots = walk->extra[SLOTS],
                              .length = walk->end - walk->at,
                              .price = walk->extra[PRICE]};
    verso__level_node stored;
    if (node.length == 1) {
        *action = reverse(walk);
        return VERSO_STATUS_OK;
    }
    if (!verso__levels_place(&plan->levels, &node, &stored)) {
        walk->extra[BASE] = walk->used;
        walk->extra[MODE] = INNER;
        verso__machine_start(schedule, walk->at, walk->end, 0, 0);
        return inner(schedule, action, error);
    }
    verso_status status = verso__stack_reserve(schedule, FRAME_WORDS, error);
    if (status != VERSO_STATUS_OK)
        return status;
    uint64_t *frame = schedule->stack + walk->used;
    frame[0] = walk->at;
    frame[1] = stored.tier;
    frame[2] = stored.slots;
    frame[3] = stored.price;
    walk->used += FRAME_WORDS;
    walk->extra[MODE] = STORED;
    *action = slot_action(plan, VERSO_ACTION_STORE, frame);
    return VERSO_STATUS_OK;
}

/* The top frame's state is the working state: advances past its left part, or discards it. */
static verso_action split(verso_schedule *schedule) {
    verso__walk *walk = &schedule->walk;
    const levels_plan *plan = schedule->plan;
    uint64_t *top = schedule->stack + walk->used - FRAME_WORDS;
    verso__level_node node = {.tier = top[1], .slots = top[2], .length = walk->end - walk->at, .price = top[3]};
    verso__level_split split = verso__levels_split(&plan->levels, &node);
    verso_action action = verso__make_action(VERSO_ACTION_ADVANCE, walk->at, walk->at + split.left);
    if (split.left == 0) {
        action = slot_action(plan, VERSO_ACTION_DISCARD, top);
        walk->used -= FRAME_WORDS;
    }
    top[3] = split.left_price;
    walk->at += split.left;
    set_fresh(walk, &split.right);
    return action;
}

static verso_status next_of_disk(verso_schedule *schedule, verso_action *action, verso_error *error) {
    const levels_plan *plan = schedule->plan;
    verso_status status = verso__disk_next(schedule, &plan->sequence, action, error);
    bool has_slot = action->kind == VERSO_ACTION_STORE || action->kind == VERSO_ACTION_RESTORE ||
                    action->kind == VERSO_ACTION_DISCARD;
    if (status == VERSO_STATUS_OK && has_slot)
        action->tier = plan->tier_ids[action->tier];
    return status;
}

static verso_status next(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso__walk *walk = &schedule->walk;
    if (((const levels_plan *)schedule->plan)->is_disk)
        return next_of_disk(schedule, action, error);
    switch ((enum mode)walk->extra[MODE]) {
    case FRESH: return begin(schedule, action, error);
    case STORED: *action = split(schedule); break;
    case INNER: return inner(schedule, action, error);
    case NEXT:
    case MODES:
        if (walk->used == 0) {
            *action = verso__make_action(VERSO_ACTION_DONE, 0, 0);
            break;
        }
        *action = slot_action(schedule->plan, VERSO_ACTION_RESTORE, schedule->stack + walk->used - FRAME_WORDS);
        walk->at = action->from;
        walk->extra[MODE] = STORED;
        break;
    }
    return VERSO_STATUS_OK;
}

/* ---- Cost ---- */

static verso_status cost_of_disk(const verso_schedule *schedule, verso__cost *cost) {
    const levels_plan *plan = schedule->plan;
    verso__cost counts = {.steps = schedule->spec.steps};
    verso__disk_cost(&plan->sequence, &counts);
    *cost = counts;
    for (size_t tier = 0; tier < 2; tier++)
        cost->writes[tier] = cost->reads[tier] = cost->peak_slots[tier] = 0;
    for (size_t tier = 0; tier < 2; tier++) {
        cost->writes[plan->tier_ids[tier]] = counts.writes[tier];
        cost->reads[plan->tier_ids[tier]] = counts.reads[tier];
        cost->peak_slots[plan->tier_ids[tier]] = counts.peak_slots[tier];
    }
    verso__cost_total(schedule, cost);
    cost->least_makespan = cost->makespan;
    return VERSO_STATUS_OK;
}

static verso_status cost_of_plan(const verso_schedule *schedule, verso__cost *cost, verso_error *error) {
    const levels_plan *plan = schedule->plan;
    if (plan->is_disk)
        return cost_of_disk(schedule, cost);
    cost->steps = schedule->spec.steps;
    cost->longest_recording = cost->steps > 0;
    verso_status status = verso__levels_cost(&plan->levels, cost->steps, cost, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__cost_total(schedule, cost);
    if ((plan->levels.ordered && !plan->levels.clipped) || cost->steps <= 1)
        cost->least_makespan = verso__add_wide(verso__levels_bound(&plan->levels, cost->steps),
                                               (verso__wide)schedule->spec.backward_cost * cost->steps);
    return VERSO_STATUS_OK;
}

static verso_status cost(const verso_schedule *schedule, verso__cost *cost, verso_error *error) {
    const levels_plan *plan = schedule->plan;
    verso_status status = cost_of_plan(schedule, cost, error);
    if (plan->is_subset)
        cost->least_makespan = plan->least;
    return status;
}

/* ---- The plan ---- */

static void plan_free(void *plan) {
    levels_plan *owned = plan;
    verso__levels_clear(&owned->levels);
    verso__revolve_clear(&owned->rule);
    verso__revolve_clear(&owned->sequence.rule);
}

static verso_status make_plan(const verso_schedule_spec *spec, verso__wide limit, levels_plan *plan,
                              verso_error *error) {
    plan->is_disk = find_disk(spec, plan);
    return plan->is_disk ? VERSO_STATUS_OK : verso__levels_make(spec, limit, &plan->levels, error);
}

/* If the tables do not cover all steps, or tiers have more slots than are used, a plan may not be the best one, and
 * a plan that leaves some tiers out may be cheaper. All subsets are tried, so that an additional tier never makes a
 * schedule more expensive, except subsets of tiers whose plan is known to be optimal and subsets that cannot be
 * cheaper than the best plan so far. A plan, and the work to make it, depends only on its own tiers (levels_make.c);
 * 255 of them take about a second. */
typedef struct subsets {
    verso_schedule *schedule;                 /* has the best plan so far */
    verso__wide makespan;                     /* makespan of that plan */
    unsigned settled[(1 << VERSO_TIERS_MAX)]; /* sets of tiers no subset of which has a cheaper plan */
    size_t settled_count;
} subsets;

static bool is_worse(const subsets *all, unsigned subset) {
    for (size_t i = 0; i < all->settled_count; i++)
        if ((subset & ~all->settled[i]) == 0)
            return true;
    return false;
}

static verso__wide reversal_cost(const verso_schedule_spec *spec) {
    return (verso__wide)spec->backward_cost * spec->steps;
}

static verso_status consider_plan(subsets *all, unsigned subset, levels_plan *plan, verso_error *error) {
    verso_schedule other = {.spec = all->schedule->spec, .plan = plan, .tiers = all->schedule->tiers};
    verso__cost cost = {.makespan = verso__add_wide(plan->levels.total, reversal_cost(&other.spec))};
    verso_status status = plan->levels.total > 0 ? VERSO_STATUS_OK : cost_of_plan(&other, &cost, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (cost.least_makespan == cost.makespan)
        all->settled[all->settled_count++] = subset;
    if (cost.makespan >= all->makespan)
        return VERSO_STATUS_OK;
    levels_plan *best = all->schedule->plan, before = *best;
    plan->is_subset = true;
    plan->least = before.least;
    *best = *plan;
    *plan = before;
    all->makespan = cost.makespan;
    return VERSO_STATUS_OK;
}

static verso_status try_subset(subsets *all, unsigned subset, verso_error *error) {
    verso_schedule_spec spec = all->schedule->spec;
    levels_plan plan = {0};
    for (size_t i = 0; i < spec.tier_count; i++)
        if (!(subset >> i & 1))
            spec.tiers[i].capacity = 0;
    verso_status status = make_plan(&spec, all->makespan - reversal_cost(&spec), &plan, error);
    if (status == VERSO_STATUS_OK && !plan.levels.hopeless)
        status = consider_plan(all, subset, &plan, error);
    else if (status == VERSO_STATUS_OK && plan.levels.ordered && !plan.levels.clipped)
        all->settled[all->settled_count++] = subset;
    plan_free(&plan);
    return status;
}

static unsigned count_bits(unsigned set) {
    unsigned count = 0;
    for (; set != 0; set &= set - 1)
        count++;
    return count;
}

static verso_status try_size(subsets *all, unsigned usable, unsigned size, verso_error *error) {
    verso_status status = VERSO_STATUS_OK;
    for (unsigned subset = usable; subset > 0 && status == VERSO_STATUS_OK; subset = (subset - 1) & usable)
        if (count_bits(subset) == size && !is_worse(all, subset))
            status = try_subset(all, subset, error);
    return status;
}

static verso_status try_subsets(verso_schedule *schedule, verso_error *error) {
    levels_plan *plan = schedule->plan;
    const verso_schedule_spec *spec = &schedule->spec;
    subsets all = {.schedule = schedule};
    verso__cost cost = {0};
    unsigned usable = 0;
    for (size_t i = 0; i < spec->tier_count; i++)
        usable |= (spec->tiers[i].capacity > 0 ? 1U : 0U) << i;
    if (plan->is_disk || plan->levels.exact_all || plan->levels.single || spec->steps <= 1)
        return VERSO_STATUS_OK;
    verso_status status = cost_of_plan(schedule, &cost, error);
    all.makespan = cost.makespan;
    plan->least = cost.least_makespan;
    if (cost.least_makespan == cost.makespan)
        return status;
    unsigned count = count_bits(usable);
    for (unsigned size = count - 1; size > 0 && status == VERSO_STATUS_OK; size--)
        status = try_size(&all, usable, size, error);
    return status;
}

static verso_status plan(verso_schedule *schedule, verso_error *error) {
    const verso_schedule_spec *spec = &schedule->spec;
    levels_plan *plan = schedule->plan = verso__alloc(1, sizeof *plan);
    if (plan == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a schedule");
    verso_status status = verso__levels_check(spec, error);
    if (status != VERSO_STATUS_OK)
        return status;
    status = make_plan(spec, VERSO_WIDE_MAX, plan, error);
    if (status == VERSO_STATUS_OK)
        status = try_subsets(schedule, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (plan->is_disk)
        return verso__disk_start(schedule, &plan->sequence, error);
    if (plan->levels.free_base && !verso__revolve_init(&plan->rule, spec->steps, plan->levels.tier[0].capacity, 0))
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a schedule");
    verso__level_node root = verso__levels_root(&plan->levels, spec->steps);
    set_fresh(&schedule->walk, &root);
    if (spec->steps == 0)
        schedule->walk.extra[MODE] = NEXT;
    return VERSO_STATUS_OK;
}

/* ---- Validation of a cursor ---- */

static bool is_valid_node(const verso__levels *levels, uint64_t tier, uint64_t slots, uint64_t price) {
    return tier < levels->tiers && slots <= levels->tier[tier].capacity &&
           (price == 0 || price / levels->full.stride < levels->full.prices);
}

static bool valid(const verso_schedule *schedule) {
    const levels_plan *plan = schedule->plan;
    const verso__levels *levels = &plan->levels;
    const verso__walk *walk = &schedule->walk;
    if (plan->is_disk)
        return verso__disk_valid(schedule, &plan->sequence);
    uint64_t mode = walk->extra[MODE];
    uint64_t frames = mode == INNER ? walk->extra[BASE] : walk->used;
    uint64_t low = 0;
    if (mode >= MODES || frames > walk->used || frames % FRAME_WORDS != 0 || walk->end > schedule->spec.steps)
        return false;
    for (uint64_t i = 0; i < frames; i += FRAME_WORDS) {
        const uint64_t *frame = schedule->stack + i;
        if (frame[0] < low || frame[0] >= walk->end || frame[2] == 0 ||
            !is_valid_node(levels, frame[1], frame[2], frame[3]) || (levels->free_base && frame[1] == 0))
            return false;
        low = frame[0] + 1;
    }
    if (mode == INNER) {
        verso__machine machine = machine_of(schedule);
        return levels->free_base && walk->extra[VERSO_MACHINE_FLOOR] >= low && verso__machine_valid(schedule, &machine);
    }
    if (mode == NEXT)
        return frames > 0 || walk->end == 0;
    if (walk->at >= walk->end)
        return false;
    if (mode == STORED)
        return frames > 0 && schedule->stack[frames - FRAME_WORDS] == walk->at;
    uint64_t tier = walk->extra[TIER];
    uint64_t slots = walk->extra[SLOTS];
    if (walk->at < low || (walk->end - walk->at > 1 && !is_valid_node(levels, tier, slots, walk->extra[PRICE])))
        return false;
    return walk->end - walk->at == 1 || tier > 0 || slots > 0;
}

const verso__kind verso__kind_levels = {
    .plan = plan, .plan_free = plan_free, .next = next, .cost = cost, .valid = valid};
