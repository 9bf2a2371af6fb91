/* Full nodes: the best structure when a step is worth a price. At the price t a right part is worth X(t) = max(below's
 * worth, stored(k, m-1)'s worth - w_k). Parts further left are at t-1, t-2, … and cost a read each, so they are taken
 * while X > r_k.
 *
 * A part that has been passed over j times is worth j forward steps less, so prices come in series that differ by whole
 * steps. Most parts have the price at which the whole schedule's steps just fit, less a whole number. Between two
 * neighbouring prices the number of steps that fit may jump (as soon as a period pays for itself, as many are taken as
 * there are slots), so both neighbours are tabulated; besides, whole and half prices, for parts that end between two
 * levels. */
#include "schedule/levels_full.h"

#include "base/alloc.h"
#include "base/status.h"
#include "schedule/binomial.h"
#include "schedule/kind.h"

enum { SERIES_MAX = 4 };
static const uint64_t cells_max = (uint64_t)1 << 24;

verso_full_node verso_full_stored(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t t) {
    uint64_t cell = verso_levels_row(levels, k, m) * levels->prices + t;
    return (verso_full_node){levels->savings[cell], levels->full_steps[cell]};
}

/* What lies below tier k. */
static verso_full_node full_below(const verso_levels *levels, uint64_t k, uint64_t t) {
    uint64_t cell = k * levels->prices + t;
    return (verso_full_node){levels->below_savings[cell], levels->below_steps[cell]};
}

/* One step, or what a free base holds: all places that cost less than the price. */
static verso_full_node full_base(const verso_levels *levels, uint64_t t) {
    verso_wide price = levels->price[t];
    if (price == 0)
        return (verso_full_node){0};
    if (!levels->free_base)
        return (verso_full_node){verso_mul_wide(levels->forward_cost, price), 1};
    int64_t c = (int64_t)levels->tier[0].capacity;
    int64_t top =
        (int64_t)((price + VERSO_PRICE_UNIT - 1) / VERSO_PRICE_UNIT) - 1; /* the dearest place below the price */
    verso_wide steps = verso_beta_wide(c, top);
    if (steps > VERSO_STEPS_MAX) /* more than will be asked for; its worth is that of as many steps at no cost */
        return (verso_full_node){verso_mul_wide(levels->forward_cost, verso_mul_wide(price, steps)), UINT64_MAX};
    verso_wide cost = (verso_wide)(uint64_t)top * steps - verso_beta_wide(c + 1, top - 1);
    verso_wide saving = price * steps - VERSO_PRICE_UNIT * cost;
    return (verso_full_node){verso_mul_wide(levels->forward_cost, saving), (uint64_t)steps};
}

static verso_wide write_cost(const verso_levels *levels, uint64_t k) {
    return (verso_wide)levels->tier[k].write_cost * VERSO_PRICE_UNIT;
}

static verso_wide read_cost(const verso_levels *levels, uint64_t k) {
    return (verso_wide)levels->tier[k].read_cost * VERSO_PRICE_UNIT;
}

bool verso_full_pays(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t t) {
    return m > 0 && verso_full_stored(levels, k, m, t).saving >
                        verso_add_wide(write_cost(levels, k), full_below(levels, k, t).saving);
}

verso_full_node verso_full_fresh(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t t) {
    if (!verso_full_pays(levels, k, m, t))
        return full_below(levels, k, t);
    verso_full_node kept = verso_full_stored(levels, k, m, t);
    kept.saving -= write_cost(levels, k);
    return kept;
}

uint64_t verso_full_left(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t t) {
    if (t < levels->series || verso_full_fresh(levels, k, m - 1, t - levels->series).saving <= read_cost(levels, k))
        return 0;
    return verso_full_stored(levels, k, m, t - levels->series).steps;
}

verso_wide verso_full_cost(const verso_levels *levels, const verso_full_node *full, uint64_t t) {
    verso_wide worth = verso_mul_wide(levels->forward_cost, verso_mul_wide(levels->price[t], full->steps));
    return (worth - full->saving) / VERSO_PRICE_UNIT;
}

/* ---- The tables ---- */

/* The same as verso_full_fresh for each price, but this is where the time goes: rows are followed by pointers. */
static void fill_row(verso_levels *levels, uint64_t k, uint64_t m) {
    verso_wide *savings = levels->savings + verso_levels_row(levels, k, m) * levels->prices;
    uint64_t *steps = levels->full_steps + verso_levels_row(levels, k, m) * levels->prices;
    const verso_wide *below_savings = levels->below_savings + k * levels->prices;
    const uint64_t *below_steps = levels->below_steps + k * levels->prices;
    verso_wide write = write_cost(levels, k);
    verso_wide read = read_cost(levels, k);
    verso_full_node further[SERIES_MAX] = {{0}}; /* the parts to the left of the first one, by series */
    uint64_t series = 0;
    for (uint64_t t = 0; t < levels->prices; t++) {
        verso_full_node right = {below_savings[t], below_steps[t]};
        if (m > 1) {
            verso_wide kept = (savings - levels->prices)[t]; /* of the row before: one slot less */
            if (kept > verso_add_wide(write, right.saving))
                right = (verso_full_node){kept - write, (steps - levels->prices)[t]};
        }
        verso_full_node *left = &further[series];
        savings[t] = verso_add_wide(right.saving, left->saving);
        steps[t] = verso_add_u64(right.steps, left->steps);
        if (right.saving > read) {
            left->saving = verso_add_wide(left->saving, right.saving - read);
            left->steps = verso_add_u64(left->steps, right.steps);
        }
        series = series + 1 == levels->series ? 0 : series + 1;
    }
}

static void fill(verso_levels *levels) {
    for (uint64_t k = levels->free_base; k < levels->tiers; k++) {
        bool lowest = k == levels->free_base;
        for (uint64_t t = 0; t < levels->prices; t++) {
            verso_full_node below =
                lowest ? full_base(levels, t) : verso_full_fresh(levels, k - 1, levels->tier[k - 1].capacity, t);
            levels->below_savings[k * levels->prices + t] = below.saving;
            levels->below_steps[k * levels->prices + t] = below.steps;
        }
        for (uint64_t m = 1; m <= levels->tier[k].capacity; m++)
            fill_row(levels, k, m);
    }
}

static bool allocate(verso_levels *levels, uint64_t prices) {
    verso_full_clear(levels);
    levels->prices = prices;
    levels->price = verso_alloc(prices, sizeof *levels->price);
    levels->savings = verso_alloc(levels->rows * prices, sizeof *levels->savings);
    levels->full_steps = verso_alloc(levels->rows * prices, sizeof *levels->full_steps);
    levels->below_savings = verso_alloc(levels->tiers * prices, sizeof *levels->below_savings);
    levels->below_steps = verso_alloc(levels->tiers * prices, sizeof *levels->below_steps);
    return levels->price != NULL && levels->savings != NULL && levels->full_steps != NULL &&
           levels->below_savings != NULL && levels->below_steps != NULL;
}

void verso_full_clear(verso_levels *levels) {
    verso_dealloc(levels->price);
    verso_dealloc(levels->savings);
    verso_dealloc(levels->full_steps);
    verso_dealloc(levels->below_savings);
    verso_dealloc(levels->below_steps);
    levels->price = levels->savings = levels->below_savings = NULL;
    levels->full_steps = levels->below_steps = NULL;
    levels->prices = 0;
}

/* The whole price at which the table begins. Without a free base nothing is read for less than the cheapest read, so at
 * lower prices there are no further parts, and nobody asks. */
static uint64_t first_whole(const verso_levels *levels) {
    if (levels->free_base)
        return 0;
    uint64_t least = UINT64_MAX;
    for (size_t k = 0; k < levels->tiers; k++)
        least = verso_min_u64(least, levels->tier[k].read_cost);
    uint64_t whole = least / levels->forward_cost;
    return whole > 0 ? whole - 1 : 0;
}

static bool too_many(const verso_levels *levels, uint64_t series, verso_wide high) {
    return series * (high / VERSO_PRICE_UNIT - first_whole(levels) + 2) > cells_max / (levels->rows + levels->tiers);
}

/* Prices up to a whole step above `high`, of the given fractions of a step, in rising order. */
static verso_status tabulate(verso_levels *levels, const verso_wide *fractions, uint64_t series, verso_wide high,
                             verso_error *error) {
    uint64_t first = first_whole(levels);
    uint64_t prices = series * (uint64_t)(high / VERSO_PRICE_UNIT - first + 2);
    if (too_many(levels, series, high))
        return verso_fail(
            error, VERSO_IMPOSSIBLE,
            "levels would need a table of more than %llu prices: more slots, or reads that cost fewer forward steps, "
            "make it smaller",
            (unsigned long long)cells_max);
    if (prices != levels->prices && !allocate(levels, prices))
        return verso_fail(error, VERSO_NO_MEMORY, "no memory to plan levels");
    levels->series = series;
    for (uint64_t t = 0; t < prices; t++)
        levels->price[t] = (verso_wide)(first + t / series) * VERSO_PRICE_UNIT + fractions[t % series];
    fill(levels);
    return VERSO_OK;
}

static bool fits(const verso_levels *levels, uint64_t steps, verso_wide price) {
    uint64_t top = levels->tiers - 1;
    uint64_t t = (uint64_t)(price / VERSO_PRICE_UNIT - first_whole(levels)) * levels->series;
    while (levels->price[t] < price)
        t++;
    return verso_full_fresh(levels, top, levels->tier[top].capacity, t).steps >= steps;
}

/* Steps fit at `high` and not at `low`; two prices between them are tried at a time. */
static verso_status narrow(verso_levels *levels, uint64_t steps, verso_wide *low, verso_wide *high,
                           verso_error *error) {
    verso_wide third = (*high - *low + 2) / 3;
    verso_wide first = *low + third;
    verso_wide second = *high - third;
    if (second <= first || second / VERSO_PRICE_UNIT != first / VERSO_PRICE_UNIT)
        second = first;
    verso_wide fractions[] = {first % VERSO_PRICE_UNIT, second % VERSO_PRICE_UNIT};
    verso_status status = tabulate(levels, fractions, first == second ? 1 : 2, second, error);
    if (status != VERSO_OK)
        return status;
    if (fits(levels, steps, first)) {
        *high = first;
    } else {
        *low = first;
        if (fits(levels, steps, second))
            *high = second;
        else
            *low = second;
    }
    return VERSO_OK;
}

/* Sorted, each once. */
static uint64_t choose_fractions(verso_wide low, verso_wide high, verso_wide fractions[SERIES_MAX]) {
    const verso_wide wanted[SERIES_MAX] = {0, VERSO_PRICE_UNIT / 2, low % VERSO_PRICE_UNIT, high % VERSO_PRICE_UNIT};
    uint64_t count = 0;
    for (uint64_t i = 0; i < SERIES_MAX; i++) {
        uint64_t at = count;
        while (at > 0 && fractions[at - 1] > wanted[i])
            at--;
        if (at > 0 && fractions[at - 1] == wanted[i])
            continue;
        for (uint64_t j = count++; j > at; j--)
            fractions[j] = fractions[j - 1];
        fractions[at] = wanted[i];
    }
    return count;
}

verso_status verso_full_make(verso_levels *levels, uint64_t steps, verso_error *error) {
    const verso_wide whole[] = {0};
    verso_wide fractions[SERIES_MAX];
    uint64_t slots = 0;
    for (size_t k = 0; k < levels->tiers; k++)
        slots = verso_add_u64(slots, levels->tier[k].capacity);
    /* Even if all slots were free, some steps would have to be run this often: the price is higher. */
    verso_wide low = (verso_repetition(steps, verso_min_u64(slots, steps)) - 1) * (verso_wide)VERSO_PRICE_UNIT;
    if (low < first_whole(levels) * (verso_wide)VERSO_PRICE_UNIT)
        low = first_whole(levels) * (verso_wide)VERSO_PRICE_UNIT;
    verso_wide stride = VERSO_PRICE_UNIT;
    verso_status status = tabulate(levels, whole, 1, low + stride, error);
    while (status == VERSO_OK && !fits(levels, steps, low + stride)) {
        low += stride;
        stride *= 2;
        status = tabulate(levels, whole, 1, low + stride, error);
    }
    verso_wide high = low + stride;
    while (status == VERSO_OK && high - low > 1)
        status = narrow(levels, steps, &low, &high, error);
    if (status != VERSO_OK)
        return status;
    uint64_t series = choose_fractions(low, high, fractions);
    if (too_many(levels, series, high)) { /* few slots, many repetitions: then the price that fits will do alone */
        fractions[1] = high % VERSO_PRICE_UNIT;
        series = fractions[1] > 0 ? 2 : 1;
    }
    return tabulate(levels, fractions, series, high, error);
}
