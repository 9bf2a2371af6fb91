/* Call trees: what is predicted is what a stack of snapshots and records does that is pushed and popped, call by call,
 * as the run time does it; fronts are those of all choices. VERSO_SEED says which trees; it is printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/search.h"
#include "tests/support/random_spec.h"

enum { TREES = 300, CHOICES = 20, SITES = 12, DEEPEST = 5, NESTED = 2, PASSES = 3 };

/* A program: sites with what their calls do, so that calls are often alike. */
typedef struct call {
    uint32_t site;
    uint64_t snapshot, behind, straight; /* own records in the end; when its site is off */
    struct call **within;
    uint64_t *before;
    size_t count;
} call;

/* Among the calls within: a step of a fixed point begins and ends. */
static call step_begins = {.site = VERSO_CALLTREE_FIXED}, step_ends = {.site = VERSO_CALLTREE_FIXED_END};

static bool is_mark(const call *c) {
    return c == &step_begins || c == &step_ends;
}

static void add_within(random_source *source, call *made, call *within) {
    made->within = realloc(made->within, (made->count + 1) * sizeof *made->within);
    made->before = realloc(made->before, (made->count + 1) * sizeof *made->before);
    made->within[made->count] = within;
    made->before[made->count++] = 8 * random_below(source, 3);
}

/* Bodies are shared between calls, as in a program: the same function does the same. */
static call *make_call(random_source *source, uint32_t site, int depth) {
    call *made = calloc(1, sizeof *made);
    made->site = site;
    made->snapshot = 16 * random_below(source, 40);
    made->behind = made->straight = 8 * random_below(source, 20);
    if (random_below(source, 4) == 0)
        made->straight = 8 * random_below(source, 20);
    size_t loops = depth == 0 ? 0 : random_below(source, 4), nested = 0;
    for (size_t i = 0; i < loops; i++) {
        call *body = make_call(source, (uint32_t)random_below(source, SITES), depth - 1);
        for (; nested < NESTED && random_below(source, 4) == 0; nested++)
            add_within(source, made, &step_begins);
        for (size_t times = 1 + random_below(source, 4); times > 0; times--)
            add_within(source, made, body);
        for (; nested > 0 && (i + 1 == loops || random_below(source, 2) == 0); nested--)
            add_within(source, made, &step_ends);
    }
    return made;
}

static void free_call(call *call) {
    for (size_t i = 0; i < call->count; i++)
        if (!is_mark(call->within[i]) && (i == 0 || call->within[i] != call->within[i - 1]))
            free_call(call->within[i]);
    free(call->within);
    free(call->before);
    free(call);
}

/* ---- The stack, as it is ---- */

typedef struct stack {
    uint64_t height, peak;
    const bool *on;
    uint64_t reruns;    /* calls that were run without being recorded */
    uint64_t protected; /* height up to which the stack is needed again */
} stack;

static void push(stack *s, uint64_t bytes) {
    s->height += bytes;
    s->peak = s->height > s->peak ? s->height : s->peak;
}

static uint64_t end_of(const stack *s, const call *c) {
    return c->site == VERSO_CALLTREE_NONE || s->on[c->site] ? c->behind : c->straight;
}

static void record(stack *s, const call *c) {
    for (size_t i = 0; i < c->count; i++) {
        push(s, c->before[i]);
        if (is_mark(c->within[i]))
            continue;
        if (s->on[c->within[i]->site]) {
            push(s, c->within[i]->snapshot + VERSO_CALLTREE_NOTE);
            s->reruns++;
        } else
            record(s, c->within[i]);
    }
    push(s, end_of(s, c));
}

static void reverse(stack *s, const call *c);

/* Reverses a call that was checkpointed: in its place, or above what is protected. */
static void reverse_again(stack *s, const call *c) {
    uint64_t place = s->height;
    if (place < s->protected)
        s->height = s->protected + VERSO_CALLTREE_ABOVE;
    record(s, c);
    reverse(s, c);
    s->height = place;
}

/* Returns the index of the mark with which the step begins that the mark at index `end` ends. */
static size_t beginning_of(const call *c, size_t end) {
    size_t depth = 1;
    while (depth > 0) {
        end--;
        depth += c->within[end] == &step_ends;
        depth -= c->within[end] == &step_begins;
    }
    return end;
}

/* Reverses the calls from index `from` to before `to`. That a step is reversed repeatedly changes no height, so it is
 * done once here. */
static void reverse_between(stack *s, const call *c, size_t from, size_t to) {
    for (size_t i = to; i-- > from;) {
        const call *within = c->within[i];
        if (within == &step_ends) {
            size_t begin = beginning_of(c, i);
            uint64_t protected = s->protected;
            s->protected = s->height > protected ? s->height : protected;
            s->height -= c->before[i];
            reverse_between(s, c, begin + 1, i);
            s->protected = protected;
            i = begin;
        } else if (s->on[within->site]) {
            s->height -= within->snapshot + VERSO_CALLTREE_NOTE;
            reverse_again(s, within);
        } else
            reverse(s, within);
        s->height -= c->before[i];
    }
}

static void reverse(stack *s, const call *c) {
    s->height -= end_of(s, c);
    reverse_between(s, c, 0, c->count);
}

/* ---- The tree, made as the run time makes it ---- */

static void watch(verso__calltree *tree, const call *c);

/* Sweeps the calls from index `from` to before `to`, the steps of fixed points once or up to PASSES times. */
static void watch_between(verso__calltree *tree, const call *c, size_t from, size_t to) {
    for (size_t i = to; i-- > from;) {
        if (c->within[i] == &step_ends) {
            size_t begin = beginning_of(c, i), passes = 1 + (i + begin) % PASSES;
            bool repeats = verso__calltree_repeats(tree);
            for (size_t n = 0; n < passes; n++) {
                assert_int_equal(verso__calltree_sweep(tree, n > 0), VERSO_STATUS_OK);
                assert_int_equal(verso__calltree_repeats(tree), repeats || n > 0);
                watch_between(tree, c, begin + 1, i);
            }
            assert_int_equal(verso__calltree_swept(tree), VERSO_STATUS_OK);
            assert_int_equal(verso__calltree_repeats(tree), repeats);
            i = begin;
        } else {
            assert_int_equal(verso__calltree_descend(tree), VERSO_STATUS_OK);
            watch(tree, c->within[i]);
        }
    }
}

static void watch(verso__calltree *tree, const call *c) {
    for (size_t i = 0; i < c->count; i++) {
        if (is_mark(c->within[i])) {
            assert_int_equal(verso__calltree_mark(tree, c->within[i]->site, c->before[i]), VERSO_STATUS_OK);
            continue;
        }
        assert_int_equal(verso__calltree_meet(tree, c->within[i]->site, c->before[i], c->within[i]->snapshot),
                         VERSO_STATUS_OK);
        verso__calltree_add_seconds(tree, verso__calltree_repeats(tree) ? 0 : 1);
        verso__calltree_set_off_bytes(tree, (int64_t)(c->within[i]->straight - c->within[i]->behind));
    }
    assert_int_equal(verso__calltree_end(tree, c->behind), VERSO_STATUS_OK);
    watch_between(tree, c, 0, c->count);
}

/* Returns the number of calls, each counted once however often a step is reversed. */
static uint64_t count_calls(const call *c) {
    uint64_t calls = 1;
    for (size_t i = 0; i < c->count; i++)
        calls += is_mark(c->within[i]) ? 0 : count_calls(c->within[i]);
    return calls;
}

static verso__calltree *tree_of(const call *whole) {
    verso__calltree *tree = verso__calltree_new();
    assert_non_null(tree);
    watch(tree, whole);
    assert_int_equal(verso__calltree_finish(tree), VERSO_STATUS_OK);
    uint64_t calls = 0;
    for (size_t i = 0; i < verso__calltree_count(tree); i++)
        calls += verso__calltree_nodes(tree)[i].calls;
    assert_int_equal(calls, count_calls(whole));
    return tree;
}

static void expect_predicted(const verso__calltree *tree, const call *whole, const bool *on) {
    verso__calltree_level *levels = calloc(verso__calltree_count(tree), sizeof *levels);
    verso__calltree_cost cost = verso__calltree_predict(tree, on, levels);
    stack s = {.on = on};
    record(&s, whole);
    assert_int_equal(cost.height, s.height);
    reverse(&s, whole);
    assert_int_equal(s.height, 0);
    assert_int_equal(cost.peak, s.peak);
    assert_true(cost.seconds == (double)s.reruns);
    free(levels);
}

/* ---- Fronts ---- */

/* Checks the front: no choice on it is worse than another in time and peak; if it is exact, no other choice is better
 * than those on it. */
static void expect_front(const verso__calltree *tree, const verso__front *front) {
    verso__calltree_level *levels = calloc(verso__calltree_count(tree), sizeof *levels);
    for (size_t i = 0; i < front->count; i++) {
        verso__calltree_cost cost = verso__calltree_predict(tree, front->points[i].on, levels);
        assert_int_equal(cost.peak, front->points[i].peak);
        assert_true(cost.seconds == front->points[i].seconds);
        if (i > 0)
            assert_true(front->points[i - 1].peak < cost.peak && front->points[i - 1].seconds > cost.seconds);
    }
    for (unsigned choice = 0; front->exact && choice < 1u << SITES; choice++) {
        bool on[SITES];
        for (unsigned i = 0; i < SITES; i++)
            on[i] = choice >> i & 1;
        verso__calltree_cost cost = verso__calltree_predict(tree, on, levels);
        const verso__choice *within = verso__front_within(front, cost.peak);
        assert_non_null(within);
        assert_true(within->seconds <= cost.seconds);
    }
    free(levels);
}

/* Returns how far the result of an incomplete search is from the exact front: the greatest ratio of their times within
 * the same peak. */
static double shortfall(const verso__front *exact, const verso__front *found) {
    double worst = 1;
    for (size_t i = 0; i < exact->count; i++) {
        const verso__choice *within = verso__front_within(found, exact->points[i].peak);
        if (within == NULL)
            return 1e9;
        double ratio = (within->seconds + 1) / (exact->points[i].seconds + 1);
        worst = ratio > worst ? ratio : worst;
    }
    return worst;
}

/* ---- Tests ---- */

static void peaks_are_predicted(void **unused) {
    (void)unused;
    random_source source = random_from_seed(random_seed());
    for (int t = 0; t < TREES; t++) {
        call *whole = make_call(&source, VERSO_CALLTREE_NONE, 1 + t % DEEPEST);
        verso__calltree *tree = tree_of(whole);
        for (int k = 0; k < CHOICES; k++) {
            bool on[SITES];
            for (int i = 0; i < SITES; i++)
                on[i] = k == 0 ? false : k == 1 ? true : random_below(&source, 2);
            expect_predicted(tree, whole, on);
        }
        verso__calltree_free(tree);
        free_call(whole);
    }
}

static void fronts_are_found(void **unused) {
    (void)unused;
    random_source source = random_from_seed(random_seed() + 1);
    double worst = 1;
    size_t short_of = 0;
    for (int t = 0; t < TREES / 3; t++) {
        call *whole = make_call(&source, VERSO_CALLTREE_NONE, DEEPEST);
        verso__calltree *tree = tree_of(whole);
        size_t cells;
        verso__calltree_cells(tree, &cells);
        verso__front exact, found;
        uint64_t price = cells + verso__calltree_count(tree);
        assert_int_equal(verso__front_find(tree, SITES, UINT64_MAX, &exact), VERSO_STATUS_OK);
        assert_true(exact.exact);
        assert_int_equal(verso__front_find(tree, SITES, (price << SITES) - price, &found), VERSO_STATUS_OK);
        expect_front(tree, &exact);
        expect_front(tree, &found);
        double ratio = shortfall(&exact, &found);
        worst = ratio > worst ? ratio : worst;
        short_of += ratio > 1;
        for (int strategy = 0; strategy < 2; strategy++) {
            verso__front path;
            assert_int_equal(verso__strategy_path(tree, SITES, (verso__strategy)strategy, &path), VERSO_STATUS_OK);
            for (size_t i = 0; i < path.count; i++) {
                const verso__choice *within = verso__front_within(&found, path.points[i].peak);
                assert_true(within != NULL && within->seconds <= path.points[i].seconds);
            }
            verso__front_free(&path);
        }
        verso__front_free(&exact);
        verso__front_free(&found);
        verso__calltree_free(tree);
        free_call(whole);
    }
    print_message("%zu of %d fronts short of the exact one; at worst %.3f times\n", short_of, TREES / 3, worst);
    assert_true(worst < 1.1);
}

/* A loop of equal steps takes one node, however many they are. */
static void equal_calls_are_one(void **unused) {
    (void)unused;
    verso__calltree *tree = verso__calltree_new();
    enum { STEPS = 100000 };
    for (int i = 0; i < STEPS; i++)
        assert_int_equal(verso__calltree_meet(tree, 0, 8, 160), VERSO_STATUS_OK);
    assert_int_equal(verso__calltree_end(tree, 0), VERSO_STATUS_OK);
    for (int i = 0; i < STEPS; i++) {
        assert_int_equal(verso__calltree_descend(tree), VERSO_STATUS_OK);
        assert_int_equal(verso__calltree_meet(tree, 1, 24, 32), VERSO_STATUS_OK);
        assert_int_equal(verso__calltree_end(tree, 40), VERSO_STATUS_OK);
        assert_int_equal(verso__calltree_descend(tree), VERSO_STATUS_OK);
        assert_int_equal(verso__calltree_end(tree, 400), VERSO_STATUS_OK);
    }
    assert_int_equal(verso__calltree_descend(tree), VERSO_STATUS_STATE);
    assert_int_equal(verso__calltree_finish(tree), VERSO_STATUS_OK);
    assert_int_equal(verso__calltree_count(tree), 3);
    assert_int_equal(verso__calltree_nodes(tree)[0].calls, STEPS);
    verso__calltree_free(tree);
}

/* A run of `steps` calls of a step, each of `sweeps` calls of a sweep; only the last `known` steps are recorded, and of
 * the step before them the last `swept` sweeps. What is predicted is what the whole run takes. */
static verso__calltree *make_cut(uint64_t steps, uint64_t known, uint64_t sweeps, uint64_t swept) {
    verso__calltree *tree = verso__calltree_new();
    uint64_t step = sweeps * (8 + 64) + 40, where = 0;
    for (uint64_t i = 0; i < steps; i++) {
        verso__calltree_meet(tree, 0, 24, 1000);
        verso__calltree_set_place(tree, i);
        verso__calltree_add_seconds(tree, 2);
        verso__calltree_set_whole(tree, step);
    }
    verso__calltree_end(tree, 0);
    verso__calltree_allow_partial(tree, 0, steps * (24 + step));
    for (uint64_t i = 0; i <= known; i++) {
        assert_true(verso__calltree_next(tree, &where));
        assert_int_equal(where, steps - 1 - i);
        verso__calltree_descend(tree);
        for (uint64_t k = 0; k < sweeps; k++) {
            verso__calltree_meet(tree, 1, 8, 200);
            verso__calltree_set_whole(tree, 64);
        }
        verso__calltree_end(tree, 40);
        for (uint64_t k = 0; k < (i < known ? sweeps : swept); k++) {
            verso__calltree_descend(tree);
            verso__calltree_end(tree, 64);
        }
    }
    verso__calltree_cut(tree);
    assert_int_equal(verso__calltree_finish(tree), VERSO_STATUS_OK);
    return tree;
}

static void cut_trees_stand_for_all(void **state) {
    (void)state;
    enum { STEPS = 1000, SWEEPS = 40 };
    verso__calltree *tree = make_cut(STEPS, 9, SWEEPS, SWEEPS / 2), *whole = make_cut(STEPS, STEPS - 1, SWEEPS, SWEEPS);
    verso__calltree_level levels[16];
    assert_in_range(verso__calltree_count(tree), 1, 16);
    assert_true(verso__calltree_own_bytes(tree) < verso__calltree_own_bytes(whole) / 50);
    for (int choice = 0; choice < 4; choice++) {
        bool on[] = {(choice & 1) != 0, (choice & 2) != 0};
        verso__calltree_cost part = verso__calltree_predict(tree, on, levels);
        verso__calltree_cost all = verso__calltree_predict(whole, on, levels);
        assert_in_range(part.height, all.height * 98 / 100, all.height * 102 / 100);
        assert_in_range(part.peak, all.peak * 98 / 100, all.peak * 102 / 100);
    }
    verso__calltree_free(tree);
    verso__calltree_free(whole);
}

/* Sweeps the calls as watch_between does, until `*left` calls were recorded. Returns whether all were. */
static bool watch_some(verso__calltree *tree, const call *c, size_t from, size_t to, size_t *left);

static bool watch_call(verso__calltree *tree, const call *c, size_t *left) {
    for (size_t i = 0; i < c->count; i++)
        if (is_mark(c->within[i]))
            verso__calltree_mark(tree, c->within[i]->site, c->before[i]);
        else
            verso__calltree_meet(tree, c->within[i]->site, c->before[i], c->within[i]->snapshot);
    verso__calltree_end(tree, c->behind);
    return watch_some(tree, c, 0, c->count, left);
}

static bool watch_some(verso__calltree *tree, const call *c, size_t from, size_t to, size_t *left) {
    for (size_t i = to; i-- > from;) {
        if (c->within[i] == &step_ends) {
            size_t begin = beginning_of(c, i);
            for (size_t n = 0; n < PASSES; n++) {
                verso__calltree_sweep(tree, n > 0);
                if (!watch_some(tree, c, begin + 1, i, left))
                    return false;
            }
            verso__calltree_swept(tree);
            i = begin;
            continue;
        }
        if ((*left)-- == 0)
            return false;
        verso__calltree_descend(tree);
        if (!watch_call(tree, c->within[i], left))
            return false;
    }
    return true;
}

/* However far a sweep comes, in whichever repetition of a fixed point's step: what it has seen is a tree, in whose
 * lists steps that begin end. */
static void cut_in_fixed_points(void **unused) {
    (void)unused;
    random_source source = random_from_seed(random_seed() + 2);
    for (int t = 0; t < TREES; t++) {
        call *whole = make_call(&source, VERSO_CALLTREE_NONE, 1 + t % DEEPEST);
        size_t left = random_below(&source, 200), cells;
        verso__calltree *tree = verso__calltree_new();
        watch_call(tree, whole, &left);
        verso__calltree_stop_repeating(tree);
        assert_false(verso__calltree_repeats(tree));
        verso__calltree_cut(tree);
        assert_int_equal(verso__calltree_finish(tree), VERSO_STATUS_OK);
        const verso__calltree_cell *list = verso__calltree_cells(tree, &cells);
        for (size_t i = 0; i < verso__calltree_count(tree); i++) {
            const verso__calltree_node *node = &verso__calltree_nodes(tree)[i];
            size_t open = 0;
            for (uint32_t at = node->first; at != VERSO_CALLTREE_NONE; at = list[at].next) {
                assert_true(list[at].node != VERSO_CALLTREE_FIXED_END || open > 0);
                open += list[at].node == VERSO_CALLTREE_FIXED;
                open -= list[at].node == VERSO_CALLTREE_FIXED_END;
            }
            assert_int_equal(open, 0);
            assert_true(node->calls > 0 && node->calls <= count_calls(whole));
        }
        verso__calltree_free(tree);
        free_call(whole);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(peaks_are_predicted), cmocka_unit_test(fronts_are_found),
                                       cmocka_unit_test(equal_calls_are_one), cmocka_unit_test(cut_in_fixed_points),
                                       cmocka_unit_test(cut_trees_stand_for_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
