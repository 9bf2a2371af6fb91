/* Tests gradients within a memory budget and under every schedule: they have the same bits as in a single pass; the
 * budget is divided as reported; the least budget is named exactly; steps are the same whether they are recorded or
 * not; capsules omit unchanged memory; the adjoint survives as bytes. The programs are those of
 * tests/support/native_program.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "native/api/api.h"
#include "tests/support/native_program.h"
#include "tests/support/random_spec.h"

static verso_error error; /* of the last call that failed */

enum { SIZE = 60 };

static uint64_t seed = 1;
static double x[SIZE], whole[SIZE], whole_value;

static void must(verso_status status) {
    if (status != VERSO_STATUS_OK)
        fail_msg("%s", error.message);
}

static int prepare(void **state) {
    (void)state;
    random_source source = random_from_seed(seed);
    for (size_t i = 0; i < SIZE; i++)
        x[i] = (double)random_below(&source, 2000) / 1000 - 1;
    if (!native_possible())
        return 0;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    must(verso_gradient(chain, x, SIZE, whole, NULL, &report, &error));
    whole_value = report.value;
    return 0;
}

static void require_possible(void) {
    if (!native_possible())
        skip();
}

static verso_status gradient_with(const verso_native_options *options, verso_native_report *report) {
    double gradient[SIZE], calls = chain_calls, sum = chain_sum;
    memset(gradient, 0xff, sizeof gradient);
    verso_status status = verso_gradient(chain, x, SIZE, gradient, options, report, &error);
    if (status != VERSO_STATUS_OK)
        return status;
    assert_memory_equal(gradient, whole, sizeof gradient);
    assert_true(report->value == whole_value);
    assert_true(chain_calls == calls + SIZE && chain_sum != sum); /* memory is as after one run */
    return VERSO_STATUS_OK;
}

/* ---- Schedules ---- */

static void every_kind_gives_the_same_bits(void **state) {
    (void)state;
    require_possible();
    static const uint64_t slots[] = {1, 2, 3, 10, 50}, leaves[] = {1, 100, 333, 1000, 4096, 1 << 20};
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++)
        for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
            for (size_t j = 0; j < sizeof leaves / sizeof *leaves; j++) {
                verso_run_options run;
                verso_run_report made = VERSO_RUN_REPORT_INIT;
                verso_native_report report = VERSO_NATIVE_REPORT_INIT;
                verso_run_options_init(&run);
                verso_schedule_spec_init(&run.spec, (verso_schedule_kind)kind);
                run.spec.slots = slots[i];
                run.spec.distance = 1 + slots[i];
                run.spec.tier_count = 1;
                run.spec.tiers[0] = (verso_tier){slots[i], 0, 0};
                run.spec.write_cost = run.spec.read_cost = 2;
                run.places[0] = run.places[1] = VERSO_PLACE_MEMORY;
                verso_native_options options = {
                    .size = sizeof(verso_native_options), .run = &run, .run_report = &made, .leaf = leaves[j]};
                verso_status status = gradient_with(&options, &report);
                if (status == VERSO_STATUS_IMPOSSIBLE) /* for instance two-level on one slot */
                    continue;
                must(status);
                assert_true(report.steps >= 1 && report.steps <= 2 * SIZE + 1);
                assert_true(report.leaf_bytes == leaves[j] && (leaves[j] > 1 || report.steps == 2 * SIZE + 1));
                assert_true(made.done && made.reversed_steps == report.steps);
                if (kind != VERSO_KIND_MIXED) /* whose records are kept as states, and made again */
                    assert_true(made.forward_steps == made.predicted.forward_steps.low);
            }
}

static void a_budget_is_divided_and_kept(void **state) {
    (void)state;
    require_possible();
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_native_options options = {.size = sizeof(verso_native_options), .memory = 1};
    assert_int_equal(gradient_with(&options, &report), VERSO_STATUS_IMPOSSIBLE);
    const char *least = strstr(error.message, "at least ");
    assert_non_null(least);
    uint64_t bytes = strtoull(least + strlen("at least "), NULL, 10);
    for (int i = 0; i < 8; i++) {
        options.memory = bytes + (uint64_t)i * i * 1000;
        must(gradient_with(&options, &report));
        assert_int_equal(report.budget_bytes, options.memory);
        assert_true(report.peak_bytes <= options.memory);
    }
    options.memory = bytes / 2; /* tables alone are as large */
    assert_int_equal(gradient_with(&options, &report), VERSO_STATUS_IMPOSSIBLE);
    options = (verso_native_options){.size = sizeof(verso_native_options), .memory = 64 << 20};
    must(gradient_with(&options, &report));
    assert_true(report.steps == 1 && report.recordings == 1 && report.forward_steps == 0);
}

static void the_length_of_a_step_leaves_room(void **state) {
    (void)state;
    random_source source = random_from_seed(seed);
    for (int i = 0; i < 300; i++) {
        uint64_t capsule = 1 + random_below(&source, UINT64_C(1) << (1 + random_below(&source, 30)));
        uint64_t slots = random_below(&source, 5), taken = (slots > 0 ? slots : 1) * capsule;
        verso__native_division division = {.start = random_below(&source, UINT64_C(1) << 30),
                                           .capsule = capsule,
                                           .cells = random_below(&source, UINT64_C(1) << 30)};
        uint64_t least = verso__native_least_memory(&division, slots > 0 ? slots : 1, 0);
        division.memory = least + random_below(&source, UINT64_C(1) << 32);
        uint64_t leaf = verso__native_choose_leaf(&division, slots);
        assert_true(leaf >= 4096 && leaf + taken <= verso__native_room(&division));
    }
}

/* ---- Steps ---- */

static verso__native_job chain_job(double *gradient, verso_array *wrt) {
    *wrt = (verso_array){x, SIZE, VERSO_SCALAR_DOUBLE, gradient};
    return (verso__native_job){.f = chain, .x = x, .n = SIZE, .wrt = wrt, .wrt_count = 1, .weight = 1};
}

/* Each step ends at the same place, whether the run has only advanced or has recorded from any step on. */
static void steps_are_the_same_in_both_modes(void **state) {
    (void)state;
    require_possible();
    double gradient[SIZE];
    verso_array wrt;
    verso__native_job job = chain_job(gradient, &wrt);
    random_source source = random_from_seed(seed);
    assert_int_equal(verso__native_enter(&job, NULL), VERSO_STATUS_OK);
    assert_int_equal(verso__native_tape_open(0, false, NULL), VERSO_STATUS_OK);
    for (uint64_t leaf = 0; leaf < 1000; leaf += 97) {
        static verso__native_place places[2 * SIZE + 2];
        verso__native_capsule start = {0};
        verso__native_walk_begin(leaf);
        assert_int_equal(verso__native_capsule_take(&start, NULL), VERSO_STATUS_OK);
        uint64_t steps = 0;
        while (!verso__native_place_now()->ended) {
            assert_int_equal(verso__native_walk_to(steps + 1, false, NULL), VERSO_STATUS_OK);
            places[++steps] = *verso__native_place_now();
            assert_int_equal(places[steps].step, steps);
        }
        for (int trial = 0; trial < 20; trial++) {
            verso__native_capsule_restore(&start);
            for (uint64_t at = 0; at < steps;) {
                at += 1 + random_below(&source, steps - at);
                assert_int_equal(verso__native_walk_to(at, random_below(&source, 2), NULL), VERSO_STATUS_OK);
                assert_memory_equal(verso__native_place_now(), &places[at], sizeof places[at]);
            }
        }
        verso__native_capsule_restore(&start);
        verso__native_capsule_free(&start);
        verso__native_walk_end();
    }
    (void)verso__native_tape_close(0);
    verso__native_leave();
}

/* ---- Capsules that leave out what has not changed ---- */

static void what_is_as_in_the_base_is_left_out(void **state) {
    (void)state;
    require_possible();
    enum { BLOCK = 300000 };
    double gradient[SIZE];
    verso_array wrt;
    verso__native_job job = chain_job(gradient, &wrt);
    random_source source = random_from_seed(seed);
    char *block = verso__native_malloc(BLOCK), *expected = malloc(BLOCK);
    for (size_t i = 0; i < BLOCK; i++)
        block[i] = (char)random_below(&source, 256);
    assert_int_equal(verso__native_enter(&job, NULL), VERSO_STATUS_OK);
    verso__native_capsule base = {0}, delta = {0};
    assert_int_equal(verso__native_capsule_take(&base, NULL), VERSO_STATUS_OK);
    verso__native_capsule_base(&base, false);
    for (int trial = 0; trial < 200; trial++) {
        for (uint64_t k = random_below(&source, 20); k > 0; k--)
            block[random_below(&source, BLOCK)] ^= (char)(1 + random_below(&source, 255));
        memcpy(expected, block, BLOCK);
        chain_sum = trial;
        assert_int_equal(verso__native_capsule_take(&delta, NULL), VERSO_STATUS_OK);
        if (trial == 0)
            assert_true(verso__native_capsule_size() < base.room / 2);
        for (uint64_t k = random_below(&source, 50); k > 0; k--)
            block[random_below(&source, BLOCK)] ^= (char)(1 + random_below(&source, 255));
        chain_sum = -1;
        verso__native_capsule_restore(&delta);
        assert_memory_equal(block, expected, BLOCK);
        assert_true(chain_sum == trial);
        if (trial % 10 == 9)
            verso__native_capsule_restore(&base);
    }
    /* Also when nearly everything has changed. */
    memcpy(expected, block, BLOCK);
    assert_int_equal(verso__native_capsule_take(&delta, NULL), VERSO_STATUS_OK);
    verso__native_capsule all = {0};
    for (size_t i = 0; i < BLOCK; i++)
        block[i] ^= 1;
    assert_int_equal(verso__native_capsule_take(&all, NULL), VERSO_STATUS_OK);
    verso__native_capsule_restore(&delta);
    assert_memory_equal(block, expected, BLOCK);
    verso__native_capsule_restore(&all);
    for (size_t i = 0; i < BLOCK; i++)
        expected[i] ^= 1;
    assert_memory_equal(block, expected, BLOCK);
    verso__native_capsule_base(NULL, false);
    verso__native_capsule_free(&base);
    verso__native_capsule_free(&delta);
    verso__native_capsule_free(&all);
    verso__native_leave();
    verso__native_free(block);
    free(expected);
}

/* ---- The adjoint as bytes ---- */

/* In the middle of a sweep the adjoint is written, destroyed and read back; the sweep continues with the same bits. */
static void an_adjoint_comes_back(void **state) {
    (void)state;
    require_possible();
    double gradient[SIZE];
    verso_array wrt;
    verso__native_job job = chain_job(gradient, &wrt);
    assert_int_equal(verso__native_enter(&job, NULL), VERSO_STATUS_OK);
    assert_int_equal(verso__native_tape_open(0, false, NULL), VERSO_STATUS_OK);
    verso__native_shadow_begin();
    verso__native_now.frame = verso__native_frames();
    verso__native_walk_begin(200);
    verso__native_capsule capsules[2 * SIZE + 2] = {0}, end = {0}, again = {0};
    uint64_t steps = 0;
    for (; !verso__native_place_now()->ended; steps++) {
        assert_int_equal(verso__native_capsule_take(&capsules[steps], NULL), VERSO_STATUS_OK);
        assert_int_equal(verso__native_walk_to(steps + 1, false, NULL), VERSO_STATUS_OK);
    }
    assert_true(steps > 10);
    assert_int_equal(verso__native_capsule_take(&end, NULL), VERSO_STATUS_OK);
    for (uint64_t at = steps; at-- > 0;) {
        verso__native_capsule_restore(&capsules[at]);
        assert_int_equal(verso__native_walk_to(at + 1, true, NULL), VERSO_STATUS_OK);
        assert_int_equal(verso__native_walk_back(NULL), VERSO_STATUS_OK);
        size_t size = verso__native_adjoint_size(&end),
               frames = (size_t)(verso__native_now.frame - verso__native_frames());
        char *bytes = malloc(size);
        assert_int_equal(verso__native_adjoint_write(&end, bytes, size, NULL), VERSO_STATUS_OK);
        memset(verso__native_frames(), 0xee, frames);
        verso__native_now.frame = NULL;
        for (size_t i = 0; i < SIZE; i++)
            *verso__native_cell(&x[i]) += 1e9;
        assert_int_equal(verso__native_adjoint_read(&again, bytes, size, NULL), VERSO_STATUS_OK);
        assert_int_equal(again.room, end.room);
        assert_memory_equal(again.bytes, end.bytes, end.room);
        assert_int_equal(verso__native_adjoint_read(&again, bytes, size - 1, NULL), VERSO_STATUS_CORRUPT);
        assert_int_equal(verso__native_adjoint_read(&again, bytes, 3, NULL), VERSO_STATUS_CORRUPT);
        free(bytes);
    }
    for (size_t i = 0; i < SIZE; i++) {
        assert_memory_equal(verso__native_cell(&x[i]), &whole[i], sizeof(double));
        *verso__native_cell(&x[i]) = 0;
    }
    for (uint64_t i = 0; i < steps; i++)
        verso__native_capsule_free(&capsules[i]);
    verso__native_capsule_free(&end);
    verso__native_capsule_free(&again);
    verso__native_walk_end();
    (void)verso__native_tape_close(0);
    (void)verso__native_shadow_end(NULL, 0);
    verso__native_leave();
}

int main(int argc, char **argv) {
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : seed;
    printf("seed %llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_gives_the_same_bits),     cmocka_unit_test(a_budget_is_divided_and_kept),
        cmocka_unit_test(the_length_of_a_step_leaves_room),   cmocka_unit_test(steps_are_the_same_in_both_modes),
        cmocka_unit_test(what_is_as_in_the_base_is_left_out), cmocka_unit_test(an_adjoint_comes_back),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
