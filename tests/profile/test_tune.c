/* Tuning: within any budget the strategy best is as fast as the two greedy ways, or faster; what it chooses fits; with
 * too little it says what would do, and that does. What recording a step of a schedule takes is what a stack does that
 * is pushed and popped, call by call, from one end of the step to the other. VERSO_SEED says which trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/profile.h"
#include "profile/tune.h"
#include "tests/support/random_spec.h"

enum { TREES = 12, SITES = 6, DEEPEST = 4, BUDGETS = 7, UNIT = 1000 };

static const verso_site sites[SITES] = {
    {"run", "step", "a.c:1", 0, false, false, false},   {"step", "solve", "a.c:2", 0, false, false, false},
    {"solve", "norm", "a.c:3", 0, false, false, false}, {"solve", "dot", "a.c:4", 0, false, false, false},
    {"dot", "mul", "a.c:5", 0, false, false, false},    {"norm", "root", "a.c:6", 0, false, false, false}};

/* ---- Programs ---- */

typedef struct call {
    uint32_t site;
    uint64_t snapshot, behind, bytes; /* bytes: of its recording with all sites off */
    struct call **within;
    uint64_t *before;
    size_t count;
} call;

static call *make_call(random_source *source, uint32_t site, int depth) {
    call *made = calloc(1, sizeof *made);
    made->site = site;
    made->snapshot = UNIT * (1 + random_below(source, 4));
    made->behind = made->bytes = UNIT * random_below(source, 30);
    size_t count = depth == 0 ? 0 : 2 + random_below(source, 6);
    made->within = calloc(count + 1, sizeof(call *));
    made->before = calloc(count + 1, sizeof *made->before);
    for (made->count = 0; made->count < count; made->count++) {
        call *body = make_call(source, (uint32_t)random_below(source, SITES), depth - 1);
        made->within[made->count] = body;
        made->before[made->count] = UNIT * random_below(source, 3);
        made->bytes += body->bytes + made->before[made->count];
    }
    return made;
}

static void free_call(call *call) {
    for (size_t i = 0; i < call->count; i++)
        free_call(call->within[i]);
    free(call->within);
    free(call->before);
    free(call);
}

static void watch(verso__calltree *tree, const call *c) {
    for (size_t i = 0; i < c->count; i++) {
        assert_int_equal(verso__calltree_meet(tree, c->within[i]->site, c->before[i], c->within[i]->snapshot),
                         VERSO_STATUS_OK);
        verso__calltree_add_seconds(tree, 1e-6 + 1e-9 * (double)c->within[i]->bytes);
    }
    assert_int_equal(verso__calltree_end(tree, c->behind), VERSO_STATUS_OK);
    for (size_t i = c->count; i-- > 0;) {
        assert_int_equal(verso__calltree_descend(tree), VERSO_STATUS_OK);
        watch(tree, c->within[i]);
    }
}

static verso_profile *profile_of(const call *whole, double touch) {
    verso__calltree *tree = verso__calltree_new();
    watch(tree, whole);
    assert_int_equal(verso__calltree_finish(tree), VERSO_STATUS_OK);
    const verso__profile_run run = {.seconds = 4e-9 * (double)whole->bytes,
                                    .forward = 1e-9 * (double)whole->bytes,
                                    .copy = 1e-10,
                                    .touch = touch,
                                    .beside = 20 * UNIT,
                                    .divided = 40 * UNIT};
    verso_profile *profile = verso__profile_new(tree, sites, SITES, &run);
    assert_non_null(profile);
    return profile;
}

/* ---- A step, from its beginning to its end ---- */

typedef struct step {
    uint64_t from, to; /* in bytes of the run's recording with all sites off */
    uint64_t height, peak;
    const bool *on;
} step;

static void push(step *s, uint64_t bytes) {
    s->height += bytes;
    s->peak = s->height > s->peak ? s->height : s->peak;
}

/* Own records from `at` on: as many of them as are in the step. */
static void push_own(step *s, uint64_t at, uint64_t bytes) {
    uint64_t begin = at > s->from ? at : s->from, end = at + bytes < s->to ? at + bytes : s->to;
    if (end > begin)
        push(s, end - begin);
}

/* Recorded, and reversed: the stack is as high as before, and its peak is known. */
static void peak_of(const step *s, const call *c, uint64_t at, uint64_t *peak);

static void record(step *s, const call *c, uint64_t at) {
    for (size_t i = 0; i < c->count; i++) {
        const call *within = c->within[i];
        push_own(s, at, c->before[i]);
        at += c->before[i];
        bool whole = at >= s->from && at + within->bytes < s->to,
             outside = at + within->bytes <= s->from || at >= s->to;
        if (whole && s->on[within->site]) {
            peak_of(s, within, at, &s->peak);
            push(s, within->snapshot + VERSO_CALLTREE_NOTE);
        } else if (!outside || whole)
            record(s, within, at);
        at += within->bytes;
    }
    push_own(s, at, c->behind);
}

static void peak_of(const step *s, const call *c, uint64_t at, uint64_t *peak) {
    step again = *s;
    record(&again, c, at);
    *peak = again.peak > *peak ? again.peak : *peak;
}

static uint64_t tape_of(const call *whole, const bool *on, uint64_t leaf) {
    uint64_t most = 0;
    for (uint64_t from = 0; from <= whole->bytes; from += leaf) {
        step s = {.from = from, .to = from + leaf, .on = on};
        record(&s, whole, 0);
        most = s.peak > most ? s.peak : most;
    }
    return most;
}

/* ---- Tests ---- */

static void expect_plan(const call *whole, const verso__tuning *tuning) {
    const verso__planned *planned = &tuning->planned;
    if (!planned->fits)
        return;
    assert_true(planned->bytes <= tuning->memory);
    assert_true(planned->least <= tuning->memory);
    if (planned->plan.leaf == 0)
        return;
    bool any = false;
    for (size_t i = 0; i < SITES; i++)
        any |= planned->on[i];
    assert_int_equal(planned->tape, any ? tape_of(whole, planned->on, planned->plan.leaf) : planned->plan.leaf);
    assert_true(planned->plan.tape >= planned->tape);
}

/* Within one budget; true: best chose a schedule. */
static bool expect_best(const call *whole, const verso_profile *profile, uint64_t memory) {
    verso__tuning best, way;
    verso_error error;
    verso_status status = verso__tuning_open(profile, memory, VERSO_TUNE_BEST, &best, &error);
    expect_plan(whole, &best);
    assert_true(status == VERSO_STATUS_OK ? best.cost.memory_bytes <= memory : status == VERSO_STATUS_IMPOSSIBLE);
    for (int strategy = 0; strategy < VERSO_TUNE_BEST; strategy++) {
        verso_status other = verso__tuning_open(profile, memory, (verso__tune_strategy)strategy, &way, &error);
        if (other == VERSO_STATUS_OK) {
            assert_int_equal(status, VERSO_STATUS_OK);
            assert_true(best.cost.seconds <= way.cost.seconds);
            assert_true(way.cost.memory_bytes <= memory && way.plan.memory == 0);
        }
        verso__tuning_close(&way);
    }
    bool scheduled = status == VERSO_STATUS_OK && best.plan.memory > 0;
    verso__tuning_close(&best);
    return scheduled;
}

static void expect_least(const verso_profile *profile) {
    verso__tuning tuning;
    verso_error error;
    assert_int_equal(verso__tuning_open(profile, 1, VERSO_TUNE_BEST, &tuning, &error), VERSO_STATUS_IMPOSSIBLE);
    verso__tuning_close(&tuning);
    const char *least = strstr(error.message, "at least ");
    assert_non_null(least);
    uint64_t bytes = strtoull(least + strlen("at least "), NULL, 10);
    /* What is spared for strips grows with the budget: a little more than what was said to one of a byte. */
    assert_int_equal(verso__tuning_open(profile, bytes + bytes / 32, VERSO_TUNE_BEST, &tuning, &error),
                     VERSO_STATUS_OK);
    verso__tuning_close(&tuning);
}

static void best_is_below_both_ways(void **unused) {
    (void)unused;
    random_source source = random_from_seed(random_seed());
    size_t scheduled = 0, tried = 0;
    for (int t = 0; t < TREES; t++) {
        call *whole = make_call(&source, VERSO_CALLTREE_NONE, DEEPEST);
        verso_profile *profile = profile_of(whole, t % 2 * 2e-10);
        bool on[SITES] = {false};
        uint64_t most = verso_profile_predict(profile, on).memory_bytes;
        for (uint64_t i = 1; i <= BUDGETS; i++, tried++)
            scheduled += expect_best(whole, profile, most * i * i / (BUDGETS * BUDGETS));
        expect_least(profile);
        verso_profile_free(profile);
        free_call(whole);
    }
    print_message("%zu of %zu budgets by a schedule\n", scheduled, tried);
    assert_true(scheduled > 0 && scheduled < tried);
}

/* What is handed out depends on what was measured, not on what was predicted. */
static void measuring_decides(void **unused) {
    (void)unused;
    const struct {
        uint64_t bytes; /* the choice's; the budget is 1000 */
        double seconds, predicted;
        uint64_t plain_bytes;
        double plain_seconds;
        bool late, better;
    } cases[] = {
        {900, 1.0, 1.0, 900, 2.0, false, false},   /* as predicted, and faster than the budget alone */
        {900, 10.0, 1.0, 900, 1.0, true, true},    /* ten times slower than both */
        {900, 10.0, 9.0, 900, 1.0, false, true},   /* as predicted, but the budget alone is faster */
        {900, 1.05, 1.0, 900, 1.0, false, false},  /* as fast */
        {900, 1.11, 1.0, 900, 1.0, false, true},   /* slower by more than a tenth */
        {900, 10.0, 1.0, 1001, 1.0, true, false},  /* the budget alone is beyond the budget */
        {1001, 1.0, 1.0, 1000, 50.0, false, true}, /* the choice is */
    };
    for (int strategy = 0; strategy < VERSO_TUNE_STRATEGIES; strategy++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            verso__tuning tuning = {
                .memory = 1000, .strategy = (verso__tune_strategy)strategy, .cost.seconds = cases[i].predicted};
            const verso_profile_cost measured = {.memory_bytes = cases[i].bytes, .seconds = cases[i].seconds};
            const verso_profile_cost plain = {.memory_bytes = cases[i].plain_bytes, .seconds = cases[i].plain_seconds};
            verso__tuning_judge(&tuning, &measured, &plain);
            assert_int_equal(tuning.verdict.late, cases[i].late);
            assert_int_equal(tuning.verdict.plain_better, cases[i].better);
            verso__tuning_judge(&tuning, &measured, NULL);
            assert_int_equal(tuning.verdict.late, cases[i].late);
            assert_false(tuning.verdict.compared || tuning.verdict.plain_better);
        }
}

/* The budget alone: no site on but those that cannot be switched, and no length of a step. */
static void knows_the_budget_alone(void **unused) {
    (void)unused;
    verso_site some[SITES];
    bool on[SITES] = {false};
    memcpy(some, sites, sizeof some);
    some[1].always = true;
    verso_profile profile = {.sites = some, .count = SITES};
    verso__tuning tuning = {.profile = &profile, .chosen = on};
    assert_true(verso__tuning_is_plain(&tuning));
    on[1] = true;
    tuning.plan.memory = 1000;
    assert_true(verso__tuning_is_plain(&tuning));
    on[2] = true;
    assert_false(verso__tuning_is_plain(&tuning));
    on[2] = false;
    tuning.plan.leaf = 10;
    assert_false(verso__tuning_is_plain(&tuning));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(best_is_below_both_ways), cmocka_unit_test(measuring_decides),
                                       cmocka_unit_test(knows_the_budget_alone)};
    return cmocka_run_group_tests_name("tuning", tests, NULL, NULL);
}
