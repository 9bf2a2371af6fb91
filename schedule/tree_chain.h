/* Parts of a checkpoint tree whose cost has a closed form. Private to tree_cost.c. */
#ifndef VERSO_SCHEDULE_TREE_CHAIN_H
#define VERSO_SCHEDULE_TREE_CHAIN_H

#include "schedule/tree_cost.h"

/* Equal nodes. They are intervals of one computation that do not overlap, so that their number, and that of all their
 * steps, fit 64 bits. */
typedef struct verso_tree_node {
    uint64_t space; /* counts that are left */
    uint64_t time;
    uint64_t length;
    uint64_t count;
} verso_tree_node;

static inline bool verso_tree_node_is_leaf(const verso_tree *tree, const verso_tree_node *node) {
    return verso_tree_is_leaf(tree, node->length, node->space, node->time);
}

/* Adds the nodes with all that is below them, if they are leaves or a closed form is known, of at most `runs_max` runs
 * (see tree_chain.c); else returns false. */
bool verso_tree_settle(const verso_tree *tree, verso_tree_node node, unsigned runs_max, verso_tree_total *total);

#endif
