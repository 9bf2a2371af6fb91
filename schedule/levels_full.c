/* Full nodes: the best structure if a step is worth a price. At price t a right part is worth X(t) = max(worth of
 * what lies below, worth of stored(k, m-1) - w_k). Parts further left are at t-1, t-2, ... and cost a read each, so
 * they are used while X > r_k.
 *
 * A part that is passed over j times is worth j forward steps less, so prices come in series that differ by whole
 * steps. Most parts have the price at which the steps of the whole schedule just fit, minus a whole number. Between
 * two neighbouring prices the number of steps that fit may jump (as soon as a period pays, as many are used as
 * there are slots), so both neighbours are tabulated; in addition, whole and half prices, for parts that end
 * between two levels.
 *
 * A tier of few slots has a row of the table for each number of slots. A tier of many slots has none: it pays from
 * the same price on for any number of slots, since below that price all of them are worth what lies below. Let E(i)
 * = (worth of its further parts, all in the lower tiers, at the i-th price from there on) - w_k. Then m slots are
 * worth D_m = E + (D_{m-1}(i) + D_{m-1}(i-1) + ...) more than what lies below, which is m E(i) + sum of beta(m-2,
 * j+1) E(i-j) over j >= 1. There are few such prices if there are many slots, because the steps grow with beta.
 *
 * Few slots with very many steps, or costs of very different magnitude, would need too many prices. Then the prices
 * of a series are `stride` steps apart, and `stride` successive parts of a node have the same structure: that of
 * the cheapest of them. */
#include "schedule/levels_full.h"

#include "base/alloc.h"
#include "base/search.h"
#include "base/status.h"
#include "base/wide.h"
#include "schedule/binomial.h"
#include "schedule/kind.h"

static const uint64_t few_slots = 40; /* beta(40, 40) exceeds the maximum number of steps */
/* Maximum number of cells of one series; beyond cells_max, prices are coarse, and cells_coarse suffice. */
static const uint64_t cells_max = (uint64_t)1 << 17;
static const uint64_t cells_coarse = (uint64_t)1 << 15;
static const uint64_t cells_quick = (uint64_t)1 << 14; /* for both, if several plans are compared */

/* Returns a row of a tier. Row 0 is what lies below it. */
static verso__full_node *row_of(const verso__levels *levels, uint64_t k, uint64_t row) {
    return levels->full.rows + (levels->full.rows_at[k] + row) * levels->full.prices;
}

verso__full_node verso__full_below(const verso__levels *levels, uint64_t k, uint64_t t) {
    return row_of(levels, k, 0)[t];
}

static verso__wide beta(int64_t c, int64_t r) {
    uint64_t narrow = verso__beta(c, r);
    return narrow < UINT64_MAX ? narrow : verso__beta_wide(c, r);
}

/* Returns one step, or what a free base holds: all places that cost less than the price. */
static verso__full_node full_base(const verso__levels *levels, verso__wide price) {
    if (price == 0)
        return (verso__full_node){0};
    if (!levels->free_base)
        return (verso__full_node){verso__mul_wide(levels->forward_cost, price), 1};
    int64_t c = (int64_t)levels->tier[0].capacity;
    int64_t top =
        (int64_t)((price + VERSO_PRICE_UNIT - 1) / VERSO_PRICE_UNIT) - 1; /* the most expensive place below the price */
    verso__wide steps = beta(c, top);
    /* more than the maximum number of steps; its worth is that of as many steps at no cost */
    if (steps > VERSO_STEPS_MAX)
        return (verso__full_node){verso__mul_wide(levels->forward_cost, verso__mul_wide(price, steps)), UINT64_MAX};
    /* they cost top * steps - beta(c + 1, top - 1) */
    verso__wide above_top = (price - VERSO_PRICE_UNIT * (verso__wide)(uint64_t)top) * steps;
    verso__wide saving = verso__add_wide(above_top, verso__mul_wide(VERSO_PRICE_UNIT, beta(c + 1, top - 1)));
    return (verso__full_node){verso__mul_wide(levels->forward_cost, saving), (uint64_t)steps};
}

static verso__wide write_cost(const verso__levels *levels, uint64_t k) {
    return (verso__wide)levels->tier[k].write_cost * VERSO_PRICE_UNIT;
}

static verso__wide read_cost(const verso__levels *levels, uint64_t k) {
    return (verso__wide)levels->tier[k].read_cost * VERSO_PRICE_UNIT;
}

static verso__full_node sum_of(verso__full_node a, verso__full_node b) {
    return (verso__full_node){verso__add_wide(a.saving, b.saving), verso__add_u64(a.steps, b.steps)};
}

static verso__full_node times(uint64_t count, verso__full_node node) {
    return (verso__full_node){verso__mul_wide(count, node.saving), verso__mul_u64(count, node.steps)};
}

bool verso__full_has_many(const verso__levels *levels, uint64_t k) {
    return levels->tier[k].capacity > few_slots;
}

static verso__full_node further(const verso__levels *levels, uint64_t k, uint64_t t) {
    return row_of(levels, k, 1)[t];
}

/* Computes beta(m-2, i+2) from beta(m-2, i+1). */
static uint64_t next_binomial(uint64_t binomial, uint64_t m, uint64_t i) {
    uint64_t product;
    if (!__builtin_mul_overflow(binomial, m + i, &product))
        return product / (i + 2);
    return verso__narrow((verso__wide)binomial * (m + i) / (i + 2));
}

/* Computes the sum at the top of this file. */
static verso__full_node stored_of_many(const verso__levels *levels, uint64_t k, uint64_t m, uint64_t t) {
    verso__full_node all = verso__full_below(levels, k, t);
    verso__full_node unit = further(levels, k, t);
    verso__wide write = write_cost(levels, k);
    if (unit.saving <= write)
        return sum_of(all, unit);
    all.saving = verso__add_wide(all.saving, write);
    uint64_t count = m;
    uint64_t binomial = m - 1;
    for (uint64_t i = 0; count > 0 && all.steps < UINT64_MAX; i++) {
        unit.saving -= write;
        all = sum_of(all, times(count, unit));
        if (t < levels->full.series)
            break;
        t -= levels->full.series;
        unit = further(levels, k, t);
        if (unit.saving <= write)
            break;
        count = binomial = next_binomial(binomial, m, i);
    }
    return all;
}

verso__full_node verso__full_stored(const verso__levels *levels, uint64_t k, uint64_t m, uint64_t t) {
    if (verso__full_has_many(levels, k))
        return stored_of_many(levels, k, m, t);
    return row_of(levels, k, m)[t];
}

/* The same sum for the steps alone, which the chain of levels.h needs often. */
uint64_t verso__full_steps(const verso__levels *levels, uint64_t k, uint64_t m, uint64_t t) {
    if (!verso__full_has_many(levels, k))
        return verso__full_stored(levels, k, m, t).steps;
    const verso__full_node *units = row_of(levels, k, 1);
    verso__wide write = write_cost(levels, k);
    uint64_t steps = verso__full_below(levels, k, t).steps;
    if (units[t].saving <= write)
        return verso__add_u64(steps, units[t].steps);
    uint64_t count = m;
    uint64_t binomial = m - 1;
    for (uint64_t i = 0; steps < UINT64_MAX; i++) {
        steps = verso__add_u64(steps, verso__mul_u64(count, units[t].steps));
        if (t < levels->full.series || units[t - levels->full.series].saving <= write)
            break;
        t -= levels->full.series;
        count = binomial = next_binomial(binomial, m, i);
    }
    return steps;
}

uint64_t verso__full_fresh_steps(const verso__levels *levels, uint64_t k, uint64_t m, uint64_t t) {
    return verso__full_pays(levels, k, m, t) ? verso__full_steps(levels, k, m, t)
                                             : verso__full_below(levels, k, t).steps;
}

bool verso__full_pays(const verso__levels *levels, uint64_t k, uint64_t m, uint64_t t) {
    if (m > 0 && verso__full_has_many(levels, k))
        return further(levels, k, t).saving > write_cost(levels, k);
    return m > 0 && verso__full_stored(levels, k, m, t).saving >
                        verso__add_wide(write_cost(levels, k), verso__full_below(levels, k, t).saving);
}

verso__full_node verso__full_fresh(const verso__levels *levels, uint64_t k, uint64_t m, uint64_t t) {
    if (!verso__full_pays(levels, k, m, t))
        return verso__full_below(levels, k, t);
    verso__full_node kept = verso__full_stored(levels, k, m, t);
    kept.saving -= write_cost(levels, k);
    return kept;
}

bool verso__full_read_pays(const verso__levels *levels, uint64_t k, uint64_t m, uint64_t t) {
    verso__full_node right =
        verso__full_has_many(levels, k) ? verso__full_below(levels, k, t) : verso__full_fresh(levels, k, m - 1, t);
    return right.saving > read_cost(levels, k);
}

verso__wide verso__full_cost(const verso__levels *levels, const verso__full_node *full, uint64_t t) {
    verso__wide worth = verso__mul_wide(levels->forward_cost, verso__mul_wide(levels->full.price[t], full->steps));
    return (worth - full->saving) / VERSO_PRICE_UNIT;
}

/* ---- The tables ---- */

/* Returns `stride` parts with the same structure, which is best for the last of them; each is passed over once more
 * than the previous one. */
static verso__full_node in_succession(const verso__levels *levels, verso__full_node right) {
    uint64_t parts = levels->full.stride;
    if (parts == 1)
        return right;
    verso__wide fewer_passes = (verso__wide)parts * (parts - 1) / 2 * VERSO_PRICE_UNIT;
    verso__full_node all = times(parts, right);
    verso__wide worth = verso__mul_wide(fewer_passes, verso__mul_wide(levels->forward_cost, right.steps));
    all.saving = verso__add_wide(all.saving, worth);
    return all;
}

/* Computes the same as verso__full_fresh for each price; written with pointers, because most of the time is spent
 * here. */
static void fill_row(verso__levels *levels, uint64_t k, uint64_t m) {
    verso__full *full = &levels->full;
    verso__full_node *row = row_of(levels, k, m);
    const verso__full_node *below = row_of(levels, k, 0);
    verso__wide write = write_cost(levels, k);
    verso__wide read = read_cost(levels, k);
    verso__full_node left[VERSO_SERIES_MAX] = {{0}}; /* the parts left of the first one, by series */
    for (uint64_t t = 0, series = 0; t < full->prices; t++, series = series + 1 == full->series ? 0 : series + 1) {
        verso__full_node right = below[t];
        if (m > 1 && (row - full->prices)[t].saving > verso__add_wide(write, right.saving)) {
            right = (row - full->prices)[t]; /* with one slot less */
            right.saving -= write;
        }
        row[t] = sum_of(right, left[series]);
        if (right.saving <= read)
            continue;
        right.saving -= read;
        left[series] = sum_of(left[series], in_succession(levels, right));
    }
}

static void fill_further(verso__levels *levels, uint64_t k) {
    verso__full *full = &levels->full;
    verso__full_node *row = row_of(levels, k, 1);
    for (uint64_t t = 0; t < full->prices; t++) {
        verso__full_node none = {0};
        verso__full_node right = t < full->series ? none : verso__full_below(levels, k, t - full->series);
        row[t] = t < full->series ? none : row[t - full->series];
        if (right.saving <= read_cost(levels, k))
            continue;
        right.saving -= read_cost(levels, k);
        row[t] = sum_of(row[t], right);
    }
}

static void fill(verso__levels *levels) {
    verso__full *full = &levels->full;
    for (uint64_t k = levels->free_base; k < levels->tiers; k++) {
        bool lowest = k == levels->free_base;
        verso__full_node *below = row_of(levels, k, 0);
        for (uint64_t t = 0; t < full->prices; t++)
            below[t] = lowest ? full_base(levels, full->price[t])
                              : verso__full_fresh(levels, k - 1, levels->tier[k - 1].capacity, t);
        if (verso__full_has_many(levels, k))
            fill_further(levels, k);
        for (uint64_t m = 1; m <= levels->tier[k].capacity && !verso__full_has_many(levels, k); m++)
            fill_row(levels, k, m);
    }
}

static uint64_t count_rows(verso__levels *levels) {
    uint64_t rows = 0;
    for (uint64_t k = levels->free_base; k < levels->tiers; k++) {
        levels->full.rows_at[k] = rows;
        rows += 1 + (verso__full_has_many(levels, k) ? 1 : levels->tier[k].capacity);
    }
    return rows;
}

void verso__full_clear(verso__levels *levels) {
    verso__full *full = &levels->full;
    verso__dealloc(full->price);
    verso__dealloc(full->rows);
    *full = (verso__full){.first = full->first, .stride = full->stride};
}

static bool allocate(verso__levels *levels, uint64_t prices) {
    verso__full *full = &levels->full;
    verso__full_clear(levels);
    full->room = prices;
    full->price = verso__alloc(prices, sizeof *full->price);
    full->rows = verso__alloc(count_rows(levels) * prices, sizeof *full->rows);
    return full->price != NULL && full->rows != NULL;
}

/* ---- The prices ---- */

static verso__wide first_price(const verso__levels *levels) {
    return levels->full.first * (verso__wide)VERSO_PRICE_UNIT;
}

static verso__wide stride_of(const verso__levels *levels) {
    return levels->full.stride * (verso__wide)VERSO_PRICE_UNIT;
}

/* Fills in the table for prices up to one stride above `high`, at the given distances from the first one, in
 * ascending order. */
static verso_status tabulate(verso__levels *levels, const verso__wide *distances, uint64_t series, verso__wide high,
                             verso_error *error) {
    verso__full *full = &levels->full;
    uint64_t prices = series * (uint64_t)((high - first_price(levels)) / stride_of(levels) + 2);
    if (prices > full->room && !allocate(levels, prices))
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to plan levels");
    full->prices = prices;
    full->series = series;
    for (uint64_t t = 0; t < prices; t++)
        full->price[t] = first_price(levels) + t / series * stride_of(levels) + distances[t % series];
    fill(levels);
    return VERSO_STATUS_OK;
}

/* A price that is too low, or high enough, for all steps, and the best full node at that price. */
typedef struct limit {
    verso__wide price;
    verso__full_node full;
} limit;

static limit limit_at(const verso__levels *levels, verso__wide price) {
    uint64_t top = levels->tiers - 1;
    uint64_t t = (uint64_t)((price - first_price(levels)) / stride_of(levels)) * levels->full.series;
    while (levels->full.price[t] < price)
        t++;
    return (limit){price, verso__full_fresh(levels, top, levels->tier[top].capacity, t)};
}

/* Returns the price at which the best nodes of both limits are worth the same: the wanted price, unless another
 * node is better there. */
static verso__wide crossing(const verso__levels *levels, const limit *low, const limit *high) {
    verso__wide distance = high->price - low->price;
    if (high->full.steps <= low->full.steps)
        return low->price + distance / 2;
    verso__wide rise = high->full.saving - low->full.saving;
    verso__wide rise_of_low = verso__mul_wide(levels->forward_cost, verso__mul_wide(distance, low->full.steps));
    verso__wide steeper = verso__mul_wide(levels->forward_cost, high->full.steps - low->full.steps);
    verso__wide back = rise > rise_of_low ? (rise - rise_of_low) / steeper : 0;
    back = back < 1 ? 1 : back;
    return high->price - (back < distance ? back : distance - 1);
}

/* Narrows the limits until there is no price between them. If crossings converge slowly, bisects. */
static verso_status narrow(verso__levels *levels, uint64_t steps, limit *low, limit *high, verso_error *error) {
    verso_status status = VERSO_STATUS_OK;
    for (uint64_t tries = 1; status == VERSO_STATUS_OK && high->price - low->price > levels->full.stride; tries++) {
        bool by_crossing = levels->full.stride == 1 && tries % 3 > 0;
        verso__wide half = low->price + (high->price - low->price) / 2;
        verso__wide price = by_crossing ? crossing(levels, low, high) : half;
        verso__wide distance = (price - first_price(levels)) % stride_of(levels);
        status = tabulate(levels, &distance, 1, price, error);
        if (status != VERSO_STATUS_OK)
            break;
        limit found = limit_at(levels, price);
        *(found.full.steps >= steps ? high : low) = found;
    }
    return status;
}

/* Returns the distances in ascending order without duplicates. */
static uint64_t choose_distances(const verso__levels *levels, verso__wide low, verso__wide high,
                                 verso__wide distances[VERSO_SERIES_MAX]) {
    verso__wide stride = stride_of(levels);
    verso__wide first = first_price(levels);
    const verso__wide wanted[VERSO_SERIES_MAX] = {0, stride / 2, (low - first) % stride, (high - first) % stride};
    uint64_t count = 0;
    for (uint64_t i = 0; i < VERSO_SERIES_MAX; i++) {
        uint64_t at = count;
        while (at > 0 && distances[at - 1] > wanted[i])
            at--;
        if (at > 0 && distances[at - 1] == wanted[i])
            continue;
        for (uint64_t j = count++; j > at; j--)
            distances[j] = distances[j - 1];
        distances[at] = wanted[i];
    }
    return count;
}

typedef struct worth_reading {
    const verso__levels *levels;
    verso__wide read_cost;
} worth_reading;

static bool is_worth_reading(const void *context, uint64_t whole) {
    const worth_reading *asked = context;
    return full_base(asked->levels, whole * (verso__wide)VERSO_PRICE_UNIT).saving > asked->read_cost;
}

/* Returns the greatest whole price at which nothing below all tiers is worth the cheapest read: at lower prices
 * there are no further parts, so they are not needed. */
static uint64_t find_first(const verso__levels *levels) {
    worth_reading asked = {.levels = levels, .read_cost = VERSO_WIDE_MAX};
    for (uint64_t k = levels->free_base; k < levels->tiers; k++)
        asked.read_cost = read_cost(levels, k) < asked.read_cost ? read_cost(levels, k) : asked.read_cost;
    return verso__least_above(0, is_worth_reading, &asked) - 1;
}

bool verso__full_base_alone(const verso__levels *levels, uint64_t steps) {
    return levels->free_base && find_first(levels) > verso__repetition(steps, levels->tier[0].capacity);
}

/* Returns the stride with which the table of one series is not too large. */
static uint64_t stride_up_to(verso__levels *levels, verso__wide high) {
    uint64_t rows = count_rows(levels) + levels->tiers + levels->free_base;
    verso__wide cells = (high / VERSO_PRICE_UNIT - levels->full.first + 2) * rows;
    bool quick = levels->one_of_several || !levels->ordered;
    if (cells <= (quick ? cells_quick : cells_max))
        return 1;
    return verso__narrow(cells / (quick ? cells_quick : cells_coarse) + 1);
}

/* Chooses the stride. If prices are coarse, tiers of many slots use only few of them. */
static void choose_stride(verso__levels *levels, verso__wide high) {
    levels->full.stride = stride_up_to(levels, high);
    for (uint64_t k = levels->free_base; k < levels->tiers && levels->full.stride > 1; k++)
        if (verso__full_has_many(levels, k)) {
            levels->tier[k].capacity = few_slots;
            levels->clipped = true;
            verso__full_clear(levels); /* the number of rows has changed */
        }
    levels->full.stride = stride_up_to(levels, high);
}

/* Starting from a price that is too low, finds one that is high enough, or the highest useful one, and the last one
 * that is too low. */
static verso_status bracket(verso__levels *levels, uint64_t steps, verso__wide too_low, limit *low, limit *high,
                            verso_error *error) {
    const verso__wide whole[] = {0};
    /* at this price everything is worth recomputing from one capsule */
    verso__wide highest = first_price(levels) + (steps + 1) * (verso__wide)VERSO_PRICE_UNIT;
    verso__wide reach = VERSO_PRICE_UNIT;
    for (;;) {
        choose_stride(levels, too_low + reach);
        verso_status status = tabulate(levels, whole, 1, too_low + reach, error);
        if (status != VERSO_STATUS_OK)
            return status;
        *low = limit_at(levels, too_low);
        *high = limit_at(levels, too_low + reach);
        if (high->full.steps >= steps || high->price >= highest)
            return VERSO_STATUS_OK;
        too_low = high->price;
        reach = 2 * reach < highest - too_low ? 2 * reach : highest - too_low;
    }
}

verso_status verso__full_make(verso__levels *levels, uint64_t steps, verso_error *error) {
    verso__wide distances[VERSO_SERIES_MAX];
    limit low;
    limit high;
    uint64_t slots = 0;
    for (size_t k = 0; k < levels->tiers; k++)
        slots = verso__add_u64(slots, levels->tier[k].capacity);
    levels->full.first = find_first(levels);
    /* even if all slots were free, some steps would have to be run this often, so the price is higher */
    verso__wide too_low = (verso__repetition(steps, verso__min_u64(slots, steps)) - 1) * (verso__wide)VERSO_PRICE_UNIT;
    too_low = too_low > first_price(levels) ? too_low : first_price(levels);
    verso_status status = bracket(levels, steps, too_low, &low, &high, error);
    if (status == VERSO_STATUS_OK && high.full.steps >= steps)
        status = narrow(levels, steps, &low, &high, error);
    if (status != VERSO_STATUS_OK)
        return status;
    uint64_t series = choose_distances(levels, low.price, high.price, distances);
    status = tabulate(levels, distances, series, high.price, error);
    while (status == VERSO_STATUS_OK && levels->full.price[levels->full.fitting] < high.price)
        levels->full.fitting++;
    return status;
}
