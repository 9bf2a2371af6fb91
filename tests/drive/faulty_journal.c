/* Tests journal, lock and status with every allocation failing once: the call returns NO_MEMORY, leaks nothing, and
 * leaves the file as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "drive/journal_write.h"
#include "drive/lock.h"
#include "tests/support/folder.h"
#include "tests/support/random_journal.h"

static const verso__system *const machine = &verso__system_machine;

typedef struct call {
    char *folder, *path, *lock_path;
    verso__journal_head head;
    verso__journal *journal;
    verso__lock *lock;
    verso__commit commit;
    verso__journal_contents contents;
    verso_run_status status;
} call;

typedef verso_status call_run(call *call, verso_error *error);

/* Runs the call with its n-th allocation failing, for n = 1, 2, 3 … until it succeeds; returns how often it failed. */
static uint64_t until_success(call_run *run, call *call) {
    uint64_t before = verso__alloc_live();
    for (uint64_t n = 1;; n++) {
        verso_error error = {0};
        verso__alloc_fail_at(n);
        verso_status status = run(call, &error);
        verso__alloc_fail_at(0);
        if (status == VERSO_STATUS_OK)
            return n - 1;
        assert_int_equal(status, VERSO_STATUS_NO_MEMORY);
        assert_int_equal(error.status, VERSO_STATUS_NO_MEMORY);
        assert_true(strlen(error.message) > 0);
        assert_int_equal(verso__alloc_live(), before);
        assert_true(n < 100);
    }
}

static verso_status run_create(call *call, verso_error *error) {
    return verso__journal_create(machine, call->path, &call->head, &call->journal, error);
}

static verso_status run_commit(call *call, verso_error *error) {
    return verso__journal_commit(call->journal, &call->commit, false, error);
}

static verso_status run_read(call *call, verso_error *error) {
    return verso__journal_read(machine, call->path, &call->contents, error);
}

static verso_status run_continue(call *call, verso_error *error) {
    return verso__journal_continue(machine, call->path, &call->contents, 1, &call->journal, error);
}

static verso_status run_lock(call *call, verso_error *error) {
    return verso__lock_take(machine, call->lock_path, &call->lock, error);
}

static verso_status run_status(call *call, verso_error *error) {
    call->status = (verso_run_status)VERSO_RUN_STATUS_INIT;
    return verso_run_status_read(call->folder, &call->status, error);
}

/* The cursor of a true schedule: a status is read of it. */
static verso__commit true_commit(uint64_t number) {
    random_source source = random_from_seed(number);
    verso__commit commit = random_commit(&source, number, 0);
    verso_schedule_spec spec;
    verso_schedule *schedule;
    verso_schedule_spec_init(&spec, VERSO_KIND_DISK);
    spec.steps = 50;
    spec.slots = 3;
    spec.write_cost = spec.read_cost = 2;
    assert_int_equal(verso_schedule_new(&spec, &schedule, NULL), VERSO_STATUS_OK);
    commit.cursor_size = verso_schedule_saved_size(schedule);
    unsigned char *cursor = realloc((void *)commit.cursor, commit.cursor_size);
    assert_non_null(cursor);
    assert_int_equal(verso_schedule_save(schedule, cursor, commit.cursor_size, NULL), VERSO_STATUS_OK);
    commit.cursor = cursor;
    verso_schedule_free(schedule);
    return commit;
}

static void no_allocation_is_taken_for_granted(void **state) {
    (void)state;
    uint64_t before = verso__alloc_live();
    call call = {.folder = folder_new()};
    call.path = folder_path(call.folder, "journal");
    call.lock_path = folder_path(call.folder, "lock");
    random_source source = random_from_seed(7);
    call.head = random_head(&source);

    assert_true(until_success(run_create, &call) >= 3);
    for (uint64_t number = 1; number <= VERSO_COMMITS_KEPT + 2; number++) {
        call.commit = true_commit(number);
        uint64_t failures = until_success(run_commit, &call);
        assert_true(number > 1 || failures == 2);
        random_commit_free(&call.commit);
    }
    verso__journal_close(call.journal);
    assert_int_equal(verso__alloc_live(), before);

    assert_true(until_success(run_read, &call) >= 2 + VERSO_COMMITS_KEPT);
    assert_int_equal(call.contents.commits[0].number, VERSO_COMMITS_KEPT + 2);
    assert_int_equal(call.contents.trusted, call.contents.bytes);
    assert_true(until_success(run_continue, &call) >= 2 + 4);
    verso__journal_contents_free(&call.contents);
    verso__journal_close(call.journal);
    assert_int_equal(verso__alloc_live(), before);

    assert_int_equal(until_success(run_lock, &call), 1);
    verso__lock_release(call.lock);
    assert_true(until_success(run_status, &call) > 5);
    assert_int_equal(call.status.commits, VERSO_COMMITS_KEPT + 1);
    assert_int_equal(call.status.last.steps, 50);
    assert_int_equal(verso__alloc_live(), before);
    free(call.lock_path);
    free(call.path);
    folder_remove(call.folder);
}

/* Returns how many bytes the file then has. */
static uint64_t add_commit(call *call, uint64_t *number, uint64_t fail_at) {
    call->commit = true_commit(*number + 1);
    verso__alloc_fail_at(fail_at);
    verso_status status = run_commit(call, NULL);
    verso__alloc_fail_at(0);
    random_commit_free(&call->commit);
    assert_true(status == VERSO_STATUS_OK || (status == VERSO_STATUS_NO_MEMORY && fail_at > 0));
    *number += status == VERSO_STATUS_OK;
    assert_int_equal(run_read(call, NULL), VERSO_STATUS_OK);
    assert_int_equal(call->contents.trusted, call->contents.bytes);
    assert_int_equal(call->contents.commits[0].number, *number);
    uint64_t bytes = call->contents.bytes;
    verso__journal_contents_free(&call->contents);
    assert_int_equal(folder_count(call->folder, "journal"), 1);
    return bytes;
}

/* What cannot be compacted for lack of memory is appended to, and compacted later. */
static void compaction_without_memory(void **state) {
    (void)state;
    uint64_t before = verso__alloc_live(), postponed = 0;
    for (uint64_t fail_at = 1; fail_at <= 12; fail_at++) {
        call call = {.folder = folder_new()};
        call.path = folder_path(call.folder, "journal");
        random_source source = random_from_seed(8);
        call.head = random_head(&source);
        assert_int_equal(run_create(&call, NULL), VERSO_STATUS_OK);
        uint64_t number = 0, large = 0, bytes;
        while (number < 20)
            large = add_commit(&call, &number, 0);
        verso__journal_set_limits(0, 1);
        bytes = add_commit(&call, &number, fail_at);
        postponed += number == 21 && bytes > large;
        while (bytes >= large)
            bytes = add_commit(&call, &number, 0);
        assert_true(number <= 50); /* it may have doubled */
        verso__journal_set_limits(1 << 20, 8);
        verso__journal_close(call.journal);
        assert_int_equal(verso__alloc_live(), before);
        free(call.path);
        folder_remove(call.folder);
    }
    assert_true(postponed > 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_allocation_is_taken_for_granted),
                                       cmocka_unit_test(compaction_without_memory)};
    return cmocka_run_group_tests_name("journal, lock and status without memory", tests, NULL, NULL);
}
