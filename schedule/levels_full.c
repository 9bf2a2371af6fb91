/* Full nodes: the best structure when a step is worth a price. At the price t a right part is worth X(t) = max(below's
 * worth, stored(k, m-1)'s worth - w_k). Parts further left are at t-1, t-2, … and cost a read each, so they are taken
 * while X > r_k.
 *
 * A part that has been passed over j times is worth j forward steps less, so prices come in series that differ by whole
 * steps. Most parts have the price at which the whole schedule's steps just fit, less a whole number. Between two
 * neighbouring prices the number of steps that fit may jump (as soon as a period pays for itself, as many are taken as
 * there are slots), so both neighbours are tabulated; besides, whole and half prices, for parts that end between two
 * levels.
 *
 * Few slots have a row of the table each. Many have none: a tier pays from the same price on, however many slots are
 * left, since below that price all of them are worth what lies below. So with E(i) = (what its further parts, all in
 * the lower tiers, are worth at the i-th price from there on) - w_k, m slots are worth D_m = E + (D_{m-1}(i) +
 * D_{m-1}(i-1) + …) more than what lies below, which is m E(i) + Σ beta(m-2, j+1) E(i-j), j >= 1; and there are few
 * such prices where slots are many, as the steps grow with beta.
 *
 * Few slots and very many steps, or costs of very different magnitude, would take too many prices. Then the prices of a
 * series are `stride` steps apart, and so many parts of a node in succession have the same structure: that of the
 * cheapest of them. */
#include "schedule/levels_full.h"

#include "base/alloc.h"
#include "base/search.h"
#include "base/status.h"
#include "schedule/binomial.h"
#include "schedule/kind.h"

static const uint64_t few_slots = 40; /* beta(40, 40) is more than can be asked for */
/* Cells of one series: beyond `cells_max` prices are coarse, and then so few do. */
static const uint64_t cells_max = (uint64_t)1 << 17;
static const uint64_t cells_coarse = (uint64_t)1 << 15;
static const uint64_t cells_quick = (uint64_t)1 << 14; /* for both, where several plans are compared */

/* A tier's row 0 is what lies below it. */
static verso_full_node *row_of(const verso_levels *levels, uint64_t k, uint64_t row) {
    return levels->full.rows + (levels->full.rows_at[k] + row) * levels->full.prices;
}

verso_full_node verso_full_below(const verso_levels *levels, uint64_t k, uint64_t t) {
    return row_of(levels, k, 0)[t];
}

static verso_wide beta(int64_t c, int64_t r) {
    uint64_t narrow = verso_beta(c, r);
    return narrow < UINT64_MAX ? narrow : verso_beta_wide(c, r);
}

/* One step, or what a free base holds: all places that cost less than the price. */
static verso_full_node full_base(const verso_levels *levels, verso_wide price) {
    if (price == 0)
        return (verso_full_node){0};
    if (!levels->free_base)
        return (verso_full_node){verso_mul_wide(levels->forward_cost, price), 1};
    int64_t c = (int64_t)levels->tier[0].capacity;
    int64_t top =
        (int64_t)((price + VERSO_PRICE_UNIT - 1) / VERSO_PRICE_UNIT) - 1; /* the dearest place below the price */
    verso_wide steps = beta(c, top);
    if (steps > VERSO_STEPS_MAX) /* more than will be asked for; its worth is that of as many steps at no cost */
        return (verso_full_node){verso_mul_wide(levels->forward_cost, verso_mul_wide(price, steps)), UINT64_MAX};
    /* they cost top * steps - beta(c + 1, top - 1) */
    verso_wide above_top = (price - VERSO_PRICE_UNIT * (verso_wide)(uint64_t)top) * steps;
    verso_wide saving = verso_add_wide(above_top, verso_mul_wide(VERSO_PRICE_UNIT, beta(c + 1, top - 1)));
    return (verso_full_node){verso_mul_wide(levels->forward_cost, saving), (uint64_t)steps};
}

static verso_wide write_cost(const verso_levels *levels, uint64_t k) {
    return (verso_wide)levels->tier[k].write_cost * VERSO_PRICE_UNIT;
}

static verso_wide read_cost(const verso_levels *levels, uint64_t k) {
    return (verso_wide)levels->tier[k].read_cost * VERSO_PRICE_UNIT;
}

static verso_full_node sum_of(verso_full_node a, verso_full_node b) {
    return (verso_full_node){verso_add_wide(a.saving, b.saving), verso_add_u64(a.steps, b.steps)};
}

static verso_full_node times(uint64_t count, verso_full_node node) {
    return (verso_full_node){verso_mul_wide(count, node.saving), verso_mul_u64(count, node.steps)};
}

bool verso_full_has_many(const verso_levels *levels, uint64_t k) {
    return levels->tier[k].capacity > few_slots;
}

static verso_full_node further(const verso_levels *levels, uint64_t k, uint64_t t) {
    return row_of(levels, k, 1)[t];
}

/* beta(m-2, i+2) from beta(m-2, i+1). */
static uint64_t next_binomial(uint64_t binomial, uint64_t m, uint64_t i) {
    uint64_t product;
    if (!__builtin_mul_overflow(binomial, m + i, &product))
        return product / (i + 2);
    return verso_narrow((verso_wide)binomial * (m + i) / (i + 2));
}

/* The sum of the head of this file. */
static verso_full_node stored_of_many(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t t) {
    verso_full_node all = verso_full_below(levels, k, t);
    verso_full_node unit = further(levels, k, t);
    verso_wide write = write_cost(levels, k);
    if (unit.saving <= write)
        return sum_of(all, unit);
    all.saving = verso_add_wide(all.saving, write);
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

verso_full_node verso_full_stored(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t t) {
    if (verso_full_has_many(levels, k))
        return stored_of_many(levels, k, m, t);
    return row_of(levels, k, m)[t];
}

/* The same sum of the steps alone: the chain of levels.h asks often. */
uint64_t verso_full_steps(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t t) {
    if (!verso_full_has_many(levels, k))
        return verso_full_stored(levels, k, m, t).steps;
    const verso_full_node *units = row_of(levels, k, 1);
    verso_wide write = write_cost(levels, k);
    uint64_t steps = verso_full_below(levels, k, t).steps;
    if (units[t].saving <= write)
        return verso_add_u64(steps, units[t].steps);
    uint64_t count = m;
    uint64_t binomial = m - 1;
    for (uint64_t i = 0; steps < UINT64_MAX; i++) {
        steps = verso_add_u64(steps, verso_mul_u64(count, units[t].steps));
        if (t < levels->full.series || units[t - levels->full.series].saving <= write)
            break;
        t -= levels->full.series;
        count = binomial = next_binomial(binomial, m, i);
    }
    return steps;
}

uint64_t verso_full_fresh_steps(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t t) {
    return verso_full_pays(levels, k, m, t) ? verso_full_steps(levels, k, m, t) : verso_full_below(levels, k, t).steps;
}

bool verso_full_pays(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t t) {
    if (m > 0 && verso_full_has_many(levels, k))
        return further(levels, k, t).saving > write_cost(levels, k);
    return m > 0 && verso_full_stored(levels, k, m, t).saving >
                        verso_add_wide(write_cost(levels, k), verso_full_below(levels, k, t).saving);
}

verso_full_node verso_full_fresh(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t t) {
    if (!verso_full_pays(levels, k, m, t))
        return verso_full_below(levels, k, t);
    verso_full_node kept = verso_full_stored(levels, k, m, t);
    kept.saving -= write_cost(levels, k);
    return kept;
}

bool verso_full_read_pays(const verso_levels *levels, uint64_t k, uint64_t m, uint64_t t) {
    verso_full_node right =
        verso_full_has_many(levels, k) ? verso_full_below(levels, k, t) : verso_full_fresh(levels, k, m - 1, t);
    return right.saving > read_cost(levels, k);
}

verso_wide verso_full_cost(const verso_levels *levels, const verso_full_node *full, uint64_t t) {
    verso_wide worth = verso_mul_wide(levels->forward_cost, verso_mul_wide(levels->full.price[t], full->steps));
    return (worth - full->saving) / VERSO_PRICE_UNIT;
}

/* ---- The tables ---- */

/* `stride` parts that are of one structure, which is the best for the last of them: each is passed over once more than
 * the one before. */
static verso_full_node in_succession(const verso_levels *levels, verso_full_node right) {
    uint64_t parts = levels->full.stride;
    if (parts == 1)
        return right;
    verso_wide fewer_passes = (verso_wide)parts * (parts - 1) / 2 * VERSO_PRICE_UNIT;
    verso_full_node all = times(parts, right);
    verso_wide worth = verso_mul_wide(fewer_passes, verso_mul_wide(levels->forward_cost, right.steps));
    all.saving = verso_add_wide(all.saving, worth);
    return all;
}

/* The same as verso_full_fresh for each price, but this is where the time goes: rows are followed by pointers. */
static void fill_row(verso_levels *levels, uint64_t k, uint64_t m) {
    verso_full *full = &levels->full;
    verso_full_node *row = row_of(levels, k, m);
    const verso_full_node *below = row_of(levels, k, 0);
    verso_wide write = write_cost(levels, k);
    verso_wide read = read_cost(levels, k);
    verso_full_node left[VERSO_SERIES_MAX] = {{0}}; /* the parts left of the first one, by series */
    for (uint64_t t = 0, series = 0; t < full->prices; t++, series = series + 1 == full->series ? 0 : series + 1) {
        verso_full_node right = below[t];
        if (m > 1 && (row - full->prices)[t].saving > verso_add_wide(write, right.saving)) {
            right = (row - full->prices)[t]; /* one slot less */
            right.saving -= write;
        }
        row[t] = sum_of(right, left[series]);
        if (right.saving <= read)
            continue;
        right.saving -= read;
        left[series] = sum_of(left[series], in_succession(levels, right));
    }
}

static void fill_further(verso_levels *levels, uint64_t k) {
    verso_full *full = &levels->full;
    verso_full_node *row = row_of(levels, k, 1);
    for (uint64_t t = 0; t < full->prices; t++) {
        verso_full_node none = {0};
        verso_full_node right = t < full->series ? none : verso_full_below(levels, k, t - full->series);
        row[t] = t < full->series ? none : row[t - full->series];
        if (right.saving <= read_cost(levels, k))
            continue;
        right.saving -= read_cost(levels, k);
        row[t] = sum_of(row[t], right);
    }
}

static void fill(verso_levels *levels) {
    verso_full *full = &levels->full;
    for (uint64_t k = levels->free_base; k < levels->tiers; k++) {
        bool lowest = k == levels->free_base;
        verso_full_node *below = row_of(levels, k, 0);
        for (uint64_t t = 0; t < full->prices; t++)
            below[t] = lowest ? full_base(levels, full->price[t])
                              : verso_full_fresh(levels, k - 1, levels->tier[k - 1].capacity, t);
        if (verso_full_has_many(levels, k))
            fill_further(levels, k);
        for (uint64_t m = 1; m <= levels->tier[k].capacity && !verso_full_has_many(levels, k); m++)
            fill_row(levels, k, m);
    }
}

static uint64_t count_rows(verso_levels *levels) {
    uint64_t rows = 0;
    for (uint64_t k = levels->free_base; k < levels->tiers; k++) {
        levels->full.rows_at[k] = rows;
        rows += 1 + (verso_full_has_many(levels, k) ? 1 : levels->tier[k].capacity);
    }
    return rows;
}

void verso_full_clear(verso_levels *levels) {
    verso_full *full = &levels->full;
    verso_dealloc(full->price);
    verso_dealloc(full->rows);
    *full = (verso_full){.first = full->first, .stride = full->stride};
}

static bool allocate(verso_levels *levels, uint64_t prices) {
    verso_full *full = &levels->full;
    verso_full_clear(levels);
    full->room = prices;
    full->price = verso_alloc(prices, sizeof *full->price);
    full->rows = verso_alloc(count_rows(levels) * prices, sizeof *full->rows);
    return full->price != NULL && full->rows != NULL;
}

/* ---- The prices ---- */

static verso_wide first_price(const verso_levels *levels) {
    return levels->full.first * (verso_wide)VERSO_PRICE_UNIT;
}

static verso_wide stride_of(const verso_levels *levels) {
    return levels->full.stride * (verso_wide)VERSO_PRICE_UNIT;
}

/* Prices up to a stride above `high`, of the given distances from the first one, in rising order. */
static verso_status tabulate(verso_levels *levels, const verso_wide *distances, uint64_t series, verso_wide high,
                             verso_error *error) {
    verso_full *full = &levels->full;
    uint64_t prices = series * (uint64_t)((high - first_price(levels)) / stride_of(levels) + 2);
    if (prices > full->room && !allocate(levels, prices))
        return verso_fail(error, VERSO_NO_MEMORY, "no memory to plan levels");
    full->prices = prices;
    full->series = series;
    for (uint64_t t = 0; t < prices; t++)
        full->price[t] = first_price(levels) + t / series * stride_of(levels) + distances[t % series];
    fill(levels);
    return VERSO_OK;
}

/* A price that is too low or high enough for all steps, and what is best there. */
typedef struct limit {
    verso_wide price;
    verso_full_node full;
} limit;

static limit limit_at(const verso_levels *levels, verso_wide price) {
    uint64_t top = levels->tiers - 1;
    uint64_t t = (uint64_t)((price - first_price(levels)) / stride_of(levels)) * levels->full.series;
    while (levels->full.price[t] < price)
        t++;
    return (limit){price, verso_full_fresh(levels, top, levels->tier[top].capacity, t)};
}

/* The price at which what is best at the one is worth as much as what is best at the other: the one looked for, unless
 * something else is better there. */
static verso_wide crossing(const verso_levels *levels, const limit *low, const limit *high) {
    verso_wide distance = high->price - low->price;
    if (high->full.steps <= low->full.steps)
        return low->price + distance / 2;
    verso_wide rise = high->full.saving - low->full.saving;
    verso_wide rise_of_low = verso_mul_wide(levels->forward_cost, verso_mul_wide(distance, low->full.steps));
    verso_wide steeper = verso_mul_wide(levels->forward_cost, high->full.steps - low->full.steps);
    verso_wide back = rise > rise_of_low ? (rise - rise_of_low) / steeper : 0;
    back = back < 1 ? 1 : back;
    return high->price - (back < distance ? back : distance - 1);
}

/* Until there is no price between. Where crossings do not get near quickly, by halves. */
static verso_status narrow(verso_levels *levels, uint64_t steps, limit *low, limit *high, verso_error *error) {
    verso_status status = VERSO_OK;
    for (uint64_t tries = 1; status == VERSO_OK && high->price - low->price > levels->full.stride; tries++) {
        bool by_crossing = levels->full.stride == 1 && tries % 3 > 0;
        verso_wide half = low->price + (high->price - low->price) / 2;
        verso_wide price = by_crossing ? crossing(levels, low, high) : half;
        verso_wide distance = (price - first_price(levels)) % stride_of(levels);
        status = tabulate(levels, &distance, 1, price, error);
        if (status != VERSO_OK)
            break;
        limit found = limit_at(levels, price);
        *(found.full.steps >= steps ? high : low) = found;
    }
    return status;
}

/* Sorted, each once. */
static uint64_t choose_distances(const verso_levels *levels, verso_wide low, verso_wide high,
                                 verso_wide distances[VERSO_SERIES_MAX]) {
    verso_wide stride = stride_of(levels);
    verso_wide first = first_price(levels);
    const verso_wide wanted[VERSO_SERIES_MAX] = {0, stride / 2, (low - first) % stride, (high - first) % stride};
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
    const verso_levels *levels;
    verso_wide read_cost;
} worth_reading;

static bool is_worth_reading(const void *context, uint64_t whole) {
    const worth_reading *asked = context;
    return full_base(asked->levels, whole * (verso_wide)VERSO_PRICE_UNIT).saving > asked->read_cost;
}

/* The greatest whole price at which nothing that lies below all tiers is worth the cheapest read: lower prices have no
 * further parts, and nobody asks. */
static uint64_t find_first(const verso_levels *levels) {
    worth_reading asked = {.levels = levels, .read_cost = VERSO_WIDE_MAX};
    for (uint64_t k = levels->free_base; k < levels->tiers; k++)
        asked.read_cost = read_cost(levels, k) < asked.read_cost ? read_cost(levels, k) : asked.read_cost;
    return verso_least_above(0, is_worth_reading, &asked) - 1;
}

bool verso_full_base_alone(const verso_levels *levels, uint64_t steps) {
    return levels->free_base && find_first(levels) > verso_repetition(steps, levels->tier[0].capacity);
}

/* So that the table of one series is not too large. */
static uint64_t stride_up_to(verso_levels *levels, verso_wide high) {
    uint64_t rows = count_rows(levels) + levels->tiers + levels->free_base;
    verso_wide cells = (high / VERSO_PRICE_UNIT - levels->full.first + 2) * rows;
    bool quick = levels->one_of_several || !levels->ordered;
    if (cells <= (quick ? cells_quick : cells_max))
        return 1;
    return verso_narrow(cells / (quick ? cells_quick : cells_coarse) + 1);
}

/* Tiers of many slots have to do with few of them where prices are coarse. */
static void choose_stride(verso_levels *levels, verso_wide high) {
    levels->full.stride = stride_up_to(levels, high);
    for (uint64_t k = levels->free_base; k < levels->tiers && levels->full.stride > 1; k++)
        if (verso_full_has_many(levels, k)) {
            levels->tier[k].capacity = few_slots;
            levels->clipped = true;
            verso_full_clear(levels); /* there are more rows now */
        }
    levels->full.stride = stride_up_to(levels, high);
}

/* From a price that is too low: a higher one that is high enough, or the highest of use; and the last too low one. */
static verso_status bracket(verso_levels *levels, uint64_t steps, verso_wide too_low, limit *low, limit *high,
                            verso_error *error) {
    const verso_wide whole[] = {0};
    /* At this price everything is worth recomputing from one capsule. */
    verso_wide highest = first_price(levels) + (steps + 1) * (verso_wide)VERSO_PRICE_UNIT;
    verso_wide reach = VERSO_PRICE_UNIT;
    for (;;) {
        choose_stride(levels, too_low + reach);
        verso_status status = tabulate(levels, whole, 1, too_low + reach, error);
        if (status != VERSO_OK)
            return status;
        *low = limit_at(levels, too_low);
        *high = limit_at(levels, too_low + reach);
        if (high->full.steps >= steps || high->price >= highest)
            return VERSO_OK;
        too_low = high->price;
        reach = 2 * reach < highest - too_low ? 2 * reach : highest - too_low;
    }
}

verso_status verso_full_make(verso_levels *levels, uint64_t steps, verso_error *error) {
    verso_wide distances[VERSO_SERIES_MAX];
    limit low;
    limit high;
    uint64_t slots = 0;
    for (size_t k = 0; k < levels->tiers; k++)
        slots = verso_add_u64(slots, levels->tier[k].capacity);
    levels->full.first = find_first(levels);
    /* Even if all slots were free, some steps would have to be run this often: the price is higher. */
    verso_wide too_low = (verso_repetition(steps, verso_min_u64(slots, steps)) - 1) * (verso_wide)VERSO_PRICE_UNIT;
    too_low = too_low > first_price(levels) ? too_low : first_price(levels);
    verso_status status = bracket(levels, steps, too_low, &low, &high, error);
    if (status == VERSO_OK && high.full.steps >= steps)
        status = narrow(levels, steps, &low, &high, error);
    if (status != VERSO_OK)
        return status;
    uint64_t series = choose_distances(levels, low.price, high.price, distances);
    status = tabulate(levels, distances, series, high.price, error);
    while (status == VERSO_OK && levels->full.price[levels->full.fitting] < high.price)
        levels->full.fitting++;
    return status;
}
