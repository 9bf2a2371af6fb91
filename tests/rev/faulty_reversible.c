/* Tests chains of reversible steps with every allocation failing once: the call returns NO_MEMORY and leaks nothing;
 * repeated, it succeeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"

#include <verso/reversible.h>

static int step(void *context, uint64_t i, void *next, const void *state) {
    (void)context;
    *(double *)next += *(const double *)state * (double)(i + 1);
    return 0;
}

static int unstep(void *context, uint64_t i, void *next, const void *state) {
    (void)context;
    *(double *)next -= *(const double *)state * (double)(i + 1);
    return 0;
}

static int adjoint(void *context, uint64_t i, void *next, void *next_bar, const void *state, void *state_bar) {
    *(double *)state_bar += *(double *)next_bar * (double)(i + 1);
    return unstep(context, i, next, state);
}

static int start(void *context, const void *last, void *last_bar) {
    (void)context;
    (void)last;
    *(double *)last_bar = 1;
    return 0;
}

static const verso_reversible chain = {.size = sizeof(verso_reversible),
                                       .name = "faulty",
                                       .steps = 8,
                                       .state_size = sizeof(double),
                                       .bar_size = sizeof(double),
                                       .step = step,
                                       .unstep = unstep,
                                       .adjoint = adjoint};

static verso_status bennett(verso_error *error) {
    double first = 1, last = 0, first_bar = 0, last_bar = 1;
    verso_status status = verso_bennett(&chain, 2, &first, &last, NULL, error);
    if (status == VERSO_STATUS_OK) {
        assert_true(last == 40320);
        status = verso_bennett_adjoint(&chain, 2, &first, &first_bar, &last, &last_bar, NULL, error);
    }
    if (status == VERSO_STATUS_OK)
        assert_true(first_bar == 40320);
    return status;
}

static verso_status treeverse(verso_error *error) {
    double state = 1, bar = 0;
    verso_run_options options;
    verso_run_options_init(&options);
    options.foreground = true;
    options.spec.kind = VERSO_KIND_TREEVERSE;
    options.spec.leaf = 1;
    options.spec.space = 3;
    verso_status status = verso_reversible_run(&chain, &options, &state, &bar, start, NULL, error);
    if (status == VERSO_STATUS_OK)
        assert_true(bar == 40320);
    return status;
}

static void fail_everywhere(verso_status (*run)(verso_error *error), uint64_t fewest) {
    uint64_t live = verso__alloc_live();
    for (uint64_t n = 1;; n++) {
        verso_error error = {0};
        verso__alloc_fail_at(n);
        verso_status status = run(&error);
        verso__alloc_fail_at(0);
        assert_int_equal(verso__alloc_live(), live);
        if (status == VERSO_STATUS_OK) {
            assert_true(n > fewest);
            return;
        }
        assert_int_equal(status, VERSO_STATUS_NO_MEMORY);
        assert_int_equal(error.status, VERSO_STATUS_NO_MEMORY);
        assert_true(strlen(error.message) > 0 && n < 1000);
    }
}

static void bennett_without_memory(void **state) {
    (void)state;
    fail_everywhere(bennett, 3);
}

static void treeverse_without_memory(void **state) {
    (void)state;
    fail_everywhere(treeverse, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bennett_without_memory),
                                       cmocka_unit_test(treeverse_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
