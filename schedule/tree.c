/* Treeverse and binary checkpointing (paper 1, figures 20 and 21). Both give the same tree, hence the same actions; two
 * kinds exist because users know them by both names.
 *
 * A node of the tree is an interval with a count d of snapshots and a count t of repetitions it may still introduce (a
 * and b of the machine's node). The right part of a split has one snapshot less, the left part one repetition less. */
#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"
#include "schedule/binomial.h"
#include "schedule/machine.h"
#include "schedule/tree_cost.h"

static bool is_leaf(const void *plan, const verso_node *node) {
    return verso_tree_is_leaf(plan, node->length, node->a, node->b);
}

static uint64_t split(const void *plan, verso_node *node, verso_node *right) {
    uint64_t advance = verso_tree_split(plan, node->length, node->a, node->b);
    right->a = node->a - 1;
    right->b = node->b;
    node->b--;
    return advance;
}

static verso_machine machine_of(const verso_schedule *schedule) {
    const verso_tree *tree = schedule->plan;
    return (verso_machine){.plan = tree, .leaf = is_leaf, .split = split, .slots = verso_add_u64(tree->space, 1)};
}

/* The smallest number that makes C(given + number, number) >= leaves: the repetition number of as many steps on that
 * many slots, and the other way round. */
static uint64_t least_partner(uint64_t given, uint64_t leaves) {
    return leaves <= 1 ? 0 : verso_repetition(leaves, given);
}

static uint64_t least_equal(uint64_t leaves) {
    uint64_t d = 0;
    while (verso_beta((int64_t)d, (int64_t)d) < leaves)
        d++;
    return d;
}

static verso_status plan(verso_schedule *schedule, verso_error *error) {
    const verso_schedule_spec *spec = &schedule->spec;
    if (spec->leaf == 0)
        return verso_fail(error, VERSO_IMPOSSIBLE, "a leaf must have at least 1 step");
    verso_tree *tree = schedule->plan = verso_alloc(1, sizeof *tree);
    if (tree == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a schedule");
    uint64_t leaves = (spec->steps / spec->leaf) + (spec->steps % spec->leaf != 0);
    tree->leaf = spec->leaf;
    tree->bisection = spec->split == VERSO_SPLIT_BISECTION;
    tree->space = spec->space > 0  ? spec->space
                  : spec->time > 0 ? least_partner(spec->time, leaves)
                                   : least_equal(leaves);
    tree->time = spec->time > 0 ? spec->time : spec->space > 0 ? least_partner(spec->space, leaves) : tree->space;
    tree->space = verso_min_u64(tree->space, VERSO_STEPS_MAX);
    tree->time = verso_min_u64(tree->time, VERSO_STEPS_MAX);
    verso_machine_start(schedule, 0, spec->steps, tree->space, tree->time);
    return VERSO_OK;
}

static verso_status next(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso_machine machine = machine_of(schedule);
    return verso_machine_next(schedule, &machine, action, error);
}

static verso_status cost(const verso_schedule *schedule, verso_cost *cost, verso_error *error) {
    verso_tree_total total;
    verso_status status = verso_tree_cost(schedule->plan, schedule->spec.steps, &total, error);
    if (status != VERSO_OK)
        return status;
    cost->steps = schedule->spec.steps;
    cost->forward_steps = total.recomputed;
    cost->writes[0] = total.writes;
    cost->reads[0] = total.leaves > 0 ? total.leaves - 1 : 0;
    cost->peak_slots[0] = total.snapshots;
    cost->repetition = total.repetition;
    cost->longest_recording = total.longest_leaf;
    verso_cost_total(schedule, cost);
    return VERSO_OK;
}

/* The counts of a frame are its own; they must not run below zero when it is split. */
static bool valid(const verso_schedule *schedule) {
    verso_machine machine = machine_of(schedule);
    const verso_tree *tree = schedule->plan;
    const verso_walk *walk = &schedule->walk;
    if (walk->end > schedule->spec.steps || walk->extra[VERSO_MACHINE_FLOOR] != 0 ||
        !verso_machine_valid(schedule, &machine))
        return false;
    for (uint64_t i = 0; i < walk->used; i += VERSO_FRAME_WORDS)
        if (schedule->stack[i + 1] > tree->space || schedule->stack[i + 2] > tree->time)
            return false;
    if (walk->phase == VERSO_MACHINE_STORED) {
        const uint64_t *top = schedule->stack + walk->used - VERSO_FRAME_WORDS;
        return !verso_tree_is_leaf(tree, walk->end - top[0], top[1], top[2]);
    }
    return walk->extra[VERSO_MACHINE_A] <= tree->space && walk->extra[VERSO_MACHINE_B] <= tree->time;
}

const verso_kind verso_kind_treeverse = {.plan = plan, .next = next, .cost = cost, .valid = valid};
const verso_kind verso_kind_binary = {.plan = plan, .next = next, .cost = cost, .valid = valid};
