/* Memory as a budget in bytes: what stores and recordings take never exceeds it, by their own account and by the
 * heap's; a budget that is too small is refused with the least that would do, and that is exact; slots and schedules
 * are chosen for it. */
#include "schedule/cost.h"
#include "tests/support/folder.h"
#include "tests/support/trial.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

enum { STEPS = 23, STATE = TOY_SIZE * sizeof(double), ADJOINT = STATE + 2 * sizeof(double) };

typedef struct setting {
    verso_schedule_kind kind;
    uint64_t slots;
    bool files, scratch, foreground, unknown;
} setting;

static void open_setting(const setting *given, const char *directory, uint64_t memory, trial *one) {
    const trial_case what = {.kind = given->kind,
                             .slots = given->slots > 0 ? given->slots : 3,
                             .unknown = given->unknown,
                             .with_disk = given->unknown && given->files};
    trial_open(one, &what, STEPS, given->files ? directory : NULL);
    one->options.spec.slots = given->slots;
    one->options.scratch = given->files && given->scratch;
    one->options.foreground = given->foreground;
    one->options.memory = memory;
}

/* ---- The least ---- */

static uint64_t named_least(const char *message) {
    const char *words = strstr(message, " bytes are needed");
    if (words == NULL)
        fail_msg("no least value in: %s", message);
    const char *digits = words;
    while (digits > message && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    return strtoull(digits, NULL, 10);
}

/* With a budget of one byte the message names the least budget; with that the run succeeds, with one byte less it
 * fails. */
static uint64_t find_least(const setting *given, const toy_result *expected) {
    char *directory = folder_new();
    trial one;
    open_setting(given, directory, 1, &one);
    assert_int_equal(trial_run(&one), VERSO_STATUS_IMPOSSIBLE);
    uint64_t least = named_least(one.error.message);
    trial_close(&one);
    mkdir(directory, 0777); /* which a scratch run has removed */
    folder_empty(directory);
    open_setting(given, directory, least - 1, &one);
    if (trial_run(&one) != VERSO_STATUS_IMPOSSIBLE)
        fail_msg("%s: %llu was named, and a byte less does, too: %s", verso_kind_word(given->kind),
                 (unsigned long long)least, one.error.message);
    trial_close(&one);
    mkdir(directory, 0777); /* which a scratch run has removed */
    folder_empty(directory);
    open_setting(given, directory, least, &one);
    if (trial_run(&one) != VERSO_STATUS_OK)
        fail_msg("%s: %llu was named, and does not do: %s", verso_kind_word(given->kind), (unsigned long long)least,
                 one.error.message);
    assert_true(toy_equal(&one.result, expected));
    if (one.report.memory_peak > least)
        fail_msg("%s: %llu bytes were given, %llu taken", verso_kind_word(given->kind), (unsigned long long)least,
                 (unsigned long long)one.report.memory_peak);
    assert_int_equal(one.report.memory_budget, least);
    trial_close(&one);
    folder_remove(directory);
    return least;
}

/* Kinds that need more than one slot are refused with a message if the budget has room for only one. */
static bool needs_slots(const setting *given) {
    bool several = given->kind == VERSO_KIND_RESILIENT || given->kind == VERSO_KIND_CONTINUOUS ||
                   given->kind == VERSO_KIND_SINGLE_RECOVERY || given->kind == VERSO_KIND_TWO_LEVEL;
    return several && given->slots == 0;
}

static void too_few_slots_are_named(void **state) {
    (void)state;
    trial one;
    setting given = {.kind = VERSO_KIND_SINGLE_RECOVERY};
    open_setting(&given, NULL, 2 * STATE, &one);
    assert_int_equal(trial_run(&one), VERSO_STATUS_IMPOSSIBLE);
    assert_non_null(strstr(one.error.message, "gives 1 slots of 40"));
    trial_close(&one);
}

/* Returns whether the kind of schedule exists for these numbers, and has the files that it needs. */
static bool possible(const setting *given) {
    trial one;
    char *directory = folder_new();
    open_setting(given, directory, 1 << 20, &one);
    bool yes = trial_run(&one) == VERSO_STATUS_OK;
    trial_close(&one);
    folder_remove(directory);
    return yes;
}

static void the_least_is_named(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    size_t asked = 0;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++)
        for (unsigned way = 0; way < 8; way++)
            for (uint64_t slots = 0; slots <= 12; slots += 4) {
                setting given = {.kind = (verso_schedule_kind)kind,
                                 .slots = slots,
                                 .files = (way & 1) != 0,
                                 .scratch = (way & 2) != 0,
                                 .foreground = (way & 4) != 0};
                if ((!given.files && given.scratch) || needs_slots(&given) || !possible(&given))
                    continue;
                find_least(&given, &expected);
                asked++;
            }
    assert_true(asked > 100);
}

static void the_least_of_unknown_steps(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    for (uint64_t slots = 0; slots <= 12; slots += 4) {
        setting given = {.kind = VERSO_KIND_ONLINE, .slots = slots, .unknown = true, .foreground = true};
        uint64_t in_memory = find_least(&given, &expected);
        given.files = true;
        assert_true(find_least(&given, &expected) > in_memory); /* buffers of files */
    }
}

/* ---- Kept ---- */

static void every_budget_is_kept(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    char *directory = folder_new();
    for (uint64_t memory = 100; memory < 3000; memory += 131)
        for (int kind = 0; kind < VERSO_KIND_COUNT; kind++)
            for (unsigned way = 0; way < 4; way++) {
                trial one;
                setting given = {
                    .kind = (verso_schedule_kind)kind, .files = way > 0, .scratch = way == 2, .foreground = way == 3};
                open_setting(&given, directory, memory, &one);
                verso_status status = trial_run(&one);
                if (status == VERSO_STATUS_OK && !toy_equal(&one.result, &expected))
                    fail_msg("%s, %llu bytes: another gradient", verso_kind_word(given.kind),
                             (unsigned long long)memory);
                if (one.report.memory_peak > memory)
                    fail_msg("%s: %llu bytes were given, %llu taken", verso_kind_word(given.kind),
                             (unsigned long long)memory, (unsigned long long)one.report.memory_peak);
                if (status == VERSO_STATUS_IO || status == VERSO_STATUS_CORRUPT || status == VERSO_STATUS_STATE)
                    fail_msg("%s, %llu bytes: %s", verso_kind_word(given.kind), (unsigned long long)memory,
                             one.error.message);
                trial_close(&one);
                mkdir(directory, 0777); /* a scratch run removes it */
                folder_empty(directory);
            }
    folder_remove(directory);
}

/* ---- By the heap's account ---- */

enum { BIG = 1 << 20, BIG_STEPS = 40 };

static struct {
    unsigned char *state, *adjoint;
    size_t before, most;
} big;

static size_t heap(void) {
    struct mallinfo2 facts = mallinfo2();
    return facts.uordblks + facts.hblkhd;
}

static void look(void) {
    size_t now = heap();
    big.most = now > big.most ? now : big.most;
}

static int big_advance(void *context, uint64_t step) {
    (void)context;
    look();
    big.state[step % BIG]++;
    return 0;
}

static int big_adjoint(void *context, uint64_t step) {
    (void)context;
    look();
    big.adjoint[step % BIG] ^= big.state[step % BIG];
    return 0;
}

static int big_start(void *context, uint64_t steps) {
    (void)context;
    (void)steps;
    look();
    memset(big.adjoint, 0, BIG);
    return 0;
}

static void run_big(verso_schedule_kind kind, bool foreground, const char *directory) {
    verso_loop loop = {.size = sizeof(verso_loop),
                       .steps = BIG_STEPS,
                       .advance = big_advance,
                       .adjoint = big_adjoint,
                       .start = big_start,
                       .state = {{big.state, BIG}},
                       .adjoint_state = {{big.adjoint, BIG}}};
    verso_program program;
    verso_run_options options;
    verso_run_report report = VERSO_RUN_REPORT_INIT;
    verso_error error = {0};
    memset(big.state, 0, BIG);
    verso_run_options_init(&options);
    options.spec = toy_spec(kind, BIG_STEPS, 6);
    options.memory = 14 * (uint64_t)BIG;
    options.directory = directory;
    options.foreground = foreground;
    assert_int_equal(verso_loop_program(&loop, &program, NULL), VERSO_STATUS_OK);
    big.most = big.before = heap();
    verso_status status = verso_run(&program, &options, &report, &error);
    size_t left = heap();
    verso_loop_close(&loop);
    if (status != VERSO_STATUS_OK)
        fail_msg("%s: %s", verso_kind_word(kind), error.message);
    assert_true(report.memory_peak <= options.memory);
    /* Books, paths and the like are small beside a state. */
    if (big.most - big.before > options.memory + BIG / 4)
        fail_msg("%s: %zu bytes of heap, %llu were given", verso_kind_word(kind), big.most - big.before,
                 (unsigned long long)options.memory);
    assert_true(left <= big.before + BIG + BIG / 4); /* the loop's own scratch is all that stays */
}

static void the_heap_agrees(void **state) {
    (void)state;
    const verso_schedule_kind kinds[] = {VERSO_KIND_REVOLVE, VERSO_KIND_DISK, VERSO_KIND_RESILIENT,
                                         VERSO_KIND_TWO_LEVEL};
    mallopt(M_MMAP_THRESHOLD, 1 << 16); /* large blocks are counted one by one, whichever thread takes them */
    big.state = malloc(BIG);
    big.adjoint = malloc(BIG);
    assert_true(big.state != NULL && big.adjoint != NULL);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int foreground = 0; foreground < 2; foreground++) {
            char *directory = folder_new();
            run_big(kinds[i], foreground != 0, directory);
            folder_remove(directory);
        }
    run_big(VERSO_KIND_REVOLVE, true, NULL);
    free(big.state);
    free(big.adjoint);
}

/* ---- Chosen for it ---- */

static void slots_from_memory(void **state) {
    (void)state;
    for (uint64_t slots = 1; slots < 20; slots++) {
        trial one;
        setting given = {.kind = VERSO_KIND_REVOLVE};
        open_setting(&given, NULL, (slots + 1) * STATE + slots % STATE, &one); /* one recording beside them */
        assert_int_equal(trial_run(&one), VERSO_STATUS_OK);
        assert_int_equal(one.report.spec.slots, slots);
        trial_close(&one);
    }
}

static void run_automatic(uint64_t memory, bool unknown, const char *directory, trial *one) {
    trial_open(one, &(trial_case){.kind = VERSO_KIND_REVOLVE, .slots = 1, .unknown = unknown}, STEPS, directory);
    one->options.automatic = true;
    one->options.memory = memory;
    trial_run(one);
}

static verso__wide makespan(const verso_schedule_spec *spec, verso_schedule_kind kind) {
    verso_schedule_spec other = *spec;
    verso_schedule *schedule;
    verso__cost cost;
    other.kind = kind;
    if (verso_schedule_new(&other, &schedule, NULL) != VERSO_STATUS_OK)
        return (verso__wide)-1;
    assert_int_equal(verso__schedule_cost(schedule, &cost, NULL), VERSO_STATUS_OK);
    verso_schedule_free(schedule);
    return cost.makespan;
}

static void automatic_in_memory(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    for (uint64_t memory = 0; memory < (STEPS + 4) * STATE; memory += STATE) {
        trial one;
        run_automatic(memory, false, NULL, &one);
        bool enough = memory == 0 || memory >= 2 * STATE, all = memory == 0 || memory >= (STEPS + 1) * STATE;
        assert_int_equal(one.status, enough ? VERSO_STATUS_OK : VERSO_STATUS_IMPOSSIBLE);
        if (enough) {
            assert_true(toy_equal(&one.result, &expected));
            assert_int_equal(one.report.spec.kind, all ? VERSO_KIND_STORE_ALL : VERSO_KIND_REVOLVE);
            assert_true(strlen(one.report.reason) > 10);
            assert_non_null(strstr(one.notices, one.report.reason));
            assert_true(memory == 0 || one.report.memory_peak <= memory);
        } else
            assert_int_equal(named_least(one.error.message), 2 * STATE);
        trial_close(&one);
        run_automatic(memory, true, NULL, &one); /* without a budget: what the machine has */
        assert_int_equal(one.status, enough ? VERSO_STATUS_OK : VERSO_STATUS_IMPOSSIBLE);
        if (one.status == VERSO_STATUS_OK)
            assert_int_equal(one.report.spec.kind, VERSO_KIND_ONLINE);
        trial_close(&one);
    }
}

/* The automatic choice is the best one for the measured costs, which are in the spec. */
static void automatic_with_files(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    for (uint64_t memory = STATE; memory < (STEPS + 8) * STATE; memory += STATE + 13) {
        char *directory = folder_new();
        trial one;
        run_automatic(memory, false, directory, &one);
        assert_true(one.status == VERSO_STATUS_OK || one.status == VERSO_STATUS_IMPOSSIBLE);
        const verso_schedule_spec *spec = &one.report.spec;
        if (one.status == VERSO_STATUS_OK) {
            assert_true(toy_equal(&one.result, &expected));
            assert_true(strlen(one.report.reason) > 10);
            if (spec->kind != VERSO_KIND_STORE_ALL) {
                bool files = makespan(spec, VERSO_KIND_DISK) < makespan(spec, VERSO_KIND_REVOLVE) || spec->slots == 0;
                assert_int_equal(spec->kind, files ? VERSO_KIND_DISK : VERSO_KIND_REVOLVE);
            }
            assert_true(one.report.memory_peak <= memory);
        } else {
            uint64_t least = named_least(one.error.message);
            trial_close(&one);
            run_automatic(least, false, directory, &one);
            assert_int_equal(one.status, VERSO_STATUS_OK);
        }
        trial_close(&one);
        folder_empty(directory);
        run_automatic(memory + 4 * STATE, true, directory, &one);
        assert_int_equal(one.status, VERSO_STATUS_OK);
        assert_int_equal(one.report.spec.kind, VERSO_KIND_ONLINE);
        assert_true(one.report.spec.with_disk);
        assert_true(toy_equal(&one.result, &expected));
        trial_close(&one);
        folder_remove(directory);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_is_named),   cmocka_unit_test(the_least_of_unknown_steps),
        cmocka_unit_test(every_budget_is_kept), cmocka_unit_test(the_heap_agrees),
        cmocka_unit_test(slots_from_memory),    cmocka_unit_test(automatic_in_memory),
        cmocka_unit_test(automatic_with_files), cmocka_unit_test(too_few_slots_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
