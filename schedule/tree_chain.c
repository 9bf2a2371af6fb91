/* See tree_chain.h. With the binomial split the following parts can be as long as the computation:
 *
 *   chain   a node that may introduce one more snapshot, or one more repetition: its leaves have one of two lengths
 *   thread  a node so short that one step is split off again and again
 *   spine   a node that may introduce two more: it is split repeatedly in the same direction and passes on a chain
 *           each time
 *
 * The lengths that a spine passes on decrease by the same number for many splits in succession (a run). The costs
 * of the chains are then polynomials of degree at most 2 in the index of the split, and three of them determine the
 * sum. */
#include "schedule/tree_chain.h"
#include "base/wide.h"

typedef struct costing {
    const verso__tree *tree;
    verso__tree_total *total;
} costing;

static void max_into(uint64_t *most, uint64_t value) {
    *most = verso__max_u64(*most, value);
}

static void add_leaf(costing *work, const verso__tree_node *node) {
    const verso__tree *tree = work->tree;
    work->total->leaves += node->count;
    max_into(&work->total->longest_leaf, node->length);
    max_into(&work->total->snapshots, tree->space - node->space);
    max_into(&work->total->repetition, tree->time - node->time);
    max_into(&work->total->depth, (tree->space - node->space) + (tree->time - node->time));
}

/* ---- Sums: exact modulo 2^128; the true values fit ---- */

static verso__wide pairs(uint64_t k) {
    return k % 2 == 0 ? (verso__wide)(k / 2) * (k - 1) : (verso__wide)((k - 1) / 2) * k;
}

static verso__wide triples(uint64_t k) {
    if (k < 3)
        return 0;
    uint64_t factors[3] = {k, k - 1, k - 2};
    factors[k % 3] /= 3;
    factors[factors[0] % 2 == 0 ? 0 : factors[1] % 2 == 0 ? 1 : 2] /= 2;
    return (verso__wide)factors[0] * factors[1] * factors[2];
}

/* The sum of first, first - step, ..., `count` terms. */
static verso__wide falling_sum(uint64_t first, uint64_t step, uint64_t count) {
    return count == 0 ? 0 : (verso__wide)count * first - step * pairs(count);
}

/* ---- Chains ---- */

/* Returns how many pieces of `piece` steps can be cut off `length` until at most a leaf is left, but at most
 * `most`. */
static uint64_t cuts(const costing *work, uint64_t length, uint64_t piece, uint64_t most) {
    uint64_t leaf = work->tree->leaf;
    if (length <= leaf)
        return 0;
    return verso__min_u64(most, (length - leaf + piece - 1) / piece);
}

/* space = 1: cuts off `times` right leaves of `piece` steps. The rest stays in the node, with `times` repetitions
 * less. */
static void cut_right(costing *work, verso__tree_node *node, uint64_t piece, uint64_t times) {
    if (times == 0)
        return;
    work->total->recomputed += node->count * falling_sum(node->length - piece, piece, times);
    verso__tree_node leaf = {.space = 0, .time = node->time - (times - 1), .length = piece, .count = node->count};
    add_leaf(work, &leaf);
    work->total->leaves += (verso__wide)node->count * (times - 1);
    node->length -= piece * times;
    node->time -= times;
}

static void add_right_chain(costing *work, verso__tree_node node) {
    uint64_t piece = node.length / (node.time + 1);
    if (piece == 0) {
        cut_right(work, &node, 1, cuts(work, node.length, 1, node.time));
    } else {
        uint64_t rest = node.length - piece * (node.time + 1);
        uint64_t times = rest > 0 ? node.time - rest + 1 : node.time;
        cut_right(work, &node, piece, cuts(work, node.length, piece, times));
        if (rest > 0 && !verso__tree_node_is_leaf(work->tree, &node))
            cut_right(work, &node, piece + 1, cuts(work, node.length, piece + 1, node.time));
    }
    add_leaf(work, &node);
}

/* time = 1: cuts off `times` left leaves of `piece` steps. Each split leaves a snapshot at the right part. */
static void cut_left(costing *work, verso__tree_node *node, uint64_t piece, uint64_t times) {
    if (times == 0)
        return;
    work->total->recomputed += node->count * ((verso__wide)piece * times);
    verso__tree_node leaf = {.space = node->space - (times - 1), .time = 0, .length = piece, .count = node->count};
    add_leaf(work, &leaf);
    work->total->leaves += (verso__wide)node->count * (times - 1);
    node->length -= piece * times;
    node->space -= times;
    work->total->writes += (verso__wide)node->count * (times - verso__tree_node_is_leaf(work->tree, node));
}

static void add_left_chain(costing *work, verso__tree_node node) {
    uint64_t piece = node.length / (node.space + 1);
    uint64_t rest = node.length - piece * (node.space + 1);
    cut_left(work, &node, piece + 1, cuts(work, node.length, piece + 1, verso__min_u64(rest, node.space)));
    if (!verso__tree_node_is_leaf(work->tree, &node) && piece > 0)
        cut_left(work, &node, piece, cuts(work, node.length, piece, node.space));
    add_leaf(work, &node);
}

static void add_chain(costing *work, verso__tree_node node) {
    if (verso__tree_node_is_leaf(work->tree, &node))
        add_leaf(work, &node);
    else if (node.space == 1)
        add_right_chain(work, node);
    else
        add_left_chain(work, node);
}

/* ---- Threads and spines ---- */

/* A node that is split repeatedly in one direction. Each time it keeps one part, with one less of the count
 * `along`, and passes on the other: the left part, with one repetition less, if it goes along the space; else the
 * right part, with one snapshot less. */
typedef struct spine {
    verso__tree_node node;
    bool along_space;
} spine;

static uint64_t along(const spine *s) {
    return s->along_space ? s->node.space : s->node.time;
}

static uint64_t handed_over(const costing *work, const spine *s) {
    uint64_t left = verso__tree_split(work->tree, s->node.length, s->node.space, s->node.time);
    return s->along_space ? left : s->node.length - left;
}

/* Splits of a spine that pass on first, first - fall, ... steps; or two such sequences in turn. */
typedef struct run {
    struct {
        uint64_t first;
        uint64_t off; /* |slope (a + 1) - first|: how far the parts are from being chains of equal leaves */
    } sequence[2];
    uint64_t period; /* 1 or 2 */
    uint64_t fall;   /* slope * period */
    uint64_t slope;
    uint64_t rounds;
} run;

/* Returns the part that the sequence passes on in a round. */
static verso__tree_node part_of(const spine *s, const run *r, uint64_t sequence, uint64_t round) {
    verso__tree_node part = s->node;
    uint64_t splits = r->period * round + sequence;
    part.length = r->sequence[sequence].first - r->fall * round;
    part.space -= s->along_space ? splits : 1;
    part.time -= s->along_space ? 1 : splits;
    return part;
}

static verso__wide handed_by(const run *r, uint64_t rounds) {
    verso__wide handed = falling_sum(r->sequence[0].first, r->fall, rounds);
    return r->period == 1 ? handed : handed + falling_sum(r->sequence[1].first, r->fall, rounds);
}

/* Adds the cost of the splits themselves, not of what is below the parts. */
static void go_along(costing *work, spine *s, const run *r) {
    uint64_t splits = r->period * r->rounds;
    verso__wide handed = handed_by(r, r->rounds);
    if (s->along_space) {
        s->node.space -= splits;
        work->total->recomputed += s->node.count * handed;
    } else { /* the period is 1 */
        uint64_t first = r->sequence[0].first;
        verso__wide kept =
            (verso__wide)splits * s->node.length - first * pairs(splits + 1) + r->fall * triples(splits + 1);
        s->node.time -= splits;
        work->total->recomputed += s->node.count * kept;
        if (first > work->tree->leaf)
            work->total->writes += (verso__wide)s->node.count * splits;
    }
    s->node.length -= (uint64_t)handed;
    if (s->along_space)
        work->total->writes += (verso__wide)s->node.count * (splits - verso__tree_node_is_leaf(work->tree, &s->node));
}

static void add_leaves(costing *work, const spine *s, const run *r, uint64_t sequence) {
    verso__tree_node leaf = part_of(s, r, sequence, 0);
    add_leaf(work, &leaf);
    leaf = part_of(s, r, sequence, r->rounds - 1);
    leaf.count = 0;
    add_leaf(work, &leaf);
    work->total->leaves += (verso__wide)s->node.count * (r->rounds - 1);
}

/* Adds a thread. Once a spine passes on single steps, it does so to the end. */
static void add_thread(costing *work, spine *s) {
    run r = {.sequence[0].first = 1, .period = 1, .rounds = s->node.length - work->tree->leaf};
    add_leaves(work, s, &r, 0);
    go_along(work, s, &r);
    add_leaf(work, &s->node);
}

/* ---- Runs of a spine whose other count is 2 ---- */

/* With a of `along` left, `first` steps are passed on if 0 <= x < a + 2, where x is the remainder of the division.
 * In each round x changes by the same number, and its bound decreases by the period. Returns for how many rounds
 * the condition holds. */
static uint64_t rounds_within(uint64_t x, uint64_t bound, bool rises, uint64_t change, uint64_t period) {
    if (rises)
        return (bound - 1 - x) / verso__add_u64(change, period) + 1;
    uint64_t rounds = change > 0 ? x / change + 1 : VERSO_UNKNOWN;
    return change < period ? verso__min_u64(rounds, (bound - 1 - x) / (period - change) + 1) : rounds;
}

static uint64_t distance_between(verso__wide a, verso__wide b) {
    return verso__narrow(a > b ? a - b : b - a);
}

/* Returns the run with a given slope, as far as the lengths follow it. `handed` are the steps that the next splits
 * pass on. */
static run run_with(const spine *s, uint64_t period, uint64_t slope, const uint64_t handed[2]) {
    uint64_t a = along(s);
    run r = {.period = period, .slope = slope, .fall = slope * period, .rounds = VERSO_UNKNOWN};
    uint64_t length = s->node.length;
    for (uint64_t i = 0; i < period; i++) {
        uint64_t other = period - 1 - i; /* the sequence on which x depends */
        uint64_t row = a - i;
        uint64_t x = distance_between((verso__wide)handed[i] * (row + 2), (verso__wide)2 * length);
        verso__wide even = (verso__wide)slope * (a - other + 1);
        bool rises = (handed[other] > even) == s->along_space;
        uint64_t change = verso__mul_u64(period, distance_between(even, handed[other]));
        r.rounds = verso__min_u64(r.rounds, rounds_within(x, row + 2, rises, change, period));
        r.rounds = verso__min_u64(r.rounds, (row - 2) / period + 1);
        if (r.fall > 0)
            r.rounds = verso__min_u64(r.rounds, (handed[i] - 1) / r.fall + 1);
        r.sequence[i].first = handed[i];
        r.sequence[i].off = distance_between((verso__wide)slope * (row + 1), handed[i]);
        length -= handed[i];
    }
    return r;
}

/* Shortens the run to rounds whose parts are leaves, or whose chains are cut in the same way. */
static void keep_alike(const costing *work, const spine *s, run *r) {
    uint64_t leaf = work->tree->leaf;
    for (uint64_t i = 0; i < r->period; i++) {
        uint64_t first = r->sequence[i].first;
        uint64_t row = along(s) - i;
        if (first <= leaf)
            continue;
        uint64_t lost = verso__add_u64(r->sequence[i].off, r->slope > 0 ? leaf / r->slope : 0);
        uint64_t alike = row >= lost ? (row - lost) / r->period + 1 : 1;
        if (r->fall > 0)
            alike = verso__min_u64(alike, (first - leaf - 1) / r->fall + 1);
        r->rounds = verso__min_u64(r->rounds, alike);
    }
}

/* Returns whether the node becomes a leaf before the last split of `rounds` rounds. */
static bool is_leaf_too_early(const costing *work, const spine *s, const run *r, uint64_t rounds) {
    uint64_t last = r->sequence[r->period - 1].first - r->fall * (rounds - 1);
    return s->node.length - (handed_by(r, rounds) - last) <= work->tree->leaf;
}

static void end_at_leaf(const costing *work, const spine *s, run *r) {
    if (!is_leaf_too_early(work, s, r, r->rounds))
        return;
    uint64_t low = 0; /* `low` rounds are possible, `high` are too many */
    uint64_t high = r->rounds;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (is_leaf_too_early(work, s, r, middle))
            high = middle;
        else
            low = middle;
    }
    r->rounds = low;
}

static run longest_run(const costing *work, const spine *s, uint64_t period, const uint64_t handed[2]) {
    uint64_t slope = handed[0] / (along(s) + 1);
    run r = run_with(s, period, slope, handed);
    run steeper = run_with(s, period, slope + 1, handed);
    if (steeper.rounds > r.rounds)
        r = steeper;
    keep_alike(work, s, &r);
    end_at_leaf(work, s, &r);
    return r;
}

/* Along the space, rounding can drive a spine to where two lengths alternate, and keep it there. */
static run next_run(const costing *work, const spine *s) {
    uint64_t handed[2] = {handed_over(work, s)};
    run r = longest_run(work, s, 1, handed);
    spine after = *s;
    after.node.length -= handed[0];
    after.node.space--;
    if (r.rounds > 4 || !s->along_space || after.node.space < 2 || verso__tree_node_is_leaf(work->tree, &after.node))
        return r;
    handed[1] = handed_over(work, &after);
    run two = longest_run(work, s, 2, handed);
    return two.rounds > 4 ? two : r;
}

/* Returns the sum of `count` terms of a polynomial of degree 2 whose first three terms are given. */
static verso__wide extrapolate(const verso__wide terms[3], uint64_t count) {
    verso__wide rise = terms[1] - terms[0];
    verso__wide bend = terms[2] - terms[1] - rise;
    return count * terms[0] + rise * pairs(count) + bend * triples(count);
}

static void add_alike_chains(costing *work, const spine *s, const run *r, uint64_t sequence) {
    verso__wide recomputed[3];
    verso__wide leaves[3];
    verso__wide writes[3];
    verso__tree_total sum = *work->total;
    for (uint64_t i = 4; i-- > 0;) { /* the last round, for the maxima, and the first three */
        verso__tree_node part = part_of(s, r, sequence, i < 3 ? i : r->rounds - 1);
        part.count = 1;
        work->total->recomputed = work->total->leaves = work->total->writes = 0;
        add_chain(work, part);
        recomputed[i % 3] = work->total->recomputed;
        leaves[i % 3] = work->total->leaves;
        writes[i % 3] = work->total->writes;
    }
    work->total->recomputed = sum.recomputed + s->node.count * extrapolate(recomputed, r->rounds);
    work->total->leaves = sum.leaves + s->node.count * extrapolate(leaves, r->rounds);
    work->total->writes = sum.writes + s->node.count * extrapolate(writes, r->rounds);
}

static void add_parts(costing *work, const spine *s, const run *r, uint64_t sequence) {
    if (r->sequence[sequence].first <= work->tree->leaf)
        add_leaves(work, s, r, sequence);
    else if (r->rounds > 4)
        add_alike_chains(work, s, r, sequence);
    else
        for (uint64_t round = 0; round < r->rounds; round++)
            add_chain(work, part_of(s, r, sequence, round));
}

/* Returns false and adds nothing if there are more than `runs_max` runs. */
static bool add_spine(costing *work, spine s, unsigned runs_max) {
    verso__tree_total before = *work->total;
    for (unsigned runs = 0; along(&s) > 1 && !verso__tree_node_is_leaf(work->tree, &s.node); runs++) {
        if (runs == runs_max) {
            *work->total = before;
            work->total->runs += runs;
            return false;
        }
        run r = next_run(work, &s);
        work->total->runs++;
        if (r.sequence[0].first == 1) {
            add_thread(work, &s);
            return true;
        }
        for (uint64_t sequence = 0; sequence < r.period; sequence++)
            add_parts(work, &s, &r, sequence);
        go_along(work, &s, &r);
    }
    add_chain(work, s.node);
    return true;
}

bool verso__tree_settle(const verso__tree *tree, verso__tree_node node, unsigned runs_max, verso__tree_total *total) {
    costing work = {.tree = tree, .total = total};
    spine s = {.node = node, .along_space = node.space >= node.time};
    if (verso__tree_node_is_leaf(tree, &node)) {
        add_leaf(&work, &node);
        return true;
    }
    if (tree->bisection)
        return false;
    if (node.space == 1 || node.time == 1)
        add_chain(&work, node);
    else if (node.space == 2 || node.time == 2)
        return runs_max > 0 && add_spine(&work, s, runs_max);
    else if (handed_over(&work, &s) == 1)
        add_thread(&work, &s);
    else
        return false;
    return true;
}
