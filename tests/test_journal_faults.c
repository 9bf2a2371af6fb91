/* Journal and lock on a machine that fails: the n-th system call is refused, interrupted, short, or the last before a
 * crash, for every n. What was acknowledged is there afterwards, even when all that was not synced is lost; what is
 * there is what was written; and the next process can go on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/lock.h"
#include "tests/support/folder.h"
#include "tests/support/random_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- A machine that fails ---- */

typedef enum trouble {
    NO_TROUBLE,
    REFUSE,    /* EIO, once */
    INTERRUPT, /* EINTR, once, where a call can be interrupted */
    SHORTEN,   /* half of what was asked, once, where a call can be short */
    CRASH,     /* half of what was asked is done, and nothing after it */
} trouble;

enum { CALLS_MAX = 256 };

typedef struct ill_machine {
    verso_system system;
    trouble trouble;
    uint64_t at; /* the call that meets it, from 1 */
    uint64_t calls;
    bool crashed;
    size_t synced;           /* bytes of the file that was synced last */
    char log[CALLS_MAX + 1]; /* a letter a call */
} ill_machine;

/* What is to become of this call. */
static trouble meet(const verso_system *system, char letter) {
    ill_machine *ill = system->context;
    if (ill->calls < CALLS_MAX)
        ill->log[ill->calls] = letter;
    ill->calls++;
    if (ill->crashed)
        return REFUSE;
    if (ill->calls != ill->at)
        return NO_TROUBLE;
    ill->crashed = ill->trouble == CRASH;
    return ill->trouble;
}

/* For calls that are done or not done. True: refused, with errno. */
static bool refused(const verso_system *system, char letter, bool interruptible) {
    trouble now = meet(system, letter);
    errno = now == INTERRUPT ? EINTR : EIO;
    return now == REFUSE || now == CRASH || (now == INTERRUPT && interruptible);
}

static int ill_open(const verso_system *system, const char *path, int flags, mode_t mode) {
    return refused(system, 'o', true) ? -1 : verso_system_machine.open(system, path, flags, mode);
}

static ssize_t ill_read(const verso_system *system, int file, void *bytes, size_t size) {
    trouble now = meet(system, 'r');
    errno = now == INTERRUPT ? EINTR : EIO;
    if (now == REFUSE || now == CRASH || now == INTERRUPT)
        return -1;
    return verso_system_machine.read(system, file, bytes, now == SHORTEN && size > 1 ? size / 2 : size);
}

static ssize_t ill_write(const verso_system *system, int file, const void *bytes, size_t size) {
    trouble now = meet(system, 'w');
    ssize_t written = 0;
    if (now == NO_TROUBLE || now == SHORTEN || now == CRASH)
        written = verso_system_machine.write(system, file, bytes, now != NO_TROUBLE && size > 1 ? size / 2 : size);
    errno = now == INTERRUPT ? EINTR : EIO;
    return now == NO_TROUBLE || now == SHORTEN ? written : -1;
}

static ssize_t ill_write_at(const verso_system *system, int file, const void *bytes, size_t size, off_t offset) {
    trouble now = meet(system, 'W');
    ssize_t written = 0;
    if (now == NO_TROUBLE || now == SHORTEN || now == CRASH)
        written = verso_system_machine.write_at(system, file, bytes, now != NO_TROUBLE ? size / 2 : size, offset);
    errno = now == INTERRUPT ? EINTR : EIO;
    return now == NO_TROUBLE || now == SHORTEN ? written : -1;
}

/* Nothing is really synced: what counts is how much would have been. */
static int ill_sync(const verso_system *system, int file) {
    if (refused(system, 's', true))
        return -1;
    struct stat facts;
    assert_int_equal(fstat(file, &facts), 0);
    if (S_ISREG(facts.st_mode))
        ((ill_machine *)system->context)->synced = (size_t)facts.st_size;
    return 0;
}

/* A handle is gone also when closing it fails. */
static int ill_close(const verso_system *system, int file) {
    bool fails = refused(system, 'c', true);
    int code = errno;
    verso_system_machine.close(system, file);
    errno = code;
    return fails ? -1 : 0;
}

static int ill_size(const verso_system *system, int file, off_t *size) {
    return refused(system, 'z', false) ? -1 : verso_system_machine.size(system, file, size);
}

static int ill_truncate(const verso_system *system, int file, off_t size) {
    return refused(system, 't', true) ? -1 : verso_system_machine.truncate(system, file, size);
}

static int ill_lock(const verso_system *system, int file) {
    return refused(system, 'l', true) ? -1 : verso_system_machine.lock(system, file);
}

static int ill_rename(const verso_system *system, const char *from, const char *to) {
    return refused(system, 'n', false) ? -1 : verso_system_machine.rename(system, from, to);
}

static int ill_remove(const verso_system *system, const char *path) {
    return refused(system, 'd', false) ? -1 : verso_system_machine.remove(system, path);
}

static void fall_ill(ill_machine *ill, trouble trouble, uint64_t at) {
    *ill = (ill_machine){.trouble = trouble, .at = at, .system = verso_system_machine};
    ill->system.context = ill;
    ill->system.open = ill_open;
    ill->system.read = ill_read;
    ill->system.write = ill_write;
    ill->system.write_at = ill_write_at;
    ill->system.sync = ill_sync;
    ill->system.close = ill_close;
    ill->system.size = ill_size;
    ill->system.truncate = ill_truncate;
    ill->system.lock = ill_lock;
    ill->system.rename = ill_rename;
    ill->system.remove = ill_remove;
}

/* ---- What is written: a commit follows from its number ---- */

static uint64_t seed;

static verso_commit commit_of(uint64_t number) {
    random_source source = random_from_seed(seed + number);
    verso_commit commit = random_commit(&source, number, 60);
    commit.suspended = false;
    return commit;
}

static verso_journal_head the_head(void) {
    random_source source = random_from_seed(seed);
    return random_head(&source);
}

typedef struct outcome {
    bool created;
    uint64_t acknowledged; /* the newest commit whose append succeeded */
    verso_status failure;
    verso_error error;
} outcome;

static bool append(verso_journal *journal, uint64_t number, outcome *outcome) {
    verso_commit commit = commit_of(number);
    outcome->failure = verso_journal_commit(journal, &commit, false, &outcome->error);
    if (outcome->failure == VERSO_OK) {
        outcome->acknowledged = number;
    } else { /* and so fails everything after it, whatever the machine does now */
        assert_int_equal(verso_journal_commit(journal, &commit, false, NULL), outcome->failure);
    }
    random_commit_free(&commit);
    return outcome->failure == VERSO_OK;
}

/* A process that begins a run. */
static void begin_run(const verso_system *system, const char *path, outcome *outcome) {
    verso_journal_head head = the_head();
    verso_journal *journal;
    outcome->failure = verso_journal_create(system, path, &head, &journal, &outcome->error);
    assert_true((outcome->failure == VERSO_OK) == (journal != NULL));
    outcome->created = outcome->created || outcome->failure == VERSO_OK;
    for (uint64_t number = 1; journal != NULL && number <= 3; number++)
        if (!append(journal, number, outcome))
            break;
    verso_journal_close(journal);
}

/* A process that goes on from the newest commit. */
static void continue_run(const verso_system *system, const char *path, outcome *outcome) {
    verso_journal_contents contents;
    verso_journal *journal;
    outcome->failure = verso_journal_read(system, path, &contents, &outcome->error);
    if (outcome->failure != VERSO_OK)
        return;
    uint64_t newest = contents.commit_count > 0 ? contents.commits[0].number : 0;
    outcome->failure = verso_journal_continue(system, path, &contents, 0, &journal, &outcome->error);
    assert_true((outcome->failure == VERSO_OK) == (journal != NULL));
    for (uint64_t number = newest + 1; journal != NULL && number <= newest + 2; number++)
        if (!append(journal, number, outcome))
            break;
    verso_journal_close(journal);
    verso_journal_contents_free(&contents);
}

/* ---- What must hold afterwards ---- */

static void check_contents(const outcome *outcome, const verso_journal_contents *contents) {
    verso_journal_head head = the_head();
    assert_true(same_head(&contents->head, &head));
    uint64_t newest = contents->commit_count > 0 ? contents->commits[0].number : 0;
    assert_true(newest >= outcome->acknowledged && newest <= outcome->acknowledged + 1);
    for (size_t i = 0; i < contents->commit_count; i++) {
        assert_int_equal(contents->commits[i].number, newest - i);
        verso_commit commit = commit_of(newest - i);
        assert_true(same_commit(&contents->commits[i], &commit));
        random_commit_free(&commit);
    }
}

/* Of what was not synced the disk may have kept any part. */
static void check_every_loss(const ill_machine *ill, const char *path, const outcome *outcome) {
    size_t size;
    unsigned char *bytes = file_read(path, &size);
    size_t least = ill->crashed && ill->synced < size ? ill->synced : size;
    for (size_t length = least; length <= size; length++) {
        verso_journal_contents contents;
        assert_int_equal(verso_journal_parse(bytes, length, path, &contents, NULL), VERSO_OK);
        check_contents(outcome, &contents);
        verso_journal_contents_free(&contents);
    }
    free(bytes);
}

/* The next process, on a sound machine, takes up the run. */
static void check_recovery(const char *path, const outcome *before) {
    ill_machine sound;
    fall_ill(&sound, NO_TROUBLE, 0);
    outcome after = *before;
    if (access(path, F_OK) != 0) {
        assert_false(before->created);
        begin_run(&sound.system, path, &after);
        assert_int_equal(after.acknowledged, 3);
    } else {
        continue_run(&sound.system, path, &after);
    }
    assert_int_equal(after.failure, VERSO_OK);
    verso_journal_contents contents;
    assert_int_equal(verso_journal_read(&sound.system, path, &contents, NULL), VERSO_OK);
    assert_int_equal(contents.trusted, contents.bytes);
    check_contents(&after, &contents);
    verso_journal_contents_free(&contents);
}

static void after_trouble(const ill_machine *ill, const char *path, const outcome *outcome) {
    if (outcome->failure != VERSO_OK) {
        assert_int_equal(outcome->failure, VERSO_IO);
        assert_true(strlen(outcome->error.message) > 0);
    }
    if (access(path, F_OK) == 0)
        check_every_loss(ill, path, outcome);
    check_recovery(path, outcome);
}

/* Plays the whole life of a journal once for each call of it, which meets the trouble. */
static void every_call_meets(trouble trouble) {
    for (uint64_t n = 1;; n++) {
        char *folder = folder_new(), *path = folder_path(folder, "journal");
        ill_machine ill;
        outcome outcome = {0};
        fall_ill(&ill, trouble, n);
        begin_run(&ill.system, path, &outcome);
        if (outcome.failure == VERSO_OK) {
            /* a tail, as a crash leaves it */
            size_t size;
            unsigned char *bytes = file_read(path, &size), *longer = malloc(size + 10);
            assert_non_null(longer);
            memcpy(longer, bytes, size);
            memset(longer + size, 7, 10);
            file_write(path, longer, size + 10);
            free(longer);
            free(bytes);
            continue_run(&ill.system, path, &outcome);
        }
        if (trouble == INTERRUPT || trouble == SHORTEN) {
            assert_int_equal(outcome.failure, VERSO_OK);
            assert_int_equal(outcome.acknowledged, 5);
        }
        after_trouble(&ill, path, &outcome);
        free(path);
        folder_remove(folder);
        if (ill.calls < n) {
            assert_int_equal(outcome.failure, VERSO_OK);
            return;
        }
    }
}

static void refused_calls(void **state) {
    (void)state;
    every_call_meets(REFUSE);
}

static void interrupted_calls(void **state) {
    (void)state;
    every_call_meets(INTERRUPT);
}

static void short_calls(void **state) {
    (void)state;
    every_call_meets(SHORTEN);
}

static void crashes(void **state) {
    (void)state;
    every_call_meets(CRASH);
}

/* The order of the calls is the protocol. */
static void durable_before_it_is_visible(void **state) {
    (void)state;
    char *folder = folder_new(), *path = folder_path(folder, "journal");
    ill_machine ill;
    verso_journal_head head = the_head();
    verso_journal *journal;
    fall_ill(&ill, NO_TROUBLE, 0);
    assert_int_equal(verso_journal_create(&ill.system, path, &head, &journal, NULL), VERSO_OK);
    assert_string_equal(ill.log, "oowwsnosc"); /* is there one? — write, sync, name; open, sync, close the directory */
    fall_ill(&ill, NO_TROUBLE, 0);
    outcome outcome = {0};
    assert_true(append(journal, 1, &outcome));
    assert_string_equal(ill.log, "ws");
    verso_journal_close(journal);

    size_t size;
    unsigned char *bytes = file_read(path, &size);
    file_write(path, bytes, size - 1);
    free(bytes);
    verso_journal_contents contents;
    assert_int_equal(verso_journal_read(&ill.system, path, &contents, NULL), VERSO_OK);
    fall_ill(&ill, NO_TROUBLE, 0);
    assert_int_equal(verso_journal_continue(&ill.system, path, &contents, 0, &journal, NULL), VERSO_OK);
    assert_string_equal(ill.log, "oztsws"); /* the tail is gone for good before anything is appended */
    verso_journal_close(journal);
    verso_journal_contents_free(&contents);
    free(path);
    folder_remove(folder);
}

/* ---- The lock ---- */

static void a_lock_on_an_ill_machine(void **state) {
    (void)state;
    static const verso_progress progress = {.phase = VERSO_PHASE_FORWARD, .steps = 3};
    for (trouble trouble = REFUSE; trouble <= CRASH; trouble++)
        for (uint64_t n = 1, more = 1; more; n++) {
            char *folder = folder_new(), *path = folder_path(folder, "lock");
            ill_machine ill;
            fall_ill(&ill, trouble, n);
            verso_lock *lock;
            verso_lock_note note;
            verso_error error = {0};
            bool held = false;
            verso_status status = verso_lock_take(&ill.system, path, &lock, &error);
            assert_true((status == VERSO_OK) == (lock != NULL));
            if (status == VERSO_OK)
                status = verso_lock_write(lock, &progress, &error);
            if (status == VERSO_OK) { /* a note that could not be read is no error */
                status = verso_lock_read(&ill.system, path, &note, &held, &error);
                assert_true(status != VERSO_OK || held);
            }
            assert_true(status == VERSO_OK || (status == VERSO_IO && strlen(error.message) > 0));
            assert_true(status == VERSO_OK || trouble != INTERRUPT);
            verso_lock_release(lock);
            /* whatever happened, nobody has it now */
            assert_int_equal(verso_lock_take(&verso_system_machine, path, &lock, NULL), VERSO_OK);
            verso_lock_release(lock);
            more = ill.calls >= n;
            free(path);
            folder_remove(folder);
        }
}

int main(void) {
    seed = random_seed();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_calls),
        cmocka_unit_test(interrupted_calls),
        cmocka_unit_test(short_calls),
        cmocka_unit_test(crashes),
        cmocka_unit_test(durable_before_it_is_visible),
        cmocka_unit_test(a_lock_on_an_ill_machine),
    };
    return cmocka_run_group_tests_name("journal and lock on a machine that fails", tests, NULL, NULL);
}
