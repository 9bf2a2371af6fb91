/* What a durable run of a compiled program stores beside its journal. See budget.h.
 *
 *     DIRECTORY/native        how its memory is divided, how long and how many its steps are, and the facts that it
 *                             depends on (facts.c)
 *     DIRECTORY/native.new    the same while it is being written
 *     DIRECTORY/survey        how far a survey has come before the run begins (survey.c)
 *     DIRECTORY/world         the log of the outside world (log.c)
 *     DIRECTORY/native.lock   held by the running process, from before the file is read
 *
 * None of this may change when a run is continued, because its steps would change. For the driver, the checksum
 * of the file `native` is the identity of the program, so that a journal and its capsules belong to one such
 * file. It is written before the journal, and replaced only when there is no journal: a run whose capsules turn
 * out larger than the file says is abandoned first. So at every instant a journal has its file, and a file
 * without a journal means nothing.
 *
 *     magic | version | leaf | capsule | longer | cells | log | steps | begun anew | number of facts |
 *     kind, key, value of each fact | XXH3-128 of all */
#include "native/budget/budget.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/file.h"
#include "base/words.h"
#include "drive/directory.h"
#include "drive/lock.h"
#include "native/sweep/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

enum { VERSION = 4, HEAD_WORDS = 10, FACT_WORDS = 3, SUM_WORDS = 2, REASON_MAX = 256 };
static const uint64_t magic = UINT64_C(0x766974616e6f7376); /* "vsonativ" */
#define SIZE_MOST (UINT64_C(64) << 20)

bool verso__native_is_durable(const verso_run_options *run) {
    return run != NULL && run->directory != NULL && !run->scratch;
}

/* ---- The file as bytes ---- */

static size_t size_of(size_t facts) {
    return (HEAD_WORDS + FACT_WORDS * facts + SUM_WORDS) * VERSO_WORD;
}

static void put(const verso__native_durable *durable, unsigned char *bytes) {
    const verso__native_facts *facts = &durable->facts;
    const verso__native_kept *kept = &durable->kept;
    const uint64_t head[HEAD_WORDS] = {magic,       VERSION,   kept->leaf,  kept->capsule,    kept->longer,
                                       kept->cells, kept->log, kept->steps, kept->begun_anew, facts->count};
    unsigned char *at = bytes;
    for (size_t i = 0; i < HEAD_WORDS; i++)
        verso__put_word(&at, head[i]);
    for (size_t i = 0; i < facts->count; i++) {
        verso__put_word(&at, facts->list[i].kind);
        verso__put_word(&at, facts->list[i].key);
        verso__put_word(&at, facts->list[i].value);
    }
    verso__put_identity(&at, verso__checksum_wide(bytes, (size_t)(at - bytes)));
}

/* Returns what is wrong with the bytes of the file; NULL: they are valid. */
static const char *what_is_wrong(const unsigned char *bytes, size_t size) {
    verso__words words = {bytes, size, false};
    if (size < size_of(0) || verso__take_word(&words) != magic)
        return "it is not a file of that kind";
    if (verso__take_word(&words) != VERSION)
        return "another version of Verso has written it";
    size_t before = size - SUM_WORDS * VERSO_WORD;
    verso__words sum = {bytes + before, size - before, false};
    if (!verso__identity_equal(verso__take_identity(&sum), verso__checksum_wide(bytes, before)))
        return "its checksum is wrong";
    for (int i = 0; i < HEAD_WORDS - 3; i++)
        (void)verso__take_word(&words);
    uint64_t count = verso__take_word(&words);
    return count <= SIZE_MOST && size_of((size_t)count) == size ? NULL : "its length is wrong";
}

/* Reads valid bytes. */
static verso_status take(verso__native_durable *durable, const unsigned char *bytes, size_t size,
                         verso__native_facts *facts, verso_error *error) {
    verso__words words = {bytes + 2 * VERSO_WORD, size - 2 * VERSO_WORD, false};
    verso__native_kept *kept = &durable->kept;
    uint64_t *const fields[] = {&kept->leaf, &kept->capsule, &kept->longer,    &kept->cells,
                                &kept->log,  &kept->steps,   &kept->begun_anew};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        *fields[i] = verso__take_word(&words);
    facts->count = facts->room = (size_t)verso__take_word(&words);
    facts->list = verso__alloc(facts->count, sizeof *facts->list);
    if (facts->list == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to read '%s'", durable->path);
    for (size_t i = 0; i < facts->count; i++) {
        facts->list[i].kind = verso__take_word(&words);
        facts->list[i].key = verso__take_word(&words);
        facts->list[i].value = verso__take_word(&words);
    }
    durable->identity = verso__checksum_wide(bytes, size);
    return VERSO_STATUS_OK;
}

/* ---- Reading ---- */

/* Reads the file. *bytes is NULL if there is none. A file that is too long is truncated, and thus not valid. */
static verso_status read_file(const verso__native_durable *durable, unsigned char **bytes, size_t *size,
                              verso_error *error) {
    verso__file file;
    verso_error why = {0};
    uint64_t length = 0;
    *bytes = NULL;
    if (verso__file_open_own(durable->system, durable->path, O_RDONLY, &file, NULL) != VERSO_STATUS_OK)
        return errno == ENOENT ? VERSO_STATUS_OK : verso__file_error(error, "open", durable->path);
    verso_status status = verso__file_size(&file, &length, &why);
    length = length < SIZE_MOST ? length : SIZE_MOST;
    if (status == VERSO_STATUS_OK)
        *bytes = verso__alloc((size_t)length + 1, 1);
    if (status == VERSO_STATUS_OK && *bytes == NULL)
        status = verso__fail(&why, VERSO_STATUS_NO_MEMORY, "no memory to read '%s'", durable->path);
    if (status == VERSO_STATUS_OK)
        status = verso__file_read(&file, *bytes, (size_t)length, size, &why);
    (void)verso__file_close(&file, NULL);
    return status == VERSO_STATUS_OK ? VERSO_STATUS_OK : verso__fail(error, status, "%s", why.message);
}

static verso_status refuse(const verso__native_durable *durable, const char *why, verso_error *error) {
    return verso__fail(error, VERSO_STATUS_INVALID,
                       "the run in '%.150s' cannot be continued: %s. Nothing was changed; use another directory, or "
                       "remove this one to give that run up.",
                       durable->directory, why);
}

/* Refuses a run whose file is missing or does not match this process. */
static verso_status compare(verso__native_durable *durable, const unsigned char *bytes, size_t size,
                            verso_error *error) {
    const char *wrong = bytes != NULL ? what_is_wrong(bytes, size) : "it does not exist";
    if (wrong != NULL)
        return verso__native_report_unusable(durable->path, wrong, error);
    verso__native_facts before = {0};
    char reason[REASON_MAX] = "it depends on something that is not known here";
    verso_status status = take(durable, bytes, size, &before, error);
    if (status == VERSO_STATUS_OK) {
        durable->continued = !verso__native_facts_differ(&before, &durable->facts, reason, sizeof reason);
        if (!durable->continued)
            status = refuse(durable, reason, error);
    }
    verso__native_facts_free(&before);
    return status;
}

static verso_status read_stored(verso__native_durable *durable, verso_error *error) {
    unsigned char *bytes = NULL;
    size_t size = 0;
    bool holds_run;
    verso_status status = verso__holds_run(durable->system, durable->directory, &holds_run, error);
    if (status != VERSO_STATUS_OK || !holds_run)
        return status;
    status = read_file(durable, &bytes, &size, error);
    if (status == VERSO_STATUS_OK)
        status = compare(durable, bytes, size, error);
    verso__dealloc(bytes);
    return status;
}

/* ---- Opening and closing ---- */

static verso_status take_directory(verso__native_durable *durable, verso_error *error) {
    char *lock = verso__path_join(durable->directory, "native.lock");
    if (lock == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the name of a lock");
    verso_status status = verso__directory_make(durable->system, durable->directory, true, error);
    if (status == VERSO_STATUS_OK)
        status = verso__lock_take(durable->system, lock, &durable->lock, error);
    verso__dealloc(lock);
    return status;
}

verso_status verso__native_durable_open(const verso_run_options *run, verso__native_durable *durable,
                                        verso_error *error) {
    *durable = (verso__native_durable){.system = verso__system_current()};
    if (run->group != NULL)
        return verso__fail(
            error, VERSO_STATUS_INVALID,
            "the processes of a group run the same steps together, but each compiled program has steps of its own; "
            "differentiate in each process separately, without a group");
    verso_status status = verso__native_require_fixed(error);
    if (status != VERSO_STATUS_OK)
        return status;
    durable->directory = verso__path_absolute(run->directory);
    durable->path = durable->directory != NULL ? verso__path_join(durable->directory, "native") : NULL;
    if (durable->path == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the name of '%s'", run->directory);
    status = verso__native_facts_gather(&durable->facts, error);
    if (status == VERSO_STATUS_OK)
        status = take_directory(durable, error);
    if (status == VERSO_STATUS_OK)
        status = read_stored(durable, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__native_log_place place = {
        .system = durable->system,
        .directory = durable->directory,
        .continued = durable->continued,
        .seed = verso__checksum(durable->facts.list, durable->facts.count * sizeof *durable->facts.list)};
    status = verso__native_log_open(&place, error);
    if (status == VERSO_STATUS_OK)
        verso__native_ranks_meet();
    return status;
}

void verso__native_durable_close(verso__native_durable *durable) {
    verso__native_log_close();
    verso__lock_release(durable->lock);
    verso__native_facts_free(&durable->facts);
    verso__dealloc(durable->directory);
    verso__dealloc(durable->path);
    *durable = (verso__native_durable){0};
}

/* ---- Writing ---- */

static verso_status write_file(const verso__native_durable *durable, const char *path, const void *bytes, size_t size,
                               verso_error *error) {
    verso__file file;
    verso_status status = verso__file_open_own(durable->system, path, O_WRONLY | O_CREAT | O_TRUNC, &file, error);
    if (status != VERSO_STATUS_OK)
        return status;
    status = verso__file_write(&file, bytes, size, error);
    if (status == VERSO_STATUS_OK)
        status = verso__file_sync(&file, error);
    verso_status closed = verso__file_close(&file, status == VERSO_STATUS_OK ? error : NULL);
    return status == VERSO_STATUS_OK ? closed : status;
}

verso_status verso__native_durable_replace(const verso__native_durable *durable, const char *name, const void *bytes,
                                           size_t size, verso_error *error) {
    char fresh[32];
    snprintf(fresh, sizeof fresh, "%s.new", name);
    char *path = verso__path_join(durable->directory, fresh), *to = verso__path_join(durable->directory, name);
    verso_status status = path != NULL && to != NULL
                              ? write_file(durable, path, bytes, size, error)
                              : verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the name of a file");
    if (status == VERSO_STATUS_OK)
        status = verso__file_rename(durable->system, path, to, error);
    if (status == VERSO_STATUS_OK)
        status = verso__directory_sync(durable->system, durable->directory, error);
    verso__dealloc(path);
    verso__dealloc(to);
    return status;
}

verso_status verso__native_durable_abandon(verso__native_durable *durable, verso_error *error) {
    bool holds_run;
    verso_status status = verso__holds_run(durable->system, durable->directory, &holds_run, error);
    durable->continued = false;
    return status == VERSO_STATUS_OK && holds_run ? verso__abandon(durable->system, durable->directory, error) : status;
}

verso_status verso__native_durable_keep(verso__native_durable *durable, verso_error *error) {
    size_t size = size_of(durable->facts.count);
    unsigned char *bytes = verso__alloc(size, 1);
    if (bytes == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to write '%s'", durable->path);
    put(durable, bytes);
    durable->identity = verso__checksum_wide(bytes, size);
    verso_status status = verso__native_durable_abandon(durable, error);
    if (status == VERSO_STATUS_OK)
        status = verso__native_durable_replace(durable, "native", bytes, size, error);
    durable->continued = status == VERSO_STATUS_OK;
    verso__dealloc(bytes);
    return status;
}
