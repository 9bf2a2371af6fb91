/* The checkpoint tree of treeverse and binary: its rule, and its cost without walking it. */
#ifndef VERSO_SCHEDULE_TREE_COST_H
#define VERSO_SCHEDULE_TREE_COST_H

#include <verso/schedule.h>

#include "base/wide.h"

typedef struct verso_tree {
    uint64_t leaf;  /* alpha */
    uint64_t space; /* d */
    uint64_t time;  /* t */
    bool bisection;
} verso_tree;

typedef struct verso_tree_total {
    verso_wide recomputed;
    verso_wide leaves;
    verso_wide writes;
    uint64_t snapshots;  /* most that are alive at once; x_0 counts, a leaf's own start does not */
    uint64_t repetition; /* most left branches on a path */
    uint64_t depth;      /* most branches on a path */
    uint64_t longest_leaf;
} verso_tree_total;

static inline bool verso_tree_is_leaf(const verso_tree *tree, uint64_t length, uint64_t space, uint64_t time) {
    return length <= tree->leaf || space == 0 || time == 0;
}

/* Length of the left part. Wide, because time * length may not fit 64 bits. */
static inline uint64_t verso_tree_split(const verso_tree *tree, uint64_t length, uint64_t space, uint64_t time) {
    uint64_t left;
    uint64_t product;
    uint64_t parts = space + time;
    if (tree->bisection)
        left = length - length / 2;
    else if (!__builtin_mul_overflow(length, time, &product) && product <= UINT64_MAX - parts)
        left = (product + parts - 1) / parts;
    else
        left = (uint64_t)(((verso_wide)length * time + (parts - 1)) / parts);
    return left < 1 ? 1 : verso_min_u64(left, length - 1);
}

verso_status verso_tree_cost(const verso_tree *tree, uint64_t steps, verso_tree_total *total, verso_error *error);

#endif
