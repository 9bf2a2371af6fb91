/* Tests journal and lock on a machine that fails: the n-th system call fails, is interrupted, is short, or is the
 * last one before a crash, for every n. Acknowledged records are there afterwards, even if everything that was not
 * synced is lost; no other records are; and the next process can continue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/journal_write.h"
#include "drive/lock.h"
#include "tests/support/folder.h"
#include "tests/support/random_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

enum { CALLS_MAX = 256, FILES_MAX = 64 };

/* How much of a file is surely on the disk. */
typedef struct synced_file {
    ino_t inode;
    size_t size;
} synced_file;

typedef struct ill_machine {
    verso__system system;
    trouble trouble;
    uint64_t at; /* the call that meets it, from 1 */
    uint64_t calls;
    bool crashed;
    synced_file files[FILES_MAX];
    size_t file_count;
    unsigned char *replaced; /* what the disk may still have under a name that was renamed to, and … */
    size_t replaced_size, replaced_synced;
    size_t renames;          /* … onto a file that was there */
    char log[CALLS_MAX + 1]; /* a letter a call */
} ill_machine;

/* What is to become of this call. */
static trouble meet(const verso__system *system, char letter) {
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
static bool refused(const verso__system *system, char letter, bool interruptible) {
    trouble now = meet(system, letter);
    errno = now == INTERRUPT ? EINTR : EIO;
    return now == REFUSE || now == CRASH || (now == INTERRUPT && interruptible);
}

static size_t *synced_of(ill_machine *ill, ino_t inode) {
    for (size_t i = 0; i < ill->file_count; i++)
        if (ill->files[i].inode == inode)
            return &ill->files[i].size;
    assert_true(ill->file_count < FILES_MAX);
    ill->files[ill->file_count] = (synced_file){inode, 0};
    return &ill->files[ill->file_count++].size;
}

/* An inode may have been another file's before. */
static int ill_open(const verso__system *system, const char *path, int flags, mode_t mode) {
    int file = refused(system, 'o', true) ? -1 : verso__system_machine.open(system, path, flags, mode);
    struct stat facts;
    if (file >= 0 && (flags & O_TRUNC) != 0) {
        assert_int_equal(fstat(file, &facts), 0);
        *synced_of(system->context, facts.st_ino) = 0;
    }
    return file;
}

static ssize_t ill_read(const verso__system *system, int file, void *bytes, size_t size) {
    trouble now = meet(system, 'r');
    errno = now == INTERRUPT ? EINTR : EIO;
    if (now == REFUSE || now == CRASH || now == INTERRUPT)
        return -1;
    return verso__system_machine.read(system, file, bytes, now == SHORTEN && size > 1 ? size / 2 : size);
}

static ssize_t ill_write(const verso__system *system, int file, const void *bytes, size_t size) {
    trouble now = meet(system, 'w');
    ssize_t written = 0;
    if (now == NO_TROUBLE || now == SHORTEN || now == CRASH)
        written = verso__system_machine.write(system, file, bytes, now != NO_TROUBLE && size > 1 ? size / 2 : size);
    errno = now == INTERRUPT ? EINTR : EIO;
    return now == NO_TROUBLE || now == SHORTEN ? written : -1;
}

static ssize_t ill_write_at(const verso__system *system, int file, const void *bytes, size_t size, off_t offset) {
    trouble now = meet(system, 'W');
    ssize_t written = 0;
    if (now == NO_TROUBLE || now == SHORTEN || now == CRASH)
        written = verso__system_machine.write_at(system, file, bytes, now != NO_TROUBLE ? size / 2 : size, offset);
    errno = now == INTERRUPT ? EINTR : EIO;
    return now == NO_TROUBLE || now == SHORTEN ? written : -1;
}

/* Nothing is really synced: what counts is how much would have been. */
static int ill_sync(const verso__system *system, int file) {
    if (refused(system, 's', true))
        return -1;
    struct stat facts;
    assert_int_equal(fstat(file, &facts), 0);
    ill_machine *ill = system->context;
    if (S_ISREG(facts.st_mode)) {
        *synced_of(ill, facts.st_ino) = (size_t)facts.st_size;
    } else { /* a directory: names are what they are */
        free(ill->replaced);
        ill->replaced = NULL;
    }
    return 0;
}

/* A handle is gone also when closing it fails. */
static int ill_close(const verso__system *system, int file) {
    bool fails = refused(system, 'c', true);
    int code = errno;
    verso__system_machine.close(system, file);
    errno = code;
    return fails ? -1 : 0;
}

static int ill_size(const verso__system *system, int file, off_t *size) {
    return refused(system, 'z', false) ? -1 : verso__system_machine.size(system, file, size);
}

static int ill_truncate(const verso__system *system, int file, off_t size) {
    return refused(system, 't', true) ? -1 : verso__system_machine.truncate(system, file, size);
}

static int ill_lock(const verso__system *system, int file) {
    return refused(system, 'l', true) ? -1 : verso__system_machine.lock(system, file);
}

static int ill_rename(const verso__system *system, const char *from, const char *to) {
    ill_machine *ill = system->context;
    struct stat facts;
    if (refused(system, 'n', false))
        return -1;
    if (stat(to, &facts) == 0) {
        free(ill->replaced);
        ill->replaced = file_read(to, &ill->replaced_size);
        ill->replaced_synced = *synced_of(ill, facts.st_ino);
        ill->renames++;
    }
    return verso__system_machine.rename(system, from, to);
}

static int ill_remove(const verso__system *system, const char *path) {
    return refused(system, 'd', false) ? -1 : verso__system_machine.remove(system, path);
}

static void fall_ill(ill_machine *ill, trouble trouble, uint64_t at) {
    *ill = (ill_machine){.trouble = trouble, .at = at, .system = verso__system_machine};
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

static verso__commit commit_of(uint64_t number) {
    random_source source = random_from_seed(seed + number);
    verso__commit commit = random_commit(&source, number, 60);
    commit.suspended = false;
    return commit;
}

static verso__journal_head the_head(void) {
    random_source source = random_from_seed(seed);
    return random_head(&source);
}

typedef struct outcome {
    bool created;
    uint64_t acknowledged; /* the newest commit whose append succeeded */
    verso_status failure;
    verso_error error;
} outcome;

/* Commits of each process: enough for each to compact the journal. */
enum { BEGUN = 6, CONTINUED = 2 };

static bool append(verso__journal *journal, uint64_t number, outcome *outcome) {
    verso__commit commit = commit_of(number);
    outcome->failure = verso__journal_commit(journal, &commit, false, &outcome->error);
    if (outcome->failure == VERSO_STATUS_OK) {
        outcome->acknowledged = number;
    } else { /* and so fails everything after it, whatever the machine does now */
        assert_int_equal(verso__journal_commit(journal, &commit, false, NULL), outcome->failure);
    }
    random_commit_free(&commit);
    return outcome->failure == VERSO_STATUS_OK;
}

/* A process that begins a run. */
static void begin_run(const verso__system *system, const char *path, outcome *outcome) {
    verso__journal_head head = the_head();
    verso__journal *journal;
    outcome->failure = verso__journal_create(system, path, &head, &journal, &outcome->error);
    assert_true((outcome->failure == VERSO_STATUS_OK) == (journal != NULL));
    outcome->created = outcome->created || outcome->failure == VERSO_STATUS_OK;
    for (uint64_t number = 1; journal != NULL && number <= BEGUN; number++)
        if (!append(journal, number, outcome))
            break;
    verso__journal_close(journal);
}

/* A process that continues from the newest commit. */
static void continue_run(const verso__system *system, const char *path, outcome *outcome) {
    verso__journal_contents contents;
    verso__journal *journal;
    outcome->failure = verso__journal_read(system, path, &contents, &outcome->error);
    if (outcome->failure != VERSO_STATUS_OK)
        return;
    uint64_t newest = contents.commit_count > 0 ? contents.commits[0].number : 0;
    outcome->failure = verso__journal_continue(system, path, &contents, 0, &journal, &outcome->error);
    assert_true((outcome->failure == VERSO_STATUS_OK) == (journal != NULL));
    for (uint64_t number = newest + 1; journal != NULL && number <= newest + CONTINUED; number++)
        if (!append(journal, number, outcome))
            break;
    verso__journal_close(journal);
    verso__journal_contents_free(&contents);
}

/* ---- What must hold afterwards ---- */

static void check_contents(const outcome *outcome, const verso__journal_contents *contents) {
    verso__journal_head head = the_head();
    assert_true(same_head(&contents->head, &head));
    uint64_t newest = contents->commit_count > 0 ? contents->commits[0].number : 0;
    assert_true(newest >= outcome->acknowledged && newest <= outcome->acknowledged + 1);
    for (size_t i = 0; i < contents->commit_count; i++) {
        assert_int_equal(contents->commits[i].number, newest - i);
        verso__commit commit = commit_of(newest - i);
        assert_true(same_commit(&contents->commits[i], &commit));
        random_commit_free(&commit);
    }
}

/* Of what was not synced the disk may have kept any part. */
static void check_loss(const unsigned char *bytes, size_t size, size_t synced, const outcome *outcome) {
    for (size_t length = synced < size ? synced : size; length <= size; length++) {
        verso__journal_contents contents;
        assert_int_equal(verso__journal_parse(bytes, length, "journal", &contents, NULL), VERSO_STATUS_OK);
        check_contents(outcome, &contents);
        verso__journal_contents_free(&contents);
    }
}

/* The disk may also have the file that had the name before, as long as the directory was not synced. */
static void check_every_loss(ill_machine *ill, const char *path, const outcome *outcome) {
    size_t size;
    struct stat facts;
    unsigned char *bytes = file_read(path, &size);
    assert_int_equal(stat(path, &facts), 0);
    check_loss(bytes, size, ill->crashed ? *synced_of(ill, facts.st_ino) : size, outcome);
    if (ill->replaced != NULL)
        check_loss(ill->replaced, ill->replaced_size, ill->replaced_synced, outcome);
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
        assert_int_equal(after.acknowledged, BEGUN);
    } else {
        continue_run(&sound.system, path, &after);
    }
    assert_int_equal(after.failure, VERSO_STATUS_OK);
    verso__journal_contents contents;
    assert_int_equal(verso__journal_read(&sound.system, path, &contents, NULL), VERSO_STATUS_OK);
    assert_int_equal(contents.trusted, contents.bytes);
    check_contents(&after, &contents);
    verso__journal_contents_free(&contents);
    char other[4096];
    snprintf(other, sizeof other, "%s.new", path);
    assert_true(access(other, F_OK) != 0); /* nothing is left of what was begun */
}

static void after_trouble(ill_machine *ill, const char *path, const outcome *outcome) {
    if (outcome->failure != VERSO_STATUS_OK) {
        assert_int_equal(outcome->failure, VERSO_STATUS_IO);
        assert_true(strlen(outcome->error.message) > 0);
    }
    if (access(path, F_OK) == 0)
        check_every_loss(ill, path, outcome);
    check_recovery(path, outcome);
    if (ill->replaced != NULL) {
        file_write(path, ill->replaced, ill->replaced_size);
        check_recovery(path, outcome);
    }
    free(ill->replaced);
}

/* Plays the whole life of a journal once for each call of it, which meets the trouble. */
static void every_call_meets(trouble trouble) {
    verso__journal_set_limits(0, 1);
    for (uint64_t n = 1;; n++) {
        char *folder = folder_new(), *path = folder_path(folder, "journal");
        ill_machine ill;
        outcome outcome = {0};
        fall_ill(&ill, trouble, n);
        begin_run(&ill.system, path, &outcome);
        if (outcome.failure == VERSO_STATUS_OK) {
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
            assert_int_equal(outcome.failure, VERSO_STATUS_OK);
            assert_int_equal(outcome.acknowledged, BEGUN + CONTINUED);
            assert_true(ill.renames >= 3);
        }
        after_trouble(&ill, path, &outcome);
        free(path);
        folder_remove(folder);
        if (ill.calls < n) {
            assert_int_equal(outcome.failure, VERSO_STATUS_OK);
            verso__journal_set_limits(1 << 20, 8);
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
    verso__journal_head head = the_head();
    verso__journal *journal;
    fall_ill(&ill, NO_TROUBLE, 0);
    assert_int_equal(verso__journal_create(&ill.system, path, &head, &journal, NULL), VERSO_STATUS_OK);
    assert_string_equal(ill.log, "oowsonsc"); /* is there one? — write, sync; open the directory, name, sync, close */
    fall_ill(&ill, NO_TROUBLE, 0);
    outcome outcome = {0};
    assert_true(append(journal, 1, &outcome));
    assert_string_equal(ill.log, "ws");
    verso__journal_close(journal);

    size_t size;
    unsigned char *bytes = file_read(path, &size);
    file_write(path, bytes, size - 1);
    free(bytes);
    verso__journal_contents contents;
    assert_int_equal(verso__journal_read(&ill.system, path, &contents, NULL), VERSO_STATUS_OK);
    fall_ill(&ill, NO_TROUBLE, 0);
    assert_int_equal(verso__journal_continue(&ill.system, path, &contents, 0, &journal, NULL), VERSO_STATUS_OK);
    assert_string_equal(ill.log, "oztswsd"); /* the tail is gone for good before anything is appended */
    verso__journal_close(journal);
    verso__journal_contents_free(&contents);
    free(path);
    folder_remove(folder);
}

/* A compacted journal is on the disk before it has the name, and the name is before the next append. */
static void compacted_before_it_is_visible(void **state) {
    (void)state;
    char *folder = folder_new(), *path = folder_path(folder, "journal");
    ill_machine ill;
    verso__journal_head head = the_head();
    verso__journal *journal;
    fall_ill(&ill, NO_TROUBLE, 0);
    assert_int_equal(verso__journal_create(&ill.system, path, &head, &journal, NULL), VERSO_STATUS_OK);
    outcome outcome = {0};
    for (uint64_t number = 1; number <= 7; number++)
        assert_true(append(journal, number, &outcome));
    verso__journal_set_limits(0, 1);
    fall_ill(&ill, NO_TROUBLE, 0);
    assert_true(append(journal, 8, &outcome));
    assert_string_equal(ill.log,
                        "wsowsonscc"); /* append; write, sync; open the directory, name, sync, close; the old */
    verso__journal_set_limits(1 << 20, 8);
    verso__journal_close(journal);
    free(ill.replaced);
    free(path);
    folder_remove(folder);
}

/* As long as there is no room for a new file the old one is appended to; when it has doubled it is tried again. */
static size_t attempts;
static bool full;

static int open_on_full_disk(const verso__system *system, const char *path, int flags, mode_t mode) {
    attempts += (flags & O_CREAT) != 0;
    errno = ENOSPC;
    return full && (flags & O_CREAT) != 0 ? -1 : verso__system_machine.open(system, path, flags, mode);
}

static void no_room_to_compact(void **state) {
    (void)state;
    char *folder = folder_new(), *path = folder_path(folder, "journal");
    ill_machine ill;
    verso__journal_head head = the_head();
    verso__journal *journal;
    outcome outcome = {0};
    fall_ill(&ill, NO_TROUBLE, 0);
    ill.system.open = open_on_full_disk;
    assert_int_equal(verso__journal_create(&ill.system, path, &head, &journal, NULL), VERSO_STATUS_OK);
    verso__journal_set_limits(0, 1);
    full = true;
    attempts = 0;
    uint64_t number = 1;
    for (; number <= 400; number++)
        assert_true(append(journal, number, &outcome));
    assert_in_range(attempts, 5, 9);
    full = false;
    size_t size, before;
    free(file_read(path, &before));
    do {
        assert_true(append(journal, number++, &outcome));
        free(file_read(path, &size));
        assert_true(size < 3 * before);
    } while (size > before);
    assert_true(size < 10000);
    verso__journal_set_limits(1 << 20, 8);
    verso__journal_close(journal);
    free(ill.replaced);
    verso__journal_contents contents;
    assert_int_equal(verso__journal_read(&verso__system_machine, path, &contents, NULL), VERSO_STATUS_OK);
    check_contents(&outcome, &contents);
    verso__journal_contents_free(&contents);
    free(path);
    folder_remove(folder);
}

/* A tail that damage has made is on the disk under its own name before it is cut off, or nothing has changed. */
static void the_tail_is_kept_first(void **state) {
    (void)state;
    for (trouble trouble = REFUSE; trouble <= CRASH; trouble++)
        for (uint64_t n = 1, more = 1; more; n++) {
            char *folder = folder_new(), *path = folder_path(folder, "journal");
            outcome outcome = {0};
            begin_run(&verso__system_machine, path, &outcome);
            size_t size, left, kept_size;
            unsigned char *bytes = file_read(path, &size);
            verso__journal_contents contents;
            assert_int_equal(verso__journal_parse(bytes, size - 1, path, &contents, NULL), VERSO_STATUS_OK);
            uint64_t last = contents.trusted; /* the last record begins here */
            verso__journal_contents_free(&contents);
            bytes[last / 2] ^= 1;
            file_write(path, bytes, size);
            assert_int_equal(verso__journal_read(&verso__system_machine, path, &contents, NULL), VERSO_STATUS_OK);
            assert_true(contents.damaged);
            ill_machine ill;
            fall_ill(&ill, trouble, n);
            verso__journal *journal;
            verso_status status = verso__journal_continue(&ill.system, path, &contents, 0, &journal, NULL);
            verso__journal_close(journal);
            unsigned char *now = file_read(path, &left), *kept = folder_read(folder, "journal.damaged", &kept_size);
            if (left < size || status == VERSO_STATUS_OK) {
                assert_non_null(kept);
                assert_int_equal(kept_size, size - contents.trusted);
                assert_memory_equal(kept, bytes + contents.trusted, kept_size);
            } else {
                assert_memory_equal(now, bytes, size);
            }
            assert_true(status == VERSO_STATUS_OK || trouble == REFUSE || trouble == CRASH);
            verso__journal_contents_free(&contents);
            more = ill.calls >= n;
            free(now);
            free(kept);
            free(bytes);
            free(path);
            folder_remove(folder);
        }
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
            verso__lock *lock;
            verso__lock_note note;
            verso_error error = {0};
            bool held = false;
            verso_status status = verso__lock_take(&ill.system, path, &lock, &error);
            assert_true((status == VERSO_STATUS_OK) == (lock != NULL));
            if (status == VERSO_STATUS_OK)
                status = verso__lock_write(lock, &progress, &error);
            if (status == VERSO_STATUS_OK) { /* a note that could not be read is no error */
                status = verso__lock_read(&ill.system, path, &note, &held, &error);
                assert_true(status != VERSO_STATUS_OK || held);
            }
            assert_true(status == VERSO_STATUS_OK || (status == VERSO_STATUS_IO && strlen(error.message) > 0));
            assert_true(status == VERSO_STATUS_OK || trouble != INTERRUPT);
            verso__lock_release(lock);
            /* in any case, no process holds the lock now */
            assert_int_equal(verso__lock_take(&verso__system_machine, path, &lock, NULL), VERSO_STATUS_OK);
            verso__lock_release(lock);
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
        cmocka_unit_test(compacted_before_it_is_visible),
        cmocka_unit_test(no_room_to_compact),
        cmocka_unit_test(the_tail_is_kept_first),
        cmocka_unit_test(a_lock_on_an_ill_machine),
    };
    return cmocka_run_group_tests_name("journal and lock on a machine that fails", tests, NULL, NULL);
}
