/* Reference for several tiers: what H-Revolve minimises, as a dynamic program over chain length, tier and free slots.
 *
 * unstored(k, m, l): x_0 is the working state and nowhere stored; tiers below k are free, tier k has m free slots.
 *     Either tier k is not used for x_0, unstored(k - 1, c_{k-1}, l), or x_0 is written there, w_k + stored(k, m, l).
 * stored(k, m, l): the same with x_0 in one of tier k's m slots.
 *     Either it serves as the working state for the tiers below, unstored(k - 1, c_{k-1}, l), or x_j is the next start:
 *     j u_f + unstored(k, m - 1, l - j), then x_0 is read back, r_k + stored(k, m, j - 1).
 * Without any tier only l = 0 can be reversed. */
#include "reference.h"
#include "reference_internal.h"

/* Rows of l_max + 1 entries: the cost of a chain with the tiers below, and with m - 1 slots of this one. */
typedef struct rows {
    const uint64_t *below, *fewer;
    uint64_t *stored, *unstored;
} rows;

static void fill(const reference_levels *table, const verso_tier *tier, const rows *at) {
    for (uint64_t l = 0; l <= table->l_max; l++) {
        uint64_t best = at->below[l];
        for (uint64_t j = 1; j <= l; j++)
            best = reference_min(best, reference_add(j * table->u_f + tier->read_cost,
                                                     reference_add(at->fewer[l - j], at->stored[j - 1])));
        at->stored[l] = best;
        at->unstored[l] = reference_min(at->below[l], reference_add(tier->write_cost, best));
    }
}

reference_levels reference_levels_new(const verso_tier *tiers, size_t tier_count, uint64_t u_f, uint64_t u_b,
                                      uint64_t l_max) {
    reference_levels table = {.tier_count = tier_count, .u_f = u_f, .u_b = u_b, .l_max = l_max};
    uint64_t *below = reference_numbers(l_max), *fewer = reference_numbers(l_max);
    uint64_t *stored = reference_numbers(l_max), *unstored = reference_numbers(l_max);
    for (uint64_t l = 0; l <= l_max; l++)
        below[l] = l == 0 ? u_b : REFERENCE_INF;
    for (size_t k = 0; k < tier_count; k++) {
        table.tiers[k] = tiers[k];
        for (uint64_t l = 0; l <= l_max; l++)
            fewer[l] = below[l];
        for (uint64_t m = 1; m <= tiers[k].capacity; m++) {
            rows at = {below, fewer, stored, unstored};
            fill(&table, &tiers[k], &at);
            uint64_t *swap = fewer;
            fewer = unstored;
            unstored = swap;
        }
        uint64_t *swap = below;
        below = fewer;
        fewer = swap;
    }
    free(fewer);
    free(stored);
    free(unstored);
    table.makespan = below;
    return table;
}

void reference_levels_free(reference_levels *table) {
    free(table->makespan);
}
