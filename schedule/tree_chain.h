/* Adds up parts of a checkpoint tree whose cost has a closed form. Private to tree_cost.c. */
#ifndef VERSO_SCHEDULE_TREE_CHAIN_H
#define VERSO_SCHEDULE_TREE_CHAIN_H

#include "schedule/tree_cost.h"

/* A set of equal nodes. They are disjoint intervals of one computation, so that their number and the number of all
 * their steps fit 64 bits. */
typedef struct verso__tree_node {
    uint64_t space; /* snapshots that may still be introduced */
    uint64_t time;  /* repetitions that may still be introduced */
    uint64_t length;
    uint64_t count;
} verso__tree_node;

static inline bool verso__tree_node_is_leaf(const verso__tree *tree, const verso__tree_node *node) {
    return verso__tree_is_leaf(tree, node->length, node->space, node->time);
}

/* Adds the cost of the nodes and everything below them to *total if they are leaves or have a closed form of at
 * most `runs_max` runs (see tree_chain.c). Returns false if not. */
bool verso__tree_settle(const verso__tree *tree, verso__tree_node node, unsigned runs_max, verso__tree_total *total);

#endif
