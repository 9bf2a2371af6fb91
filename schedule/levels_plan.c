/* The exact tables of levels.h, and the decisions read from them and from the table of full nodes.
 *
 *   stored(k, m, n) = min( below(k, n),  min_j  j u + fresh(k, m-1, n-j) + r_k + stored(k, m, j) )
 *   fresh(k, m, n)  = min( below(k, n),  w_k + stored(k, m, n) ),    below(k, n) = fresh(k-1, all its slots, n) */
#include "schedule/levels_full.h"

#include <string.h>

#include "base/alloc.h"
#include "base/search.h"
#include "base/status.h"
#include "schedule/binomial.h"
#include "schedule/kind.h"

/* Work for exact tables: of the whole schedule, if they can reach that far (some milliseconds); else only of its ends.
 */
static const uint64_t exact_work_max = 4000000;
static const uint64_t exact_work_ends = 200000;
static const uint64_t slots_used_max = 65536; /* of one tier */

/* ---- Tiers ---- */

/* When a capsule is read `weight` times for each write. A tier that is cheaper in every respect is so for any weight.
 */
static bool cheaper(const verso_tier *a, const verso_tier *b, uint64_t weight) {
    verso_wide of_a = a->write_cost + (verso_wide)weight * a->read_cost;
    verso_wide of_b = b->write_cost + (verso_wide)weight * b->read_cost;
    return of_a != of_b ? of_a < of_b : a->read_cost < b->read_cost;
}

static void order_tiers(const verso_schedule_spec *spec, uint64_t weight, verso_levels *levels) {
    for (size_t i = 0; i < spec->tier_count; i++) {
        verso_tier tier = spec->tiers[i];
        tier.capacity = verso_min_u64(tier.capacity, spec->steps > 0 ? spec->steps - 1 : 0);
        if (tier.capacity == 0)
            continue;
        size_t at = levels->tiers++;
        for (; at > 0 && cheaper(&tier, &levels->tier[at - 1], weight); at--) {
            levels->tier[at] = levels->tier[at - 1];
            levels->id[at] = levels->id[at - 1];
        }
        levels->tier[at] = tier;
        levels->id[at] = (uint32_t)i;
    }
    levels->ordered = true;
    for (size_t k = 0; k < levels->tiers; k++) {
        bool free_base = k == 0 && levels->tier[0].write_cost == 0 && levels->tier[0].read_cost == 0;
        if (free_base || levels->tier[k].capacity <= slots_used_max)
            continue;
        levels->tier[k].capacity = slots_used_max; /* tables have a row a slot; a free base has none */
        levels->clipped = true;
    }
    for (size_t k = 1; k < levels->tiers; k++)
        if (levels->tier[k].write_cost < levels->tier[k - 1].write_cost ||
            levels->tier[k].read_cost < levels->tier[k - 1].read_cost)
            levels->ordered = false;
}

verso_status verso_levels_check(const verso_schedule_spec *spec, verso_error *error) {
    uint64_t limit = VERSO_STEPS_MAX;
    if (spec->tier_count == 0 || spec->tier_count > VERSO_TIERS_MAX)
        return verso_fail(error, VERSO_INVALID, "levels takes 1 to %d tiers, not %zu", (int)VERSO_TIERS_MAX,
                          spec->tier_count);
    uint64_t slots = 0;
    for (size_t i = 0; i < spec->tier_count; i++) {
        if (spec->tiers[i].write_cost > limit || spec->tiers[i].read_cost > limit)
            return verso_fail(error, VERSO_INVALID, "a cost of tier %zu is more than the %llu that can be planned with",
                              i, (unsigned long long)limit);
        slots = verso_add_u64(slots, spec->tiers[i].capacity);
    }
    if (slots == 0 && spec->steps > 1)
        return verso_fail(error, VERSO_IMPOSSIBLE,
                          "levels of %llu steps is impossible without slots: it needs at least 1",
                          (unsigned long long)spec->steps);
    return VERSO_OK;
}

/* One capsule for all: in the tier where one write and a read for each further step cost least. */
static void keep_cheapest_tier(verso_levels *levels, uint64_t steps) {
    size_t best = 0;
    verso_wide least = VERSO_WIDE_MAX;
    for (size_t k = 0; k < levels->tiers; k++) {
        verso_wide cost = levels->tier[k].write_cost + (verso_wide)levels->tier[k].read_cost * (steps - 1);
        if (cost < least) {
            least = cost;
            best = k;
        }
    }
    levels->tier[0] = levels->tier[best];
    levels->id[0] = levels->id[best];
    levels->tiers = 1;
    levels->single = levels->ordered = true;
}

/* ---- Exact tables ---- */

static verso_wide *exact_row(const verso_levels *levels, uint64_t tier, uint64_t slots) {
    return levels->exact + verso_levels_row(levels, tier, slots) * (levels->table_steps + 1);
}

static verso_wide free_base_cost(const verso_levels *levels, uint64_t n) {
    return verso_mul_wide(levels->forward_cost, verso_min_forward(n, levels->tier[0].capacity));
}

/* below(0, n), or below(1, n) on a free base. */
static verso_wide base_cost(const verso_levels *levels, uint64_t n) {
    if (n <= 1)
        return 0;
    return levels->free_base ? free_base_cost(levels, n) : VERSO_WIDE_MAX;
}

/* One row: stored(k, m, ·) from below(k, ·) and fresh(k, m-1, ·). */
static void fill_exact_row(verso_levels *levels, uint64_t k, uint64_t m, const verso_wide *below,
                           const verso_wide *right) {
    verso_wide *row = exact_row(levels, k, m);
    uint32_t *split = levels->exact_split + verso_levels_row(levels, k, m) * (levels->table_steps + 1);
    verso_wide u = levels->forward_cost;
    for (uint64_t n = 1; n <= levels->table_steps; n++) {
        row[n] = below[n];
        split[n] = 0;
        for (uint64_t j = 1; j < n; j++) {
            if (right[n - j] == VERSO_WIDE_MAX)
                continue;
            verso_wide cost = j * u + right[n - j] + levels->tier[k].read_cost + row[j];
            if (cost < row[n]) {
                row[n] = cost;
                split[n] = (uint32_t)j;
            }
        }
    }
}

static bool make_exact(verso_levels *levels) {
    uint64_t width = levels->table_steps + 1;
    levels->exact = verso_alloc(levels->rows * width, sizeof *levels->exact);
    levels->exact_split = verso_alloc(levels->rows * width, sizeof *levels->exact_split);
    verso_wide *below = verso_alloc(width, sizeof *below);
    verso_wide *right = verso_alloc(width, sizeof *right);
    bool memory = levels->exact != NULL && levels->exact_split != NULL && below != NULL && right != NULL;
    for (uint64_t n = 1; memory && n < width; n++)
        below[n] = base_cost(levels, n);
    for (uint64_t k = levels->free_base; memory && k < levels->tiers; k++) {
        for (uint64_t n = 1; n < width; n++)
            right[n] = below[n];
        for (uint64_t m = 1; m <= levels->tier[k].capacity; m++) {
            fill_exact_row(levels, k, m, below, right);
            const verso_wide *row = exact_row(levels, k, m);
            for (uint64_t n = 1; n < width; n++) {
                verso_wide kept = verso_add_wide(levels->tier[k].write_cost, row[n]);
                right[n] = kept < below[n] ? kept : below[n];
            }
        }
        for (uint64_t n = 1; n < width; n++)
            below[n] = right[n];
    }
    verso_dealloc(below);
    verso_dealloc(right);
    return memory;
}

/* ---- Making and clearing ---- */

typedef struct table_work {
    uint64_t rows;
    verso_wide most;
} table_work;

static bool is_too_much(const void *context, uint64_t steps) {
    const table_work *work = context;
    return (verso_wide)work->rows * steps * steps / 2 > work->most;
}

static uint64_t steps_within_work(uint64_t rows, uint64_t steps) {
    table_work work = {.rows = rows, .most = exact_work_max};
    if (!is_too_much(&work, steps))
        return steps;
    work.most = exact_work_ends;
    return verso_least_above(1, is_too_much, &work) - 1;
}

static verso_status make_ordered(const verso_schedule_spec *spec, uint64_t weight, verso_levels *levels,
                                 verso_error *error) {
    levels->forward_cost = spec->forward_cost;
    order_tiers(spec, weight, levels);
    bool one_slot = levels->tiers == 1 && levels->tier[0].capacity == 1;
    if (one_slot || spec->forward_cost == 0) {
        keep_cheapest_tier(levels, spec->steps);
        return VERSO_OK;
    }
    levels->free_base = levels->tier[0].write_cost == 0 && levels->tier[0].read_cost == 0;
    for (size_t k = levels->free_base; k < levels->tiers; k++) {
        levels->rows_at[k] = levels->rows;
        levels->rows = verso_add_u64(levels->rows, levels->tier[k].capacity);
    }
    if (levels->rows == 0) {
        levels->exact_all = true; /* nothing but a free base */
        return VERSO_OK;
    }
    levels->table_steps = steps_within_work(levels->rows, spec->steps);
    levels->exact_all = levels->table_steps == spec->steps;
    if (!make_exact(levels))
        return verso_fail(error, VERSO_NO_MEMORY, "no memory to plan levels of %llu slots",
                          (unsigned long long)levels->rows);
    return levels->exact_all ? VERSO_OK : verso_full_make(levels, spec->steps, error);
}

/* Where some tier is cheaper to write and another cheaper to read, neither order of the two is always better: the
 * orders for several weights are tried. */
verso_status verso_levels_make(const verso_schedule_spec *spec, verso_levels *levels, verso_error *error) {
    static const uint64_t weights[] = {2, 1, 4, 8, 16, 64};
    verso_status status = VERSO_OK;
    if (spec->steps > 1)
        status = make_ordered(spec, weights[0], levels, error);
    for (size_t i = 1;
         status == VERSO_OK && spec->steps > 1 && !levels->ordered && i < sizeof weights / sizeof *weights; i++) {
        verso_levels other = {0};
        order_tiers(spec, weights[i], &other);
        if (memcmp(other.id, levels->id, sizeof other.id) == 0)
            continue;
        other = (verso_levels){0};
        status = make_ordered(spec, weights[i], &other, error);
        bool better =
            status == VERSO_OK && verso_levels_bound(&other, spec->steps) < verso_levels_bound(levels, spec->steps);
        verso_levels_clear(better ? levels : &other);
        if (better)
            *levels = other;
    }
    return status;
}

void verso_levels_clear(void *plan) {
    verso_levels *levels = plan;
    verso_dealloc(levels->exact);
    verso_dealloc(levels->exact_split);
    verso_full_clear(levels);
}

verso_level_node verso_levels_root(const verso_levels *levels, uint64_t steps) {
    uint64_t top = levels->tiers > 0 ? levels->tiers - 1 : 0;
    return (verso_level_node){.tier = top, .slots = levels->tier[top].capacity, .length = steps};
}

/* ---- Estimates for nodes that are not full ---- */

/* The price at which a full stored(k, m) has about n steps: the saving's slope reaches n there. */
static uint64_t price_of(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t n) {
    const verso_wide *saving = levels->savings + verso_levels_row(levels, k, m) * levels->prices;
    verso_wide step = (verso_wide)levels->forward_cost * n;
    uint64_t low = 0;
    uint64_t high = levels->prices - 1;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        verso_wide rise = verso_mul_wide(levels->price[middle + 1] - levels->price[middle], step);
        if (rise > 0 && saving[middle + 1] - saving[middle] >= rise)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Least cost of stored(k, m, n), or a bound below it. */
static verso_wide estimate_stored(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t n) {
    if (n <= levels->table_steps)
        return exact_row(levels, k, m)[n];
    uint64_t t = price_of(levels, k, m, n);
    verso_wide worth = verso_mul_wide(levels->forward_cost, verso_mul_wide(levels->price[t], n));
    verso_wide saving = verso_full_stored(levels, k, m, t).saving;
    return worth > saving ? (worth - saving + VERSO_PRICE_UNIT - 1) / VERSO_PRICE_UNIT : 0;
}

static verso_wide estimate_below(const verso_levels *levels, uint64_t k, uint64_t n) {
    verso_wide best = base_cost(levels, n);
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
    verso_level_node root = verso_levels_root(levels, steps);
    return estimate_fresh(levels, root.tier, root.slots, steps);
}

/* ---- Decisions ---- */

static bool keep_here(const verso_levels *levels, const verso_level_node *fresh) {
    uint64_t k = fresh->tier;
    uint64_t m = fresh->slots;
    if (m == 0)
        return false;
    if (levels->single)
        return true;
    if (fresh->price > 0)
        return verso_full_pays(levels, k, m, fresh->price);
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

static verso_level_split split_full(const verso_levels *levels, const verso_level_node *node) {
    uint64_t t = node->price;
    uint64_t left = verso_full_left(levels, node->tier, node->slots, t);
    return (verso_level_split){.left = left, .left_price = left > 0 ? t - levels->series : 0, .right_price = t};
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
    consider(best, cost, (verso_level_split){.left = left.steps, .left_price = t});
}

static void consider_full_right(const verso_levels *levels, const verso_level_node *node, uint64_t t, choice *best) {
    verso_full_node right = verso_full_fresh(levels, node->tier, node->slots - 1, t);
    if (right.steps == 0 || right.steps >= node->length)
        return;
    uint64_t rest = node->length - right.steps;
    verso_wide cost = (verso_wide)levels->forward_cost * rest + levels->tier[node->tier].read_cost +
                      verso_full_cost(levels, &right, t);
    cost = verso_add_wide(cost, estimate_stored(levels, node->tier, node->slots, rest));
    consider(best, cost, (verso_level_split){.left = rest, .right_price = t});
}

/* One part full: the right one at some price near the node's own, or the left one near a forward step less. */
static verso_level_split split_long(const verso_levels *levels, const verso_level_node *node) {
    choice best = {.cost = estimate_below(levels, node->tier, node->length)};
    uint64_t price = price_of(levels, node->tier, node->slots, node->length);
    uint64_t reach = levels->series - 1;
    for (uint64_t t = price > reach ? price - reach : 1; t <= price + reach && t < levels->prices; t++) {
        consider_full_right(levels, node, t, &best);
        if (t > levels->series)
            consider_full_left(levels, node, t - levels->series, &best);
    }
    return best.split;
}

verso_level_split verso_levels_split(const verso_levels *levels, const verso_level_node *node) {
    if (levels->single)
        return (verso_level_split){.left = node->length - 1};
    if (node->price > 0) {
        verso_level_split split = split_full(levels, node);
        if (split.left < node->length) /* always, but for words that were read back and lie */
            return split;
    }
    if (node->length > levels->table_steps)
        return split_long(levels, node);
    uint64_t cell = verso_levels_row(levels, node->tier, node->slots) * (levels->table_steps + 1) + node->length;
    return (verso_level_split){.left = levels->exact_split[cell]};
}
