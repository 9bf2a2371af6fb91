/* Tests the binomial formulas against plain counting: Pascal's triangle, a walk of revolve's rule, and dynamic
 * programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedule/binomial.h"
#include "tests/support/random_spec.h"
#include "tests/support/reference.h"

enum { N_MAX = 300, C_MAX = 20 };

static const verso__beta_table no_table = {.slots = -1, .repetitions = -1};

static verso__beta_table table_of(uint64_t slots, uint64_t repetitions) {
    verso__beta_table table;
    assert_true(verso__beta_table_init(&table, slots, repetitions));
    return table;
}

static void require(bool holds, const char *what, uint64_t n, uint64_t c) {
    if (!holds)
        fail_msg("%s is wrong for n = %llu, c = %llu", what, (unsigned long long)n, (unsigned long long)c);
}

/* ---- Binomials ---- */

static void test_beta(void **unused) {
    (void)unused;
    for (int64_t c = 0; c <= 80; c++)
        for (int64_t r = 0; r <= 80; r++)
            require(verso__beta(c, r) == reference_beta((uint64_t)c, (uint64_t)r), "beta (n stands for r)", (uint64_t)r,
                    (uint64_t)c);
    assert_int_equal(verso__beta(-1, 5), 0);
    assert_int_equal(verso__beta(5, -1), 0);
    assert_int_equal(verso__beta(-3, -3), 0);
}

static void test_saturation(void **unused) {
    (void)unused;
    assert_true(verso__beta(33, 34) == UINT64_C(14226520737620288370)); /* the largest C(67, ·) still fits … */
    assert_true(verso__beta(34, 34) == UINT64_MAX);                     /* … the largest C(68, ·) does not */
    assert_true(verso__beta(1, INT64_C(1) << 60) == (UINT64_C(1) << 60) + 1);
    assert_true(verso__beta(INT64_C(1) << 60, 1) == (UINT64_C(1) << 60) + 1);
    assert_true(verso__beta(2, INT64_C(1) << 40) == UINT64_MAX);
    assert_true(verso__beta(2, INT64_C(5000000000)) == UINT64_C(12500000007500000001));
    assert_true(verso__beta(INT64_C(1) << 60, INT64_C(1) << 60) == UINT64_MAX);
}

static void check_table(uint64_t slots, uint64_t repetitions, bool small) {
    verso__beta_table table = table_of(slots, repetitions);
    assert_true((table.cells != NULL) == small);
    for (int64_t c = -2; c <= 45; c++)
        for (int64_t r = -2; r <= 45; r++)
            require(verso__beta_at(&table, c, r) == verso__beta(c, r), "beta_at (n stands for r)", (uint64_t)r,
                    (uint64_t)c);
    verso__beta_table_clear(&table);
}

static void test_table(void **unused) {
    (void)unused;
    check_table(40, 40, true);
    check_table(0, 0, true);
    check_table(3, 1000, true);
    check_table(1000, 3, true);
    check_table(1000, 1000, false);
    check_table(UINT64_C(1) << 59, 2, false);
    check_table(2, UINT64_MAX, false);
}

/* ---- Repetition numbers ---- */

static void check_guesses(const verso__beta_table *table, uint64_t n, uint64_t c, uint64_t r) {
    uint64_t guesses[] = {0, 1, r > 0 ? r - 1 : 0, r, r + 1, r + 7, r + 100, 2 * r + 3};
    for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++)
        require(verso__repetition_near(table, n, c, guesses[i]) == r, "repetition_near", n, c);
}

static void test_repetition(void **unused) {
    (void)unused;
    verso__beta_table table = table_of(C_MAX, 60);
    for (uint64_t c = 1; c <= C_MAX; c++)
        for (uint64_t n = 1; n <= 1200; n++) {
            uint64_t r = reference_repetition(n, c);
            require(verso__repetition(n, c) == r, "repetition", n, c);
            check_guesses(&table, n, c, r);
            check_guesses(&no_table, n, c, r);
        }
    assert_int_equal(verso__repetition(1, 0), 0);
    verso__beta_table_clear(&table);
}

/* Whatever n and c: beta(c, r - 1) < n <= beta(c, r). */
static void test_repetition_large(void **unused) {
    (void)unused;
    random_source source = random_from_seed(random_seed());
    for (int round = 0; round < 20000; round++) {
        uint64_t n = 2 + random_below(&source, UINT64_C(1) << (1 + random_below(&source, 60)));
        uint64_t c = 1 + random_below(&source, UINT64_C(1) << random_below(&source, 20));
        uint64_t r = verso__repetition(n, c);
        require(verso__beta((int64_t)c, (int64_t)r) >= n, "repetition", n, c);
        require(verso__beta((int64_t)c, (int64_t)r - 1) < n, "repetition", n, c);
        require(verso__repetition_near(&no_table, n, c, random_below(&source, 2 * r + 10)) == r, "repetition_near", n,
                c);
    }
}

/* ---- Costs ---- */

static void test_walk(void **unused) {
    (void)unused;
    for (uint64_t c = 1; c <= C_MAX; c++)
        for (uint64_t n = 1; n <= N_MAX; n++) {
            reference_walk walk = reference_walk_rule(n, c, reference_advance_revolve, VERSO_UNKNOWN);
            require(verso__min_forward(n, c) == walk.forward, "min_forward", n, c);
            require(verso__min_writes(n, c) == walk.writes, "min_writes", n, c);
            free(walk.first);
        }
    assert_true(verso__min_forward(0, 3) == 0 && verso__min_writes(0, 3) == 0);
}

/* Fewest writes of all time-optimal schedules: every time-optimal advance is tried. stored: x_0 is written already. */
static void test_least_writes(void **unused) {
    (void)unused;
    enum { LONGEST = 140, SLOTS = 9 };
    static uint64_t stored[SLOTS + 1][LONGEST + 1];
    reference_forward table = reference_forward_new(LONGEST, SLOTS, VERSO_UNKNOWN);
    for (uint64_t c = 1; c <= SLOTS; c++) {
        stored[c][1] = 0;
        for (uint64_t n = 2; n <= LONGEST; n++) {
            uint64_t lo = 0, hi = 0, best = UINT64_MAX;
            assert_true(reference_forward_advances(&table, n, c, &lo, &hi));
            for (uint64_t j = lo; j <= hi; j++) {
                uint64_t right = n - j == 1 ? 0 : c == 1 ? UINT64_MAX / 2 : 1 + stored[c - 1][n - j];
                best = right + stored[c][j] < best ? right + stored[c][j] : best;
            }
            stored[c][n] = best;
            require(verso__min_writes(n, c) == 1 + best, "min_writes", n, c);
        }
    }
    reference_forward_free(&table);
}

/* ---- Advances ---- */

static void check_advances(const verso__beta_table *table, uint64_t n, uint64_t c, uint64_t lo, uint64_t hi) {
    uint64_t r = verso__repetition(n, c), revolve = verso__advance_revolve(table, n, c, r);
    require(verso__advance_least(table, n, c, r) == lo, "advance_least", n, c);
    require(verso__advance_most(table, n, c, r) == hi, "advance_most", n, c);
    require(revolve >= lo && revolve <= hi, "advance_revolve", n, c);
    require(revolve == reference_advance_revolve(n, c), "advance_revolve", n, c);
}

static void test_advances(void **unused) {
    (void)unused;
    verso__beta_table table = table_of(C_MAX, 50);
    reference_forward optimum = reference_forward_new(N_MAX, C_MAX, VERSO_UNKNOWN);
    for (uint64_t c = 1; c <= C_MAX; c++)
        for (uint64_t n = 2; n <= N_MAX; n++) {
            uint64_t lo = 0, hi = 0;
            require(reference_forward_advances(&optimum, n, c, &lo, &hi), "the interval of optimal advances", n, c);
            check_advances(&table, n, c, lo, hi);
            check_advances(&no_table, n, c, lo, hi);
        }
    reference_forward_free(&optimum);
    verso__beta_table_clear(&table);
}

static void test_advances_large(void **unused) {
    (void)unused;
    random_source source = random_from_seed(random_seed());
    for (int round = 0; round < 300; round++) {
        uint64_t n = 2 + random_below(&source, UINT64_C(1) << (1 + random_below(&source, 39)));
        uint64_t c = 2 + random_below(&source, UINT64_C(1) << random_below(&source, 8)), lo = 0, hi = 0;
        if (verso__repetition(n, c) > 3000)
            continue; /* the reference counts each repetition */
        require(verso__min_forward(n, c) == reference_forward_large(n, c), "min_forward", n, c);
        reference_advances_large(n, c, &lo, &hi);
        check_advances(&no_table, n, c, lo, hi);
    }
}

/* With these numbers of slots beta(c, r) saturates, but the advance must still be an optimal one. */
static void test_advances_with_very_many_slots(void **unused) {
    (void)unused;
    random_source source = random_from_seed(random_seed());
    for (int round = 0; round < 100000; round++) {
        uint64_t n = 2 + random_below(&source, UINT64_C(1) << (1 + random_below(&source, 60)));
        uint64_t c = 2 + random_below(&source, UINT64_C(1) << random_below(&source, 60));
        if (c > n)
            continue;
        uint64_t r = verso__repetition(n, c), advance = verso__advance_revolve(&no_table, n, c, r);
        require(advance >= verso__advance_least(&no_table, n, c, r), "advance_revolve", n, c);
        require(advance <= verso__advance_most(&no_table, n, c, r), "advance_revolve", n, c);
    }
}

/* Where the binomials themselves exceed 64 bits; computed with integers of any size. */
static void test_wide(void **unused) {
    (void)unused;
    static const struct {
        uint64_t n, c;
        const char *forward;
    } rows[] = {
        {UINT64_C(20000000000000), 2, "84327384271157511780"},
        {UINT64_C(1000000000000000), 3, "136282544464246652124"},
        {UINT64_C(1000000000000000000), 4, "55992168197177430923626"},
        {UINT64_C(1000000000000000000), 5, "8640310881195904751199"},
        {UINT64_C(1152921504606846976), 1, "664613997892457935875442777836748800"},
        {UINT64_C(1152921504606846976), 7, "1293096957479810990359"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[VERSO_WIDE_TEXT];
        assert_string_equal(verso__wide_text(verso__min_forward(rows[i].n, rows[i].c), text), rows[i].forward);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beta),
        cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_repetition),
        cmocka_unit_test(test_repetition_large),
        cmocka_unit_test(test_walk),
        cmocka_unit_test(test_least_writes),
        cmocka_unit_test(test_advances),
        cmocka_unit_test(test_advances_large),
        cmocka_unit_test(test_advances_with_very_many_slots),
        cmocka_unit_test(test_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
