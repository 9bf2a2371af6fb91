/* References for memory and unlimited disk: Theorem 1 of paper 4 as dynamic programs, and what the paper builds on it
 * (periods, l_X^(1), dominant sequences, DISK-A-REVOLVE), each from its definition with the errata corrected. */
#include "base/wide.h"
#include "reference.h"
#include "reference_internal.h"

/* ---- Theorem 1 ---- */

/* Opt_0(l, c) = min_j j u_f + Opt_0(l - j, c - 1) + Opt_0(j - 1, c): x_0 is stored, x_j becomes the next start. */
static uint64_t *opt0_new(const reference_platform *platform, uint64_t l_max) {
    uint64_t *less = reference_numbers(l_max), *opt0 = reference_numbers(l_max);
    for (uint64_t l = 0; l <= l_max; l++)
        opt0[l] = l == 0 ? platform->u_b : REFERENCE_INF;
    for (uint64_t c = 1; c <= platform->c_m; c++) {
        uint64_t *swap = less;
        less = opt0;
        opt0 = swap;
        opt0[0] = platform->u_b;
        for (uint64_t l = 1; l <= l_max; l++) {
            opt0[l] = REFERENCE_INF;
            for (uint64_t j = 1; j <= l; j++)
                opt0[l] =
                    reference_min(opt0[l], reference_add(j * platform->u_f, reference_add(less[l - j], opt0[j - 1])));
        }
    }
    free(less);
    return opt0;
}

/* best[l] = min(opt0[l], extra + min_j j u_f + right[l - j] + r_d + left[j - 1]). `right` or `left` may be `best`. */
static void minimise(const reference_disk *table, uint64_t *best, uint64_t extra, const uint64_t *right,
                     const uint64_t *left) {
    const reference_platform *x = &table->platform;
    for (uint64_t l = 0; l <= table->l_max; l++) {
        uint64_t least = table->opt0[l];
        for (uint64_t j = 1; j <= l; j++)
            least = reference_min(least,
                                  reference_add(extra + j * x->u_f + x->r_d, reference_add(right[l - j], left[j - 1])));
        best[l] = least;
    }
}

reference_disk reference_disk_new(const reference_platform *platform, uint64_t l_max) {
    reference_disk table = {*platform,
                            l_max,
                            opt0_new(platform, l_max),
                            reference_numbers(l_max),
                            reference_numbers(l_max),
                            reference_numbers(l_max)};
    minimise(&table, table.opt1d, 0, table.opt0, table.opt1d);
    minimise(&table, table.opt_inf, platform->w_d, table.opt_inf, table.opt1d);
    minimise(&table, table.opt_inf_one_read, platform->w_d, table.opt_inf_one_read, table.opt0);
    return table;
}

void reference_disk_free(reference_disk *table) {
    free(table->opt0);
    free(table->opt1d);
    free(table->opt_inf);
    free(table->opt_inf_one_read);
}

/* ---- Sequences ---- */

/* The cost of a period of m in addition to its m forward steps: w_d + r_d + Opt_1^(d)(m - 1). */
static uint64_t period_cost(const reference_disk *table, uint64_t m) {
    return reference_add(table->platform.w_d + table->platform.r_d, table->opt1d[m - 1]);
}

uint64_t reference_exec(const reference_disk *table, uint64_t l, uint64_t m, uint64_t count) {
    uint64_t cost = reference_add(count * m * table->platform.u_f, table->opt0[l - count * m]);
    for (uint64_t i = 0; i < count; i++)
        cost = reference_add(cost, period_cost(table, m));
    return cost;
}

uint64_t reference_disk_a_revolve(const reference_disk *table, uint64_t l, uint64_t m) {
    const reference_platform *x = &table->platform;
    uint64_t full = (l + m - 1) / m - 1;
    uint64_t cost = l * x->u_f + (full + 1) * x->w_d + x->u_b;
    cost = reference_add(cost, table->opt0[l - full * m - 1]);
    for (uint64_t i = 0; i < full; i++)
        cost = reference_add(cost, reference_add(x->r_d, table->opt1d[m - 1]));
    return cost;
}

bool reference_pds_ceil(uint64_t l, uint64_t m, uint64_t l_x1, uint64_t *count) {
    *count = l <= l_x1 ? 0 : (l - l_x1 + m - 1) / m;
    return *count * m <= l;
}

uint64_t reference_pds_strict(uint64_t l, uint64_t m, uint64_t l_x1) {
    uint64_t count = 0;
    while ((count + 1) * m <= l && l - count * m >= l_x1)
        count++;
    return count;
}

uint64_t reference_pds_best(const reference_disk *table, uint64_t l, uint64_t m) {
    uint64_t best = 0;
    for (uint64_t count = 1; count * m <= l; count++)
        if (reference_exec(table, l, m, count) < reference_exec(table, l, m, best))
            best = count;
    return best;
}

/* ---- Periods ---- */

uint64_t reference_m_max(const reference_platform *platform) {
    uint64_t c = platform->c_m, t1 = 0, t2 = 0;
    if (c == 0 || platform->u_f == 0)
        return REFERENCE_INF;
    while ((verso__wide)reference_beta(c, t1) * platform->u_f <= platform->w_d + platform->r_d)
        t1++;
    while ((verso__wide)reference_beta(c, t2) * platform->u_f < platform->w_d)
        t2++;
    return reference_max(reference_beta(c, t1 + 1), 2 * reference_beta(c, t2) + 1);
}

/* True if RelCost(a) < RelCost(b), computed without division. */
static bool cheaper(const reference_disk *table, uint64_t a, uint64_t b) {
    return (verso__wide)period_cost(table, a) * b < (verso__wide)period_cost(table, b) * a;
}

reference_minimisers reference_m_x(const reference_disk *table, uint64_t m_max) {
    reference_minimisers result = {1, 1, 1};
    for (uint64_t m = 2; m <= m_max; m++) {
        if (cheaper(table, m, result.smallest))
            result = (reference_minimisers){m, m, 1};
        else if (!cheaper(table, result.smallest, m)) {
            result.largest = m;
            result.count++;
        }
    }
    return result;
}

bool reference_is_minimiser(const reference_disk *table, uint64_t m_max, uint64_t m) {
    return m >= 1 && m <= m_max && !cheaper(table, reference_m_x(table, m_max).smallest, m);
}

/* The cost if the first period is j: w_d + j u_f + Opt_inf(rest) + r_d + Opt_1^(d)(j - 1). */
static uint64_t first_period(const reference_disk *table, uint64_t j, uint64_t rest) {
    return reference_add(j * table->platform.u_f, reference_add(period_cost(table, j), table->opt_inf[rest]));
}

uint64_t reference_l_x1(const reference_disk *table, bool as_printed) {
    for (uint64_t l = 1; l <= table->l_max; l++)
        for (uint64_t j = 1; j + (as_printed ? 1 : 0) <= l; j++)
            if (table->opt0[l] >= first_period(table, j, l - j - (as_printed ? 1 : 0)))
                return l;
    return REFERENCE_INF;
}

/* Proposition 1: every optimal dominant sequence of l has exactly one period. */
static bool only_one_period(const reference_disk *table, uint64_t l, uint64_t l_x1) {
    uint64_t others = table->opt0[l];
    for (uint64_t j = 1; j + l_x1 <= l; j++)
        others = reference_min(others, first_period(table, j, l - j));
    return table->opt_inf[l] < others;
}

/* m_1^l: of the periods m for which (m; l - m) is optimal, the one of least relative cost; of several, the largest. */
static uint64_t single_period(const reference_disk *table, uint64_t l) {
    uint64_t best = 0;
    for (uint64_t m = 1; m <= l; m++)
        if (reference_exec(table, l, m, 1) == table->opt_inf[l] && (best == 0 || !cheaper(table, best, m)))
            best = m;
    return best;
}

reference_algorithm4 reference_m_x_algorithm4(const reference_disk *table, uint64_t l_x1, uint64_t m_max) {
    reference_algorithm4 result = {0, 0};
    bool *member = calloc(l_x1 + m_max + 1, sizeof *member);
    if (member == NULL)
        abort();
    for (uint64_t l = l_x1; l <= l_x1 + m_max; l++)
        if (only_one_period(table, l, l_x1))
            member[single_period(table, l)] = true;
    for (uint64_t m = 1; m <= l_x1 + m_max; m++)
        if (member[m]) {
            result.size++;
            if (result.m_x == 0 || !cheaper(table, result.m_x, m))
                result.m_x = m;
        }
    free(member);
    return result;
}

/* ---- Conjecture 1 ---- */

static uint64_t f(uint64_t x, uint64_t y, uint64_t c_m) {
    uint64_t value = reference_beta(c_m + 1, x + y - 1);
    for (uint64_t k = 0; k < y; k++)
        value -= reference_beta(c_m, k);
    return value;
}

static uint64_t candidate(const reference_platform *platform, bool as_printed, uint64_t i_r) {
    uint64_t i_w = 0, sum = 0;
    do
        sum += f(++i_w, i_r, platform->c_m);
    while (sum < platform->w_d);
    return as_printed ? f(i_r, i_w, platform->c_m) : f(i_w, i_r, platform->c_m);
}

void reference_conjecture(const reference_platform *platform, bool as_printed, uint64_t *a, uint64_t *b) {
    uint64_t x = 0;
    while (reference_beta(platform->c_m + 1, x) <= platform->r_d)
        x++;
    *a = candidate(platform, as_printed, x);
    *b = candidate(platform, as_printed, x + 1);
}
