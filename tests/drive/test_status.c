/* Tests the status of runs in every state: the library's result, and the command's page and JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "drive/journal_write.h"
#include "drive/lock.h"
#include "tests/support/folder.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const verso__system *const machine = &verso__system_machine;

/* ---- A run directory ---- */

typedef struct run {
    char *folder, *path, *lock_path;
    verso__journal *journal;
    uint64_t commits;
    verso_schedule_spec spec;
} run;

static run begin_run(verso_schedule_kind kind, uint64_t steps) {
    run run = {.folder = folder_new()};
    run.path = folder_path(run.folder, "journal");
    run.lock_path = folder_path(run.folder, "lock");
    verso_schedule_spec_init(&run.spec, kind);
    run.spec.steps = steps;
    run.spec.slots = 3;
    verso__journal_head head = {.program = {{0x1122, 0xaabb}}, .started = 1.7e9, .reason = "it \"fits\"\tmemory"};
    assert_int_equal(verso__journal_create(machine, run.path, &head, &run.journal, NULL), VERSO_STATUS_OK);
    return run;
}

static void end_run(run *run) {
    verso__journal_close(run->journal);
    free(run->lock_path);
    free(run->path);
    folder_remove(run->folder);
}

/* Makes a restart point of this schedule; if `learnt` is not 0, the schedule's end is announced. */
static void commit(run *run, const verso__commit *template, bool done, uint64_t learnt) {
    verso_schedule *schedule;
    verso__commit commit = *template;
    assert_int_equal(verso_schedule_new(&run->spec, &schedule, NULL), VERSO_STATUS_OK);
    if (learnt > 0) {
        verso_action action = {.kind = VERSO_ACTION_STORE};
        while (action.kind != VERSO_ACTION_ADVANCE)
            assert_int_equal(verso_schedule_next(schedule, &action, NULL), VERSO_STATUS_OK);
        assert_true(action.to >= learnt);
        assert_int_equal(verso_schedule_end(schedule, learnt, learnt, NULL), VERSO_STATUS_OK);
    }
    commit.cursor_size = verso_schedule_saved_size(schedule);
    unsigned char *cursor = malloc(commit.cursor_size);
    assert_non_null(cursor);
    assert_int_equal(verso_schedule_save(schedule, cursor, commit.cursor_size, NULL), VERSO_STATUS_OK);
    commit.cursor = cursor;
    commit.number = ++run->commits;
    assert_int_equal(verso__journal_commit(run->journal, &commit, done, NULL), VERSO_STATUS_OK);
    verso_schedule_free(schedule);
    free(cursor);
}

static const verso__commit on_the_way = {.adjoint = VERSO_UNKNOWN,
                                         .counts = {.work_forward = 5, .reached = 5, .seconds = 10}};

static void go_on(run *run) {
    verso__journal_contents contents;
    verso__journal_close(run->journal);
    assert_int_equal(verso__journal_read(machine, run->path, &contents, NULL), VERSO_STATUS_OK);
    assert_int_equal(verso__journal_continue(machine, run->path, &contents, 0, &run->journal, NULL), VERSO_STATUS_OK);
    verso__journal_contents_free(&contents);
}

/* ---- Output of the library and the command ---- */

typedef struct answer {
    verso_run_status status;
    json_t *json;
    char page[4096];
} answer;

/* The exit status; what was printed, errors included, is in `text`. */
static int command(const char *folder, const char *options, char *text, size_t size) {
    char line[1024];
    snprintf(line, sizeof line, "'%s' status '%s' %s 2>&1", VERSO_COMMAND, folder, options);
    FILE *out = popen(line, "r");
    assert_non_null(out);
    size_t got = fread(text, 1, size - 1, out);
    text[got] = '\0';
    int ended = pclose(out);
    assert_true(WIFEXITED(ended));
    return WEXITSTATUS(ended);
}

static answer ask(const run *run) {
    answer answer = {.status = VERSO_RUN_STATUS_INIT};
    char text[8192];
    verso_error error = {0};
    verso_status status = verso_run_status_read(run->folder, &answer.status, &error);
    if (status != VERSO_STATUS_OK)
        print_error("%s\n", error.message);
    assert_int_equal(status, VERSO_STATUS_OK);
    assert_int_equal(command(run->folder, "", answer.page, sizeof answer.page), 0);
    assert_int_equal(command(run->folder, "--json", text, sizeof text), 0);
    json_error_t problem;
    answer.json = json_loads(text, JSON_REJECT_DUPLICATES, &problem);
    if (answer.json == NULL)
        print_error("%s\n%s\n", problem.text, text);
    assert_non_null(answer.json);
    return answer;
}

/* The page has this line or a part of it. */
static void on_page(const answer *answer, const char *words) {
    if (strstr(answer->page, words) == NULL)
        print_error("'%s' is not on the page:\n%s", words, answer->page);
    assert_non_null(strstr(answer->page, words));
}

static const json_t *member(const answer *answer, const char *outer, const char *name) {
    const json_t *object = outer != NULL ? json_object_get(answer->json, outer) : answer->json;
    const json_t *value = json_object_get(object, name);
    if (value == NULL)
        print_error("there is no member %s\n", name);
    assert_non_null(value);
    return value;
}

static void check_state(const answer *answer, const char *word) {
    char line[64];
    snprintf(line, sizeof line, "  state           %s", word);
    on_page(answer, line);
    assert_string_equal(json_string_value(member(answer, NULL, "state")), word);
}

/* ---- Tests ---- */

static void a_run_that_has_only_begun(void **state) {
    (void)state;
    run run = begin_run(VERSO_KIND_REVOLVE, 10);
    answer answer = ask(&run);
    check_state(&answer, "interrupted");
    on_page(&answer, "not known before the first restart point");
    on_page(&answer, "at step 0\n");
    assert_true(json_is_null(member(&answer, NULL, "schedule")));
    assert_true(json_is_null(member(&answer, "last", "steps")));
    assert_true(json_is_null(member(&answer, "last", "work_total")));
    assert_true(json_is_null(member(&answer, NULL, "pid")));
    assert_int_equal(answer.status.commits, 0);
    assert_string_equal(json_string_value(member(&answer, NULL, "program")), "000000000000aabb0000000000001122");
    json_decref(answer.json);
    end_run(&run);
}

static void an_interrupted_run(void **state) {
    (void)state;
    run run = begin_run(VERSO_KIND_REVOLVE, 10); /* 15 forward steps, 10 reversed */
    commit(&run, &on_the_way, false, 0);
    verso__commit later = on_the_way;
    later.adjoint = 8;
    later.counts.work_forward = 10;
    later.counts.work_reversed = 2;
    later.counts.reached = 9;
    later.counts.seconds = 24;
    commit(&run, &later, false, 0);
    go_on(&run);
    answer answer = ask(&run);
    check_state(&answer, "interrupted");
    on_page(&answer, "revolve: binomial");
    on_page(&answer, "10 steps, slots 3\n");
    on_page(&answer, "it \"fits\"?memory");
    on_page(&answer, "adjoint at step 8 of 10\n");
    on_page(&answer, "48.0 %: 12 of 25 steps");
    on_page(&answer, "24 s so far, about 26 s left\n");
    on_page(&answer, "restart points  2; continued 1 time\n");
    on_page(&answer, ", undamaged\n");
    assert_null(strstr(answer.page, "if it died"));
    assert_true(answer.status.last.phase == VERSO_PHASE_REVERSE && answer.status.last.adjoint == 8);
    assert_true(answer.status.last.work_done == 12 && answer.status.last.work_total == 25);
    assert_true(answer.status.last.seconds_left == 26);
    assert_int_equal(json_integer_value(member(&answer, "last", "work_total")), 25);
    assert_string_equal(json_string_value(member(&answer, "schedule", "kind")), "revolve");
    assert_string_equal(json_string_value(member(&answer, NULL, "reason")), "it \"fits\"\tmemory");
    assert_true(json_is_null(member(&answer, NULL, "journal_damaged_at")));
    json_decref(answer.json);
    end_run(&run);
}

static void a_suspended_run_and_its_continuation(void **state) {
    (void)state;
    run run = begin_run(VERSO_KIND_REVOLVE, 10);
    verso__commit suspended = on_the_way;
    suspended.suspended = true;
    commit(&run, &suspended, false, 0);
    answer answer = ask(&run);
    check_state(&answer, "suspended");
    on_page(&answer, "forward         at step 5 of 10\n");
    assert_true(answer.status.suspended && !answer.status.running);
    json_decref(answer.json);
    go_on(&run); /* and death before the next restart point */
    answer = ask(&run);
    check_state(&answer, "interrupted");
    assert_false(answer.status.suspended);
    json_decref(answer.json);
    end_run(&run);
}

static void a_run_that_is_done(void **state) {
    (void)state;
    run run = begin_run(VERSO_KIND_REVOLVE, 10);
    verso__commit last = {.pending = {.kind = VERSO_ACTION_DONE}};
    last.counts.work_forward = 15;
    last.counts.work_reversed = last.counts.reached = 10;
    commit(&run, &last, true, 0);
    answer answer = ask(&run);
    check_state(&answer, "done");
    on_page(&answer, "complete");
    on_page(&answer, "100.0 %: 25 of 25");
    assert_true(answer.status.done && answer.status.last.phase == VERSO_PHASE_DONE);
    assert_true(answer.status.last.seconds_left == 0);
    json_decref(answer.json);
    end_run(&run);
}

static void a_run_at_work(void **state) {
    (void)state;
    run run = begin_run(VERSO_KIND_REVOLVE, 10);
    commit(&run, &on_the_way, false, 0);
    verso__lock *lock;
    assert_int_equal(verso__lock_take(machine, run.lock_path, &lock, NULL), VERSO_STATUS_OK);
    answer answer = ask(&run);
    check_state(&answer, "running");
    on_page(&answer, "not known yet: the process has not reported its progress");
    assert_true(answer.status.now.reached == 5 && answer.status.updated == 0);
    json_decref(answer.json);

    verso_progress progress = {.phase = VERSO_PHASE_FORWARD,
                               .steps = 10,
                               .reached = 7,
                               .adjoint = VERSO_UNKNOWN,
                               .work_done = 7,
                               .work_total = 25,
                               .steps_at_risk = 2,
                               .seconds = 3700,
                               .seconds_at_risk = 1.25,
                               .seconds_left = 200000,
                               .memory = 99};
    assert_int_equal(verso__lock_write(lock, &progress, NULL), VERSO_STATUS_OK);
    answer = ask(&run);
    check_state(&answer, "running");
    char who[64];
    snprintf(who, sizeof who, "running: process %ld on ", (long)getpid());
    on_page(&answer, who);
    on_page(&answer, "at step 7 of 10\n");
    on_page(&answer, "28.0 %: 7 of 25");
    on_page(&answer, "1 h 1 min so far, about 2 d 7 h left\n");
    on_page(&answer, "2 steps and 1.2 s would be lost\n");
    assert_int_equal(json_integer_value(member(&answer, NULL, "pid")), getpid());
    assert_int_equal(json_integer_value(member(&answer, "now", "steps_at_risk")), 2);
    assert_int_equal(json_integer_value(member(&answer, "last", "reached")), 5);
    assert_int_equal(json_integer_value(member(&answer, "now", "reached")), 7);
    json_decref(answer.json);
    verso__lock_release(lock);
    answer = ask(&run); /* what a dead process once said counts no more */
    check_state(&answer, "interrupted");
    assert_true(answer.status.now.reached == 5 && answer.status.pid == 0);
    json_decref(answer.json);
    end_run(&run);
}

static void steps_that_are_learnt_late(void **state) {
    (void)state;
    run run = begin_run(VERSO_KIND_ONLINE, VERSO_UNKNOWN);
    run.spec.slots = 5;
    commit(&run, &on_the_way, false, 0);
    answer answer = ask(&run);
    on_page(&answer, "steps not known yet");
    on_page(&answer, "at step 5\n");
    on_page(&answer, "work            5 steps");
    assert_true(answer.status.last.steps == VERSO_UNKNOWN && answer.status.last.work_total == 0);
    assert_true(answer.status.last.seconds_left < 0);
    assert_true(json_is_null(member(&answer, "schedule", "steps")));
    json_decref(answer.json);
    commit(&run, &on_the_way, false, 1);
    answer = ask(&run);
    assert_int_equal(answer.status.last.steps, 1);
    json_decref(answer.json);
    end_run(&run);
}

static void damage_and_capsules(void **state) {
    (void)state;
    run run = begin_run(VERSO_KIND_REVOLVE, 10);
    commit(&run, &on_the_way, false, 0);
    size_t size, whole;
    free(file_read(run.path, &whole));
    commit(&run, &on_the_way, false, 0);
    unsigned char *bytes = file_read(run.path, &size);
    file_write(run.path, bytes, size - 1);
    free(bytes);
    static const char *const names[] = {"state-00000000000000000005", "state-00000000000000000005.new", "state-5",
                                        "state-00000000000000000007", "adjoint-00000000000000000001",   "something"};
    char *folder = folder_path(run.folder, "capsules");
    assert_int_equal(mkdir(folder, 0777), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        folder_write(folder, names[i], "", 0);
    free(folder);
    answer answer = ask(&run);
    char line[128];
    snprintf(line, sizeof line, "torn or damaged from byte %zu on; the run continues", whole);
    on_page(&answer, line);
    on_page(&answer, "2 states and 1 adjoint on disk\n");
    assert_int_equal(answer.status.commits, 1);
    assert_int_equal(answer.status.journal_damaged_at, whole);
    assert_int_equal(answer.status.state_capsules, 2);
    assert_int_equal(answer.status.adjoint_capsules, 1);
    json_decref(answer.json);
    end_run(&run);
}

/* What was left out of a compacted journal is still counted. */
static void compacted(void **state) {
    (void)state;
    run run = begin_run(VERSO_KIND_REVOLVE, 10);
    verso__journal_set_limits(0, 1);
    for (int i = 0; i < 60; i++) {
        commit(&run, &on_the_way, false, 0);
        if (i % 20 == 0)
            go_on(&run);
    }
    answer answer = ask(&run);
    assert_int_equal(answer.status.commits, 60);
    assert_int_equal(answer.status.restarts, 3);
    assert_int_equal(answer.status.journal_damaged_at, VERSO_UNKNOWN);
    assert_true(answer.status.journal_bytes < 10000);
    json_decref(answer.json);
    verso__journal_set_limits(1 << 20, 8);
    end_run(&run);
}

static void no_run(void **state) {
    (void)state;
    char *folder = folder_new(), *path = folder_path(folder, "journal"), *none = folder_path(folder, "none");
    char text[4096];
    verso_run_status status = VERSO_RUN_STATUS_INIT;
    verso_error error = {0};
    assert_int_equal(verso_run_status_read(folder, &status, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "there is no run in"));
    status.size = 0;
    assert_int_equal(verso_run_status_read(folder, &status, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "VERSO_RUN_STATUS_INIT"));
    status.size = sizeof status;
    assert_int_equal(command(folder, "", text, sizeof text), 1);
    assert_non_null(strstr(text, "verso status: there is no run in"));
    assert_int_equal(command(none, "--json", text, sizeof text), 1);
    assert_non_null(strstr(text, "verso status: there is no run in"));
    file_write(path, "rubbish", 7);
    assert_int_equal(verso_run_status_read(folder, &status, &error), VERSO_STATUS_CORRUPT);
    assert_int_equal(command(folder, "", text, sizeof text), 1);
    assert_non_null(strstr(text, "is not a journal"));
    assert_int_equal(command(folder, "one too many", text, sizeof text), 2);
    free(none);
    free(path);
    folder_remove(folder);
}

/* A restart point with a place in no schedule, in a journal that otherwise holds. */
static void a_cursor_that_is_none(void **state) {
    (void)state;
    run run = begin_run(VERSO_KIND_REVOLVE, 10);
    verso__commit wrong = on_the_way;
    wrong.number = 1;
    wrong.cursor = (const unsigned char *)"nowhere";
    wrong.cursor_size = 7;
    assert_int_equal(verso__journal_commit(run.journal, &wrong, false, NULL), VERSO_STATUS_OK);
    char text[4096];
    assert_int_equal(command(run.folder, "", text, sizeof text), 1);
    assert_non_null(strstr(text, "restart point 1 cannot be used: 7 bytes cannot be a saved schedule"));
    end_run(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_has_only_begun),
        cmocka_unit_test(an_interrupted_run),
        cmocka_unit_test(a_suspended_run_and_its_continuation),
        cmocka_unit_test(a_run_that_is_done),
        cmocka_unit_test(a_run_at_work),
        cmocka_unit_test(steps_that_are_learnt_late),
        cmocka_unit_test(damage_and_capsules),
        cmocka_unit_test(compacted),
        cmocka_unit_test(no_run),
        cmocka_unit_test(a_cursor_that_is_none),
    };
    return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
