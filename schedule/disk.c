/* Schedules with memory slots and an unlimited disk, or, for two-level, with outer capsules at equal distances:
 *
 *   disk       the cheapest dominant sequence, from period.c
 *   periodic   as many periods of the platform's best length as pay, then the residual
 *   two-level  outer intervals of the given distance, each with its own capsule (paper 5, section 5.3)
 *
 * The first sweep stores the capsules of the periods in order; then the residual and, backwards, the periods are
 * reversed. */
#include "schedule/disk.h"
#include "base/alloc.h"
#include "base/status.h"
#include "schedule/cost.h"
#include "schedule/resilient.h"

enum words { SWEEP = VERSO_OUTER_WORDS }; /* next action of the first sweep */
enum sweep { SWEEP_STORE, SWEEP_ADVANCE, SWEEP_OVER };

static verso_platform platform_of(const verso_schedule_spec *spec) {
    return (verso_platform){.slots = spec->slots,
                            .write_cost = spec->write_cost,
                            .read_cost = spec->read_cost,
                            .forward_cost = spec->forward_cost};
}

/* ---- Plans ---- */

static void add_group(verso__sequence *sequence, uint64_t count, uint64_t pieces, uint64_t level, uint64_t extra) {
    if (count == 0)
        return;
    sequence->groups[sequence->used++] = (verso__period_group){
        .count = count,
        .steps = verso__period_steps(sequence->slots, pieces, level) + extra,
        .pieces = pieces,
        .level = level,
        .extra = extra,
    };
    sequence->periods += count;
}

/* Adds `count` periods of `pieces` pieces, filled up to `level`. *left is the number of places of the next level
 * that are still to be distributed. */
static void add_periods(verso__sequence *sequence, uint64_t count, uint64_t pieces, uint64_t level, uint64_t *left) {
    uint64_t room =
        verso__period_steps(sequence->slots, pieces, level + 1) - verso__period_steps(sequence->slots, pieces, level);
    uint64_t full = room > 0 ? verso__min_u64(count, *left / room) : 0;
    *left -= full * room;
    uint64_t partial = full < count && *left > 0 && room > 0;
    add_group(sequence, full, pieces, level, room);
    add_group(sequence, partial, pieces, level, *left);
    if (partial)
        *left = 0;
    add_group(sequence, count - full - partial, pieces, level, 0);
}

void verso__disk_plan(verso__sequence *sequence, const verso_platform *platform, uint64_t steps) {
    verso__best_period best;
    sequence->slots = platform->slots;
    sequence->period = verso__period_best(platform, &best) ? best.steps : 0;
    verso__partition partition = verso__partition_best(platform, steps, &sequence->optimal);
    sequence->residual = steps;
    if (partition.periods == 0)
        return;
    uint64_t q = partition.periods;
    uint64_t pieces = partition.pieces / q;
    uint64_t more = partition.pieces % q;
    uint64_t level = partition.level - 1;
    uint64_t base = verso__beta((int64_t)platform->slots, (int64_t)level);
    uint64_t placed = base + more * verso__period_steps(platform->slots, pieces + 1, level) +
                      (q - more) * verso__period_steps(platform->slots, pieces, level);
    uint64_t left = steps - placed;
    add_periods(sequence, more, pieces + 1, level, &left);
    add_periods(sequence, q - more, pieces, level, &left);
    sequence->residual = base + left;
}

static verso__wide periodic_cost(const verso_platform *p, const verso__best_period *best, uint64_t steps,
                                 uint64_t count) {
    verso__wide residual = verso__partition_of(p, steps - count * best->steps, 0, 0).cost;
    return verso__add_wide(verso__mul_wide(count, best->cost), residual);
}

/* The residual must not be empty. Its cost is convex, so the total is convex in the number of periods. */
static void plan_periodic(const verso_schedule_spec *spec, verso__sequence *sequence) {
    verso_platform platform = platform_of(spec);
    verso__best_period best;
    sequence->residual = spec->steps;
    if (!verso__period_best(&platform, &best) || spec->steps <= 1)
        return;
    sequence->period = best.steps;
    uint64_t low = 0;
    uint64_t high = (spec->steps - 1) / best.steps; /* the best number is in [low, high] */
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (periodic_cost(&platform, &best, spec->steps, middle) <=
            periodic_cost(&platform, &best, spec->steps, middle + 1))
            high = middle;
        else
            low = middle + 1;
    }
    if (low == 0)
        return;
    verso__sequence_add_best(sequence, &best, low);
    sequence->residual = spec->steps - low * best.steps;
}

static verso_status plan_two_level(const verso_schedule *schedule, verso__sequence *sequence, verso_error *error) {
    const verso_schedule_spec *spec = &schedule->spec;
    sequence->residual = spec->steps;
    sequence->adjoint_at_periods = true;
    if (spec->distance == 0)
        return verso__fail(error, VERSO_STATUS_IMPOSSIBLE,
                           "two-level needs a distance of at least 1 between outer capsules");
    uint64_t outer = spec->steps > 0 ? (spec->steps - 1) / spec->distance : 0;
    verso_status status = verso__need_slots(schedule, verso__add_u64(outer, spec->steps > 1), error);
    if (status != VERSO_STATUS_OK)
        return status;
    sequence->slots = spec->slots - outer;
    sequence->period = spec->distance;
    if (outer > 0)
        sequence->groups[sequence->used++] =
            (verso__period_group){.count = outer, .steps = spec->distance, .pieces = 1};
    sequence->periods = outer;
    sequence->residual = spec->steps - outer * spec->distance;
    return VERSO_STATUS_OK;
}

static uint64_t longest_interval(const verso__sequence *sequence) {
    uint64_t longest = sequence->residual;
    for (size_t g = 0; g < sequence->used; g++)
        longest = verso__max_u64(longest, sequence->groups[g].steps);
    return longest;
}

verso_status verso__disk_start(verso_schedule *schedule, verso__sequence *sequence, verso_error *error) {
    uint64_t longest = sequence->slots > 0 ? longest_interval(sequence) : 1;
    if (!verso__revolve_init(&sequence->rule, longest, sequence->slots, 0))
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a schedule of %llu slots",
                           (unsigned long long)sequence->slots);
    schedule->walk.extra[SWEEP] = SWEEP_STORE;
    return VERSO_STATUS_OK;
}

static verso_status plan(verso_schedule *schedule, verso_error *error) {
    const verso_schedule_spec *spec = &schedule->spec;
    verso__sequence *sequence = schedule->plan = verso__alloc(1, sizeof *sequence);
    if (sequence == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a schedule");
    verso_platform platform = platform_of(spec);
    sequence->slots = spec->slots;
    verso_status status = VERSO_STATUS_OK;
    if (spec->kind == VERSO_KIND_DISK)
        verso__disk_plan(sequence, &platform, spec->steps);
    else if (spec->kind == VERSO_KIND_TWO_LEVEL)
        status = plan_two_level(schedule, sequence, error);
    else if ((status = verso__need_slots(schedule, spec->steps > 1, error)) == VERSO_STATUS_OK)
        plan_periodic(spec, sequence);
    if (status != VERSO_STATUS_OK)
        return status;
    return verso__disk_start(schedule, sequence, error);
}

static void plan_free(void *plan) {
    verso__revolve_clear(&((verso__sequence *)plan)->rule);
}

/* ---- Actions ---- */

verso_status verso__disk_next(verso_schedule *schedule, const verso__sequence *sequence, verso_action *action,
                              verso_error *error) {
    verso__walk *walk = &schedule->walk;
    verso__machine machine = verso__revolve_machine(&sequence->rule, sequence->slots);
    uint64_t *period = &walk->extra[VERSO_OUTER_PERIOD];
    if (walk->extra[SWEEP] == SWEEP_STORE && *period < sequence->periods) {
        *action = verso__make_slot_action(VERSO_ACTION_STORE, walk->at, 1, *period);
        walk->extra[SWEEP] = SWEEP_ADVANCE;
        return VERSO_STATUS_OK;
    }
    if (walk->extra[SWEEP] == SWEEP_ADVANCE) {
        uint64_t to = walk->at + verso__sequence_place(sequence, *period).group->steps;
        *action = verso__make_action(VERSO_ACTION_ADVANCE, walk->at, to);
        walk->at = to;
        ++*period;
        walk->extra[SWEEP] = SWEEP_STORE;
        return VERSO_STATUS_OK;
    }
    if (walk->extra[SWEEP] == SWEEP_STORE) {
        verso__machine_start(schedule, walk->at, schedule->spec.steps, 0, 0);
        walk->extra[VERSO_OUTER_MODE] = VERSO_OUTER_INNER;
        walk->extra[SWEEP] = SWEEP_OVER;
    }
    return verso__outer_next(schedule, sequence, &machine, action, error);
}

void verso__disk_cost(const verso__sequence *sequence, verso__cost *cost) {
    cost->repetition = sequence->residual > 1 ? verso__repetition(sequence->residual, sequence->slots) : 0;
    for (size_t g = 0; g < sequence->used; g++) {
        const verso__period_group *group = &sequence->groups[g];
        uint64_t levels = group->pieces > 1     ? group->level + (group->extra > 0)
                          : sequence->slots > 0 ? 1 + verso__repetition(group->steps, sequence->slots)
                                                : 1;
        cost->forward_steps += (verso__wide)group->count * group->steps;
        cost->repetition = verso__max_u64(cost->repetition, levels);
        verso__period_cost(sequence, group, group->count, cost);
    }
    verso__revolve_cost(cost, 1, sequence->residual, sequence->slots);
    cost->writes[1] = cost->peak_slots[1] = sequence->periods;
    cost->adjoint_stores = sequence->adjoint_at_periods ? sequence->periods : 0;
    cost->longest_recording = cost->steps > 0;
    cost->period = sequence->period;
}

bool verso__disk_valid(const verso_schedule *schedule, const verso__sequence *sequence) {
    const verso__walk *walk = &schedule->walk;
    verso__machine machine = verso__revolve_machine(&sequence->rule, sequence->slots);
    uint64_t period = walk->extra[VERSO_OUTER_PERIOD];
    if (walk->extra[SWEEP] == SWEEP_OVER)
        return verso__outer_valid(schedule, sequence, &machine);
    bool in_sweep = walk->extra[SWEEP] == SWEEP_STORE ? period <= sequence->periods : period < sequence->periods;
    return walk->extra[SWEEP] <= SWEEP_ADVANCE && in_sweep &&
           walk->at == verso__sequence_place(sequence, period).start && walk->end == schedule->spec.steps &&
           walk->used == 0;
}

/* ---- The kinds ---- */

static verso_status next(verso_schedule *schedule, verso_action *action, verso_error *error) {
    return verso__disk_next(schedule, schedule->plan, action, error);
}

static verso_status cost(const verso_schedule *schedule, verso__cost *cost, verso_error *error) {
    (void)error;
    const verso__sequence *sequence = schedule->plan;
    const verso_schedule_spec *spec = &schedule->spec;
    cost->steps = spec->steps;
    verso__disk_cost(sequence, cost);
    if (spec->kind == VERSO_KIND_TWO_LEVEL)
        cost->free_distance = spec->slots > 0 ? verso__free_distance(spec->steps, spec->slots) : 0;
    verso__cost_total(schedule, cost);
    cost->least_makespan = sequence->optimal ? cost->makespan : 0;
    return VERSO_STATUS_OK;
}

static bool valid(const verso_schedule *schedule) {
    return verso__disk_valid(schedule, schedule->plan);
}

const verso__kind verso__kind_disk = {.plan = plan, .plan_free = plan_free, .next = next, .cost = cost, .valid = valid};
const verso__kind verso__kind_periodic = {
    .plan = plan, .plan_free = plan_free, .next = next, .cost = cost, .valid = valid};
const verso__kind verso__kind_two_level = {
    .plan = plan, .plan_free = plan_free, .next = next, .cost = cost, .valid = valid};
