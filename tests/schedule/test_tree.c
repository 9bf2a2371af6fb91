/* Compares the closed forms of the cost of checkpoint trees with a count that visits every node. The closed forms are
 * meant for trees that are too large to walk; here they are used for small ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "schedule/cost.h"
#include "schedule/tree_chain.h"
#include "tests/support/planned.h"
#include "tests/support/random_spec.h"

static void max_into(uint64_t *most, uint64_t value) {
    *most = value > *most ? value : *most;
}

static void visit(const verso__tree *tree, verso__tree_node node, verso__tree_total *total) {
    while (!verso__tree_node_is_leaf(tree, &node)) { /* the longer way is a loop, the other a call */
        uint64_t left = verso__tree_split(tree, node.length, node.space, node.time);
        verso__tree_node parts[2] = {node, node};
        parts[0].length = left;
        parts[0].time--;
        parts[1].length -= left;
        parts[1].space--;
        total->recomputed += left;
        total->writes += !verso__tree_node_is_leaf(tree, &parts[1]);
        visit(tree, parts[node.space > node.time ? 0 : 1], total);
        node = parts[node.space > node.time ? 1 : 0];
    }
    uint64_t snapshots = tree->space - node.space;
    uint64_t repetition = tree->time - node.time;
    total->leaves++;
    max_into(&total->longest_leaf, node.length);
    max_into(&total->snapshots, snapshots);
    max_into(&total->repetition, repetition);
    max_into(&total->depth, snapshots + repetition);
}

static void compare(const char *what, const verso__tree *tree, uint64_t steps, const verso__tree_total *total,
                    const verso__tree_total *counted) {
    if (total->recomputed == counted->recomputed && total->leaves == counted->leaves &&
        total->writes == counted->writes && total->snapshots == counted->snapshots &&
        total->repetition == counted->repetition && total->depth == counted->depth &&
        total->longest_leaf == counted->longest_leaf)
        return;
    print_error("%s: --steps %llu --leaf %llu --space %llu --time %llu --split %s\n", what, (unsigned long long)steps,
                (unsigned long long)tree->leaf, (unsigned long long)tree->space, (unsigned long long)tree->time,
                tree->keeps_leaf  ? "halves"
                : tree->bisection ? "bisection"
                                  : "binomial");
    fail();
}

static void check(const verso__tree *tree, uint64_t steps) {
    verso__tree_node root = {.space = tree->space, .time = tree->time, .length = steps, .count = 1};
    verso__tree_total counted = {0};
    verso__tree_total settled = {0};
    verso__tree_total total;
    visit(tree, root, &counted);
    if (verso__tree_settle(tree, root, 1000000, &settled))
        compare("settled", tree, steps, &settled, &counted);
    counted.writes += !verso__tree_node_is_leaf(tree, &root); /* of x_0 */
    assert_int_equal(verso__tree_cost(tree, steps, &total, NULL), VERSO_STATUS_OK);
    compare("cost", tree, steps, &total, &counted);
}

static uint64_t count_near(random_source *source, uint64_t steps) {
    switch (random_below(source, 4)) {
    case 0: return 1 + random_below(source, steps);
    case 1: return 1 + random_below(source, 100);
    default: return 1 + random_below(source, 5);
    }
}

static void random_trees(void **state) {
    (void)state;
    random_source source = random_from_seed(random_seed());
    for (int i = 0; i < 20000; i++) {
        uint64_t steps = 1 + random_below(&source, random_below(&source, 4) ? 300 : 10000);
        verso__tree tree = {.leaf = random_below(&source, 2) ? 1 : count_near(&source, steps),
                            .space = count_near(&source, steps),
                            .time = count_near(&source, steps),
                            .bisection = random_below(&source, 8) == 0};
        check(&tree, steps);
    }
}

/* Whatever is asked for, no leaf is longer than it may be; the cost is that of the walk. Without a word about space and
 * time a stretch is halved. */
static void halves_keep_to_the_leaf(void **state) {
    (void)state;
    random_source source = random_from_seed(random_seed());
    for (int i = 0; i < 5000; i++) {
        uint64_t steps = 1 + random_below(&source, random_below(&source, 4) ? 300 : 10000);
        verso_schedule_spec spec;
        verso_schedule_spec_init(&spec, VERSO_KIND_BINARY);
        spec.steps = steps;
        spec.split = VERSO_SPLIT_HALVES;
        spec.leaf = random_below(&source, 2) ? 1 : count_near(&source, steps);
        spec.space = random_below(&source, 2) ? count_near(&source, steps) : 0;
        spec.time = spec.space == 0 && random_below(&source, 2) ? count_near(&source, steps) : 0;
        verso__cost cost = planned_walked(&spec);
        assert_true(cost.longest_recording <= spec.leaf);
        assert_true(spec.space == 0 || cost.peak_slots[0] <= spec.space);
        assert_true(spec.time == 0 || cost.repetition <= spec.time);
    }
    for (int i = 0; i < 2000; i++) { /* both are given: a leaf is as long as it must be */
        uint64_t steps = 1 + random_below(&source, 3000);
        verso__tree tree = {.leaf = 1 + random_below(&source, 10),
                            .space = count_near(&source, steps),
                            .time = count_near(&source, steps),
                            .bisection = true,
                            .keeps_leaf = true};
        uint64_t most = verso__beta((int64_t)tree.space, (int64_t)tree.time);
        tree.leaf = verso__max_u64(tree.leaf, steps / most + (steps % most != 0));
        check(&tree, steps);
    }
}

/* Every length, with all that the roundings can do to a spine, threads and chains at its end included. */
static void spines_of_every_length(void **state) {
    (void)state;
    for (uint64_t leaf = 1; leaf <= 4; leaf++)
        for (uint64_t count = 1; count <= 40; count++)
            for (uint64_t steps = 1; steps <= (count + 2) * (count + 1) / 2 * leaf + 10; steps += 1 + leaf / 2) {
                check(&(verso__tree){.leaf = leaf, .space = 2, .time = count}, steps);
                check(&(verso__tree){.leaf = leaf, .space = count, .time = 2}, steps);
            }
}

/* Columns grow long, and lose what most of them lose. */
static void columns_of_many_rows(void **state) {
    (void)state;
    random_source source = random_from_seed(random_seed());
    for (int i = 0; i < 30; i++) {
        uint64_t far = 300 + random_below(&source, 3000);
        uint64_t near = 3 + random_below(&source, 3);
        uint64_t steps = 100000 + random_below(&source, 1000000);
        uint64_t leaf = 1 + random_below(&source, 2) * random_below(&source, 50);
        check(&(verso__tree){.leaf = leaf, .space = near, .time = far}, steps);
        check(&(verso__tree){.leaf = leaf, .space = far, .time = near}, steps);
    }
}

/* Rows enough for spines to be worth it, beside columns. */
static void spines_beside_columns(void **state) {
    (void)state;
    random_source source = random_from_seed(random_seed());
    for (int i = 0; i < 20; i++) {
        uint64_t far = 31000 + random_below(&source, 30000);
        uint64_t near = 2 + random_below(&source, 3);
        uint64_t steps = 1000 + random_below(&source, UINT64_C(1) << (11 + random_below(&source, 11)));
        check(&(verso__tree){.leaf = 1 + random_below(&source, 3), .space = near, .time = far}, steps);
        check(&(verso__tree){.leaf = 1 + random_below(&source, 3), .space = far, .time = near}, steps);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees),           cmocka_unit_test(halves_keep_to_the_leaf),
        cmocka_unit_test(spines_of_every_length), cmocka_unit_test(columns_of_many_rows),
        cmocka_unit_test(spines_beside_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
