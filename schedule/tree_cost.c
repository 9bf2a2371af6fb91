/* The cost of a checkpoint tree, without walking it. Nodes of equal depth and equal counts differ little in length, so
 * a level of the tree has few distinct nodes, however many there are: the levels are followed as sorted lists of (node,
 * how many).
 *
 * With the binomial split, a node that may introduce only one more snapshot, or only one more repetition, begins a
 * chain whose leaves all have one of two lengths. Chains are summed in closed form: they can be as long as the
 * computation. */
#include "schedule/tree_cost.h"

#include "base/alloc.h"
#include "base/status.h"

typedef struct node_class {
    uint64_t space; /* counts that are left */
    uint64_t time;
    uint64_t length;
    verso_wide count;
} node_class;

typedef struct level {
    node_class *classes; /* sorted by space, falling, then by length, rising */
    size_t used;
    size_t capacity;
} level;

typedef struct costing {
    const verso_tree *tree;
    verso_tree_total *total;
    level now, next;
} costing;

static void max_into(uint64_t *most, uint64_t value) {
    *most = verso_max_u64(*most, value);
}

static void add_leaf(costing *work, const node_class *node) {
    const verso_tree *tree = work->tree;
    work->total->leaves += node->count;
    max_into(&work->total->longest_leaf, node->length);
    max_into(&work->total->snapshots, tree->space - node->space);
    max_into(&work->total->repetition, tree->time - node->time);
    max_into(&work->total->depth, (tree->space - node->space) + (tree->time - node->time));
}

static bool leaf_class(const costing *work, const node_class *node) {
    return verso_tree_is_leaf(work->tree, node->length, node->space, node->time);
}

/* Sum of first, first - step, …, `count` terms. */
static verso_wide falling_sum(uint64_t first, uint64_t step, uint64_t count) {
    if (count == 0)
        return 0;
    return (verso_wide)count * first - (verso_wide)step * ((verso_wide)count * (count - 1) / 2);
}

/* How many pieces of `piece` may be cut off `length` until at most the leaf length is left, but no more than `most`. */
static uint64_t cuts(const costing *work, uint64_t length, uint64_t piece, uint64_t most) {
    uint64_t leaf = work->tree->leaf;
    if (length <= leaf)
        return 0;
    return verso_min_u64(most, (length - leaf + piece - 1) / piece);
}

/* space = 1: right leaves of `piece` steps are cut off `times` times; what is left stays, with `times` less time. */
static void cut_right(costing *work, node_class *node, uint64_t piece, uint64_t times) {
    if (times == 0)
        return;
    work->total->recomputed += node->count * falling_sum(node->length - piece, piece, times);
    node_class leaf = {.space = 0, .time = node->time - (times - 1), .length = piece, .count = node->count};
    add_leaf(work, &leaf);
    work->total->leaves += node->count * (times - 1);
    node->length -= piece * times;
    node->time -= times;
}

static void add_right_chain(costing *work, node_class node) {
    uint64_t piece = node.length / (node.time + 1);
    if (piece == 0) {
        cut_right(work, &node, 1, cuts(work, node.length, 1, node.time));
    } else {
        uint64_t rest = node.length - piece * (node.time + 1);
        uint64_t times = rest > 0 ? node.time - rest + 1 : node.time;
        cut_right(work, &node, piece, cuts(work, node.length, piece, times));
        if (rest > 0 && !leaf_class(work, &node))
            cut_right(work, &node, piece + 1, cuts(work, node.length, piece + 1, node.time));
    }
    add_leaf(work, &node);
}

/* time = 1: left leaves of `piece` steps are cut off `times` times, each split leaving a snapshot at the right part. */
static void cut_left(costing *work, node_class *node, uint64_t piece, uint64_t times) {
    if (times == 0)
        return;
    work->total->recomputed += node->count * ((verso_wide)piece * times);
    node_class leaf = {.space = node->space - (times - 1), .time = 0, .length = piece, .count = node->count};
    add_leaf(work, &leaf);
    work->total->leaves += node->count * (times - 1);
    node->length -= piece * times;
    node->space -= times;
    work->total->writes += node->count * (times - leaf_class(work, node));
}

static void add_left_chain(costing *work, node_class node) {
    uint64_t piece = node.length / (node.space + 1);
    uint64_t rest = node.length - piece * (node.space + 1);
    cut_left(work, &node, piece + 1, cuts(work, node.length, piece + 1, verso_min_u64(rest, node.space)));
    if (!leaf_class(work, &node) && piece > 0)
        cut_left(work, &node, piece, cuts(work, node.length, piece, node.space));
    add_leaf(work, &node);
}

static bool append(level *level, node_class node) {
    node_class *last = level->used > 0 ? &level->classes[level->used - 1] : NULL;
    if (last != NULL && last->space == node.space && last->length == node.length) {
        last->count += node.count;
        return true;
    }
    if (level->used == level->capacity) {
        size_t capacity = level->capacity < 32 ? 64 : 2 * level->capacity;
        node_class *classes = verso_realloc(level->classes, capacity, sizeof *classes);
        if (classes == NULL)
            return false;
        level->classes = classes;
        level->capacity = capacity;
    }
    level->classes[level->used++] = node;
    return true;
}

static bool before(const node_class *a, const node_class *b) {
    return a->space != b->space ? a->space > b->space : a->length < b->length;
}

static node_class left_of(const costing *work, const node_class *node) {
    uint64_t left = verso_tree_split(work->tree, node->length, node->space, node->time);
    return (node_class){.space = node->space, .time = node->time - 1, .length = left, .count = node->count};
}

static node_class right_of(const costing *work, const node_class *node) {
    uint64_t left = verso_tree_split(work->tree, node->length, node->space, node->time);
    return (node_class){
        .space = node->space - 1, .time = node->time, .length = node->length - left, .count = node->count};
}

/* A node that is not split here: a leaf, or the start of a chain. */
static bool settle(costing *work, const node_class *node) {
    if (leaf_class(work, node))
        add_leaf(work, node);
    else if (!work->tree->bisection && node->space == 1)
        add_right_chain(work, *node);
    else if (!work->tree->bisection && node->time == 1)
        add_left_chain(work, *node);
    else
        return false;
    return true;
}

static void count_splits(costing *work) {
    size_t kept = 0;
    for (size_t i = 0; i < work->now.used; i++) {
        node_class node = work->now.classes[i];
        if (settle(work, &node))
            continue;
        node_class right = right_of(work, &node);
        work->total->recomputed += node.count * (node.length - right.length);
        work->total->writes += leaf_class(work, &right) ? 0 : node.count;
        work->now.classes[kept++] = node;
    }
    work->now.used = kept;
}

/* Left and right parts, each in the order of their parents, are sorted already: merge them. */
static bool descend(costing *work) {
    const node_class *nodes = work->now.classes;
    size_t count = work->now.used;
    size_t i = 0;
    size_t j = 0;
    node_class left = count > 0 ? left_of(work, &nodes[0]) : (node_class){0};
    node_class right = count > 0 ? right_of(work, &nodes[0]) : (node_class){0};
    work->next.used = 0;
    while (i < count || j < count) {
        bool take_left = j == count || (i < count && before(&left, &right));
        if (!append(&work->next, take_left ? left : right))
            return false;
        if (take_left && ++i < count)
            left = left_of(work, &nodes[i]);
        else if (!take_left && ++j < count)
            right = right_of(work, &nodes[j]);
    }
    level swap = work->now;
    work->now = work->next;
    work->next = swap;
    return true;
}

verso_status verso_tree_cost(const verso_tree *tree, uint64_t steps, verso_tree_total *total, verso_error *error) {
    *total = (verso_tree_total){0};
    if (steps == 0)
        return VERSO_OK;
    costing work = {.tree = tree, .total = total};
    node_class root = {.space = tree->space, .time = tree->time, .length = steps, .count = 1};
    total->writes = leaf_class(&work, &root) ? 0 : 1;
    bool memory = append(&work.now, root);
    while (memory && work.now.used > 0) {
        count_splits(&work);
        memory = descend(&work);
    }
    verso_dealloc(work.now.classes);
    verso_dealloc(work.next.classes);
    if (!memory)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory to predict the cost of a checkpoint tree");
    return VERSO_OK;
}
