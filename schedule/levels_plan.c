/* The decisions of levels.h: from the exact tables as far as they reach, else from full nodes and estimates. */
#include "base/search.h"
#include "base/wide.h"
#include "schedule/binomial.h"
#include "schedule/levels_full.h"

verso__level_node verso__levels_root(const verso__levels *levels, uint64_t steps) {
    uint64_t top = levels->tiers > 0 ? levels->tiers - 1 : 0;
    return (verso__level_node){.tier = top, .slots = levels->tier[top].capacity, .length = steps};
}

/* ---- Estimates for nodes that are not full ---- */

/* The cost without any tier, or on a free base. */
verso__wide verso__levels_base_cost(const verso__levels *levels, uint64_t n) {
    if (n <= 1)
        return 0;
    if (!levels->free_base)
        return VERSO_WIDE_MAX;
    return verso__mul_wide(levels->forward_cost, verso__min_forward(n, levels->tier[0].capacity));
}

/* Returns the index of the least price at which a full stored(k, m) has n steps, or of the highest price. The search
 * begins at the index `near`, which is probably close. */
static uint64_t price_near(const verso__levels *levels, uint64_t k, uint64_t m, uint64_t n, uint64_t near) {
    uint64_t low = 0;
    uint64_t high = levels->full.prices - 1;
    bool fits = verso__full_steps(levels, k, m, near) >= n;
    *(fits ? &high : &low) = fits || near == high ? near : near + 1;
    for (uint64_t far = 1; high - low > far; far *= 2) {
        uint64_t at = fits ? high - far : low + far - 1;
        bool enough = verso__full_steps(levels, k, m, at) >= n;
        *(enough ? &high : &low) = enough ? at : at + 1;
        if (enough != fits)
            break;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (verso__full_steps(levels, k, m, middle) >= n)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The same, beginning at the price of the whole schedule, which most nodes have. */
static uint64_t price_of(const verso__levels *levels, uint64_t k, uint64_t m, uint64_t n) {
    return price_near(levels, k, m, n, levels->full.fitting);
}

/* Returns a lower bound of the cost of n steps if they are worth this price each. */
static verso__wide cost_at(const verso__levels *levels, uint64_t k, uint64_t m, uint64_t n, uint64_t t) {
    verso__wide worth = verso__mul_wide(levels->forward_cost, verso__mul_wide(levels->full.price[t], n));
    verso__wide saving = verso__full_stored(levels, k, m, t).saving;
    return worth > saving ? (worth - saving + VERSO_PRICE_UNIT - 1) / VERSO_PRICE_UNIT : 0;
}

/* Returns the least cost of stored(k, m, n), or a lower bound of it. Searches for the price from *near, and sets *near
 * to the price found; the exact tables leave *near as it is. */
static verso__wide bound_stored(const verso__levels *levels, uint64_t k, uint64_t m, uint64_t n, uint64_t *near) {
    if (n <= levels->table_steps)
        return levels->exact[verso__levels_row(levels, k, m) * (levels->table_steps + 1) + n];
    uint64_t t = *near = price_near(levels, k, m, n, *near);
    verso__wide here = cost_at(levels, k, m, n, t);
    verso__wide before = t > 0 ? cost_at(levels, k, m, n, t - 1) : 0;
    return here > before ? here : before;
}

/* Steps that do not fit at the highest price cost more than that. */
static verso__wide estimate_stored(const verso__levels *levels, uint64_t k, uint64_t m, uint64_t n, uint64_t near) {
    verso__wide cost = bound_stored(levels, k, m, n, &near);
    if (n <= levels->table_steps || near + 1 < levels->full.prices)
        return cost;
    uint64_t fitting = verso__full_steps(levels, k, m, levels->full.prices - 1);
    verso__wide beyond = n > fitting ? n - fitting : 0;
    return verso__add_wide(cost, verso__mul_wide(levels->forward_cost, beyond * beyond / 2));
}

static verso__wide estimate_below(const verso__levels *levels, uint64_t k, uint64_t n, uint64_t near) {
    verso__wide best = verso__levels_base_cost(levels, n);
    for (uint64_t i = levels->free_base; i < k; i++) {
        verso__wide kept =
            verso__add_wide(levels->tier[i].write_cost, estimate_stored(levels, i, levels->tier[i].capacity, n, near));
        best = kept < best ? kept : best;
    }
    return best;
}

static verso__wide estimate_fresh(const verso__levels *levels, uint64_t k, uint64_t m, uint64_t n, uint64_t near) {
    verso__wide best = estimate_below(levels, k, n, near);
    if (m == 0 || (levels->free_base && k == 0))
        return best;
    verso__wide kept = verso__add_wide(levels->tier[k].write_cost, estimate_stored(levels, k, m, n, near));
    return kept < best ? kept : best;
}

verso__wide verso__levels_bound(const verso__levels *levels, uint64_t steps) {
    if (steps <= 1)
        return 0;
    if (levels->single)
        return levels->tier[0].write_cost + (verso__wide)levels->tier[0].read_cost * (steps - 1) +
               verso__mul_wide(levels->forward_cost, (verso__wide)steps * (steps - 1) / 2);
    verso__wide least = verso__levels_least(levels, steps);
    if (levels->full.stride > 1) /* with coarse prices, full nodes are not optimal at their price */
        return least;
    verso__wide best = verso__levels_base_cost(levels, steps);
    for (uint64_t k = levels->free_base; k < levels->tiers; k++) {
        uint64_t near = levels->full.fitting;
        verso__wide stored = bound_stored(levels, k, levels->tier[k].capacity, steps, &near);
        verso__wide kept = verso__add_wide(levels->tier[k].write_cost, stored);
        best = kept < best ? kept : best;
    }
    return best > least ? best : least;
}

/* ---- Decisions ---- */

/* Returns whether several slots of the tier are worth filling: it pays, and there are more steps than one slot suffices
 * for. */
static bool pays_several(const verso__levels *levels, uint64_t k, uint64_t n, uint64_t t) {
    return verso__full_pays(levels, k, 1, t) && n > verso__full_steps(levels, k, 1, t);
}

/* Returns whether t is the upper one of two prices between which the steps of the whole schedule lie, possibly a whole
 * number of forward steps lower; such prices count as one. The same applies to two prices between which a tier of
 * many slots begins to pay: there all numbers of slots are worth the same. */
static bool is_between(const verso__levels *levels, uint64_t k, uint64_t n, uint64_t t) {
    if (t == 0 || levels->full.stride > 1 || levels->full.price[t] - levels->full.price[t - 1] <= 1)
        return t > 0;
    return verso__full_has_many(levels, k) && !verso__full_pays(levels, k, 1, t - 1) && pays_several(levels, k, n, t);
}

/* A quick test for the clear case: the tier pays at a price at which the steps do not fit without it. */
static bool surely_pays(const verso__levels *levels, uint64_t k, uint64_t m, uint64_t n) {
    uint64_t t = levels->full.fitting;
    if (t > 0 && n <= verso__full_below(levels, k, t).steps)
        t = price_of(levels, k, m, n);
    return is_between(levels, k, n, t) && (verso__full_pays(levels, k, m, t - 1) || pays_several(levels, k, n, t));
}

static bool keep_here(const verso__levels *levels, const verso__level_node *fresh) {
    uint64_t k = fresh->tier;
    uint64_t m = fresh->slots;
    if (m == 0)
        return false;
    if (levels->single)
        return true;
    if (fresh->price > 0)
        return verso__full_pays(levels, k, m, fresh->price / levels->full.stride);
    if (fresh->length > levels->table_steps && surely_pays(levels, k, m, fresh->length))
        return true;
    uint64_t near = levels->full.fitting;
    verso__wide kept = verso__add_wide(levels->tier[k].write_cost, estimate_stored(levels, k, m, fresh->length, near));
    return kept < estimate_below(levels, k, fresh->length, near);
}

bool verso__levels_place(const verso__levels *levels, const verso__level_node *fresh, verso__level_node *stored) {
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

/* Returns false for forged price words. */
static bool split_full(const verso__levels *levels, const verso__level_node *node, verso__level_split *split) {
    uint64_t t = node->price / levels->full.stride;
    *split = (verso__level_split){.right.price = verso__full_word(levels, t)};
    if (verso__full_below(levels, node->tier, t).steps == node->length)
        return true;
    uint64_t right = verso__full_fresh_steps(levels, node->tier, node->slots - 1, t);
    if (right == 0 || right > node->length)
        return false;
    split->left = node->length - right;
    split->left_price = split->left > 0 ? verso__full_word_left(levels, node->price) : 0;
    split->right.tier = node->tier; /* even if nothing is left of it */
    split->right.slots = node->slots - 1;
    return true;
}

typedef struct choice {
    verso__wide cost;
    verso__level_split split;
} choice;

static void consider(choice *best, verso__wide cost, verso__level_split split) {
    if (cost < best->cost)
        *best = (choice){cost, split};
}

static void consider_full_left(const verso__levels *levels, const verso__level_node *node, uint64_t t, choice *best) {
    verso__full_node left = verso__full_stored(levels, node->tier, node->slots, t);
    if (left.steps == 0 || left.steps >= node->length)
        return;
    verso__wide cost = (verso__wide)levels->forward_cost * left.steps + levels->tier[node->tier].read_cost +
                       verso__full_cost(levels, &left, t);
    cost = verso__add_wide(cost, estimate_fresh(levels, node->tier, node->slots - 1, node->length - left.steps, t));
    consider(best, cost, (verso__level_split){.left = left.steps, .left_price = verso__full_word(levels, t)});
}

static void consider_full_right(const verso__levels *levels, const verso__level_node *node, uint64_t t, choice *best) {
    verso__full_node right = verso__full_fresh(levels, node->tier, node->slots - 1, t);
    if (right.steps == 0 || right.steps >= node->length)
        return;
    uint64_t rest = node->length - right.steps;
    verso__wide cost = (verso__wide)levels->forward_cost * rest + levels->tier[node->tier].read_cost +
                       verso__full_cost(levels, &right, t);
    cost = verso__add_wide(cost, estimate_stored(levels, node->tier, node->slots, rest, t));
    consider(best, cost, (verso__level_split){.left = rest, .right.price = verso__full_word(levels, t)});
}

/* Splits a node if no better way is known: gives the start up, or splits off the rightmost full part, or one step. */
static verso__level_split split_anyhow(const verso__levels *levels, const verso__level_node *node, uint64_t t) {
    uint64_t right = verso__full_fresh_steps(levels, node->tier, node->slots - 1, t);
    if (node->tier > 0 || levels->free_base)
        return (verso__level_split){0};
    if (right > 0 && right < node->length)
        return (verso__level_split){.left = node->length - right, .right.price = verso__full_word(levels, t)};
    return (verso__level_split){.left = 1};
}

/* Splits a node between two neighbouring prices: the left part is that at the higher price, without some of its
 * first parts. */
static verso__level_split split_left(const verso__levels *levels, const verso__level_node *node, uint64_t t) {
    for (; t > levels->full.series; t -= levels->full.series) {
        uint64_t before = t - levels->full.series;
        uint64_t part = verso__full_fresh_steps(levels, node->tier, node->slots - 1, before);
        uint64_t last = verso__full_steps(levels, node->tier, node->slots, before);
        if (part == 0 || !verso__full_read_pays(levels, node->tier, node->slots, before))
            break;
        if (last >= node->length)
            continue;
        uint64_t more = verso__min_u64((node->length - last - 1) / part, levels->full.stride - 1);
        return (verso__level_split){.left = last + more * part, .left_price = verso__full_word(levels, before) + more};
    }
    return split_anyhow(levels, node, t - 1);
}

/* Splits a node that has more steps than at one price and fewer than at the next: one part as at one of the prices
 * leaves a rest for the other that is again between the two. */
static verso__level_split split_between(const verso__levels *levels, const verso__level_node *node, uint64_t t) {
    uint64_t series = levels->full.series;
    uint64_t right = verso__full_fresh_steps(levels, node->tier, node->slots - 1, t - 1);
    uint64_t left =
        levels->full.stride > 1 || t <= series ? 0 : verso__full_steps(levels, node->tier, node->slots, t - series);
    if (right > 0 && right < node->length && node->length - right <= left &&
        verso__full_read_pays(levels, node->tier, node->slots, t - series))
        return (verso__level_split){.left = node->length - right, .right.price = verso__full_word(levels, t - 1)};
    return split_left(levels, node, t);
}

/* Splits a node with more steps than fit at the highest price: the left part is full at that price. */
static verso__level_split split_beyond(const verso__levels *levels, const verso__level_node *node) {
    uint64_t top = levels->full.prices - 1;
    if (!verso__full_read_pays(levels, node->tier, node->slots, top))
        return split_anyhow(levels, node, top);
    uint64_t left = verso__full_steps(levels, node->tier, node->slots, top);
    return (verso__level_split){.left = left, .left_price = verso__full_word(levels, top)};
}

bool verso__levels_goes_singly(const verso__levels *levels, const verso__level_node *node) {
    uint64_t top = levels->full.prices - 1;
    return node->tier == 0 && !levels->free_base && node->length > levels->table_steps &&
           verso__full_steps(levels, 0, node->slots, top) == 1 && !verso__full_read_pays(levels, 0, node->slots, top);
}

/* Splits a long node so that one part is full: the right one at a price near the node's own, or the left one about
 * a forward step lower. */
static verso__level_split split_long(const verso__levels *levels, const verso__level_node *node) {
    uint64_t price = price_of(levels, node->tier, node->slots, node->length);
    uint64_t series = levels->full.series;
    bool highest = price + 1 == levels->full.prices;
    if (highest && verso__full_steps(levels, node->tier, node->slots, price) < node->length)
        return split_beyond(levels, node);
    if (is_between(levels, node->tier, node->length, price))
        return split_between(levels, node, price);
    choice best = {.cost = estimate_below(levels, node->tier, node->length, price)};
    if (best.cost == VERSO_WIDE_MAX)
        best.split = split_between(levels, node, price);
    for (uint64_t t = price >= series ? price - series + 1 : 1; t < price + series && t < levels->full.prices; t++) {
        consider_full_right(levels, node, t, &best);
        if (t > series)
            consider_full_left(levels, node, t - series, &best);
    }
    return best.split;
}

/* A run of such splits. At price t a full node has the steps of one with a slot less and those of its own left
 * part, which is full at the price a forward step lower. If that is split off, the rest lacks the same number of
 * steps as before. */
typedef struct run {
    const verso__levels *levels;
    uint64_t tier, t, missing, more_than, slots;
} run;

/* Returns whether the node is surely kept, beyond the exact tables, and split_between leaves a full left part. */
static bool continues_run(const void *context, uint64_t slots) {
    const run *of = context;
    if (slots > of->slots) /* their steps may exceed the range; the node itself satisfies the condition */
        return true;
    uint64_t right = verso__full_steps(of->levels, of->tier, slots - 1, of->t);
    return right - verso__full_fresh_steps(of->levels, of->tier, slots - 1, of->t - 1) > of->missing &&
           verso__full_steps(of->levels, of->tier, slots, of->t) - of->missing > of->more_than;
}

uint64_t verso__levels_run(const verso__levels *levels, const verso__level_node *node, verso__level_node *last) {
    const verso__full *full = &levels->full;
    uint64_t k = node->tier;
    if (!verso__full_has_many(levels, k) || node->slots < 3)
        return 0;
    uint64_t t = price_of(levels, k, node->slots, node->length);
    uint64_t steps = verso__full_steps(levels, k, node->slots, t);
    if (steps < node->length || steps == UINT64_MAX || t <= full->series || t > full->fitting ||
        !is_between(levels, k, node->length, t) || !is_between(levels, k, 0, full->fitting) ||
        !verso__full_pays(levels, k, 1, t) || !verso__full_read_pays(levels, k, 1, t - full->series))
        return 0;
    run of = {.levels = levels, .tier = k, .t = t, .missing = steps - node->length, .slots = node->slots};
    uint64_t one_slot = verso__full_pays(levels, k, 1, t - 1) ? 0 : verso__full_steps(levels, k, 1, t);
    of.more_than = verso__max_u64(levels->table_steps, one_slot);
    if (!continues_run(&of, node->slots))
        return 0;
    *last = *node;
    last->slots = verso__least_above(1, continues_run, &of);
    last->length = verso__full_steps(levels, k, last->slots, t) - of.missing;
    return t;
}

static verso__level_split split_any(const verso__levels *levels, const verso__level_node *node) {
    verso__level_split split;
    if (node->length <= 1)
        return (verso__level_split){0};
    if (verso__levels_is_last(levels, node))
        return (verso__level_split){.left = node->length - 1};
    if (node->price > 0 && split_full(levels, node, &split))
        return split;
    if (node->length > levels->table_steps)
        return split_long(levels, node);
    uint64_t cell = verso__levels_row(levels, node->tier, node->slots) * (levels->table_steps + 1) + node->length;
    return (verso__level_split){.left = levels->exact_split[cell]};
}

verso__level_split verso__levels_split(const verso__levels *levels, const verso__level_node *node) {
    verso__level_split split = split_any(levels, node);
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
