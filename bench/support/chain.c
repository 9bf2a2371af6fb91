/* See chain.h. */
#include "bench/support/chain.h"
#include "bench/support/output.h"
#include "schedule/binomial.h"

#include <stdlib.h>

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

bench_chain bench_chain_new(const verso_platform *platform, uint64_t length) {
    verso_period period;
    verso_error error;
    if (verso_period_find(platform, &period, &error) != VERSO_STATUS_OK)
        bench_fail("%s", error.message);
    bench_chain chain = {.platform = *platform, .longest = period.longest, .length = length};
    uint64_t reach = length > chain.longest ? length : chain.longest;
    chain.opt0 = bench_alloc(reach + 1, sizeof *chain.opt0);
    chain.opt1d = bench_alloc(chain.longest, sizeof *chain.opt1d);
    chain.opt_inf = bench_alloc(length + 1, sizeof *chain.opt_inf);
    for (uint64_t l = 0; l <= reach; l++)
        chain.opt0[l] = (uint64_t)verso__min_forward(l + 1, platform->slots);
    for (uint64_t l = 0; l < chain.longest; l++) {
        chain.opt1d[l] = chain.opt0[l];
        for (uint64_t j = 1; j < l; j++)
            chain.opt1d[l] = least(chain.opt1d[l], j + chain.opt0[l - j] + platform->read_cost + chain.opt1d[j - 1]);
    }
    for (uint64_t l = 0; l <= length; l++) {
        chain.opt_inf[l] = chain.opt0[l];
        for (uint64_t j = 1; j <= l && j <= chain.longest; j++)
            chain.opt_inf[l] = least(chain.opt_inf[l], j + bench_chain_period_cost(&chain, j) + chain.opt_inf[l - j]);
    }
    return chain;
}

void bench_chain_free(bench_chain *chain) {
    free(chain->opt0);
    free(chain->opt1d);
    free(chain->opt_inf);
}

uint64_t bench_chain_period_cost(const bench_chain *chain, uint64_t m) {
    return chain->platform.write_cost + chain->platform.read_cost + chain->opt1d[m - 1];
}

int bench_chain_compare(const bench_chain *chain, uint64_t a, uint64_t b) {
    uint64_t left = bench_chain_period_cost(chain, a) * b;
    uint64_t right = bench_chain_period_cost(chain, b) * a;
    return (left > right) - (left < right);
}

uint64_t bench_chain_period(const bench_chain *chain) {
    uint64_t best = 1;
    for (uint64_t m = 2; m <= chain->longest; m++)
        if (bench_chain_compare(chain, m, best) <= 0)
            best = m;
    return best;
}

/* Returns the cost of a sequence for l that begins with the period j and is then optimal. */
static uint64_t with_period(const bench_chain *chain, uint64_t l, uint64_t j) {
    return j + bench_chain_period_cost(chain, j) + chain->opt_inf[l - j];
}

/* ---- How far from periodic -------------------------------------------------------------------------------------- */

static uint64_t fewest_exceptions(const bench_chain *chain, const uint64_t *fewest, uint64_t l, uint64_t m) {
    if (chain->opt_inf[l] == chain->opt0[l])
        return 0;
    uint64_t best = UINT64_MAX;
    for (uint64_t j = 1; j <= l && j <= chain->longest; j++)
        if (with_period(chain, l, j) == chain->opt_inf[l])
            best = least(best, fewest[l - j] + (j != m));
    return best;
}

/* Everything at l follows from the `longest` lengths before it. Once these have repeated themselves, shifted by m, over
 * `longest` + m lengths, and the disk is used, they repeat forever. */
uint64_t bench_chain_exceptions(const bench_chain *chain, uint64_t m, uint64_t *repeats) {
    uint64_t *fewest = bench_alloc(chain->length + 1, sizeof *fewest);
    uint64_t most = 0;
    uint64_t run = 0;
    *repeats = 0;
    for (uint64_t l = 0; l <= chain->length && *repeats == 0; l++) {
        fewest[l] = fewest_exceptions(chain, fewest, l, m);
        most = fewest[l] > most ? fewest[l] : most;
        bool same = l >= m && chain->opt_inf[l] < chain->opt0[l] && fewest[l] == fewest[l - m] &&
                    chain->opt_inf[l] == chain->opt_inf[l - m] + m + bench_chain_period_cost(chain, m);
        run = same ? run + 1 : 0;
        if (run >= chain->longest + m)
            *repeats = l + 1 - run;
    }
    free(fewest);
    return most;
}

/* ---- Algorithms 3 and 4 ----------------------------------------------------------------------------------------- */

/* Returns the least cost for l with a first period of at most `most`, and the rest as in Algorithms 3 and 4. */
static uint64_t with_periods_up_to(const bench_chain *chain, uint64_t l, uint64_t most, bool as_printed) {
    uint64_t best = UINT64_MAX;
    for (uint64_t j = 1; j + as_printed <= l && j <= most && j <= chain->longest; j++)
        best = least(best, j + bench_chain_period_cost(chain, j) + chain->opt_inf[l - as_printed - j]);
    return best;
}

/* Returns m_1^l: of the periods m for which (m; l - m) is optimal, the one with the least relative cost; 0: none. */
static uint64_t single_period(const bench_chain *chain, uint64_t l) {
    uint64_t best = 0;
    for (uint64_t m = 1; m <= l && m <= chain->longest; m++) {
        bool optimal = chain->opt_inf[l] == m + bench_chain_period_cost(chain, m) + chain->opt0[l - m];
        if (optimal && (best == 0 || bench_chain_compare(chain, m, best) <= 0))
            best = m;
    }
    return best;
}

bench_algorithm4 bench_chain_algorithm4(const bench_chain *chain, bool as_printed) {
    bench_algorithm4 result = {.first_useful = 1};
    bool *found = bench_alloc(chain->longest + 1, sizeof *found);
    while (chain->opt0[result.first_useful] <
           with_periods_up_to(chain, result.first_useful, result.first_useful, as_printed))
        result.first_useful++;
    for (uint64_t l = result.first_useful; l <= result.first_useful + chain->longest; l++) {
        uint64_t others = with_periods_up_to(chain, l, l - result.first_useful, as_printed);
        if (chain->opt_inf[l] >= least(chain->opt0[l], others))
            continue;
        uint64_t m = single_period(chain, l);
        if (m == 0)
            continue;
        result.size += !found[m];
        found[m] = true;
        if (result.m_x == 0 || bench_chain_compare(chain, m, result.m_x) < 0 ||
            (bench_chain_compare(chain, m, result.m_x) == 0 && m > result.m_x))
            result.m_x = m;
    }
    free(found);
    return result;
}

/* ---- Costs of sequences ----------------------------------------------------------------------------------------- */

uint64_t bench_chain_sequence_cost(const bench_chain *chain, uint64_t l, uint64_t m, uint64_t count) {
    return count * (m + bench_chain_period_cost(chain, m)) + chain->opt0[l - count * m];
}

uint64_t bench_chain_disk_a_revolve(const bench_chain *chain, uint64_t l, uint64_t m) {
    uint64_t full = (l + m - 1) / m - 1;
    uint64_t residual = l - full * m;
    uint64_t read_back = chain->platform.read_cost + chain->opt1d[m - 1];
    return l + (full + 1) * chain->platform.write_cost + chain->opt0[residual - 1] + full * read_back;
}
