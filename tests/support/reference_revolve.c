/* References for one tier: the dynamic program of binomial checkpointing, the printed rules, and slots that hold
 * records. */
#include "base/wide.h"
#include "reference.h"
#include "reference_internal.h"

/* ---- Binomials ---- */

uint64_t reference_beta(uint64_t c, uint64_t r) {
    uint64_t few = reference_min(c, r), many = reference_max(c, r);
    verso__wide value = 1;
    for (uint64_t i = 1; i <= few; i++) {
        value = value * (many + i) / i; /* C(many + i, i), which increases with i */
        if (value > UINT64_MAX)
            return UINT64_MAX;
    }
    return (uint64_t)value;
}

uint64_t reference_repetition(uint64_t n, uint64_t c) {
    uint64_t enough = 1;
    while (reference_beta(c, enough) < n)
        enough *= 2;
    uint64_t low = 0;
    while (low < enough) {
        uint64_t middle = (low + enough) / 2;
        if (reference_beta(c, middle) >= n)
            enough = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* ---- The dynamic program ---- */

static uint64_t *cell(const reference_forward *table, uint64_t n, uint64_t c) {
    return &table->cost[c * (table->n_max + 1) + n];
}

/* The cost of n steps on c slots if the first advance is j. */
static uint64_t first_advance(const reference_forward *table, uint64_t n, uint64_t c, uint64_t j) {
    return reference_add(reference_add(j, *cell(table, n - j, c - 1)), *cell(table, j, c));
}

reference_forward reference_forward_new(uint64_t n_max, uint64_t c_max, uint64_t limit) {
    reference_forward table = {n_max, c_max, limit, reference_numbers((n_max + 1) * (c_max + 1))};
    for (uint64_t n = 2; n <= n_max; n++)
        *cell(&table, n, 0) = REFERENCE_INF;
    for (uint64_t c = 1; c <= c_max; c++)
        for (uint64_t n = 2; n <= n_max; n++) {
            uint64_t best = REFERENCE_INF;
            for (uint64_t j = 1; j < n && j <= limit; j++)
                best = reference_min(best, first_advance(&table, n, c, j));
            *cell(&table, n, c) = best;
        }
    return table;
}

void reference_forward_free(reference_forward *table) {
    free(table->cost);
}

uint64_t reference_forward_at(const reference_forward *table, uint64_t n, uint64_t c) {
    return *cell(table, n, c);
}

bool reference_forward_advances(const reference_forward *table, uint64_t n, uint64_t c, uint64_t *lo, uint64_t *hi) {
    uint64_t found = 0;
    for (uint64_t j = 1; j < n && j <= table->limit; j++)
        if (first_advance(table, n, c, j) == *cell(table, n, c)) {
            *lo = found == 0 ? j : *lo;
            *hi = j;
            found++;
        }
    return found > 0 && found == *hi - *lo + 1;
}

/* ---- Increments ---- */

/* times[c * width + k] is how many increments M(j + 1, c) - M(j, c) are k, saturating at n, for c >= 1 and k >= 1.
 * Increments of `width` and more are not kept. The width suffices for n steps on c_max slots and one more value. */
typedef struct increments {
    uint64_t n, c_max, width;
    uint64_t *times;
} increments;

static bool fill(increments *table) {
    uint64_t reached = 0;
    for (uint64_t c = 1; c <= table->c_max; c++)
        for (uint64_t k = 1; k < table->width; k++) {
            uint64_t *here = &table->times[c * table->width + k];
            uint64_t times = (k == 1 ? 1 : 0) + *(here - 1) + *(here - table->width); /* row 0 and column 0 are 0 */
            *here = reference_min(times, table->n);
            if (c == table->c_max && k + 2 < table->width)
                reached = reference_min(reached + times, table->n);
        }
    return reached >= table->n - 1;
}

static increments increments_new(uint64_t n, uint64_t c) {
    increments table = {n, c, 4, NULL};
    do {
        table.width *= 2;
        free(table.times);
        table.times = reference_numbers((c + 1) * table.width);
    } while (!fill(&table));
    return table;
}

/* M(j + 1, c) - M(j, c), at most `width`. With one slot it is j; c must be at least 1. */
static uint64_t increment(const increments *table, uint64_t j, uint64_t c) {
    if (c == 0)
        return REFERENCE_INF;
    if (c == 1)
        return j;
    uint64_t k = 1;
    for (uint64_t sum = 0; k < table->width; k++) {
        sum += table->times[c * table->width + k];
        if (sum >= j)
            break;
    }
    return k;
}

/* The first j from 1 to n - 1 whose successor costs more; if `strictly` is false, at least as much. Costs are
 * convex. */
static uint64_t turning_point(const increments *table, uint64_t n, uint64_t c, bool strictly) {
    uint64_t low = 1, high = n - 1;
    while (low < high) {
        uint64_t j = low + (high - low) / 2;
        uint64_t gain = increment(table, n - j - 1, c - 1), loss = 1 + increment(table, j, c);
        if (strictly ? loss > gain : loss >= gain)
            high = j;
        else
            low = j + 1;
    }
    return low;
}

verso__wide reference_forward_large(uint64_t n, uint64_t c) {
    if (n <= 1)
        return 0;
    if (c == 0)
        return REFERENCE_WIDE_INF;
    if (c == 1)
        return (verso__wide)n * (n - 1) / 2;
    increments table = increments_new(n, c);
    verso__wide cost = 0;
    uint64_t left = n - 1;
    for (uint64_t k = 1; left > 0; k++) {
        uint64_t times = reference_min(left, table.times[c * table.width + k]);
        cost += (verso__wide)times * k;
        left -= times;
    }
    free(table.times);
    return cost;
}

void reference_advances_large(uint64_t n, uint64_t c, uint64_t *lo, uint64_t *hi) {
    *lo = *hi = n - 1;
    if (c == 1)
        return;
    increments table = increments_new(n, c);
    *lo = turning_point(&table, n, c, false);
    *hi = turning_point(&table, n, c, true);
    free(table.times);
}

/* ---- Printed rules ---- */

/* beta(c - less, r - fewer); 0 if an argument would be negative. */
static uint64_t beta_below(uint64_t c, uint64_t less, uint64_t r, uint64_t fewer) {
    return c < less || r < fewer ? 0 : reference_beta(c - less, r - fewer);
}

uint64_t reference_advance_revolve(uint64_t n, uint64_t c) {
    uint64_t r = reference_repetition(n, c);
    if (r == 1)
        return 1; /* all states fit; the first case of golden/README.md would give beta(c, -1) = 0 for some of these */
    if (n <= beta_below(c, 0, r, 1) + beta_below(c, 2, r, 1))
        return beta_below(c, 0, r, 2);
    if (n >= reference_beta(c, r) - beta_below(c, 3, r, 0))
        return beta_below(c, 0, r, 1);
    return n - beta_below(c, 1, r, 1) - beta_below(c, 2, r, 1);
}

uint64_t reference_advance_theorem42(uint64_t n, uint64_t c) {
    if (c == 1)
        return n - 1;
    uint64_t r = reference_repetition(n, c);
    if (n >= beta_below(c, 0, r, 1) + beta_below(c, 1, r, 1))
        return beta_below(c, 0, r, 1);
    return n - beta_below(c, 1, r, 1);
}

/* `held` slots are in use, `c` are free; x_first is the working state and is not stored. */
static void walk(reference_walk *result, uint64_t n, uint64_t c, uint64_t held, reference_rule *rule, uint64_t limit) {
    if (n == 1)
        return;
    if (c == 0) {
        result->forward = REFERENCE_INF;
        return;
    }
    result->writes++;
    result->peak_slots = reference_max(result->peak_slots, held + 1);
    for (; n > 1; result->reads++) {
        uint64_t advance = reference_min(rule(n, c), limit);
        result->forward = reference_add(result->forward, advance);
        walk(result, n - advance, c - 1, held + 1, rule, limit);
        n = advance;
    }
}

reference_walk reference_walk_rule(uint64_t n, uint64_t c, reference_rule *rule, uint64_t limit) {
    reference_walk result = {0};
    result.first = reference_numbers(c);
    uint64_t at = 0;
    for (uint64_t slots = c; n - at > 1 && slots > 0; slots--) {
        uint64_t advance = reference_min(rule(n - at, slots), limit);
        result.first[result.first_count++] = at;
        result.longest_gap = reference_max(result.longest_gap, advance);
        at += advance;
    }
    if (n > 0)
        walk(&result, n, c, 0, rule, limit);
    return result;
}

uint64_t reference_longest_gap(uint64_t n, uint64_t c, reference_rule *rule) {
    uint64_t longest = 0;
    for (; n > 1 && c > 0; c--) {
        uint64_t advance = rule(n, c);
        longest = reference_max(longest, advance);
        n -= advance;
    }
    return longest;
}

/* ---- The smallest distance that costs nothing ---- */

uint64_t reference_free_distance(uint64_t n, uint64_t c) {
    reference_forward table = reference_forward_new(n, c, VERSO_UNKNOWN);
    uint64_t *gap = reference_numbers((n + 1) * (c + 1));
    for (uint64_t slots = 1; slots <= c; slots++)
        for (uint64_t steps = 2; steps <= n; steps++) {
            uint64_t best = REFERENCE_INF;
            for (uint64_t j = 1; j < steps; j++)
                if (first_advance(&table, steps, slots, j) == *cell(&table, steps, slots))
                    best = reference_min(best, reference_max(j, gap[(slots - 1) * (n + 1) + steps - j]));
            gap[slots * (n + 1) + steps] = best;
        }
    uint64_t result = gap[c * (n + 1) + n];
    free(gap);
    reference_forward_free(&table);
    return result;
}

/* True if the first sweep of n steps on c slots can use optimal advances of at most d. Both ends of the optimal
 * advances, and the steps that they leave, never decrease as n grows; so the possible numbers of steps left after
 * each store form an interval. */
static bool sweeps_within(const increments *table, uint64_t n, uint64_t c, uint64_t d) {
    uint64_t least = n, most = n;
    for (; least > 1 && c > 0; c--) {
        uint64_t low = least, high = most + 1; /* the advance at `low` is short enough, or none is */
        if (turning_point(table, least, c, false) > d)
            return false;
        while (high - low > 1) {
            uint64_t middle = low + (high - low) / 2;
            if (turning_point(table, middle, c, false) <= d)
                low = middle;
            else
                high = middle;
        }
        most = low - turning_point(table, low, c, false);
        least -= reference_min(d, turning_point(table, least, c, true));
    }
    return least <= 1;
}

uint64_t reference_free_distance_large(uint64_t n, uint64_t c) {
    if (n < 2)
        return 0;
    increments table = increments_new(n, c);
    uint64_t low = 1, high = n - 1;
    while (low < high) {
        uint64_t d = low + (high - low) / 2;
        if (sweeps_within(&table, n, c, d))
            high = d;
        else
            low = d + 1;
    }
    free(table.times);
    return low;
}

/* ---- Records in slots, and the online reversal ---- */

uint64_t *reference_mixed_new(uint64_t n_max, uint64_t s_max) {
    uint64_t *cost = reference_numbers((n_max + 1) * (s_max + 1));
    for (uint64_t s = 0; s <= s_max; s++) {
        uint64_t *row = &cost[s * (n_max + 1)];
        for (uint64_t n = 1; n <= n_max; n++) {
            uint64_t best = n == 1 ? 1 : REFERENCE_INF;
            if (n > 1 && s > 0) {
                const uint64_t *less = row - (n_max + 1);
                best = reference_add(1, less[n - 1]);
                for (uint64_t i = 1; i < n; i++)
                    best = reference_min(best, reference_add(i, reference_add(row[i], less[n - i])));
            }
            row[n] = best;
        }
    }
    return cost;
}

uint64_t reference_keep_all(const reference_forward *table, uint64_t n, uint64_t c, const uint64_t *stored,
                            size_t count) {
    uint64_t cost = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t end = i + 1 < count ? stored[i + 1] : n - 1;
        cost = reference_add(cost, reference_forward_at(table, end - stored[i], c - i));
    }
    return cost;
}
