/* loop.h: what is missing is named; state and adjoint in several regions or by callbacks; recorded stretches; callbacks
 * that fail. */
#include "tests/support/folder.h"
#include "tests/support/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS = 13 };

/* ---- What is missing ---- */

static int nothing(void *context, uint64_t step) {
    (void)context;
    (void)step;
    return 0;
}
static int keep(void *context, void *bytes) {
    (void)context;
    (void)bytes;
    return 0;
}
static int bring(void *context, const void *bytes) {
    (void)context;
    (void)bytes;
    return 0;
}

static void must_miss(verso_loop loop, const char *word) {
    verso_program program;
    verso_error error = {0};
    assert_int_equal(verso_loop_program(&loop, &program, &error), VERSO_STATUS_INVALID);
    assert_int_equal(error.status, VERSO_STATUS_INVALID);
    if (strstr(error.message, word) == NULL)
        fail_msg("'%s' is not in: %s", word, error.message);
}

static void what_is_missing_is_named(void **state) {
    (void)state;
    double x = 0;
    const verso_loop whole = {.size = sizeof(verso_loop),
                              .steps = 3,
                              .advance = nothing,
                              .adjoint = nothing,
                              .start = nothing,
                              .state = {{&x, sizeof x}},
                              .adjoint_state = {{&x, sizeof x}}};
    verso_loop loop = whole;
    verso_program program;
    assert_int_equal(verso_loop_program(&loop, &program, NULL), VERSO_STATUS_OK);
    must_miss((verso_loop)VERSO_LOOP_INIT, "`advance` is missing");
    loop.adjoint = NULL;
    must_miss(loop, "`adjoint` is missing");
    loop = whole, loop.start = NULL;
    must_miss(loop, "`start` is missing");
    loop = whole, loop.steps = VERSO_UNKNOWN;
    must_miss(loop, "`finished` must be given");
    loop = whole, loop.finished = nothing;
    must_miss(loop, "`finished` may be given only");
    loop = whole, loop.state[0].bytes = NULL;
    must_miss(loop, "the state has no bytes");
    loop = whole, loop.adjoint_state[0].size = 0;
    must_miss(loop, "the adjoint has no bytes");
    loop = whole, loop.save = keep;
    must_miss(loop, "`save` and `load`");
    loop = whole, loop.load = bring;
    must_miss(loop, "`save` and `load`");
    loop = whole, loop.save = keep, loop.load = bring;
    must_miss(loop, "`state_size`");
    loop = whole, loop.save_adjoint = keep;
    must_miss(loop, "`save_adjoint` and `load_adjoint`");
    loop = whole, loop.save_adjoint = keep, loop.load_adjoint = bring;
    must_miss(loop, "`adjoint_size`");
}

/* ---- Where things lie ---- */

static int save(void *context, void *bytes) {
    memcpy(bytes, ((toy *)context)->state, sizeof((toy *)context)->state);
    return 0;
}
static int load(void *context, const void *bytes) {
    memcpy(((toy *)context)->state, bytes, sizeof((toy *)context)->state);
    return 0;
}
static int save_adjoint(void *context, void *bytes) {
    toy *model = context;
    memcpy(bytes, model->adjoint, sizeof model->adjoint);
    memcpy((char *)bytes + sizeof model->adjoint, &model->parameter_gradient, sizeof(double));
    return 0;
}
static int load_adjoint(void *context, const void *bytes) {
    toy *model = context;
    memcpy(model->adjoint, bytes, sizeof model->adjoint);
    memcpy(&model->parameter_gradient, (const char *)bytes + sizeof model->adjoint, sizeof(double));
    return 0;
}

static void by_callbacks(toy *model) {
    verso_loop *loop = &model->loop;
    memset(loop->state, 0, sizeof loop->state);
    memset(loop->adjoint_state, 0, sizeof loop->adjoint_state);
    loop->save = save;
    loop->load = load;
    loop->state_size = sizeof model->state;
    loop->save_adjoint = save_adjoint;
    loop->load_adjoint = load_adjoint;
    loop->adjoint_size = sizeof model->adjoint + sizeof(double);
}

/* Makes one region for each number, and one without bytes. */
static void in_regions(toy *model) {
    memset(model->loop.state, 0, sizeof model->loop.state);
    model->loop.state[0] = (verso_region){model, 0};
    for (int i = 0; i < TOY_SIZE; i++)
        model->loop.state[1 + i] = (verso_region){&model->state[i], sizeof(double)};
}

static void run_laid_out(void (*lay_out)(toy *model), const trial_case *what, uint64_t steps, uint64_t limit) {
    char *directory = folder_new();
    toy_result expected = toy_reference(steps);
    verso_status status = VERSO_STATUS_SUSPENDED;
    while (status == VERSO_STATUS_SUSPENDED) {
        trial one;
        trial_open(&one, what, steps, directory);
        lay_out(&one.model);
        one.options.step_limit = limit;
        assert_int_equal(verso_loop_program(&one.model.loop, &one.model.program, NULL), VERSO_STATUS_OK);
        status = trial_run(&one);
        if (status == VERSO_STATUS_OK && !toy_equal(&one.result, &expected))
            fail_msg("%s, %llu steps: another gradient", what->word, (unsigned long long)steps);
        trial_close(&one);
    }
    assert_int_equal(status, VERSO_STATUS_OK);
    folder_remove(directory);
}

static void anywhere_in_memory(void **state) {
    (void)state;
    for (size_t i = 0; i < TRIAL_CASES; i++)
        for (uint64_t steps = 0; steps <= STEPS; steps += steps < 3 ? 1 : 5)
            for (uint64_t limit = 0; limit <= 8; limit += 4) {
                run_laid_out(by_callbacks, &trial_cases[i], steps, limit);
                run_laid_out(in_regions, &trial_cases[i], steps, limit);
            }
}

/* ---- Recorded stretches ---- */

static void stretches_of_several_steps(void **state) {
    (void)state;
    for (uint64_t steps = 0; steps <= 30; steps++) {
        toy_result expected = toy_reference(steps);
        for (uint64_t length = 1; length <= steps + 1; length += 1 + length / 4) {
            const verso_schedule_kind kinds[] = {VERSO_KIND_EVERY_K, VERSO_KIND_TREEVERSE, VERSO_KIND_BINARY};
            for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
                trial one;
                trial_open(&one, &(trial_case){.kind = kinds[kind], .slots = 3}, steps, NULL);
                one.options.spec.distance = one.options.spec.leaf = length;
                if (trial_run(&one) != VERSO_STATUS_OK)
                    fail_msg("%s", one.error.message);
                if (!toy_equal(&one.result, &expected))
                    fail_msg("kind %zu, %llu steps, stretches of %llu: another gradient", kind,
                             (unsigned long long)steps, (unsigned long long)length);
                trial_close(&one);
            }
        }
    }
}

/* ---- Callbacks that fail ---- */

typedef enum callback { ADVANCE, ADJOINT, START, COST, SAVE, LOAD, SAVE_ADJOINT, LOAD_ADJOINT, CALLBACKS } callback;
static const char *const words[CALLBACKS] = {"advance", "adjoint", "start",        "cost",
                                             "save",    "load",    "save_adjoint", "load_adjoint"};

static struct {
    callback which;
    uint64_t left, step; /* calls until it fails; where it did */
    bool failed;
    verso_loop sound;
} fault;

static int strike(callback which, uint64_t step) {
    if (which != fault.which || fault.left == 0 || --fault.left > 0)
        return 0;
    fault.failed = true;
    fault.step = step;
    return 40 + (int)which;
}

static int try_advance(void *context, uint64_t step) {
    int code = strike(ADVANCE, step);
    return code != 0 ? code : fault.sound.advance(context, step);
}
static int try_adjoint(void *context, uint64_t step) {
    int code = strike(ADJOINT, step);
    return code != 0 ? code : fault.sound.adjoint(context, step);
}
static int try_start(void *context, uint64_t step) {
    int code = strike(START, step);
    return code != 0 ? code : fault.sound.start(context, step);
}
static int try_cost(void *context, uint64_t step, double *value) {
    int code = strike(COST, step);
    return code != 0 ? code : fault.sound.cost(context, step, value);
}
static int try_save(void *context, void *bytes) {
    int code = strike(SAVE, VERSO_UNKNOWN);
    return code != 0 ? code : save(context, bytes);
}
static int try_load(void *context, const void *bytes) {
    int code = strike(LOAD, VERSO_UNKNOWN);
    return code != 0 ? code : load(context, bytes);
}
static int try_save_adjoint(void *context, void *bytes) {
    int code = strike(SAVE_ADJOINT, VERSO_UNKNOWN);
    return code != 0 ? code : save_adjoint(context, bytes);
}
static int try_load_adjoint(void *context, const void *bytes) {
    int code = strike(LOAD_ADJOINT, VERSO_UNKNOWN);
    return code != 0 ? code : load_adjoint(context, bytes);
}

static void with_faults(toy *model) {
    by_callbacks(model);
    verso_loop *loop = &model->loop;
    fault.sound = *loop;
    loop->advance = try_advance;
    loop->adjoint = try_adjoint;
    loop->start = try_start;
    loop->cost = try_cost;
    loop->save = try_save;
    loop->load = try_load;
    loop->save_adjoint = try_save_adjoint;
    loop->load_adjoint = try_load_adjoint;
    assert_int_equal(verso_loop_program(loop, &model->program, NULL), VERSO_STATUS_OK);
}

/* Runs one process, in which the n-th call of this callback fails. */
static verso_status run_failing(const trial_case *what, const char *directory, callback which, uint64_t n,
                                toy_result *result) {
    trial one;
    trial_open(&one, what, STEPS, directory);
    with_faults(&one.model);
    fault.which = which;
    fault.left = n;
    fault.failed = false;
    trial_run(&one);
    *result = one.result;
    if (one.status == VERSO_STATUS_USER) {
        char code[32], step[48];
        snprintf(code, sizeof code, "returned %d", 40 + (int)which);
        snprintf(step, sizeof step, "at step %llu", (unsigned long long)fault.step);
        if (strstr(one.error.message, words[which]) == NULL || strstr(one.error.message, code) == NULL)
            fail_msg("%s: %s", words[which], one.error.message);
        if ((fault.step != VERSO_UNKNOWN) != (strstr(one.error.message, "at step") != NULL) ||
            (fault.step != VERSO_UNKNOWN && strstr(one.error.message, step) == NULL))
            fail_msg("not '%s': %s", step, one.error.message);
    } else if (one.status != VERSO_STATUS_OK)
        fail_msg("%s: %s", words[which], one.error.message);
    if ((one.status == VERSO_STATUS_USER) != fault.failed)
        fail_msg("%s: call %llu failed, and no error was reported", words[which], (unsigned long long)n);
    trial_close(&one);
    return one.status;
}

static void failing_callbacks(void **state) {
    (void)state;
    char *directory = folder_new();
    toy_result expected = toy_reference(STEPS), result;
    for (size_t i = 0; i < TRIAL_CASES; i++) {
        for (int which = 0; which < CALLBACKS; which++) {
            for (uint64_t n = 1; n < 200; n++) {
                folder_empty(directory);
                if (run_failing(&trial_cases[i], directory, (callback)which, n, &result) == VERSO_STATUS_OK)
                    break;
                /* Again, failing at once, then to the end. */
                if (run_failing(&trial_cases[i], directory, (callback)which, 1 + n % 2, &result) != VERSO_STATUS_OK)
                    assert_int_equal(run_failing(&trial_cases[i], directory, (callback)which, 0, &result),
                                     VERSO_STATUS_OK);
                if (!toy_equal(&result, &expected))
                    fail_msg("%s, %s failing at call %llu: another gradient", trial_cases[i].word, words[which],
                             (unsigned long long)n);
            }
            if (!toy_equal(&result, &expected))
                fail_msg("%s: another gradient", trial_cases[i].word);
        }
    }
    folder_remove(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(anywhere_in_memory),
        cmocka_unit_test(stretches_of_several_steps),
        cmocka_unit_test(failing_callbacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
