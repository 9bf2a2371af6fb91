/* References for divide-and-conquer checkpointing: figs. 20 and 21 of paper 1, by plain recursion, counting as they go.
 */
#include "reference.h"
#include "reference_internal.h"

typedef struct tree {
    uint64_t alpha;
    verso_split split;
    reference_tree seen;
} tree;

static uint64_t mid(const tree *t, uint64_t delta, uint64_t tau, uint64_t sigma, uint64_t phi) {
    uint64_t kappa = t->split == VERSO_SPLIT_BISECTION ? (sigma + phi + 1) / 2
                                                       : (delta * sigma + tau * phi + delta + tau - 1) / (delta + tau);
    return reference_max(sigma + 1, reference_min(kappa, phi - 1));
}

static void leaf(tree *t, uint64_t length, uint64_t live, uint64_t depth) {
    t->seen.leaves++;
    t->seen.max_leaf = reference_max(t->seen.max_leaf, length);
    t->seen.max_live = reference_max(t->seen.max_live, live);
    t->seen.depth = reference_max(t->seen.depth, depth);
}

/* ---- Fig. 21 ---- */

static void binary(tree *t, uint64_t delta, uint64_t tau, uint64_t phi, uint64_t live, uint64_t depth) {
    if (phi <= t->alpha || delta == 0 || tau == 0) {
        leaf(t, phi, live, depth);
        return;
    }
    uint64_t kappa = mid(t, delta, tau, 0, phi);
    t->seen.recomputed += kappa;
    binary(t, delta - 1, tau, phi - kappa, live + 1, depth + 1);
    binary(t, delta, tau - 1, kappa, live, depth + 1);
}

reference_tree reference_binary(uint64_t n, uint64_t alpha, uint64_t d, uint64_t t, verso_split split) {
    tree result = {alpha, split, {0}};
    binary(&result, d, t, n, 0, 0);
    return result.seen;
}

/* ---- Fig. 20. FIRST and REST differ only in what they return; REST's tail call is the loop of `first`. ---- */

static void treeverse(tree *t, uint64_t delta, uint64_t tau, uint64_t beta, uint64_t sigma, uint64_t phi, uint64_t live,
                      uint64_t depth);

static void first(tree *t, uint64_t delta, uint64_t tau, uint64_t sigma, uint64_t phi, uint64_t live, uint64_t depth) {
    while (phi - sigma > t->alpha && delta != 0 && tau != 0) {
        uint64_t kappa = mid(t, delta, tau, sigma, phi);
        treeverse(t, delta, tau, sigma, kappa, phi, live, ++depth);
        phi = kappa;
        tau--;
    }
    leaf(t, phi - sigma, live, depth);
}

static void treeverse(tree *t, uint64_t delta, uint64_t tau, uint64_t beta, uint64_t sigma, uint64_t phi, uint64_t live,
                      uint64_t depth) {
    if (sigma > beta) {
        t->seen.recomputed += sigma - beta;
        first(t, delta - 1, tau, sigma, phi, live + 1, depth);
    } else {
        first(t, delta, tau, sigma, phi, live, depth);
    }
}

reference_tree reference_treeverse(uint64_t n, uint64_t alpha, uint64_t d, uint64_t t, verso_split split) {
    tree result = {alpha, split, {0}};
    treeverse(&result, d, t, 0, 0, n, 0, 0);
    return result.seen;
}

/* ---- When to end ---- */

static uint64_t leaves_wanted(uint64_t n, uint64_t alpha) {
    return (n + alpha - 1) / alpha;
}

uint64_t reference_tree_time(uint64_t n, uint64_t alpha, uint64_t d) {
    uint64_t t = 0;
    while (reference_beta(d, t) < leaves_wanted(n, alpha))
        t++;
    return t;
}

uint64_t reference_tree_space(uint64_t n, uint64_t alpha, uint64_t t) {
    return reference_tree_time(n, alpha, t);
}

uint64_t reference_tree_log(uint64_t n, uint64_t alpha) {
    uint64_t d = 0;
    while (reference_beta(d, d) < leaves_wanted(n, alpha))
        d++;
    return d;
}
