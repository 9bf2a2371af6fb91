/* The lock of a run directory. It is a flock on a file that is never removed, so it ends with the process that
 * holds it (and with children that it has forked without exec, which also hold it).
 *
 * The file contains the note: 64-bit words, little-endian, always of the same size, so that one write replaces it:
 *
 *   magic, version, pid, host[64 bytes], updated, progress, run[2], counts, XXH3-64 of all these
 *
 * It is not synced, and a reader may see it half-written: a note with a wrong checksum is ignored. A process that
 * has taken the lock first writes a note without progress (updated = 0), so that a valid note is that of the
 * holder. Counts survive their writer: each holder keeps those of the previous one until it has its own.
 *
 * The only way to find out whether a flock is held is to take it for an instant. A process that finds it held
 * therefore tries again a few times, in case it met such an attempt. */
#include "drive/lock.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/file.h"
#include "base/words.h"
#include "drive/journal_record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    FORMAT_VERSION = 2,
    HOST_SIZE = sizeof((verso__lock_note *)0)->host,
    NOTE_SIZE = 3 * VERSO_WORD + HOST_SIZE + (1 + 13 + 2 + VERSO_COUNTS_WORDS + 1) * VERSO_WORD,
    TRIES = 5,                   /* attempts to take a lock that is held */
    PAUSE_NANOSECONDS = 2000000, /* pause between two attempts */
};
_Static_assert(HOST_SIZE == 64, "the format has 64 bytes for the host's name");

static const uint64_t magic = 0x6b636c6f73726576; /* "versolck" */

struct verso__lock {
    verso__file file;
    verso__lock_note note;
    char path[];
};

/* ---- The note as bytes ---- */

static void put_progress(unsigned char **at, const verso_progress *progress) {
    verso__put_word(at, (uint64_t)progress->phase);
    verso__put_word(at, progress->steps);
    verso__put_word(at, progress->reached);
    verso__put_word(at, progress->adjoint);
    verso__put_wide(at, progress->work_done);
    verso__put_wide(at, progress->work_total);
    verso__put_word(at, progress->steps_at_risk);
    verso__put_double(at, progress->seconds);
    verso__put_double(at, progress->seconds_at_risk);
    verso__put_double(at, progress->seconds_left);
    verso__put_word(at, progress->memory);
}

static bool get_progress(verso__words *words, verso_progress *progress) {
    uint64_t phase = verso__take_word(words);
    progress->steps = verso__take_word(words);
    progress->reached = verso__take_word(words);
    progress->adjoint = verso__take_word(words);
    progress->work_done = verso__narrow(verso__take_wide(words));
    progress->work_total = verso__narrow(verso__take_wide(words));
    progress->steps_at_risk = verso__take_word(words);
    progress->seconds = verso__take_double(words);
    progress->seconds_at_risk = verso__take_double(words);
    progress->seconds_left = verso__take_double(words);
    progress->memory = verso__take_word(words);
    if (phase > VERSO_PHASE_DONE)
        return false;
    progress->phase = (verso_phase)phase;
    return isfinite(progress->seconds) && isfinite(progress->seconds_at_risk) && isfinite(progress->seconds_left);
}

static bool is_printable(char c) {
    return c > ' ' && c <= '~';
}

/* A valid host name is printable ASCII, padded with zeros. */
static bool is_valid_host(const char host[HOST_SIZE]) {
    size_t length = 0;
    while (length < HOST_SIZE && is_printable(host[length]))
        length++;
    for (size_t i = length; i < HOST_SIZE; i++)
        if (host[i] != '\0')
            return false;
    return length < HOST_SIZE;
}

static void put_note(unsigned char bytes[NOTE_SIZE], const verso__lock_note *note) {
    unsigned char *at = bytes;
    verso__put_word(&at, magic);
    verso__put_word(&at, FORMAT_VERSION);
    verso__put_word(&at, note->pid);
    memcpy(at, note->host, HOST_SIZE);
    at += HOST_SIZE;
    verso__put_double(&at, note->updated);
    put_progress(&at, &note->progress);
    verso__put_identity(&at, note->run);
    verso__put_counts(&at, &note->counts);
    verso__put_word(&at, verso__checksum(bytes, NOTE_SIZE - VERSO_WORD));
}

bool verso__lock_parse(const void *bytes, size_t size, verso__lock_note *note) {
    *note = (verso__lock_note){0};
    if (size < NOTE_SIZE) /* bytes after the note may be left from a longer one of another version */
        return false;
    verso__words words = {.at = bytes, .left = NOTE_SIZE};
    const unsigned char *tail = words.at + NOTE_SIZE - VERSO_WORD;
    if (verso__take_word(&words) != magic || verso__take_word(&words) != FORMAT_VERSION ||
        verso__get_word(&tail) != verso__checksum(bytes, NOTE_SIZE - VERSO_WORD))
        return false;
    verso__lock_note read = {.pid = verso__take_word(&words)};
    memcpy(read.host, words.at, HOST_SIZE);
    words.at += HOST_SIZE;
    words.left -= HOST_SIZE;
    read.updated = verso__take_double(&words);
    if (!get_progress(&words, &read.progress) || !isfinite(read.updated) || !is_valid_host(read.host))
        return false;
    read.run = verso__take_identity(&words);
    if (!verso__take_counts(&words, &read.counts))
        return false;
    *note = read;
    return true;
}

static bool read_note(verso__file *file, verso__lock_note *note) {
    unsigned char bytes[NOTE_SIZE];
    size_t got;
    *note = (verso__lock_note){0};
    return verso__file_read(file, bytes, sizeof bytes, &got, NULL) == VERSO_STATUS_OK &&
           verso__lock_parse(bytes, got, note);
}

static verso_status write_note(verso__file *file, const verso__lock_note *note, verso_error *error) {
    unsigned char bytes[NOTE_SIZE];
    put_note(bytes, note);
    /* a half-written note is detected by its checksum */
    return verso__file_write_at(file, bytes, sizeof bytes, 0, error);
}

/* ---- The lock ---- */

/* Returns 0, or -1 with errno, which is EWOULDBLOCK if the lock is held. */
static int try_lock(verso__file *file) {
    for (int look = 1;; look++) {
        if (file->system->lock(file->system, file->handle) == 0)
            return 0;
        if (errno != EINTR && (errno != EWOULDBLOCK || look >= TRIES))
            return -1;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NANOSECONDS}, NULL);
    }
}

static verso_status take(verso__lock *lock, const verso__system *system, verso_error *error) {
    verso_status status = verso__file_open_own(system, lock->path, O_RDWR | O_CREAT, &lock->file, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__lock_note holder;
    if (try_lock(&lock->file) == 0) {
        if (read_note(&lock->file, &holder))
            verso__lock_count(lock, holder.run, &holder.counts);
        return write_note(&lock->file, &lock->note, error);
    }
    if (errno != EWOULDBLOCK)
        return verso__file_error(error, "lock", lock->path);
    if (!read_note(&lock->file, &holder))
        return verso__fail(error, VERSO_STATUS_BUSY, "another process holds '%s'; wait until it ends, or end it",
                           lock->path);
    return verso__fail(error, VERSO_STATUS_BUSY, "process %llu on %s holds '%s'; wait until it ends, or end it",
                       (unsigned long long)holder.pid, holder.host[0] != '\0' ? holder.host : "an unknown host",
                       lock->path);
}

/* Replaces unprintable characters, which a host name should not have, by question marks. */
static void name_host(char host[HOST_SIZE]) {
    if (gethostname(host, HOST_SIZE - 1) != 0)
        memset(host, 0, HOST_SIZE);
    size_t length = 0;
    for (; length < HOST_SIZE - 1 && host[length] != '\0'; length++)
        if (!is_printable(host[length]))
            host[length] = '?';
    memset(host + length, 0, HOST_SIZE - length);
}

verso_status verso__lock_take(const verso__system *system, const char *path, verso__lock **lock, verso_error *error) {
    *lock = NULL;
    size_t length = strlen(path);
    verso__lock *made = verso__alloc(1, sizeof *made + length + 1);
    if (made == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to lock '%s'", path);
    memcpy(made->path, path, length + 1);
    made->file = (verso__file){system, made->path, -1};
    made->note.pid = (uint64_t)getpid();
    name_host(made->note.host);
    verso_status status = take(made, system, error);
    if (status == VERSO_STATUS_OK)
        *lock = made;
    else
        verso__lock_release(made);
    return status;
}

verso_status verso__lock_write(verso__lock *lock, const verso_progress *progress, verso_error *error) {
    lock->note.updated = verso__date();
    lock->note.progress = *progress;
    return write_note(&lock->file, &lock->note, error);
}

void verso__lock_count(verso__lock *lock, verso_identity run, const verso__counts *counts) {
    lock->note.run = run;
    lock->note.counts = *counts;
}

const verso__counts *verso__lock_counts(const verso__lock *lock, verso_identity run) {
    return verso__identity_equal(lock->note.run, run) ? &lock->note.counts : NULL;
}

void verso__lock_release(verso__lock *lock) {
    if (lock == NULL)
        return;
    (void)verso__file_close(&lock->file, NULL); /* closing releases the lock, even if it fails */
    verso__dealloc(lock);
}

/* ---- Reading the note of another process ---- */

/* Opens the file for writing if permitted, because some network file systems lock only such files. */
static verso_status open_existing(const verso__system *system, const char *path, verso__file *file,
                                  verso_error *error) {
    verso_status status = verso__file_open_own(system, path, O_RDWR, file, NULL);
    if (status != VERSO_STATUS_OK && (errno == EACCES || errno == EPERM || errno == EROFS))
        status = verso__file_open_own(system, path, O_RDONLY, file, NULL);
    if (status == VERSO_STATUS_OK)
        return status;
    if (errno == ENOENT || errno == ENOTDIR)
        return verso__fail(error, VERSO_STATUS_STATE, "the lock '%s' does not exist", path);
    return verso__file_error(error, "open", path);
}

verso_status verso__lock_read(const verso__system *system, const char *path, verso__lock_note *note, bool *held,
                              verso_error *error) {
    *note = (verso__lock_note){0};
    *held = false;
    for (int look = 1;; look++) {
        verso__file file;
        verso_status status = open_existing(system, path, &file, error);
        if (status != VERSO_STATUS_OK)
            return status;
        *held = try_lock(&file) != 0;
        if (*held && errno != EWOULDBLOCK) {
            status = verso__file_error(error, "lock", path);
            *held = false;
        }
        bool whole = read_note(&file, note);
        (void)verso__file_close(&file, NULL);
        if (status != VERSO_STATUS_OK || whole || !*held || look >= TRIES) /* read again a note that is being written */
            return status;
    }
}
