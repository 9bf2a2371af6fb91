/* Directories: a relative name means the same place during the whole run, wherever the callbacks go; one that is only
 * room may serve several runs at once, which leave nothing in it, and leave alone what is not theirs. */
#include "base/system.h"
#include "tests/support/folder.h"
#include "tests/support/trial.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { STEPS = 24 };

/* A callback that does more than a step should. */
static struct {
    int (*advance)(void *context, uint64_t step);
    const char *elsewhere;    /* where it goes, */
    const char *room;         /* or where it has a run of its own */
    size_t inner, most_rooms; /* runs that were, and the most that were in it at once */
} busy;

static void make_busy(trial *one, int (*advance)(void *context, uint64_t step)) {
    busy.advance = one->model.loop.advance;
    one->model.loop.advance = advance;
}

/* ---- Relative names ---- */

static int advance_elsewhere(void *context, uint64_t step) {
    assert_int_equal(chdir(busy.elsewhere), 0);
    return busy.advance(context, step);
}

/* Runs to the end from the folder `here`, which contains "./run", in processes of a limited number of steps. */
static void run_relatively(const trial_case *what, const char *here, uint64_t step_limit, bool foreground,
                           const toy_result *expected) {
    verso_status status = VERSO_STATUS_SUSPENDED;
    while (status == VERSO_STATUS_SUSPENDED) {
        trial one;
        assert_int_equal(chdir(here), 0);
        trial_open(&one, what, STEPS, "./run");
        make_busy(&one, advance_elsewhere);
        one.options.step_limit = step_limit;
        one.options.foreground = foreground;
        one.options.scratch = step_limit == 0;
        status = trial_run(&one);
        if (status == VERSO_STATUS_OK)
            assert_true(toy_equal(&one.result, expected));
        else if (status != VERSO_STATUS_SUSPENDED ||
                 strstr(one.error.message, here) == NULL) /* which is the whole name */
            fail_msg("%s: %s", what->word, one.error.message);
        trial_close(&one);
    }
}

static void callbacks_that_go_elsewhere(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    for (size_t i = 0; i < TRIAL_CASES; i++)
        for (uint64_t limit = 0; limit <= 40; limit += 20)
            for (int foreground = 0; foreground < 2; foreground++) {
                char *here = folder_new(), *elsewhere = folder_new(), *run = folder_path(here, "run");
                busy.elsewhere = elsewhere;
                run_relatively(&trial_cases[i], here, limit, foreground != 0, &expected);
                assert_int_equal(folder_count(elsewhere, ""), 0);
                assert_int_equal(folder_count(here, ""), limit > 0); /* a scratch run leaves nothing */
                if (limit > 0)
                    assert_int_equal(folder_count(run, ""), 3); /* lock, journal, capsules */
                assert_int_equal(chdir(before), 0);
                free(run);
                folder_remove(here);
                folder_remove(elsewhere);
            }
}

/* ---- Room for several ---- */

static void open_scratch(trial *one, const trial_case *what, const char *room) {
    trial_open(one, what, STEPS, room);
    one->options.scratch = true;
    one->options.places[0] = VERSO_PLACE_FILES; /* every state */
}

static int count_rooms(void *context, uint64_t step) {
    size_t rooms = folder_count(busy.room, "scratch-");
    busy.most_rooms = rooms > busy.most_rooms ? rooms : busy.most_rooms;
    return busy.advance(context, step);
}

/* Both have states of the same steps, and the same program. */
static int advance_with_another_run(void *context, uint64_t step) {
    toy_result expected = toy_reference(STEPS);
    if (step % 5 == 3) {
        trial *inner = malloc(sizeof *inner);
        assert_non_null(inner);
        open_scratch(inner, &trial_cases[busy.inner++ % TRIAL_CASES], busy.room);
        inner->model.loop.advance = count_rooms;
        assert_int_equal(trial_run(inner), VERSO_STATUS_OK);
        assert_true(toy_equal(&inner->result, &expected));
        trial_close(inner);
        free(inner);
    }
    return busy.advance(context, step);
}

static void a_run_within_a_run(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    for (size_t i = 0; i < TRIAL_CASES; i++) {
        char *room = folder_new();
        trial one;
        busy.room = room;
        busy.inner = busy.most_rooms = 0;
        open_scratch(&one, &trial_cases[i], room);
        make_busy(&one, advance_with_another_run);
        assert_int_equal(trial_run(&one), VERSO_STATUS_OK);
        assert_true(toy_equal(&one.result, &expected));
        assert_true(busy.inner > 3);
        assert_int_equal(busy.most_rooms, 2);
        assert_int_not_equal(access(room, F_OK), 0); /* the last one has removed it */
        trial_close(&one);
        folder_remove(room);
    }
}

/* A run that ends removes the directory, which is empty, just when another one wants to make its own in it. */
static int make_too_late(const verso__system *system, const char *path) {
    size_t *late = system->context;
    if (strstr(path, "/scratch-") != NULL && (*late)++ < 3)
        assert_int_equal(rmdir(busy.room), 0);
    return verso__system_machine.make_directory(&verso__system_machine, path);
}

static void a_room_that_goes_away(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    char *room = folder_new();
    size_t late = 0;
    verso__system system = verso__system_machine;
    system.context = &late;
    system.make_directory = make_too_late;
    busy.room = room;
    trial one;
    open_scratch(&one, &trial_cases[0], room);
    one.system = &system;
    if (trial_run(&one) != VERSO_STATUS_OK)
        fail_msg("%s", one.error.message);
    assert_true(toy_equal(&one.result, &expected));
    assert_true(late > 3);
    trial_close(&one);
    folder_remove(room);
}

static void *run(void *argument) {
    trial_run(argument);
    return NULL;
}

static void runs_in_threads(void **state) {
    (void)state;
    enum { RUNS = 3 };
    static trial runs[RUNS];
    toy_result expected = toy_reference(STEPS);
    for (int round = 0; round < 20; round++) {
        char *room = folder_new();
        pthread_t threads[RUNS];
        if (round % 4 < 2)
            folder_write(room, "mine", "x", 1);
        for (size_t i = 0; i < RUNS; i++) {
            open_scratch(&runs[i], &trial_cases[(size_t)round % TRIAL_CASES], room);
            runs[i].options.foreground = round % 2 == 0;
            assert_int_equal(pthread_create(&threads[i], NULL, run, &runs[i]), 0);
        }
        for (size_t i = 0; i < RUNS; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            if (runs[i].status != VERSO_STATUS_OK)
                fail_msg("%s", runs[i].error.message);
            assert_true(toy_equal(&runs[i].result, &expected));
            trial_close(&runs[i]);
        }
        if (round % 4 < 2)
            assert_int_equal(folder_count(room, ""), 1);
        else
            assert_int_not_equal(access(room, F_OK), 0);
        folder_remove(room);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callbacks_that_go_elsewhere),
        cmocka_unit_test(a_run_within_a_run),
        cmocka_unit_test(a_room_that_goes_away),
        cmocka_unit_test(runs_in_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
