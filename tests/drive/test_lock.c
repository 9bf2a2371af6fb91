/* Tests the lock of a run directory: it has one holder at a time, in this process and in others, and none after its
 * holder's death. Its note is read as it was written, or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/checksum.h"
#include "base/wide.h"
#include "base/words.h"
#include "drive/lock.h"
#include "tests/support/folder.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const verso__system *const machine = &verso__system_machine;

static const verso_progress somewhere = {
    .phase = VERSO_PHASE_REVERSE,
    .steps = 1000,
    .reached = 1000,
    .adjoint = 600,
    .work_done = (UINT64_C(1) << 60) + 3,
    .work_total = UINT64_MAX,
    .steps_at_risk = 17,
    .seconds = 12.5,
    .seconds_at_risk = 0.25,
    .seconds_left = -1,
    .memory = 4096,
};

static void check_progress(const verso_progress *a, const verso_progress *b) {
    assert_true(a->phase == b->phase && a->steps == b->steps && a->reached == b->reached && a->adjoint == b->adjoint);
    assert_true(a->work_done == b->work_done && a->work_total == b->work_total);
    assert_true(a->steps_at_risk == b->steps_at_risk && a->memory == b->memory);
    assert_true(a->seconds == b->seconds && a->seconds_at_risk == b->seconds_at_risk &&
                a->seconds_left == b->seconds_left);
}

typedef struct place {
    char *folder, *path;
} place;

static place make_place(void) {
    place here = {.folder = folder_new()};
    here.path = folder_path(here.folder, "lock");
    return here;
}

static void remove_place(place *here) {
    free(here->path);
    folder_remove(here->folder);
}

static bool is_held(const char *path) {
    verso__lock_note note;
    bool held;
    assert_int_equal(verso__lock_read(machine, path, &note, &held, NULL), VERSO_STATUS_OK);
    return held;
}

static verso__lock *take(const char *path) {
    verso__lock *lock;
    verso_error error = {0};
    verso_status status = verso__lock_take(machine, path, &lock, &error);
    if (status != VERSO_STATUS_OK)
        print_error("%s\n", error.message);
    assert_int_equal(status, VERSO_STATUS_OK);
    return lock;
}

static void the_second_taker_is_refused(void **state) {
    (void)state;
    place here = make_place();
    verso__lock_note note;
    bool held = true;
    assert_int_equal(verso__lock_read(machine, here.path, &note, &held, NULL), VERSO_STATUS_STATE);
    assert_false(held);
    verso__lock *lock = take(here.path), *second = lock;
    assert_true(is_held(here.path));
    verso_error error = {0};
    assert_int_equal(verso__lock_take(machine, here.path, &second, &error), VERSO_STATUS_BUSY);
    assert_null(second);
    char who[64];
    snprintf(who, sizeof who, "process %ld on ", (long)getpid());
    assert_non_null(strstr(error.message, who));
    assert_int_equal(verso__lock_take(machine, here.path, &second, NULL), VERSO_STATUS_BUSY);
    assert_true(is_held(here.path)); /* the refused have taken nothing away */
    verso__lock_release(lock);
    assert_false(is_held(here.path));
    lock = take(here.path);
    verso__lock_release(lock);
    verso__lock_release(NULL);
    remove_place(&here);
}

/* A child that takes the lock, reports that, and holds it until it is killed. */
static pid_t holding_child(const char *path) {
    int said[2];
    assert_int_equal(pipe(said), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        verso__lock *lock;
        char answer = verso__lock_take(machine, path, &lock, NULL) == VERSO_STATUS_OK &&
                              verso__lock_write(lock, &somewhere, NULL) == VERSO_STATUS_OK
                          ? 'y'
                          : 'n';
        if (write(said[1], &answer, 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    char answer = 'n';
    assert_int_equal(close(said[1]), 0);
    assert_int_equal(read(said[0], &answer, 1), 1);
    assert_int_equal(close(said[0]), 0);
    assert_int_equal(answer, 'y');
    return child;
}

static void the_lock_dies_with_its_holder(void **state) {
    (void)state;
    place here = make_place();
    pid_t child = holding_child(here.path);
    verso__lock *lock;
    verso_error error = {0};
    assert_int_equal(verso__lock_take(machine, here.path, &lock, &error), VERSO_STATUS_BUSY);
    char who[64];
    snprintf(who, sizeof who, "process %ld on ", (long)child);
    assert_non_null(strstr(error.message, who));
    verso__lock_note note;
    bool held;
    assert_int_equal(verso__lock_read(machine, here.path, &note, &held, NULL), VERSO_STATUS_OK);
    assert_true(held);
    assert_int_equal(note.pid, child);
    assert_true(note.updated > 1e9);
    check_progress(&note.progress, &somewhere);

    assert_int_equal(kill(child, SIGKILL), 0);
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(verso__lock_read(machine, here.path, &note, &held, NULL), VERSO_STATUS_OK);
    assert_false(held);
    assert_int_equal(note.pid, child); /* the last thing it said is still there */
    lock = take(here.path);
    assert_int_equal(verso__lock_read(machine, here.path, &note, &held, NULL), VERSO_STATUS_OK);
    assert_true(held);
    assert_int_equal(note.pid, getpid()); /* and now it is not */
    assert_true(note.updated == 0);
    verso__lock_release(lock);
    remove_place(&here);
}

/* ---- The note ---- */

static unsigned char *true_note(size_t *size) {
    place here = make_place();
    verso__lock *lock = take(here.path);
    assert_int_equal(verso__lock_write(lock, &somewhere, NULL), VERSO_STATUS_OK);
    verso__lock_release(lock);
    unsigned char *bytes = file_read(here.path, size);
    remove_place(&here);
    return bytes;
}

static bool parse(const unsigned char *bytes, size_t size, verso__lock_note *note) {
    unsigned char *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    bool holds = verso__lock_parse(copy, size, note);
    free(copy);
    if (!holds)
        assert_true(note->pid == 0 && note->host[0] == '\0' && note->updated == 0 && note->progress.steps == 0);
    return holds;
}

static void a_damaged_note_is_none(void **state) {
    (void)state;
    size_t size;
    unsigned char *bytes = true_note(&size);
    verso__lock_note note;
    assert_true(parse(bytes, size, &note));
    check_progress(&note.progress, &somewhere);
    for (size_t i = 0; i < size; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes[i] ^= (unsigned char)(1u << bit);
            assert_false(parse(bytes, size, &note));
            bytes[i] ^= (unsigned char)(1u << bit);
        }
    for (size_t length = 0; length < size; length++)
        assert_false(parse(bytes, length, &note));
    unsigned char *longer = malloc(size + 30); /* the rest of a longer note */
    assert_non_null(longer);
    memset(longer, 1, size + 30);
    memcpy(longer, bytes, size);
    assert_true(parse(longer, size + 30, &note));
    free(longer);
    free(bytes);
}

/* Words changed, with a checksum that fits. */
static void a_note_that_lies_is_none(void **state) {
    (void)state;
    size_t size;
    unsigned char *bytes = true_note(&size);
    uint64_t infinite;
    double value = 1e308 * 10;
    memcpy(&infinite, &value, sizeof infinite);
    const struct {
        size_t word;
        uint64_t value;
    } lies[] = {{1, 3},           {3, 0x4100},   {3, 0x80},      {10, UINT64_C(0x41) << 56},
                {11, infinite},   {12, 3},       {21, infinite}, {22, infinite},
                {23, UINT64_MAX}, {58, infinite}}; /* version, host, updated, phase, seconds */
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        unsigned char *copy = malloc(size), *at = copy + lies[i].word * VERSO_WORD;
        assert_non_null(copy);
        memcpy(copy, bytes, size);
        verso__put_word(&at, lies[i].value);
        at = copy + size - VERSO_WORD;
        verso__put_word(&at, verso__checksum(copy, size - VERSO_WORD));
        verso__lock_note note;
        assert_false(parse(copy, size, &note));
        free(copy);
    }
    free(bytes);
}

/* A file that is no note does not keep anyone from taking the lock. */
static void rubbish_in_the_file_does_no_harm(void **state) {
    (void)state;
    place here = make_place();
    char rubbish[1000];
    memset(rubbish, 'x', sizeof rubbish);
    file_write(here.path, rubbish, sizeof rubbish);
    verso__lock_note note;
    bool held = true;
    assert_int_equal(verso__lock_read(machine, here.path, &note, &held, NULL), VERSO_STATUS_OK);
    assert_false(held);
    assert_int_equal(note.pid, 0);
    verso__lock *lock = take(here.path), *second;
    assert_int_equal(verso__lock_read(machine, here.path, &note, &held, NULL), VERSO_STATUS_OK);
    assert_true(held);
    assert_int_equal(note.pid, getpid());
    FILE *file = fopen(here.path, "r+b"); /* rubbish again, while it is held */
    assert_non_null(file);
    assert_int_equal(fwrite(rubbish, 1, sizeof rubbish, file), sizeof rubbish);
    assert_int_equal(fclose(file), 0);
    verso_error error = {0};
    assert_int_equal(verso__lock_take(machine, here.path, &second, &error), VERSO_STATUS_BUSY);
    assert_non_null(strstr(error.message, "another process holds"));
    assert_int_equal(verso__lock_read(machine, here.path, &note, &held, NULL), VERSO_STATUS_OK);
    assert_true(held);
    assert_int_equal(note.pid, 0);
    verso__lock_release(lock);
    remove_place(&here);
}

static void a_place_that_is_none_is_an_error(void **state) {
    (void)state;
    verso__lock *lock = (verso__lock *)1;
    verso_error error = {0};
    assert_int_equal(verso__lock_take(machine, "/nowhere/at/all/lock", &lock, &error), VERSO_STATUS_IO);
    assert_null(lock);
    assert_non_null(strstr(error.message, "/nowhere/at/all/lock"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_second_taker_is_refused),      cmocka_unit_test(the_lock_dies_with_its_holder),
        cmocka_unit_test(a_damaged_note_is_none),           cmocka_unit_test(a_note_that_lies_is_none),
        cmocka_unit_test(rubbish_in_the_file_does_no_harm), cmocka_unit_test(a_place_that_is_none_is_an_error),
    };
    return cmocka_run_group_tests_name("lock", tests, NULL, NULL);
}
