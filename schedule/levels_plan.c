/* The decisions of levels.h: read from the exact tables where they reach, else from full nodes and estimates. */
#include "base/search.h"
#include "base/wide.h"
#include "schedule/binomial.h"
#include "schedule/levels_full.h"

verso_level_node verso_levels_root(const verso_levels *levels, uint64_t steps) {
    uint64_t top = levels->tiers > 0 ? levels->tiers - 1 : 0;
    return (verso_level_node){.tier = top, .slots = levels->tier[top].capacity, .length = steps};
}

/* ---- Estimates for nodes that are not full ---- */

/* Without any tier, or on a free base. */
verso_wide verso_levels_base_cost(const verso_levels *levels, uint64_t n) {
    if (n <= 1)
        return 0;
    if (!levels->free_base)
        return VERSO_WIDE_MAX;
    return verso_mul_wide(levels->forward_cost, verso_min_forward(n, levels->tier[0].capacity));
}

/* The least price at which a full stored(k, m) has n steps, or the highest there is. */
static uint64_t price_of(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t n) {
    uint64_t low = 0;
    uint64_t high = levels->full.prices - 1;
    uint64_t likely = levels->full.fitting;
    if (likely > 0 && verso_full_steps(levels, k, m, likely) >= n) {
        high = likely;
        if (verso_full_steps(levels, k, m, likely - 1) < n)
            return likely;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (verso_full_steps(levels, k, m, middle) >= n)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* What n steps cost at least, if they are worth this price each. */
static verso_wide cost_at(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t n, uint64_t t) {
    verso_wide worth = verso_mul_wide(levels->forward_cost, verso_mul_wide(levels->full.price[t], n));
    verso_wide saving = verso_full_stored(levels, k, m, t).saving;
    return worth > saving ? (worth - saving + VERSO_PRICE_UNIT - 1) / VERSO_PRICE_UNIT : 0;
}

/* Least cost of stored(k, m, n), or a bound below it. */
static verso_wide bound_stored(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t n) {
    if (n <= levels->table_steps)
        return levels->exact[verso_levels_row(levels, k, m) * (levels->table_steps + 1) + n];
    uint64_t t = price_of(levels, k, m, n);
    verso_wide here = cost_at(levels, k, m, n, t);
    verso_wide before = t > 0 ? cost_at(levels, k, m, n, t - 1) : 0;
    return here > before ? here : before;
}

/* Steps that do not fit at the highest price are dearer than that. */
static verso_wide estimate_stored(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t n) {
    verso_wide cost = bound_stored(levels, k, m, n);
    if (n <= levels->table_steps)
        return cost;
    uint64_t fitting = verso_full_steps(levels, k, m, levels->full.prices - 1);
    verso_wide beyond = n > fitting ? n - fitting : 0;
    return verso_add_wide(cost, verso_mul_wide(levels->forward_cost, beyond * beyond / 2));
}

static verso_wide estimate_below(const verso_levels *levels, uint64_t k, uint64_t n) {
    verso_wide best = verso_levels_base_cost(levels, n);
    for (uint64_t i = levels->free_base; i < k; i++) {
        verso_wide kept =
            verso_add_wide(levels->tier[i].write_cost, estimate_stored(levels, i, levels->tier[i].capacity, n));
        best = kept < best ? kept : best;
    }
    return best;
}

static verso_wide estimate_fresh(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t n) {
    verso_wide best = estimate_below(levels, k, n);
    if (m == 0 || (levels->free_base && k == 0))
        return best;
    verso_wide kept = verso_add_wide(levels->tier[k].write_cost, estimate_stored(levels, k, m, n));
    return kept < best ? kept : best;
}

verso_wide verso_levels_bound(const verso_levels *levels, uint64_t steps) {
    if (steps <= 1)
        return 0;
    if (levels->single)
        return levels->tier[0].write_cost + (verso_wide)levels->tier[0].read_cost * (steps - 1) +
               verso_mul_wide(levels->forward_cost, (verso_wide)steps * (steps - 1) / 2);
    verso_wide least = verso_levels_least(levels, steps);
    if (levels->full.stride > 1) /* full nodes are not the best of their price */
        return least;
    verso_wide best = verso_levels_base_cost(levels, steps);
    for (uint64_t k = levels->free_base; k < levels->tiers; k++) {
        verso_wide stored = bound_stored(levels, k, levels->tier[k].capacity, steps);
        verso_wide kept = verso_add_wide(levels->tier[k].write_cost, stored);
        best = kept < best ? kept : best;
    }
    return best > least ? best : least;
}

/* ---- Decisions ---- */

/* Whether several slots of the tier are worth filling: it pays, and there are more steps than one slot makes room for.
 */
static bool pays_several(const verso_levels *levels, uint64_t k, uint64_t n, uint64_t t) {
    return verso_full_pays(levels, k, 1, t) && n > verso_full_steps(levels, k, 1, t);
}

/* The two prices between which the steps of the whole schedule lie, or whole forward steps less: as good as one. So are
 * those between which a tier of many slots begins to pay: where it does, all numbers of slots are worth the same. */
static bool is_between(const verso_levels *levels, uint64_t k, uint64_t n, uint64_t t) {
    if (t == 0 || levels->full.stride > 1 || levels->full.price[t] - levels->full.price[t - 1] <= 1)
        return t > 0;
    return verso_full_has_many(levels, k) && !verso_full_pays(levels, k, 1, t - 1) && pays_several(levels, k, n, t);
}

/* Quickly, where there is no doubt: the tier pays at a price at which the steps do not fit without it. */
static bool surely_pays(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t n) {
    uint64_t t = levels->full.fitting;
    if (t > 0 && n <= verso_full_below(levels, k, t).steps)
        t = price_of(levels, k, m, n);
    return is_between(levels, k, n, t) && (verso_full_pays(levels, k, m, t - 1) || pays_several(levels, k, n, t));
}

static bool keep_here(const verso_levels *levels, const verso_level_node *fresh) {
    uint64_t k = fresh->tier;
    uint64_t m = fresh->slots;
    if (m == 0)
        return false;
    if (levels->single)
        return true;
    if (fresh->price > 0)
        return verso_full_pays(levels, k, m, fresh->price / levels->full.stride);
    if (fresh->length > levels->table_steps && surely_pays(levels, k, m, fresh->length))
        return true;
    verso_wide kept = verso_add_wide(levels->tier[k].write_cost, estimate_stored(levels, k, m, fresh->length));
    return kept < estimate_below(levels, k, fresh->length);
}

bool verso_levels_place(const verso_levels *levels, const verso_level_node *fresh, verso_level_node *stored) {
    *stored = *fresh;
    for (;;) {
        if (levels->free_base && stored->tier == 0)
            return false;
        if (keep_here(levels, stored) || stored->tier == 0)
            return true;
        stored->tier--;
        stored->slots = levels->tier[stored->tier].capacity;
    }
}

/* False for words that were read back and lie. */
static bool split_full(const verso_levels *levels, const verso_level_node *node, verso_level_split *split) {
    uint64_t t = node->price / levels->full.stride;
    *split = (verso_level_split){.right.price = verso_full_word(levels, t)};
    if (verso_full_below(levels, node->tier, t).steps == node->length)
        return true;
    uint64_t right = verso_full_fresh_steps(levels, node->tier, node->slots - 1, t);
    if (right == 0 || right > node->length)
        return false;
    split->left = node->length - right;
    split->left_price = split->left > 0 ? verso_full_word_left(levels, node->price) : 0;
    split->right.tier = node->tier; /* also where nothing is left of it */
    split->right.slots = node->slots - 1;
    return true;
}

typedef struct choice {
    verso_wide cost;
    verso_level_split split;
} choice;

static void consider(choice *best, verso_wide cost, verso_level_split split) {
    if (cost < best->cost)
        *best = (choice){cost, split};
}

static void consider_full_left(const verso_levels *levels, const verso_level_node *node, uint64_t t, choice *best) {
    verso_full_node left = verso_full_stored(levels, node->tier, node->slots, t);
    if (left.steps == 0 || left.steps >= node->length)
        return;
    verso_wide cost = (verso_wide)levels->forward_cost * left.steps + levels->tier[node->tier].read_cost +
                      verso_full_cost(levels, &left, t);
    cost = verso_add_wide(cost, estimate_fresh(levels, node->tier, node->slots - 1, node->length - left.steps));
    consider(best, cost, (verso_level_split){.left = left.steps, .left_price = verso_full_word(levels, t)});
}

static void consider_full_right(const verso_levels *levels, const verso_level_node *node, uint64_t t, choice *best) {
    verso_full_node right = verso_full_fresh(levels, node->tier, node->slots - 1, t);
    if (right.steps == 0 || right.steps >= node->length)
        return;
    uint64_t rest = node->length - right.steps;
    verso_wide cost = (verso_wide)levels->forward_cost * rest + levels->tier[node->tier].read_cost +
                      verso_full_cost(levels, &right, t);
    cost = verso_add_wide(cost, estimate_stored(levels, node->tier, node->slots, rest));
    consider(best, cost, (verso_level_split){.left = rest, .right.price = verso_full_word(levels, t)});
}

/* Where nothing better is known: the start is given up, or else the rightmost full part that there is, or one step. */
static verso_level_split split_anyhow(const verso_levels *levels, const verso_level_node *node, uint64_t t) {
    uint64_t right = verso_full_fresh_steps(levels, node->tier, node->slots - 1, t);
    if (node->tier > 0 || levels->free_base)
        return (verso_level_split){0};
    if (right > 0 && right < node->length)
        return (verso_level_split){.left = node->length - right, .right.price = verso_full_word(levels, t)};
    return (verso_level_split){.left = 1};
}

/* The left part as a node between two neighbouring prices has it at the higher one, less some of its first parts. */
static verso_level_split split_left(const verso_levels *levels, const verso_level_node *node, uint64_t t) {
    for (; t > levels->full.series; t -= levels->full.series) {
        uint64_t before = t - levels->full.series;
        uint64_t part = verso_full_fresh_steps(levels, node->tier, node->slots - 1, before);
        uint64_t last = verso_full_steps(levels, node->tier, node->slots, before);
        if (part == 0 || !verso_full_read_pays(levels, node->tier, node->slots, before))
            break;
        if (last >= node->length)
            continue;
        uint64_t more = verso_min_u64((node->length - last - 1) / part, levels->full.stride - 1);
        return (verso_level_split){.left = last + more * part, .left_price = verso_full_word(levels, before) + more};
    }
    return split_anyhow(levels, node, t - 1);
}

/* A node between two neighbouring prices, at which it has fewer and more steps than wanted: one part as it is at one of
 * them leaves to the other what lies between what that has. */
static verso_level_split split_between(const verso_levels *levels, const verso_level_node *node, uint64_t t) {
    uint64_t series = levels->full.series;
    uint64_t right = verso_full_fresh_steps(levels, node->tier, node->slots - 1, t - 1);
    uint64_t left =
        levels->full.stride > 1 || t <= series ? 0 : verso_full_steps(levels, node->tier, node->slots, t - series);
    if (right > 0 && right < node->length && node->length - right <= left &&
        verso_full_read_pays(levels, node->tier, node->slots, t - series))
        return (verso_level_split){.left = node->length - right, .right.price = verso_full_word(levels, t - 1)};
    return split_left(levels, node, t);
}

/* A node with more steps than fit at the highest price: the left part at that price. */
static verso_level_split split_beyond(const verso_levels *levels, const verso_level_node *node) {
    uint64_t top = levels->full.prices - 1;
    if (!verso_full_read_pays(levels, node->tier, node->slots, top))
        return split_anyhow(levels, node, top);
    uint64_t left = verso_full_steps(levels, node->tier, node->slots, top);
    return (verso_level_split){.left = left, .left_price = verso_full_word(levels, top)};
}

bool verso_levels_goes_singly(const verso_levels *levels, const verso_level_node *node) {
    uint64_t top = levels->full.prices - 1;
    return node->tier == 0 && !levels->free_base && node->length > levels->table_steps &&
           verso_full_steps(levels, 0, node->slots, top) == 1 && !verso_full_read_pays(levels, 0, node->slots, top);
}

/* One part full: the right one at some price near the node's own, or the left one near a forward step less. */
static verso_level_split split_long(const verso_levels *levels, const verso_level_node *node) {
    uint64_t price = price_of(levels, node->tier, node->slots, node->length);
    uint64_t series = levels->full.series;
    bool highest = price + 1 == levels->full.prices;
    if (highest && verso_full_steps(levels, node->tier, node->slots, price) < node->length)
        return split_beyond(levels, node);
    if (is_between(levels, node->tier, node->length, price))
        return split_between(levels, node, price);
    choice best = {.cost = estimate_below(levels, node->tier, node->length)};
    if (best.cost == VERSO_WIDE_MAX)
        best.split = split_between(levels, node, price);
    for (uint64_t t = price >= series ? price - series + 1 : 1; t < price + series && t < levels->full.prices; t++) {
        consider_full_right(levels, node, t, &best);
        if (t > series)
            consider_full_left(levels, node, t - series, &best);
    }
    return best.split;
}

/* At the price t a full node has the steps of one with a slot less and those of its own left part, which is full at the
 * price a forward step lower. So if that is split off, what is left misses as many of the steps that fit as before. */
typedef struct run {
    const verso_levels *levels;
    uint64_t tier, t, missing, more_than;
} run;

/* Whether the node is one that is surely kept, beyond the exact tables, and split_between leaves a full left part. */
static bool is_alike(const void *context, uint64_t slots) {
    const run *of = context;
    uint64_t right = verso_full_steps(of->levels, of->tier, slots - 1, of->t);
    return right - verso_full_fresh_steps(of->levels, of->tier, slots - 1, of->t - 1) > of->missing &&
           verso_full_steps(of->levels, of->tier, slots, of->t) - of->missing > of->more_than;
}

uint64_t verso_levels_run(const verso_levels *levels, const verso_level_node *node, verso_level_node *last) {
    const verso_full *full = &levels->full;
    uint64_t k = node->tier;
    if (!verso_full_has_many(levels, k) || node->slots < 3)
        return 0;
    uint64_t t = price_of(levels, k, node->slots, node->length);
    uint64_t steps = verso_full_steps(levels, k, node->slots, t);
    if (steps < node->length || steps == UINT64_MAX || t <= full->series || t > full->fitting ||
        !is_between(levels, k, node->length, t) || !is_between(levels, k, 0, full->fitting) ||
        !verso_full_pays(levels, k, 1, t) || !verso_full_read_pays(levels, k, 1, t - full->series))
        return 0;
    run of = {.levels = levels, .tier = k, .t = t, .missing = steps - node->length};
    uint64_t one_slot = verso_full_pays(levels, k, 1, t - 1) ? 0 : verso_full_steps(levels, k, 1, t);
    of.more_than = verso_max_u64(levels->table_steps, one_slot);
    if (!is_alike(&of, node->slots))
        return 0;
    *last = *node;
    last->slots = verso_least_above(1, is_alike, &of);
    last->length = verso_full_steps(levels, k, last->slots, t) - of.missing;
    return t;
}

static verso_level_split split_any(const verso_levels *levels, const verso_level_node *node) {
    verso_level_split split;
    if (node->length <= 1)
        return (verso_level_split){0};
    if (verso_levels_is_last(levels, node))
        return (verso_level_split){.left = node->length - 1};
    if (node->price > 0 && split_full(levels, node, &split))
        return split;
    if (node->length > levels->table_steps)
        return split_long(levels, node);
    uint64_t cell = verso_levels_row(levels, node->tier, node->slots) * (levels->table_steps + 1) + node->length;
    return (verso_level_split){.left = levels->exact_split[cell]};
}

verso_level_split verso_levels_split(const verso_levels *levels, const verso_level_node *node) {
    verso_level_split split = split_any(levels, node);
    split.right.length = node->length - split.left;
    if (split.left > 0) {
        split.right.tier = node->tier;
        split.right.slots = node->slots - 1;
    } else if (split.right.slots == 0) {
        split.right.tier = node->tier > 0 ? node->tier - 1 : 0;
        split.right.slots = levels->tier[split.right.tier].capacity;
    }
    return split;
}
