/* The checkpoint tree of treeverse and binary: its splitting rule, and its cost without walking it. */
#ifndef VERSO_SCHEDULE_TREE_COST_H
#define VERSO_SCHEDULE_TREE_COST_H

#include <verso/schedule.h>

#include "base/wide.h"
#include "schedule/binomial.h"

typedef struct verso__tree {
    uint64_t leaf;  /* alpha: maximum length of a leaf */
    uint64_t space; /* d: maximum number of snapshots */
    uint64_t time;  /* t: maximum number of repetitions */
    bool bisection; /* split in the middle instead of where the binomials place it */
    /* or as near to the middle as `leaf` permits; alpha * beta(d, t) is then at least the number of steps */
    bool keeps_leaf;
} verso__tree;

typedef struct verso__tree_total {
    verso__wide recomputed; /* forward steps */
    verso__wide leaves;
    verso__wide writes;
    uint64_t snapshots;  /* maximum number of snapshots at once, including x_0 but not a leaf's own start */
    uint64_t repetition; /* maximum number of left branches on a path */
    uint64_t depth;      /* maximum number of branches on a path */
    uint64_t longest_leaf;
    uint64_t runs; /* number of runs of spines that were followed (tree_chain.c): a measure of the effort */
} verso__tree_total;

static inline bool verso__tree_is_leaf(const verso__tree *tree, uint64_t length, uint64_t space, uint64_t time) {
    return length <= tree->leaf || space == 0 || time == 0;
}

/* Returns the length of the left part of a stretch that is divided near its middle. The left part may have at most
 * as many steps as leaves of the given length suffice for with one repetition less, the right part with one
 * snapshot less. */
static inline uint64_t verso__tree_half(const verso__tree *tree, uint64_t length, uint64_t space, uint64_t time) {
    int64_t d = (int64_t)space, t = (int64_t)time;
    uint64_t most = verso__mul_u64(tree->leaf, verso__beta(d, t - 1));
    uint64_t right = verso__mul_u64(tree->leaf, verso__beta(d - 1, t));
    uint64_t least = length > right ? length - right : 0;
    return verso__min_u64(verso__max_u64(length - length / 2, least), most);
}

/* Returns the length of the left part. Uses 128 bits where time * length does not fit 64. */
static inline uint64_t verso__tree_split(const verso__tree *tree, uint64_t length, uint64_t space, uint64_t time) {
    uint64_t left;
    uint64_t product;
    uint64_t parts = space + time;
    if (tree->keeps_leaf)
        left = verso__tree_half(tree, length, space, time);
    else if (tree->bisection)
        left = length - length / 2;
    else if (!__builtin_mul_overflow(length, time, &product) && product <= UINT64_MAX - parts)
        left = (product + parts - 1) / parts;
    else
        left = (uint64_t)(((verso__wide)length * time + (parts - 1)) / parts);
    return left < 1 ? 1 : verso__min_u64(left, length - 1);
}

/* Returns the least number d with C(2 d, d) >= leaves. */
static inline uint64_t verso__tree_least_equal(uint64_t leaves) {
    uint64_t d = 0;
    while (verso__beta((int64_t)d, (int64_t)d) < leaves)
        d++;
    return d;
}

/* Computes the cost of the tree. Returns VERSO_STATUS_IMPOSSIBLE if space and time are both large and so far apart
 * that it would take too long. */
verso_status verso__tree_cost(const verso__tree *tree, uint64_t steps, verso__tree_total *total, verso_error *error);

#endif
