/* Treeverse and binary checkpointing (paper 1, figures 20 and 21). Both give the same tree and the same actions;
 * there are two kinds because both names are in use.
 *
 * A node of the tree is an interval with the numbers of snapshots d and of repetitions t that it may still
 * introduce (a and b of the machine's node). The right part of a split has one snapshot less, the left part one
 * repetition less. */
#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"
#include "schedule/binomial.h"
#include "schedule/cost.h"
#include "schedule/machine.h"
#include "schedule/tree_cost.h"

static bool is_leaf(const void *plan, const verso__node *node) {
    return verso__tree_is_leaf(plan, node->length, node->a, node->b);
}

static uint64_t split(const void *plan, verso__node *node, verso__node *right) {
    uint64_t advance = verso__tree_split(plan, node->length, node->a, node->b);
    right->a = node->a - 1;
    right->b = node->b;
    node->b--;
    return advance;
}

static verso__machine machine_of(const verso_schedule *schedule) {
    const verso__tree *tree = schedule->plan;
    return (verso__machine){.plan = tree, .leaf = is_leaf, .split = split, .slots = verso__add_u64(tree->space, 1)};
}

/* Returns the smallest number with C(given + number, number) >= leaves: the repetition number of `leaves` steps on
 * `given` slots, and the other way round. */
static uint64_t least_partner(uint64_t given, uint64_t leaves) {
    return leaves <= 1 ? 0 : verso__repetition(leaves, given);
}

/* Returns the maximum number of halvings on the way to a leaf if a stretch is halved until no part is longer than a
 * leaf. */
static uint64_t least_depth(uint64_t leaves) {
    uint64_t depth = 0;
    for (; leaves > 1; leaves -= leaves / 2)
        depth++;
    return depth;
}

/* Returns the length of leaves: if snapshots and repetitions are both given and do not suffice, leaves are as long
 * as necessary (paper 1, equation 99). */
static uint64_t least_leaf(const verso__tree *tree, uint64_t steps) {
    uint64_t most = verso__beta((int64_t)tree->space, (int64_t)tree->time);
    return verso__max_u64(tree->leaf, steps / most + (steps % most != 0));
}

static verso_status plan(verso_schedule *schedule, verso_error *error) {
    const verso_schedule_spec *spec = &schedule->spec;
    if (spec->leaf == 0)
        return verso__fail(error, VERSO_STATUS_IMPOSSIBLE, "a leaf must have at least 1 step");
    verso__tree *tree = schedule->plan = verso__alloc(1, sizeof *tree);
    if (tree == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a schedule");
    uint64_t leaves = (spec->steps / spec->leaf) + (spec->steps % spec->leaf != 0);
    tree->leaf = spec->leaf;
    tree->keeps_leaf = spec->split == VERSO_SPLIT_HALVES;
    tree->bisection = spec->split != VERSO_SPLIT_BINOMIAL;
    tree->space = spec->space > 0    ? spec->space
                  : spec->time > 0   ? least_partner(spec->time, leaves)
                  : tree->keeps_leaf ? least_depth(leaves)
                                     : verso__tree_least_equal(leaves);
    tree->time = spec->time > 0 ? spec->time : spec->space > 0 ? least_partner(spec->space, leaves) : tree->space;
    tree->space = verso__min_u64(tree->space, VERSO_STEPS_MAX);
    tree->time = verso__min_u64(tree->time, VERSO_STEPS_MAX);
    if (tree->keeps_leaf && spec->space > 0 && spec->time > 0)
        tree->leaf = least_leaf(tree, spec->steps);
    verso__machine_start(schedule, 0, spec->steps, tree->space, tree->time);
    return VERSO_STATUS_OK;
}

static verso_status next(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso__machine machine = machine_of(schedule);
    return verso__machine_next(schedule, &machine, action, error);
}

static verso_status cost(const verso_schedule *schedule, verso__cost *cost, verso_error *error) {
    verso__tree_total total;
    verso_status status = verso__tree_cost(schedule->plan, schedule->spec.steps, &total, error);
    if (status != VERSO_STATUS_OK)
        return status;
    cost->steps = schedule->spec.steps;
    cost->forward_steps = total.recomputed;
    cost->writes[0] = total.writes;
    cost->reads[0] = total.leaves > 0 ? total.leaves - 1 : 0;
    cost->peak_slots[0] = total.snapshots;
    cost->repetition = total.repetition;
    cost->longest_recording = total.longest_leaf;
    verso__cost_total(schedule, cost);
    return VERSO_STATUS_OK;
}

/* The counts of a frame must not become negative when it is split. */
static bool valid(const verso_schedule *schedule) {
    verso__machine machine = machine_of(schedule);
    const verso__tree *tree = schedule->plan;
    const verso__walk *walk = &schedule->walk;
    if (walk->end > schedule->spec.steps || walk->extra[VERSO_MACHINE_FLOOR] != 0 ||
        !verso__machine_valid(schedule, &machine))
        return false;
    for (uint64_t i = 0; i < walk->used; i += VERSO_FRAME_WORDS)
        if (schedule->stack[i + 1] > tree->space || schedule->stack[i + 2] > tree->time)
            return false;
    if (walk->phase == VERSO_MACHINE_STORED) {
        const uint64_t *top = schedule->stack + walk->used - VERSO_FRAME_WORDS;
        return !verso__tree_is_leaf(tree, walk->end - top[0], top[1], top[2]);
    }
    return walk->extra[VERSO_MACHINE_A] <= tree->space && walk->extra[VERSO_MACHINE_B] <= tree->time;
}

const verso__kind verso__kind_treeverse = {.plan = plan, .next = next, .cost = cost, .valid = valid};
const verso__kind verso__kind_binary = {.plan = plan, .next = next, .cost = cost, .valid = valid};
