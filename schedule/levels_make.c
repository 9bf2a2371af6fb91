/* Orders the tiers of levels.h, leaves out those that cannot pay, and makes the exact tables.
 *
 *   stored(k, m, n) = min( below(k, n),  min_j  j u + fresh(k, m-1, n-j) + r_k + stored(k, m, j) )
 *   fresh(k, m, n)  = min( below(k, n),  w_k + stored(k, m, n) ),    below(k, n) = fresh(k-1, all its slots, n) */
#include "schedule/levels_full.h"

#include <string.h>

#include "base/alloc.h"
#include "base/search.h"
#include "base/status.h"
#include "schedule/binomial.h"
#include "schedule/cost.h"
#include "schedule/kind.h"

/* Work for exact tables: for the whole schedule if they can cover it (some milliseconds), else only for its ends. */
static const uint64_t exact_work_max = 4000000;
static const uint64_t exact_work_ends = 150000;
static const uint64_t slots_used_max = 65536; /* maximum number of slots used of one tier */
/* With more than three tiers each plan gets less work, because all subsets of tiers are planned, too (levels.c). */
enum { TIERS_IN_FULL = 3 };
enum { DEFAULT_WEIGHT = 2 };

/* ---- Tiers ---- */

/* Returns whether a is cheaper than b if a capsule is read `weight` times for each write. A tier that is cheaper in
 * both respects is cheaper for any weight. */
static bool is_cheaper(const verso_tier *a, const verso_tier *b, uint64_t weight) {
    verso__wide of_a = a->write_cost + (verso__wide)weight * a->read_cost;
    verso__wide of_b = b->write_cost + (verso__wide)weight * b->read_cost;
    return of_a != of_b ? of_a < of_b : a->read_cost < b->read_cost;
}

static void order_tiers(const verso_schedule_spec *spec, uint64_t weight, verso__levels *levels) {
    for (size_t i = 0; i < spec->tier_count; i++) {
        verso_tier tier = spec->tiers[i];
        tier.capacity = verso__min_u64(tier.capacity, spec->steps > 0 ? spec->steps - 1 : 0);
        if (tier.capacity == 0)
            continue;
        size_t at = levels->tiers++;
        for (; at > 0 && is_cheaper(&tier, &levels->tier[at - 1], weight); at--) {
            levels->tier[at] = levels->tier[at - 1];
            levels->id[at] = levels->id[at - 1];
        }
        levels->tier[at] = tier;
        levels->id[at] = (uint32_t)i;
    }
    levels->ordered = true;
    uint64_t most = levels->tiers > TIERS_IN_FULL ? slots_used_max >> (levels->tiers - 2) : slots_used_max;
    for (size_t k = 0; k < levels->tiers; k++) {
        bool free_base = k == 0 && levels->tier[0].write_cost == 0 && levels->tier[0].read_cost == 0;
        if (free_base || levels->tier[k].capacity <= most)
            continue;
        /* the chain of levels.h may pass through all slots, except those of a free base */
        levels->tier[k].capacity = most;
        levels->clipped = true;
    }
    for (size_t k = 1; k < levels->tiers; k++)
        if (levels->tier[k].write_cost < levels->tier[k - 1].write_cost ||
            levels->tier[k].read_cost < levels->tier[k - 1].read_cost)
            levels->ordered = false;
}

verso_status verso__levels_check(const verso_schedule_spec *spec, verso_error *error) {
    uint64_t limit = VERSO_STEPS_MAX;
    if (spec->tier_count == 0 || spec->tier_count > VERSO_TIERS_MAX)
        return verso__fail(error, VERSO_STATUS_INVALID, "levels takes 1 to %d tiers, not %zu", (int)VERSO_TIERS_MAX,
                           spec->tier_count);
    uint64_t slots = 0;
    for (size_t i = 0; i < spec->tier_count; i++) {
        if (spec->tiers[i].write_cost > limit || spec->tiers[i].read_cost > limit)
            return verso__fail(error, VERSO_STATUS_INVALID,
                               "a cost of tier %zu is more than the %llu that can be planned with", i,
                               (unsigned long long)limit);
        slots = verso__add_u64(slots, spec->tiers[i].capacity);
    }
    if (slots == 0 && spec->steps > 1)
        return verso__fail(error, VERSO_STATUS_IMPOSSIBLE,
                           "levels of %llu steps is impossible without slots: it needs at least 1",
                           (unsigned long long)spec->steps);
    return VERSO_STATUS_OK;
}

static verso__wide least_forward_cost(const verso__levels *levels, uint64_t steps) {
    uint64_t slots = 0;
    for (size_t k = 0; k < levels->tiers; k++)
        slots = verso__add_u64(slots, levels->tier[k].capacity);
    return verso__mul_wide(levels->forward_cost, verso__min_forward(steps, verso__min_u64(slots, steps - 1)));
}

static verso__wide single_cost(const verso_tier *tier, uint64_t steps) {
    return tier->write_cost + (verso__wide)tier->read_cost * (steps - 1);
}

/* Returns the cost of keeping everything in this tier by revolve's rule, on the best of several numbers of slots. */
static verso__wide revolve_cost(const verso__levels *levels, const verso_tier *tier, uint64_t steps) {
    verso__wide least = VERSO_WIDE_MAX;
    for (uint64_t slots = 1; slots > 0;
         slots = slots < tier->capacity ? verso__min_u64(2 * slots, tier->capacity) : 0) {
        verso__wide forward = verso__mul_wide(levels->forward_cost, verso__min_forward(steps, slots));
        verso__wide writes = verso__mul_wide(tier->write_cost, verso__min_writes(steps, slots));
        verso__wide cost = verso__add_wide(forward, writes);
        least = cost < least ? cost : least;
    }
    return verso__add_wide(least, (verso__wide)tier->read_cost * (steps - 1));
}

/* As if all slots were free, one tier is written to, and every step but the last takes a read. */
verso__wide verso__levels_least(const verso__levels *levels, uint64_t steps) {
    verso__wide least = VERSO_WIDE_MAX;
    for (size_t k = 0; k < levels->tiers; k++) {
        verso__wide cost = single_cost(&levels->tier[k], steps);
        least = cost < least ? cost : least;
    }
    return verso__add_wide(least, least_forward_cost(levels, steps));
}

/* The same if the k-th tier is used: for all reads, or together with another one. */
static verso__wide least_using(const verso__levels *levels, size_t k, uint64_t steps) {
    const verso_tier *used = &levels->tier[k];
    verso__wide least = single_cost(used, steps);
    for (size_t i = 0; i < levels->tiers; i++) {
        verso__wide cost = single_cost(&levels->tier[i], steps - 1) + used->write_cost + used->read_cost;
        if (i != k && cost < least)
            least = cost;
    }
    return verso__add_wide(least, least_forward_cost(levels, steps));
}

static bool never_pays(const verso__levels *levels, size_t k, uint64_t steps) {
    verso__wide without = VERSO_WIDE_MAX;
    for (size_t i = 0; i < levels->tiers; i++) {
        verso__wide cost = i == k ? VERSO_WIDE_MAX : revolve_cost(levels, &levels->tier[i], steps);
        without = cost < without ? cost : without;
    }
    return without < VERSO_WIDE_MAX && without <= least_using(levels, k, steps);
}

static void drop_tiers(verso__levels *levels, uint64_t steps) {
    for (size_t k = levels->tiers; k-- > 0;) {
        if (levels->tiers == 1 || !never_pays(levels, k, steps))
            continue;
        levels->tiers--;
        for (size_t i = k; i < levels->tiers; i++) {
            levels->tier[i] = levels->tier[i + 1];
            levels->id[i] = levels->id[i + 1];
        }
    }
}

/* Uses a single capsule, in the tier where one write and a read for each further step cost least. */
static void keep_cheapest_tier(verso__levels *levels, uint64_t steps) {
    size_t best = 0;
    verso__wide least = VERSO_WIDE_MAX;
    for (size_t k = 0; k < levels->tiers; k++) {
        verso__wide cost = single_cost(&levels->tier[k], steps);
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

static verso__wide *exact_row(const verso__levels *levels, uint64_t tier, uint64_t slots) {
    return levels->exact + verso__levels_row(levels, tier, slots) * (levels->table_steps + 1);
}

/* Fills in one row: stored(k, m, .) from below(k, .) and fresh(k, m-1, .), which is known for all steps or for one
 * only. `left` is scratch memory for the cost of left parts. */
static void fill_exact_row(verso__levels *levels, uint64_t k, uint64_t m, const verso__wide *below,
                           const verso__wide *right, verso__wide *left) {
    verso__wide *row = exact_row(levels, k, m);
    uint32_t *split = levels->exact_split + verso__levels_row(levels, k, m) * (levels->table_steps + 1);
    bool singly = right[levels->table_steps] == VERSO_WIDE_MAX;
    for (uint64_t n = 1; n <= levels->table_steps; n++) {
        verso__wide least = below[n];
        uint64_t best = 0;
        for (uint64_t j = singly && n > 1 ? n - 1 : 1; j < n; j++) {
            verso__wide cost = left[j] + right[n - j];
            if (cost < least) {
                least = cost;
                best = j;
            }
        }
        row[n] = least;
        split[n] = (uint32_t)best;
        left[n] = (verso__wide)n * levels->forward_cost + levels->tier[k].read_cost + least;
    }
}

static bool make_exact(verso__levels *levels) {
    uint64_t width = levels->table_steps + 1;
    levels->exact = verso__alloc(levels->rows * width, sizeof *levels->exact);
    levels->exact_split = verso__alloc(levels->rows * width, sizeof *levels->exact_split);
    verso__wide *below = verso__alloc(width, sizeof *below);
    verso__wide *right = verso__alloc(width, sizeof *right);
    verso__wide *left = verso__alloc(width, sizeof *left);
    bool memory =
        levels->exact != NULL && levels->exact_split != NULL && below != NULL && right != NULL && left != NULL;
    for (uint64_t n = 1; memory && n < width; n++)
        below[n] = verso__levels_base_cost(levels, n);
    for (uint64_t k = levels->free_base; memory && k < levels->tiers; k++) {
        for (uint64_t n = 1; n < width; n++)
            right[n] = below[n];
        for (uint64_t m = 1; m <= levels->table_slots[k]; m++) {
            fill_exact_row(levels, k, m, below, right, left);
            const verso__wide *row = exact_row(levels, k, m);
            for (uint64_t n = 1; n < width; n++) {
                verso__wide kept = verso__add_wide(levels->tier[k].write_cost, row[n]);
                right[n] = kept < below[n] ? kept : below[n];
            }
        }
        for (uint64_t n = 1; n < width; n++)
            below[n] = right[n];
    }
    verso__dealloc(below);
    verso__dealloc(right);
    verso__dealloc(left);
    return memory;
}

/* ---- Making and clearing ---- */

typedef struct table_work {
    const verso__levels *levels;
    verso__wide most;
} table_work;

/* Returns whether the tables for `steps` steps take too much work. More than n - 1 slots are useless for n steps. */
static bool is_too_much(const void *context, uint64_t steps) {
    const table_work *work = context;
    verso__wide rows = 0;
    for (size_t k = work->levels->free_base; k < work->levels->tiers; k++)
        rows += verso__min_u64(work->levels->tier[k].capacity, steps - 1);
    return verso__mul_wide(rows, (verso__wide)steps * steps) / 2 > work->most;
}

static void choose_table(verso__levels *levels, uint64_t steps) {
    table_work work = {.levels = levels, .most = exact_work_max};
    levels->table_steps = steps;
    levels->exact_all = !is_too_much(&work, steps);
    if (!levels->exact_all) {
        work.most =
            levels->tiers > TIERS_IN_FULL ? exact_work_ends >> (levels->tiers - TIERS_IN_FULL) : exact_work_ends;
        levels->table_steps = verso__least_above(2, is_too_much, &work) - 1;
    }
    for (size_t k = levels->free_base; k < levels->tiers; k++) {
        levels->table_slots[k] = verso__min_u64(levels->tier[k].capacity, levels->table_steps - 1);
        levels->rows_at[k] = levels->rows;
        levels->rows += levels->table_slots[k];
    }
}

static verso_status make_ordered(const verso_schedule_spec *spec, uint64_t weight, verso__levels *levels,
                                 verso_error *error) {
    levels->forward_cost = spec->forward_cost;
    levels->full.stride = 1;
    order_tiers(spec, weight, levels);
    drop_tiers(levels, spec->steps);
    bool one_slot = levels->tiers == 1 && levels->tier[0].capacity == 1;
    if (one_slot || spec->forward_cost == 0) {
        keep_cheapest_tier(levels, spec->steps);
        return VERSO_STATUS_OK;
    }
    levels->free_base = levels->tier[0].write_cost == 0 && levels->tier[0].read_cost == 0;
    if (levels->free_base && (levels->tiers == 1 || verso__full_base_alone(levels, spec->steps))) {
        levels->tiers = 1;
        levels->exact_all = true;
        return VERSO_STATUS_OK;
    }
    choose_table(levels, spec->steps);
    if (!levels->exact_all) {
        verso_status status = verso__full_make(levels, spec->steps, error);
        if (status != VERSO_STATUS_OK)
            return status;
    }
    if (!make_exact(levels))
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to plan levels");
    return VERSO_STATUS_OK;
}

/* Sets *total to the cost of forward steps, writes and reads, or to VERSO_WIDE_MAX if the lower bound shows that it is
 * at least `limit`: the bound is much quicker to find than the cost, for which the chain of nodes is followed. */
static verso_status total_cost(verso__levels *levels, uint64_t steps, verso__wide limit, verso__wide *total,
                               verso_error *error) {
    verso__cost cost = {0};
    *total = VERSO_WIDE_MAX;
    if (limit < VERSO_WIDE_MAX && verso__levels_bound(levels, steps) >= limit)
        return VERSO_STATUS_OK;
    verso_status status = verso__levels_cost(levels, steps, &cost, error);
    *total = verso__mul_wide(levels->forward_cost, cost.forward_steps);
    for (size_t k = 0; k < levels->tiers && status == VERSO_STATUS_OK; k++) {
        uint32_t id = levels->id[k];
        *total = verso__add_wide(*total, verso__mul_wide(levels->tier[k].write_cost, cost.writes[id]));
        *total = verso__add_wide(*total, verso__mul_wide(levels->tier[k].read_cost, cost.reads[id]));
    }
    return status;
}

/* Makes a plan for another weight and keeps the cheaper one; *total is the cost of the current plan. */
static verso_status try_other(const verso_schedule_spec *spec, uint64_t weight, verso__wide limit,
                              verso__levels *levels, verso__wide *total, verso_error *error) {
    verso__levels other = {.one_of_several = true};
    verso__wide total_of_other = 0;
    verso_status status = make_ordered(spec, weight, &other, error);
    if (status == VERSO_STATUS_OK)
        status = total_cost(&other, spec->steps, *total < limit ? *total : limit, &total_of_other, error);
    bool better = status == VERSO_STATUS_OK && total_of_other < *total;
    verso__levels_clear(better ? levels : &other);
    if (better) {
        *levels = other;
        *total = total_of_other;
    }
    return status;
}

/* If one tier is cheaper to write and another cheaper to read, neither order is always better, so the orders for
 * several weights are tried. */
static verso_status try_others(const verso_schedule_spec *spec, verso__wide limit, verso__levels *levels,
                               verso_error *error) {
    static const uint64_t weights[] = {DEFAULT_WEIGHT, 16, 1 << 24, 1, 4, 8, 64, 1 << 12};
    size_t count = levels->tiers > TIERS_IN_FULL ? 4 : sizeof weights / sizeof *weights;
    verso__wide total;
    verso_status status = total_cost(levels, spec->steps, limit, &total, error);
    for (size_t i = 1; status == VERSO_STATUS_OK && i < count; i++) {
        verso__levels order = {0};
        bool tried = false;
        order_tiers(spec, weights[i], &order);
        for (size_t j = 0; j < i && !tried; j++) {
            verso__levels before = {0};
            order_tiers(spec, weights[j], &before);
            tried = memcmp(order.id, before.id, sizeof order.id) == 0;
        }
        if (!tried)
            status = try_other(spec, weights[i], limit, levels, &total, error);
    }
    levels->hopeless = total == VERSO_WIDE_MAX;
    levels->total = total;
    return status;
}

verso_status verso__levels_make(const verso_schedule_spec *spec, verso__wide limit, verso__levels *levels,
                                verso_error *error) {
    if (spec->steps <= 1)
        return VERSO_STATUS_OK;
    verso_status status = make_ordered(spec, DEFAULT_WEIGHT, levels, error);
    bool one_order = levels->ordered || levels->tiers == 1;
    if (status == VERSO_STATUS_OK && one_order)
        levels->hopeless = limit < VERSO_WIDE_MAX && verso__levels_bound(levels, spec->steps) >= limit;
    if (status == VERSO_STATUS_OK && !one_order) {
        status = try_others(spec, limit, levels, error);
        levels->ordered = false; /* even if the remaining tiers are */
    }
    return status;
}

void verso__levels_clear(void *plan) {
    verso__levels *levels = plan;
    verso__dealloc(levels->exact);
    verso__dealloc(levels->exact_split);
    verso__full_clear(levels);
}
