/* One process a run directory. The lock is flock's, on a file that is never removed: it goes with the process that
 * holds it, however that ends (and with the children that it has forked without exec, which hold it, too).
 *
 * The note is the file's contents, 64-bit words, little-endian, always of one size, so that one write replaces it:
 *
 *   magic · version · pid · host[64 bytes] · updated · progress · XXH3-64 of all that precedes
 *
 * It is not synced, and its reader may come in the middle of a write: what does not hold is no note. Whoever has the
 * lock has first of all written a note without progress (updated = 0), so that a note that holds is the holder's.
 *
 * To look whether a lock is held is to take it for an instant: there is no other way with flock. So who finds it held
 * looks again a few times before believing it. */
#include "drive/lock.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/file.h"
#include "base/words.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    FORMAT_VERSION = 1,
    HOST_SIZE = sizeof((verso_lock_note *)0)->host,
    NOTE_SIZE = 3 * VERSO_WORD + HOST_SIZE + (1 + 13 + 1) * VERSO_WORD,
    LOOKS = 5,                   /* at a lock that is held … */
    PAUSE_NANOSECONDS = 2000000, /* … with so much between two of them */
};
_Static_assert(HOST_SIZE == 64, "the format has 64 bytes for the host's name");

static const uint64_t magic = 0x6b636c6f73726576; /* "versolck" */

struct verso_lock {
    verso_file file;
    verso_lock_note note;
    char path[];
};

/* ---- The note as bytes ---- */

static void put_progress(unsigned char **at, const verso_progress *progress) {
    verso_put_word(at, (uint64_t)progress->phase);
    verso_put_word(at, progress->steps);
    verso_put_word(at, progress->reached);
    verso_put_word(at, progress->adjoint);
    verso_put_wide(at, progress->work_done);
    verso_put_wide(at, progress->work_total);
    verso_put_word(at, progress->steps_at_risk);
    verso_put_double(at, progress->seconds);
    verso_put_double(at, progress->seconds_at_risk);
    verso_put_double(at, progress->seconds_left);
    verso_put_word(at, progress->memory);
}

static bool get_progress(verso_words *words, verso_progress *progress) {
    uint64_t phase = verso_take_word(words);
    progress->steps = verso_take_word(words);
    progress->reached = verso_take_word(words);
    progress->adjoint = verso_take_word(words);
    progress->work_done = verso_take_wide(words);
    progress->work_total = verso_take_wide(words);
    progress->steps_at_risk = verso_take_word(words);
    progress->seconds = verso_take_double(words);
    progress->seconds_at_risk = verso_take_double(words);
    progress->seconds_left = verso_take_double(words);
    progress->memory = verso_take_word(words);
    if (phase > VERSO_PHASE_DONE)
        return false;
    progress->phase = (verso_phase)phase;
    return isfinite(progress->seconds) && isfinite(progress->seconds_at_risk) && isfinite(progress->seconds_left);
}

static bool printable(char c) {
    return c > ' ' && c <= '~';
}

/* A host's name is printable ASCII, and zeros behind it. */
static bool host_holds(const char host[HOST_SIZE]) {
    size_t length = 0;
    while (length < HOST_SIZE && printable(host[length]))
        length++;
    for (size_t i = length; i < HOST_SIZE; i++)
        if (host[i] != '\0')
            return false;
    return length < HOST_SIZE;
}

static void put_note(unsigned char bytes[NOTE_SIZE], const verso_lock_note *note) {
    unsigned char *at = bytes;
    verso_put_word(&at, magic);
    verso_put_word(&at, FORMAT_VERSION);
    verso_put_word(&at, note->pid);
    memcpy(at, note->host, HOST_SIZE);
    at += HOST_SIZE;
    verso_put_double(&at, note->updated);
    put_progress(&at, &note->progress);
    verso_put_word(&at, verso_checksum(bytes, NOTE_SIZE - VERSO_WORD));
}

bool verso_lock_parse(const void *bytes, size_t size, verso_lock_note *note) {
    *note = (verso_lock_note){0};
    if (size < NOTE_SIZE) /* what lies behind is left from a longer note, of another version */
        return false;
    verso_words words = {.at = bytes, .left = NOTE_SIZE};
    const unsigned char *tail = words.at + NOTE_SIZE - VERSO_WORD;
    if (verso_take_word(&words) != magic || verso_take_word(&words) != FORMAT_VERSION ||
        verso_get_word(&tail) != verso_checksum(bytes, NOTE_SIZE - VERSO_WORD))
        return false;
    verso_lock_note read = {.pid = verso_take_word(&words)};
    memcpy(read.host, words.at, HOST_SIZE);
    words.at += HOST_SIZE;
    words.left -= HOST_SIZE;
    read.updated = verso_take_double(&words);
    if (!get_progress(&words, &read.progress) || !isfinite(read.updated) || !host_holds(read.host))
        return false;
    *note = read;
    return true;
}

static bool read_note(verso_file *file, verso_lock_note *note) {
    unsigned char bytes[NOTE_SIZE];
    size_t got;
    *note = (verso_lock_note){0};
    return verso_file_read(file, bytes, sizeof bytes, &got, NULL) == VERSO_OK && verso_lock_parse(bytes, got, note);
}

static verso_status write_note(verso_file *file, const verso_lock_note *note, verso_error *error) {
    unsigned char bytes[NOTE_SIZE];
    put_note(bytes, note);
    return verso_file_write_at(file, bytes, sizeof bytes, 0, error); /* in two parts, it is no note in between */
}

/* ---- The lock ---- */

/* 0; or -1 with errno, which is EWOULDBLOCK when it is held. */
static int try_lock(verso_file *file) {
    for (int look = 1;; look++) {
        if (file->system->lock(file->system, file->handle) == 0)
            return 0;
        if (errno != EINTR && (errno != EWOULDBLOCK || look >= LOOKS))
            return -1;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NANOSECONDS}, NULL);
    }
}

static verso_status take(verso_lock *lock, const verso_system *system, verso_error *error) {
    verso_status status = verso_file_open(system, lock->path, O_RDWR | O_CREAT, &lock->file, error);
    if (status != VERSO_OK)
        return status;
    if (try_lock(&lock->file) == 0)
        return write_note(&lock->file, &lock->note, error);
    if (errno != EWOULDBLOCK)
        return verso_file_error(error, "lock", lock->path);
    verso_lock_note holder;
    if (!read_note(&lock->file, &holder))
        return verso_fail(error, VERSO_BUSY, "another process has '%s'; wait for its end, or end it", lock->path);
    return verso_fail(error, VERSO_BUSY, "process %llu on %s has '%s'; wait for its end, or end it",
                      (unsigned long long)holder.pid, holder.host[0] != '\0' ? holder.host : "a host without a name",
                      lock->path);
}

/* Unprintable characters, which no host's name should have, become question marks. */
static void name_host(char host[HOST_SIZE]) {
    if (gethostname(host, HOST_SIZE - 1) != 0)
        memset(host, 0, HOST_SIZE);
    size_t length = 0;
    for (; length < HOST_SIZE - 1 && host[length] != '\0'; length++)
        if (!printable(host[length]))
            host[length] = '?';
    memset(host + length, 0, HOST_SIZE - length);
}

verso_status verso_lock_take(const verso_system *system, const char *path, verso_lock **lock, verso_error *error) {
    *lock = NULL;
    size_t length = strlen(path);
    verso_lock *made = verso_alloc(1, sizeof *made + length + 1);
    if (made == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory to lock '%s'", path);
    memcpy(made->path, path, length + 1);
    made->file = (verso_file){system, made->path, -1};
    made->note.pid = (uint64_t)getpid();
    name_host(made->note.host);
    verso_status status = take(made, system, error);
    if (status == VERSO_OK)
        *lock = made;
    else
        verso_lock_release(made);
    return status;
}

verso_status verso_lock_write(verso_lock *lock, const verso_progress *progress, verso_error *error) {
    lock->note.updated = verso_date();
    lock->note.progress = *progress;
    return write_note(&lock->file, &lock->note, error);
}

void verso_lock_release(verso_lock *lock) {
    if (lock == NULL)
        return;
    (void)verso_file_close(&lock->file, NULL); /* which releases, whatever it answers */
    verso_dealloc(lock);
}

/* ---- From outside ---- */

/* For writing where that is allowed: some network file systems lock only such files. */
static verso_status open_to_look(const verso_system *system, const char *path, verso_file *file, verso_error *error) {
    verso_status status = verso_file_open(system, path, O_RDWR, file, NULL);
    if (status != VERSO_OK && (errno == EACCES || errno == EPERM || errno == EROFS))
        status = verso_file_open(system, path, O_RDONLY, file, NULL);
    if (status == VERSO_OK)
        return status;
    if (errno == ENOENT || errno == ENOTDIR)
        return verso_fail(error, VERSO_STATE, "there is no lock '%s'", path);
    return verso_file_error(error, "open", path);
}

verso_status verso_lock_read(const verso_system *system, const char *path, verso_lock_note *note, bool *held,
                             verso_error *error) {
    *note = (verso_lock_note){0};
    *held = false;
    for (int look = 1;; look++) {
        verso_file file;
        verso_status status = open_to_look(system, path, &file, error);
        if (status != VERSO_OK)
            return status;
        *held = try_lock(&file) != 0;
        if (*held && errno != EWOULDBLOCK) {
            status = verso_file_error(error, "lock", path);
            *held = false;
        }
        bool whole = read_note(&file, note);
        (void)verso_file_close(&file, NULL);
        if (status != VERSO_OK || whole || !*held ||
            look >= LOOKS) /* a note that is being written is looked at again */
            return status;
    }
}
