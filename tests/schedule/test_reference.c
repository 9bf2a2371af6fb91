/* Tests the references of other tests: compares dynamic programs and exhaustive search with each other and with every
 * row of the golden data. This test does not use the library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/wide.h"
#include "tests/support/brute.h"
#include "tests/support/golden.h"
#include "tests/support/reference.h"

enum { LIST_MAX = 1024 };

static verso__wide wide(uint64_t cost) {
    return cost == REFERENCE_INF ? GOLDEN_INF : cost;
}

/* ---- One tier ---- */

static void check_walk(const golden *rows, uint64_t n, uint64_t c) {
    reference_walk walk = reference_walk_rule(n, c, reference_advance_revolve, VERSO_UNKNOWN);
    golden_check(rows, "min_forward", walk.forward);
    golden_check(rows, "writes_revolve", walk.writes);
    golden_check(rows, "reads_revolve", walk.reads);
    golden_check(rows, "peak_slots", walk.peak_slots);
    golden_check_list(rows, "first_sweep", walk.first, walk.first_count);
    free(walk.first);
}

static void test_revolve(void **unused) {
    (void)unused;
    reference_forward table = reference_forward_new(1000, 30, VERSO_UNKNOWN);
    golden *rows = golden_open("revolve");
    while (golden_next(rows)) {
        uint64_t n = golden_u64(rows, "n"), c = golden_u64(rows, "c"), lo = 0, hi = 0;
        golden_check(rows, "min_forward", reference_forward_at(&table, n, c));
        golden_check(rows, "min_forward", reference_forward_large(n, c));
        golden_check(rows, "r", reference_repetition(n, c));
        check_walk(rows, n, c);
        if (n == 1)
            continue;
        golden_check(rows, "next_revolve", reference_advance_revolve(n, c));
        assert_true(reference_forward_advances(&table, n, c, &lo, &hi));
        golden_check(rows, "next_lo", lo);
        golden_check(rows, "next_hi", hi);
        golden_check(rows, "next_hi", reference_advance_theorem42(n, c));
        reference_advances_large(n, c, &lo, &hi);
        golden_check(rows, "next_lo", lo);
        golden_check(rows, "next_hi", hi);
    }
    golden_close(rows);
    reference_forward_free(&table);
}

static void test_revolve_large(void **unused) {
    (void)unused;
    golden *rows = golden_open("revolve_large");
    while (golden_next(rows)) {
        uint64_t n = golden_u64(rows, "n"), c = golden_u64(rows, "c"), lo = 0, hi = 0;
        golden_check(rows, "min_forward", reference_forward_large(n, c));
        golden_check(rows, "r", reference_repetition(n, c));
        golden_check(rows, "next_revolve", reference_advance_revolve(n, c));
        reference_advances_large(n, c, &lo, &hi);
        golden_check(rows, "next_lo", lo);
        golden_check(rows, "next_hi", hi);
        assert_int_equal(hi, reference_advance_theorem42(n, c));
    }
    golden_close(rows);
}

/* Compares two ways to compute the same numbers, for all small sizes. */
static void test_dense(void **unused) {
    (void)unused;
    reference_forward table = reference_forward_new(160, 12, VERSO_UNKNOWN);
    for (uint64_t c = 1; c <= 12; c++)
        for (uint64_t n = 2; n <= 160; n++) {
            uint64_t lo = 0, hi = 0, lo_large = 0, hi_large = 0;
            assert_true(reference_forward_advances(&table, n, c, &lo, &hi));
            reference_advances_large(n, c, &lo_large, &hi_large);
            assert_int_equal(lo, lo_large);
            assert_int_equal(hi, hi_large);
            assert_int_equal(hi, reference_advance_theorem42(n, c));
            assert_true(reference_forward_large(n, c) == reference_forward_at(&table, n, c));
        }
    reference_forward_free(&table);
    for (uint64_t c = 1; c <= 6; c++)
        for (uint64_t n = 1; n <= 60; n++)
            assert_int_equal(reference_free_distance(n, c), reference_free_distance_large(n, c));
}

static void test_mixed(void **unused) {
    (void)unused;
    uint64_t *table = reference_mixed_new(1000, 15);
    golden *rows = golden_open("mixed");
    while (golden_next(rows)) {
        uint64_t n = golden_u64(rows, "n"), s = golden_u64(rows, "s");
        golden_check(rows, "checkpoint_schedules_total_forward", table[s * 1001 + n]);
        if (!golden_is_empty(rows, "brute_total_forward")) {
            golden_check(rows, "brute_total_forward", table[s * 1001 + n]);
            golden_check(rows, "brute_total_forward", brute_mixed(n, s));
        }
    }
    golden_close(rows);
    for (uint64_t n = 1; n <= 7; n++)
        for (uint64_t s = 0; s <= 7; s++)
            assert_true(brute_mixed(n, s) == table[s * 1001 + n]);
    free(table);
}

static void test_online_reversal(void **unused) {
    (void)unused;
    reference_forward table = reference_forward_new(16, 8, VERSO_UNKNOWN);
    golden *rows = golden_open("online_reversal");
    while (golden_next(rows)) {
        uint64_t n = golden_u64(rows, "n"), c = golden_u64(rows, "c"), stored[BRUTE_STEPS_MAX];
        size_t count = golden_list(rows, "stored", stored, BRUTE_STEPS_MAX);
        uint32_t held = 0;
        for (size_t i = 0; i < count; i++)
            held |= UINT32_C(1) << stored[i];
        uint64_t best = brute_online(n, c, held, false);
        golden_check(rows, "brute_optimal", best);
        golden_check(rows, "forward_keep_all", reference_keep_all(&table, n, c, stored, count));
        assert_true(brute_online(n, c, held, true) >= best);
    }
    golden_close(rows);
    reference_forward_free(&table);
}

/* ---- Resilience ---- */

static void check_or_empty(const golden *rows, const char *column, uint64_t cost) {
    if (cost == REFERENCE_INF)
        assert_true(golden_is_empty(rows, column));
    else
        golden_check(rows, column, cost);
}

static void check_clipped(const golden *rows, const char *cost_column, const char *sweep_column, reference_rule *rule) {
    uint64_t n = golden_u64(rows, "n"), c = golden_u64(rows, "c"), d = golden_u64(rows, "d");
    reference_walk walk = reference_walk_rule(n, c, rule, d);
    check_or_empty(rows, cost_column, walk.forward);
    golden_check_list(rows, sweep_column, walk.first, walk.first_count);
    free(walk.first);
}

static void test_resilience(void **unused) {
    (void)unused;
    golden *rows = golden_open("resilience");
    while (golden_next(rows)) {
        uint64_t n = golden_u64(rows, "n"), c = golden_u64(rows, "c");
        reference_forward bounded = reference_forward_new(n, c, golden_u64(rows, "d"));
        check_or_empty(rows, "fwd_optimal_gap_d", reference_forward_at(&bounded, n, c));
        reference_forward_free(&bounded);
        golden_check(rows, "unconstrained_min", reference_forward_large(n, c));
        check_clipped(rows, "fwd_min_of_revolve_d", "first_sweep_revolve_d", reference_advance_revolve);
        check_clipped(rows, "fwd_min_of_thm42_d", "first_sweep_thm42_d", reference_advance_theorem42);
    }
    golden_close(rows);
}

static uint64_t least_advance(uint64_t n, uint64_t c) {
    uint64_t lo = 0, hi = 0;
    reference_advances_large(n, c, &lo, &hi);
    return lo;
}

static void test_resilience_distances(void **unused) {
    (void)unused;
    golden *rows = golden_open("resilience_free_d");
    while (golden_next(rows)) {
        uint64_t n = golden_u64(rows, "n"), c = golden_u64(rows, "c");
        golden_check(rows, "r", reference_repetition(n, c));
        golden_check(rows, "min_forward", reference_forward_large(n, c));
        golden_check(rows, "maxgap_revolve", reference_longest_gap(n, c, reference_advance_revolve));
        golden_check(rows, "maxgap_thm42", reference_longest_gap(n, c, reference_advance_theorem42));
        golden_check(rows, "d_free", reference_free_distance_large(n, c));
        if (n <= 1000)
            golden_check(rows, "d_free", reference_free_distance(n, c));
    }
    golden_close(rows);
    rows = golden_open("resilience_table1");
    while (golden_next(rows)) {
        uint64_t l = golden_u64(rows, "l"), r = golden_u64(rows, "r"), c = 1;
        while (reference_beta(c, r) < l)
            c++;
        golden_check(rows, "c", c);
        golden_check(rows, "d_beta_c_rm1", reference_beta(c, r - 1));
        golden_check(rows, "maxgap_thm42", reference_longest_gap(l, c, reference_advance_theorem42));
        golden_check(rows, "maxgap_minrule", reference_longest_gap(l, c, least_advance));
        golden_check(rows, "min_forward", reference_forward_large(l, c));
    }
    golden_close(rows);
}

/* No golden data: the dynamic program with bounded advances is the optimum of those that overwrite nothing they
  * still need; with overwriting, fewer are possible (4 steps on 2 slots with distance 1 are impossible without it,
  * and cost 4 with it). */
static void test_bounded_brute(void **unused) {
    (void)unused;
    for (uint64_t d = 1; d <= 6; d++) {
        reference_forward bounded = reference_forward_new(10, 4, d);
        for (uint64_t c = 1; c <= 4; c++)
            for (uint64_t n = 1; n <= 10; n++) {
                assert_true(brute_forward(n, c, d, false) == reference_forward_at(&bounded, n, c));
                assert_true(brute_forward(n, c, d, true) <= reference_forward_at(&bounded, n, c));
            }
        reference_forward_free(&bounded);
    }
    assert_true(brute_forward(4, 2, 1, false) == BRUTE_INF);
    assert_int_equal(brute_forward(4, 2, 1, true), 4);
}

/* ---- Memory and disk ---- */

static reference_platform platform_of(const golden *rows) {
    reference_platform x = {golden_u64(rows, "c_m"), 0, 0, 1, 0};
    if (!golden_is_empty(rows, "w_d"))
        x.w_d = golden_u64(rows, "w_d");
    if (!golden_is_empty(rows, "r_d"))
        x.r_d = golden_u64(rows, "r_d");
    if (golden_has(rows, "u_f")) {
        x.u_f = golden_u64(rows, "u_f");
        x.u_b = golden_u64(rows, "u_b");
    }
    return x;
}

/* Rows come in runs of one platform: keeps its table until another one is asked for. */
static const reference_disk *table_of(reference_disk *kept, const reference_platform *x, uint64_t l_max) {
    if (kept->opt0 == NULL || kept->l_max < l_max || memcmp(&kept->platform, x, sizeof *x) != 0) {
        reference_disk_free(kept);
        *kept = reference_disk_new(x, l_max);
    }
    return kept;
}

static void check_periods(const golden *rows, const reference_disk *table, uint64_t l) {
    uint64_t periods[LIST_MAX], sum = golden_u64(rows, "res");
    size_t count = golden_list(rows, "periods", periods, LIST_MAX);
    uint64_t cost = table->opt0[sum];
    golden_check(rows, "n_periods", count);
    for (size_t i = 0; i < count; i++) {
        sum += periods[i];
        cost +=
            table->platform.w_d + table->platform.r_d + periods[i] * table->platform.u_f + table->opt1d[periods[i] - 1];
    }
    assert_int_equal(sum, l);
    golden_check(rows, "opt_inf", cost);
}

static void test_makespan(void **unused) {
    (void)unused;
    reference_disk kept = {0};
    golden *rows = golden_open("makespan");
    while (golden_next(rows)) {
        reference_platform x = platform_of(rows);
        uint64_t l = golden_u64(rows, "l");
        const reference_disk *table = table_of(&kept, &x, 200);
        golden_check(rows, "opt0", wide(table->opt0[l]));
        golden_check(rows, "opt1d", wide(table->opt1d[l]));
        golden_check(rows, "opt_inf", wide(table->opt_inf[l]));
        golden_check(rows, "opt_inf_oneread", wide(table->opt_inf_one_read[l]));
        check_periods(rows, table, l);
    }
    golden_close(rows);
    reference_disk_free(&kept);
}

static void check_conjecture(const golden *rows, const reference_disk *table, uint64_t m_max, bool as_printed) {
    uint64_t a = 0, b = 0;
    reference_conjecture(&table->platform, as_printed, &a, &b);
    golden_check(rows, as_printed ? "conj_printed_a" : "conj_a", a);
    golden_check(rows, as_printed ? "conj_printed_b" : "conj_b", b);
    golden_check(rows, as_printed ? "conj_printed_holds" : "conj_holds",
                 reference_is_minimiser(table, m_max, a) || reference_is_minimiser(table, m_max, b));
}

static void test_periods(void **unused) {
    (void)unused;
    golden *rows = golden_open("mx");
    while (golden_next(rows)) {
        reference_platform x = platform_of(rows);
        uint64_t m_max = reference_m_max(&x);
        golden_check(rows, "m_max", m_max);
        reference_disk table = reference_disk_new(&x, m_max);
        reference_minimisers found = reference_m_x(&table, m_max);
        golden_check(rows, "m_X_smallest", found.smallest);
        golden_check(rows, "m_X", found.largest);
        golden_check(rows, "num_minimisers", found.count);
        check_conjecture(rows, &table, m_max, false);
        check_conjecture(rows, &table, m_max, true);
        reference_disk_free(&table);
    }
    golden_close(rows);
}

static void test_algorithms_3_and_4(void **unused) {
    (void)unused;
    golden *rows = golden_open("mx_alg4");
    while (golden_next(rows)) {
        reference_platform x = platform_of(rows);
        uint64_t m_max = reference_m_max(&x), l_x1 = golden_u64(rows, "l_X1");
        reference_disk table = reference_disk_new(&x, l_x1 + m_max);
        golden_check(rows, "m_max", m_max);
        golden_check(rows, "m_X_argmin", reference_m_x(&table, m_max).largest);
        golden_check(rows, "l_X1", reference_l_x1(&table, false));
        golden_check(rows, "l_X1_as_printed", reference_l_x1(&table, true));
        reference_algorithm4 found = reference_m_x_algorithm4(&table, l_x1, m_max);
        golden_check(rows, "size_M_X", found.size);
        check_or_empty(rows, "m_X_alg4", found.m_x == 0 ? REFERENCE_INF : found.m_x);
        reference_disk_free(&table);
    }
    golden_close(rows);
}

static void test_pds(void **unused) {
    (void)unused;
    reference_disk kept = {0};
    golden *rows = golden_open("pds");
    while (golden_next(rows)) {
        reference_platform x = platform_of(rows);
        const reference_disk *table = table_of(&kept, &x, 600);
        uint64_t l = golden_u64(rows, "l"), count = 0;
        uint64_t m = reference_m_x(table, reference_m_max(&x)).largest, l_x1 = reference_l_x1(table, false);
        golden_check(rows, "m_X", m);
        golden_check(rows, "l_X1", l_x1);
        golden_check(rows, "opt_inf", table->opt_inf[l]);
        bool feasible = reference_pds_ceil(l, m, l_x1, &count);
        check_or_empty(rows, "pds_ceil", feasible ? reference_exec(table, l, m, count) : REFERENCE_INF);
        count = reference_pds_strict(l, m, l_x1);
        golden_check(rows, "n_strict", count);
        golden_check(rows, "pds_strict", reference_exec(table, l, m, count));
        count = reference_pds_best(table, l, m);
        golden_check(rows, "n_best", count);
        golden_check(rows, "pds_best", reference_exec(table, l, m, count));
        golden_check(rows, "disk_a_revolve", reference_disk_a_revolve(table, l, m));
    }
    golden_close(rows);
    reference_disk_free(&kept);
}

static void test_brute_force(void **unused) {
    (void)unused;
    reference_disk kept = {0};
    golden *rows = golden_open("brute_force");
    while (golden_next(rows)) {
        reference_platform x = platform_of(rows);
        uint64_t l = golden_u64(rows, "l"), dp = 0, brute = 0;
        const reference_disk *table = table_of(&kept, &x, 14);
        const char *problem = golden_text(rows, "problem");
        if (strcmp(problem, "opt0") == 0) {
            dp = table->opt0[l];
            brute = brute_forward(l + 1, x.c_m, BRUTE_UNLIMITED, true) * x.u_f + (l + 1) * x.u_b;
        } else if (strcmp(problem, "opt1d") == 0) {
            dp = table->opt1d[l];
            brute = brute_disk_no_writes(l, x.c_m, x.r_d, x.u_f, x.u_b);
        } else {
            assert_string_equal(problem, "optinf");
            dp = table->opt_inf[l];
            brute = brute_disk(l, x.c_m, x.w_d, x.r_d, x.u_f, x.u_b);
        }
        golden_check(rows, "dp", dp);
        golden_check(rows, "brute", brute);
    }
    golden_close(rows);
    reference_disk_free(&kept);
}

/* ---- Several tiers ---- */

/* Tiers from the columns c0, w0, r0, c1, …; a cost that has no column is 0. */
static size_t tiers_of(const golden *rows, verso_tier tiers[VERSO_TIERS_MAX]) {
    size_t count = 0;
    for (; count < VERSO_TIERS_MAX; count++) {
        char c[24], w[24], r[24];
        snprintf(c, sizeof c, "c%zu", count);
        snprintf(w, sizeof w, "w%zu", count);
        snprintf(r, sizeof r, "r%zu", count);
        if (!golden_has(rows, c))
            break;
        tiers[count].capacity = golden_u64(rows, c);
        tiers[count].write_cost = golden_has(rows, w) ? golden_u64(rows, w) : 0;
        tiers[count].read_cost = golden_has(rows, r) ? golden_u64(rows, r) : 0;
    }
    return count;
}

static uint64_t levels_of(const golden *rows, const verso_tier *tiers, size_t count) {
    uint64_t l = golden_u64(rows, "l");
    reference_levels table = reference_levels_new(tiers, count, golden_u64(rows, "u_f"), golden_u64(rows, "u_b"), l);
    uint64_t makespan = table.makespan[l];
    reference_levels_free(&table);
    return makespan;
}

static void check_levels(const char *name) {
    golden *rows = golden_open(name);
    while (golden_next(rows)) {
        verso_tier tiers[VERSO_TIERS_MAX];
        size_t count = tiers_of(rows, tiers);
        golden_check(rows, "makespan", wide(levels_of(rows, tiers, count)));
    }
    golden_close(rows);
}

static void test_levels(void **unused) {
    (void)unused;
    check_levels("hrevolve");
    check_levels("hrevolve3");
}

static uint64_t brute_levels(uint64_t l, const verso_tier *tiers, size_t count, uint64_t u_f, uint64_t u_b) {
    brute_problem problem = {
        .steps = l + 1, .forward_cost = u_f, .backward_cost = u_b, .distance = BRUTE_UNLIMITED, .tier_count = count};
    for (size_t k = 0; k < count; k++)
        problem.tiers[k] = (brute_tier){tiers[k].capacity, tiers[k].write_cost, tiers[k].read_cost, 0};
    return brute_makespan(&problem);
}

static void test_levels_small(void **unused) {
    (void)unused;
    golden *rows = golden_open("hrevolve_small");
    while (golden_next(rows)) {
        verso_tier tiers[VERSO_TIERS_MAX];
        size_t count = tiers_of(rows, tiers);
        uint64_t dp = levels_of(rows, tiers, count);
        uint64_t brute =
            brute_levels(golden_u64(rows, "l"), tiers, count, golden_u64(rows, "u_f"), golden_u64(rows, "u_b"));
        golden_check(rows, "dp", wide(dp));
        golden_check(rows, "brute", wide(brute));
        if (tiers[0].write_cost <= tiers[1].write_cost && tiers[0].read_cost <= tiers[1].read_cost)
            assert_true(dp == brute);
        else
            assert_true(dp >= brute);
    }
    golden_close(rows);
}

/* No golden data: three tiers, as the golden ones were not searched. */
static void test_three_tiers(void **unused) {
    (void)unused;
    static const uint64_t costs[][6] = {{0, 1, 3, 0, 1, 3}, {0, 2, 5, 0, 1, 2}, {1, 1, 4, 0, 2, 2}, {0, 0, 1, 1, 1, 1}};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        for (uint64_t slots = 0; slots < 12; slots++) {
            verso_tier tiers[3];
            for (size_t k = 0; k < 3; k++)
                tiers[k] = (verso_tier){k == 0 ? slots / 4 : slots >> (2 - k) & 1, costs[i][k], costs[i][3 + k]};
            reference_levels table = reference_levels_new(tiers, 3, 1, 1, 6);
            for (uint64_t l = 0; l <= 6; l++)
                assert_true(brute_levels(l, tiers, 3, 1, 1) == table.makespan[l]);
            reference_levels_free(&table);
        }
}

/* ---- Divide and conquer ---- */

static void check_tree(const golden *rows, const reference_tree *tree) {
    golden_check(rows, "recomputed", tree->recomputed);
    golden_check(rows, "max_live", tree->max_live);
    golden_check(rows, "leaves", tree->leaves);
    golden_check(rows, "max_leaf", tree->max_leaf);
    golden_check(rows, "depth", tree->depth);
}

static void check_criterion(const golden *rows, uint64_t n, uint64_t alpha, uint64_t d, uint64_t t) {
    const char *criterion = golden_text(rows, "criterion");
    if (strcmp(criterion, "space") == 0)
        golden_check(rows, "t", reference_tree_time(n, alpha, d));
    else if (strcmp(criterion, "time") == 0)
        golden_check(rows, "d", reference_tree_space(n, alpha, t));
    else if (strcmp(criterion, "log") == 0) {
        golden_check(rows, "d", reference_tree_log(n, alpha));
        golden_check(rows, "t", reference_tree_log(n, alpha));
    } else
        assert_string_equal(criterion, "none");
}

static void test_treeverse(void **unused) {
    (void)unused;
    golden *rows = golden_open("treeverse");
    while (golden_next(rows)) {
        uint64_t n = golden_u64(rows, "n"), alpha = golden_u64(rows, "alpha");
        uint64_t d = golden_u64(rows, "d"), t = golden_u64(rows, "t");
        bool bisection = strcmp(golden_text(rows, "mid"), "binomial") != 0; /* also "bisection-unbounded" */
        verso_split split = bisection ? VERSO_SPLIT_BISECTION : VERSO_SPLIT_BINOMIAL;
        check_criterion(rows, n, alpha, d, t);
        reference_tree binary = reference_binary(n, alpha, d, t, split);
        reference_tree treeverse = reference_treeverse(n, alpha, d, t, split);
        check_tree(rows, &binary);
        check_tree(rows, &treeverse);
        if (!golden_is_empty(rows, "min_forward_n_d"))
            golden_check(rows, "min_forward_n_d", reference_forward_large(n, d));
    }
    golden_close(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_revolve),
        cmocka_unit_test(test_revolve_large),
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_online_reversal),
        cmocka_unit_test(test_resilience),
        cmocka_unit_test(test_resilience_distances),
        cmocka_unit_test(test_bounded_brute),
        cmocka_unit_test(test_makespan),
        cmocka_unit_test(test_periods),
        cmocka_unit_test(test_algorithms_3_and_4),
        cmocka_unit_test(test_pds),
        cmocka_unit_test(test_brute_force),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_levels_small),
        cmocka_unit_test(test_three_tiers),
        cmocka_unit_test(test_treeverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
