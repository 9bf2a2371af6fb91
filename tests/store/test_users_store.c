/* Tests stores that the user supplies: durable ones, whose capsules outlive the process. The driver empties them
 * first and does not rely on what they held, so a run that is killed at any callback, or suspended, continues and
 * ends with the same bits. It leaves the stores empty and open. */
#include "tests/support/folder.h"
#include "tests/support/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { STEPS = 17, STORES = 2 };

/* The tiers that are in stores of the user: one bit each. */
typedef struct users_case {
    trial_case what;
    unsigned tiers;
} users_case;

static const users_case cases[] = {
    {{.word = "revolve", .kind = VERSO_KIND_REVOLVE, .slots = 3}, 1},
    {{.word = "resilient", .kind = VERSO_KIND_RESILIENT, .slots = 4}, 1},
    {{.word = "disk", .kind = VERSO_KIND_DISK, .slots = 2}, 2},
    {{.word = "disk and memory", .kind = VERSO_KIND_DISK, .slots = 2}, 3},
    {{.word = "online", .kind = VERSO_KIND_ONLINE, .slots = 3, .unknown = true, .with_disk = true}, 2},
};

enum { CASES = sizeof cases / sizeof *cases };

/* ---- One life of a process ---- */

typedef struct life {
    trial one;
    verso_store stores[STORES];
    uint64_t found; /* capsules that lay in the stores when it began */
} life;

static verso_status count_capsule(void *context, const verso_capsule_name *name) {
    (void)name;
    ++*(uint64_t *)context;
    return VERSO_STATUS_OK;
}

static uint64_t capsules_in(const verso_store *store) {
    uint64_t count = 0;
    assert_int_equal(store->operations->list(store->self, count_capsule, &count, NULL), VERSO_STATUS_OK);
    return count;
}

/* The run is in FOLDER/run, the stores are beside it. */
static void begin(life *self, const users_case *given, const char *folder) {
    static char run[256]; /* which the options borrow */
    snprintf(run, sizeof run, "%s/run", folder);
    trial_open(&self->one, &given->what, STEPS, run);
    self->found = 0;
    for (size_t i = 0; i < STORES; i++) {
        char name[16];
        self->stores[i] = (verso_store){0};
        if ((given->tiers >> i & 1) == 0)
            continue;
        snprintf(name, sizeof name, "store-%zu", i);
        char *directory = folder_path(folder, name);
        const verso_file_store_options options = {
            .size = sizeof(verso_file_store_options), .directory = directory, .durable = true, .foreground = true};
        assert_int_equal(verso_store_file_open(&options, &self->stores[i], NULL), VERSO_STATUS_OK);
        free(directory);
        self->found += capsules_in(&self->stores[i]);
        self->one.options.stores[i] = &self->stores[i];
    }
}

static void end(life *self) {
    for (size_t i = 0; i < STORES; i++)
        verso_store_close(&self->stores[i]);
    trial_close(&self->one);
}

/* True when it died. */
static bool die_at(const users_case *given, const char *folder, uint64_t call) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        life self;
        begin(&self, given, folder);
        self.one.model.kill_after = call;
        _exit(trial_run(&self.one) == VERSO_STATUS_OK ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSIGNALED(status) && WEXITSTATUS(status) != 0)
        fail_msg("%s, to be killed at callback %llu: it failed", given->what.word, (unsigned long long)call);
    return WIFSIGNALED(status);
}

/* Runs to the end, or until the run is suspended. */
static verso_status live(const users_case *given, const char *folder, uint64_t step_limit, const toy_result *expected,
                         life *self) {
    begin(self, given, folder);
    self->one.options.step_limit = step_limit;
    verso_status status = trial_run(&self->one);
    if (status != VERSO_STATUS_OK && status != VERSO_STATUS_SUSPENDED)
        fail_msg("%s: %s", given->what.word, self->one.error.message);
    if (status == VERSO_STATUS_OK && !toy_equal(&self->one.result, expected))
        fail_msg("%s: another gradient", given->what.word);
    for (size_t i = 0; i < STORES; i++) /* they are still the user's to ask */
        if ((given->tiers >> i & 1) != 0) {
            assert_non_null(self->stores[i].operations);
            assert_true(status != VERSO_STATUS_OK || capsules_in(&self->stores[i]) == 0);
        }
    end(self);
    return status;
}

/* ---- Tests ---- */

static void killed_at_every_callback(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    for (size_t i = 0; i < CASES; i++) {
        uint64_t found = 0;
        bool died = true;
        for (uint64_t call = 1; died; call++) {
            char *folder = folder_new();
            life self;
            died = die_at(&cases[i], folder, call);
            if (died) /* once more, a little later */
                die_at(&cases[i], folder, 1 + call % 5);
            assert_int_equal(live(&cases[i], folder, 0, &expected, &self), VERSO_STATUS_OK);
            found += self.found;
            folder_remove(folder);
        }
        assert_true(found > 0); /* else nothing was in the way */
    }
}

static void suspended_anywhere(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    for (size_t i = 0; i < CASES; i++)
        for (uint64_t limit = 1; limit < 3 * STEPS; limit += 1 + limit / 6) {
            char *folder = folder_new();
            life self;
            while (live(&cases[i], folder, limit, &expected, &self) == VERSO_STATUS_SUSPENDED)
                ;
            assert_true(self.one.report.recovered_steps == 0); /* suspending copies what the stores hold */
            folder_remove(folder);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_at_every_callback),
        cmocka_unit_test(suspended_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
