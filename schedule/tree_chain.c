/* See tree_chain.h. With the binomial split these can be as long as the computation:
 *
 *   chain   a node that may introduce one more snapshot, or one more repetition: its leaves have one of two lengths
 *   thread  a node so short that one step is split off again and again
 *   spine   a node that may introduce two more: it is split again and again in the same direction, and hands over a
 *           chain each time
 *
 * The lengths that a spine hands over fall by the same number for many splits on end. Then the costs of the chains are
 * polynomials, of second degree at most, in the number of the split, and three of them give the sum. */
#include "schedule/tree_chain.h"

typedef struct costing {
    const verso_tree *tree;
    verso_tree_total *total;
} costing;

static void max_into(uint64_t *most, uint64_t value) {
    *most = verso_max_u64(*most, value);
}

static void add_leaf(costing *work, const verso_tree_node *node) {
    const verso_tree *tree = work->tree;
    work->total->leaves += node->count;
    max_into(&work->total->longest_leaf, node->length);
    max_into(&work->total->snapshots, tree->space - node->space);
    max_into(&work->total->repetition, tree->time - node->time);
    max_into(&work->total->depth, (tree->space - node->space) + (tree->time - node->time));
}

/* ---- Sums: exact modulo 2^128, and what they are sums of fits ---- */

static verso_wide pairs(verso_wide k) {
    return k % 2 == 0 ? k / 2 * (k - 1) : (k - 1) / 2 * k;
}

static verso_wide triples(verso_wide k) {
    if (k < 3)
        return 0;
    verso_wide product = pairs(k); /* of which a third may not be a whole number, but then that of k - 2 is */
    return k % 3 == 2 ? product * ((k - 2) / 3) : product / 3 * (k - 2);
}

/* Sum of first, first - step, …, `count` terms. */
static verso_wide falling_sum(verso_wide first, verso_wide step, verso_wide count) {
    return count == 0 ? 0 : count * first - step * pairs(count);
}

/* ---- Chains ---- */

/* How many pieces of `piece` may be cut off `length` until at most the leaf length is left, but no more than `most`. */
static uint64_t cuts(const costing *work, uint64_t length, uint64_t piece, uint64_t most) {
    uint64_t leaf = work->tree->leaf;
    if (length <= leaf)
        return 0;
    return verso_min_u64(most, (length - leaf + piece - 1) / piece);
}

/* space = 1: right leaves of `piece` steps are cut off `times` times; what is left stays, with `times` less time. */
static void cut_right(costing *work, verso_tree_node *node, uint64_t piece, uint64_t times) {
    if (times == 0)
        return;
    work->total->recomputed += node->count * falling_sum(node->length - piece, piece, times);
    verso_tree_node leaf = {.space = 0, .time = node->time - (times - 1), .length = piece, .count = node->count};
    add_leaf(work, &leaf);
    work->total->leaves += (verso_wide)node->count * (times - 1);
    node->length -= piece * times;
    node->time -= times;
}

static void add_right_chain(costing *work, verso_tree_node node) {
    uint64_t piece = node.length / (node.time + 1);
    if (piece == 0) {
        cut_right(work, &node, 1, cuts(work, node.length, 1, node.time));
    } else {
        uint64_t rest = node.length - piece * (node.time + 1);
        uint64_t times = rest > 0 ? node.time - rest + 1 : node.time;
        cut_right(work, &node, piece, cuts(work, node.length, piece, times));
        if (rest > 0 && !verso_tree_node_is_leaf(work->tree, &node))
            cut_right(work, &node, piece + 1, cuts(work, node.length, piece + 1, node.time));
    }
    add_leaf(work, &node);
}

/* time = 1: left leaves of `piece` steps are cut off `times` times, each split leaving a snapshot at the right part. */
static void cut_left(costing *work, verso_tree_node *node, uint64_t piece, uint64_t times) {
    if (times == 0)
        return;
    work->total->recomputed += node->count * ((verso_wide)piece * times);
    verso_tree_node leaf = {.space = node->space - (times - 1), .time = 0, .length = piece, .count = node->count};
    add_leaf(work, &leaf);
    work->total->leaves += (verso_wide)node->count * (times - 1);
    node->length -= piece * times;
    node->space -= times;
    work->total->writes += (verso_wide)node->count * (times - verso_tree_node_is_leaf(work->tree, node));
}

static void add_left_chain(costing *work, verso_tree_node node) {
    uint64_t piece = node.length / (node.space + 1);
    uint64_t rest = node.length - piece * (node.space + 1);
    cut_left(work, &node, piece + 1, cuts(work, node.length, piece + 1, verso_min_u64(rest, node.space)));
    if (!verso_tree_node_is_leaf(work->tree, &node) && piece > 0)
        cut_left(work, &node, piece, cuts(work, node.length, piece, node.space));
    add_leaf(work, &node);
}

static void add_chain(costing *work, verso_tree_node node) {
    if (verso_tree_node_is_leaf(work->tree, &node))
        add_leaf(work, &node);
    else if (node.space == 1)
        add_right_chain(work, node);
    else
        add_left_chain(work, node);
}

/* ---- Threads and spines ---- */

/* A node that is split again and again in one direction. Each time it keeps one part, with one less of the count
 * `along`, and hands the other over: the left part, with one repetition less, if it goes along the space, else the
 * right part, with one snapshot less. */
typedef struct spine {
    verso_tree_node node;
    bool along_space;
} spine;

static uint64_t along(const spine *s) {
    return s->along_space ? s->node.space : s->node.time;
}

static uint64_t handed_over(const costing *work, const spine *s) {
    uint64_t left = verso_tree_split(work->tree, s->node.length, s->node.space, s->node.time);
    return s->along_space ? left : s->node.length - left;
}

/* What is handed over at the split after `splits` more. */
static verso_tree_node part_of(const spine *s, uint64_t length, uint64_t splits) {
    verso_tree_node part = s->node;
    part.length = length;
    part.space -= s->along_space ? splits : 1;
    part.time -= s->along_space ? 1 : splits;
    return part;
}

/* `splits` splits that hand over `first`, first - fall, … steps. What is below them is not counted here. */
static void go_along(costing *work, spine *s, uint64_t first, uint64_t fall, uint64_t splits) {
    verso_wide handed = falling_sum(first, fall, splits);
    verso_wide kept = (verso_wide)splits * s->node.length - first * pairs((verso_wide)splits + 1) +
                      fall * triples((verso_wide)splits + 1);
    bool parts_are_leaves = first <= work->tree->leaf;
    s->node.length -= (uint64_t)handed;
    s->node.space -= s->along_space ? splits : 0;
    s->node.time -= s->along_space ? 0 : splits;
    work->total->recomputed += s->node.count * (s->along_space ? handed : kept);
    if (s->along_space)
        work->total->writes += (verso_wide)s->node.count * (splits - verso_tree_node_is_leaf(work->tree, &s->node));
    else if (!parts_are_leaves)
        work->total->writes += (verso_wide)s->node.count * splits;
}

static void add_leaves(costing *work, const spine *s, uint64_t first, uint64_t fall, uint64_t splits) {
    verso_tree_node leaf = part_of(s, first, 0);
    add_leaf(work, &leaf);
    leaf = part_of(s, first - fall * (splits - 1), splits - 1);
    leaf.count = 0;
    add_leaf(work, &leaf);
    work->total->leaves += (verso_wide)s->node.count * (splits - 1);
}

/* Hands over one step at a time to the end: once it is one step it stays so. */
static void add_thread(costing *work, spine *s) {
    uint64_t splits = s->node.length - work->tree->leaf;
    add_leaves(work, s, 1, 0, splits);
    go_along(work, s, 1, 0, splits);
    add_leaf(work, &s->node);
}

/* A run of splits of a spine whose other count is 2. At the j-th, a - j of `along` are left and first - fall j steps
 * are handed over, if 0 <= x + slope j < a + 2 - j: what the division leaves is linear in j. */
typedef struct run {
    uint64_t first, fall;
    uint64_t splits;
    uint64_t off; /* |fall (a + 1) - first|: how far the parts are from being chains of equal leaves */
} run;

/* The run with a given fall, as far as the lengths follow it. */
static run run_with(const spine *s, uint64_t first, uint64_t fall) {
    uint64_t a = along(s);
    verso_wide divided = (verso_wide)2 * s->node.length;
    verso_wide product = (verso_wide)first * (a + 2);
    uint64_t x = (uint64_t)(s->along_space ? product - divided : divided - product);
    verso_wide equal = (verso_wide)fall * (a + 1);
    bool falls_faster = equal >= first;
    run r = {.first = first, .fall = fall, .off = verso_narrow(falls_faster ? equal - first : first - equal)};
    bool rises = r.off == 0 || falls_faster != s->along_space; /* x does */
    uint64_t last = rises ? (a + 1 - x) / verso_add_u64(r.off, 1) : x / r.off;
    last = verso_min_u64(last, a - 2);
    if (fall > 0)
        last = verso_min_u64(last, (first - 1) / fall);
    r.splits = last + 1;
    return r;
}

/* As far as parts are leaves, or their chains are cut in the same way. */
static void keep_alike(const costing *work, const spine *s, run *r) {
    uint64_t leaf = work->tree->leaf;
    uint64_t a = along(s);
    uint64_t alike = r->splits;
    if (r->first > leaf && r->fall == 0) {
        alike = a >= r->off ? a - r->off + 1 : 0;
    } else if (r->first > leaf) {
        uint64_t lost = verso_add_u64(r->off, leaf / r->fall);
        alike = verso_min_u64((r->first - leaf - 1) / r->fall + 1, a + 1 > lost ? a + 1 - lost : 0);
    }
    r->splits = verso_max_u64(verso_min_u64(r->splits, alike), 1);
}

static verso_wide length_after(const spine *s, const run *r, uint64_t splits) {
    return s->node.length - falling_sum(r->first, r->fall, splits);
}

/* The node itself must not become a leaf before the last split. */
static void end_at_leaf(const costing *work, const spine *s, run *r) {
    if (length_after(s, r, r->splits - 1) > work->tree->leaf)
        return;
    uint64_t low = 1; /* so many splits are well, `high` too many */
    uint64_t high = r->splits;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (length_after(s, r, middle - 1) > work->tree->leaf)
            low = middle;
        else
            high = middle;
    }
    r->splits = low;
}

static run next_run(const costing *work, const spine *s) {
    uint64_t first = handed_over(work, s);
    uint64_t fall = first / (along(s) + 1);
    run r = run_with(s, first, fall);
    run steeper = run_with(s, first, fall + 1);
    if (steeper.splits > r.splits)
        r = steeper;
    keep_alike(work, s, &r);
    end_at_leaf(work, s, &r);
    return r;
}

/* The sum of `count` terms of a polynomial of degree 2, of which the first three are given. */
static verso_wide extrapolate(const verso_wide terms[3], uint64_t count) {
    verso_wide rise = terms[1] - terms[0];
    verso_wide bend = terms[2] - terms[1] - rise;
    return count * terms[0] + rise * pairs(count) + bend * triples(count);
}

static void add_chains(costing *work, const spine *s, const run *r) {
    verso_wide recomputed[3];
    verso_wide leaves[3];
    verso_wide writes[3];
    verso_tree_total *total = work->total;
    for (uint64_t i = 0; i < 4; i++) { /* the first three, and the last for what is greatest there */
        uint64_t j = i < 3 ? i : r->splits - 1;
        verso_tree_total one = *total;
        costing probe = {.tree = work->tree, .total = &one};
        verso_tree_node part = part_of(s, r->first - r->fall * j, j);
        part.count = 1;
        one.recomputed = one.leaves = one.writes = 0;
        add_chain(&probe, part);
        if (i < 3) {
            recomputed[i] = one.recomputed;
            leaves[i] = one.leaves;
            writes[i] = one.writes;
        }
        one.recomputed = total->recomputed;
        one.leaves = total->leaves;
        one.writes = total->writes;
        *total = one;
    }
    total->recomputed += s->node.count * extrapolate(recomputed, r->splits);
    total->leaves += s->node.count * extrapolate(leaves, r->splits);
    total->writes += s->node.count * extrapolate(writes, r->splits);
}

static void add_spine(costing *work, spine s) {
    while (along(&s) > 1 && !verso_tree_node_is_leaf(work->tree, &s.node)) {
        run r = next_run(work, &s);
        if (r.first == 1) {
            add_thread(work, &s);
            return;
        }
        if (r.first <= work->tree->leaf)
            add_leaves(work, &s, r.first, r.fall, r.splits);
        else if (r.splits > 4)
            add_chains(work, &s, &r);
        else
            for (uint64_t j = 0; j < r.splits; j++)
                add_chain(work, part_of(&s, r.first - r.fall * j, j));
        go_along(work, &s, r.first, r.fall, r.splits);
    }
    add_chain(work, s.node);
}

bool verso_tree_settle(const verso_tree *tree, verso_tree_node node, verso_tree_total *total) {
    costing work = {.tree = tree, .total = total};
    spine s = {.node = node, .along_space = node.space >= node.time};
    if (verso_tree_node_is_leaf(tree, &node)) {
        add_leaf(&work, &node);
        return true;
    }
    if (tree->bisection)
        return false;
    if (node.space == 1 || node.time == 1)
        add_chain(&work, node);
    else if (node.space == 2 || node.time == 2)
        add_spine(&work, s);
    else if (handed_over(&work, &s) == 1)
        add_thread(&work, &s);
    else
        return false;
    return true;
}
