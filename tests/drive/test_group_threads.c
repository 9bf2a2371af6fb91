/* Tests groups in one process, for the thread sanitizer: each member is a thread with its own directory. They stop
 * together, continue from the newest restart point that all of them have, and end with the same bits; also if one of
 * them has lost something, or if only one of them was asked to stop. */
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

enum { MEMBERS = 3, STEPS = 30, PATIENCE = 20 /* seconds, after which a group that waits for ever is ended */ };

/* ---- The least of all, with threads ---- */

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    unsigned waiting;
    uint64_t round, least, result;
} meeting = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static verso_status meet(void *context, uint64_t value, uint64_t *least, verso_error *error) {
    (void)context;
    (void)error;
    pthread_mutex_lock(&meeting.mutex);
    uint64_t round = meeting.round;
    meeting.least = meeting.waiting == 0 || value < meeting.least ? value : meeting.least;
    if (++meeting.waiting == MEMBERS) {
        meeting.result = meeting.least;
        meeting.waiting = 0;
        meeting.round++;
        pthread_cond_broadcast(&meeting.changed);
    }
    while (meeting.round == round)
        pthread_cond_wait(&meeting.changed, &meeting.mutex);
    *least = meeting.result;
    pthread_mutex_unlock(&meeting.mutex);
    return VERSO_STATUS_OK;
}

static const verso_group group = {.least = meet};

/* ---- Members ---- */

typedef struct member {
    pthread_t thread;
    trial one;
} member;

static void *run(void *argument) {
    trial_run(&((member *)argument)->one);
    return NULL;
}

/* Runs all members once, with these limits of steps. Returns the status, which must be the same for all. */
static verso_status live(const trial_case *what, char *const *directories, const uint64_t *limits,
                         const toy_result *expected, char *notices) {
    static member members[MEMBERS];
    alarm(PATIENCE);
    for (int i = 0; i < MEMBERS; i++) {
        trial_open(&members[i].one, what, STEPS, directories[i]);
        members[i].one.options.group = &group;
        members[i].one.options.foreground = i == 1;
        members[i].one.options.step_limit = limits[i];
        members[i].one.options.adjoint_distance = 4;
        assert_int_equal(pthread_create(&members[i].thread, NULL, run, &members[i]), 0);
    }
    notices[0] = '\0';
    for (int i = 0; i < MEMBERS; i++) {
        assert_int_equal(pthread_join(members[i].thread, NULL), 0);
        const trial *one = &members[i].one;
        if (one->status != members[0].one.status ||
            (one->status != VERSO_STATUS_OK && one->status != VERSO_STATUS_SUSPENDED))
            fail_msg("%s, member %d: %s", what->word, i, one->error.message);
        if (one->status == VERSO_STATUS_OK && !toy_equal(&one->result, expected))
            fail_msg("%s, member %d: another gradient", what->word, i);
        assert_int_equal(one->model.advanced, members[0].one.model.advanced);
        assert_int_equal(one->model.reversed, members[0].one.model.reversed);
        strncat(notices, one->notices, 8000 - strlen(notices));
        trial_close(&members[i].one);
    }
    alarm(0);
    return members[0].one.status;
}

/* What happens to one member's directory between two lives. */
typedef enum mishap { NOTHING, STATES_LOST, ADJOINTS_LOST, NEWEST_ADJOINT_LOST, ALL_LOST, MISHAPS } mishap;

static void strike(mishap what, const char *directory) {
    char **files = folder_files(directory);
    bool first = true;
    for (size_t i = 0; files[i] != NULL; i++) {
        bool state = strstr(files[i], "/state-") != NULL, adjoint = strstr(files[i], "/adjoint-") != NULL;
        bool lost = (what == STATES_LOST && state) || (what == ADJOINTS_LOST && adjoint) ||
                    (what == NEWEST_ADJOINT_LOST && adjoint && first) || what == ALL_LOST;
        first = first && !adjoint; /* the least step is the newest */
        if (lost)
            assert_int_equal(unlink(files[i]), 0);
    }
    folder_files_free(files);
}

static void go_through(const trial_case *what, uint64_t limit, mishap mishap, const toy_result *expected) {
    char *directories[MEMBERS], notices[8192];
    for (int i = 0; i < MEMBERS; i++)
        directories[i] = folder_new();
    const uint64_t first[MEMBERS] = {0, limit, 3 * limit}, none[MEMBERS] = {0};
    assert_int_equal(live(what, directories, first, expected, notices), VERSO_STATUS_SUSPENDED);
    strike(mishap, directories[2]);
    assert_int_equal(live(what, directories, none, expected, notices), VERSO_STATUS_OK);
    if (mishap == ALL_LOST)
        assert_non_null(strstr(notices, "begins anew"));
    assert_int_equal(live(what, directories, none, expected, notices), VERSO_STATUS_OK); /* done already */
    for (int i = 0; i < MEMBERS; i++)
        folder_remove(directories[i]);
}

static void groups_end_together(void **state) {
    (void)state;
    toy_result expected = toy_reference(STEPS);
    for (size_t i = 0; i < TRIAL_CASES; i++)
        for (uint64_t limit = 7; limit < 60; limit += 13)
            for (int mishap = 0; mishap < MISHAPS; mishap++)
                go_through(&trial_cases[i], limit, (enum mishap)mishap, &expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups_end_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
