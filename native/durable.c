/* What a durable run of a compiled program keeps beside its journal. See native.h.
 *
 *     DIRECTORY/native        how its memory is divided, how long and how many its steps are, and the facts that it
 *                             depends on (facts.c)
 *     DIRECTORY/native.new    one that is being written
 *     DIRECTORY/world         what it was told by the outside world (log.c)
 *     DIRECTORY/native.lock   held by the process that is at work, from before the file is read
 *
 * None of that may be chosen anew when a run goes on: steps would be others. The file is the identity of the
 * program, as far as the driver is concerned, so a journal and its capsules belong to one such file. It is written
 * before the journal, and replaced only when there is none: a run whose capsules turn out larger than it says is given
 * up first. So at every instant a journal has its file, and a file without a journal says nothing.
 *
 *     magic | version | leaf | capsule | longer | cells | steps | facts | kind key value, of each | XXH3-128 of all */
#include "native/native.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/file.h"
#include "base/words.h"
#include "drive/drive.h"
#include "drive/lock.h"

#include <errno.h>
#include <fcntl.h>

enum { VERSION = 1, HEAD_WORDS = 8, FACT_WORDS = 3, SUM_WORDS = 2, REASON_MAX = 256 };
static const uint64_t magic = UINT64_C(0x766974616e6f7376); /* "vsonativ" */
#define SIZE_MOST (UINT64_C(64) << 20)

bool verso_native_is_durable(const verso_run_options *run) {
    return run != NULL && run->directory != NULL && !run->scratch;
}

/* ---- The file as bytes ---- */

static size_t size_of(size_t facts) {
    return (HEAD_WORDS + FACT_WORDS * facts + SUM_WORDS) * VERSO_WORD;
}

static void put(const verso_native_durable *durable, unsigned char *bytes) {
    const verso_native_facts *facts = &durable->facts;
    const verso_native_kept *kept = &durable->kept;
    const uint64_t head[HEAD_WORDS] = {magic,        VERSION,           kept->leaf,  kept->capsule,
                                       kept->longer, kept->cells_share, kept->steps, facts->count};
    unsigned char *at = bytes;
    for (size_t i = 0; i < HEAD_WORDS; i++)
        verso_put_word(&at, head[i]);
    for (size_t i = 0; i < facts->count; i++) {
        verso_put_word(&at, facts->list[i].kind);
        verso_put_word(&at, facts->list[i].key);
        verso_put_word(&at, facts->list[i].value);
    }
    verso_put_identity(&at, verso_checksum_wide(bytes, (size_t)(at - bytes)));
}

/* NULL: they hold. */
static const char *what_is_wrong(const unsigned char *bytes, size_t size) {
    verso_words words = {bytes, size, false};
    if (size < size_of(0) || verso_take_word(&words) != magic)
        return "it is no such file";
    if (verso_take_word(&words) != VERSION)
        return "another version of Verso has written it";
    size_t before = size - SUM_WORDS * VERSO_WORD;
    verso_words sum = {bytes + before, size - before, false};
    if (!verso_identity_equal(verso_take_identity(&sum), verso_checksum_wide(bytes, before)))
        return "it does not have its checksum";
    for (int i = 0; i < HEAD_WORDS - 3; i++)
        (void)verso_take_word(&words);
    uint64_t count = verso_take_word(&words);
    return count <= SIZE_MOST && size_of((size_t)count) == size ? NULL : "it does not have its length";
}

/* Of bytes that hold. */
static verso_status take(verso_native_durable *durable, const unsigned char *bytes, size_t size,
                         verso_native_facts *facts, verso_error *error) {
    verso_words words = {bytes + 2 * VERSO_WORD, size - 2 * VERSO_WORD, false};
    verso_native_kept *kept = &durable->kept;
    uint64_t *const fields[] = {&kept->leaf, &kept->capsule, &kept->longer, &kept->cells_share, &kept->steps};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        *fields[i] = verso_take_word(&words);
    facts->count = facts->room = (size_t)verso_take_word(&words);
    facts->list = verso_alloc(facts->count, sizeof *facts->list);
    if (facts->list == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory to read '%s'.", durable->path);
    for (size_t i = 0; i < facts->count; i++) {
        facts->list[i].kind = verso_take_word(&words);
        facts->list[i].key = verso_take_word(&words);
        facts->list[i].value = verso_take_word(&words);
    }
    durable->identity = verso_checksum_wide(bytes, size);
    return VERSO_OK;
}

/* ---- Reading ---- */

/* *bytes is NULL when there is no file; one that is too long is cut off, and will not hold. */
static verso_status read_file(const verso_native_durable *durable, unsigned char **bytes, size_t *size,
                              verso_error *error) {
    verso_file file;
    verso_error why = {0};
    uint64_t length = 0;
    *bytes = NULL;
    if (verso_file_open(durable->system, durable->path, O_RDONLY, &file, NULL) != VERSO_OK)
        return errno == ENOENT ? VERSO_OK : verso_file_error(error, "open", durable->path);
    verso_status status = verso_file_size(&file, &length, &why);
    length = length < SIZE_MOST ? length : SIZE_MOST;
    if (status == VERSO_OK)
        *bytes = verso_alloc((size_t)length + 1, 1);
    if (status == VERSO_OK && *bytes == NULL)
        status = verso_fail(&why, VERSO_NO_MEMORY, "no memory to read '%s'.", durable->path);
    if (status == VERSO_OK)
        status = verso_file_read(&file, *bytes, (size_t)length, size, &why);
    (void)verso_file_close(&file, NULL);
    return status == VERSO_OK ? VERSO_OK : verso_fail(error, status, "%s", why.message);
}

verso_status verso_native_unusable(const char *path, const char *why, verso_error *error) {
    return verso_fail(error, VERSO_CORRUPT,
                      "'%.200s', without which the run beside it cannot be continued, cannot be used: %s. Nothing was "
                      "changed; bring it back from a copy, or remove the directory to begin anew.",
                      path, why);
}

static verso_status refuse(const verso_native_durable *durable, const char *why, verso_error *error) {
    return verso_fail(error, VERSO_INVALID,
                      "the run in '%.150s' cannot be continued: %s. Nothing was changed; use another directory, or "
                      "remove this one to give that run up.",
                      durable->directory, why);
}

/* A run without its file, or with one of another process, is refused. */
static verso_status compare(verso_native_durable *durable, const unsigned char *bytes, size_t size,
                            verso_error *error) {
    const char *wrong = bytes != NULL ? what_is_wrong(bytes, size) : "it is not there";
    if (wrong != NULL)
        return verso_native_unusable(durable->path, wrong, error);
    verso_native_facts before = {0};
    char reason[REASON_MAX] = "it depends on something that is not known here";
    verso_status status = take(durable, bytes, size, &before, error);
    if (status == VERSO_OK) {
        durable->continued = !verso_native_facts_differ(&before, &durable->facts, reason, sizeof reason);
        if (!durable->continued)
            status = refuse(durable, reason, error);
    }
    verso_native_facts_free(&before);
    return status;
}

static verso_status look(verso_native_durable *durable, verso_error *error) {
    unsigned char *bytes = NULL;
    size_t size = 0;
    bool holds_run;
    verso_status status = verso_holds_run(durable->system, durable->directory, &holds_run, error);
    if (status != VERSO_OK || !holds_run)
        return status;
    status = read_file(durable, &bytes, &size, error);
    if (status == VERSO_OK)
        status = compare(durable, bytes, size, error);
    verso_dealloc(bytes);
    return status;
}

/* ---- Opening and closing ---- */

static verso_status take_directory(verso_native_durable *durable, verso_error *error) {
    char *lock = verso_path_join(durable->directory, "native.lock");
    if (lock == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for the name of a lock.");
    verso_status status = verso_directory_make(durable->system, durable->directory, true, error);
    if (status == VERSO_OK)
        status = verso_lock_take(durable->system, lock, &durable->lock, error);
    verso_dealloc(lock);
    return status;
}

verso_status verso_native_durable_open(const verso_run_options *run, verso_native_durable *durable,
                                       verso_error *error) {
    *durable = (verso_native_durable){.system = run->system != NULL ? run->system : &verso_system_machine};
    if (run->group != NULL)
        return verso_fail(
            error, VERSO_INVALID,
            "a group takes its steps together, and those of a compiled program are its own; differentiate "
            "in each process by itself, without a group.");
    verso_status status = verso_native_require_fixed(error);
    if (status != VERSO_OK)
        return status;
    durable->directory = verso_path_absolute(run->directory);
    durable->path = durable->directory != NULL ? verso_path_join(durable->directory, "native") : NULL;
    if (durable->path == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for the name of '%s'.", run->directory);
    status = verso_native_facts_gather(&durable->facts, error);
    if (status == VERSO_OK)
        status = take_directory(durable, error);
    if (status == VERSO_OK)
        status = look(durable, error);
    return status == VERSO_OK ? verso_native_log_open(durable, error) : status;
}

void verso_native_durable_close(verso_native_durable *durable) {
    verso_native_log_close();
    verso_lock_release(durable->lock);
    verso_native_facts_free(&durable->facts);
    verso_dealloc(durable->directory);
    verso_dealloc(durable->path);
    *durable = (verso_native_durable){0};
}

/* ---- Writing ---- */

static verso_status write_file(const verso_native_durable *durable, const char *path, const unsigned char *bytes,
                               size_t size, verso_error *error) {
    verso_file file;
    verso_status status = verso_file_open(durable->system, path, O_WRONLY | O_CREAT | O_TRUNC, &file, error);
    if (status != VERSO_OK)
        return status;
    status = verso_file_write(&file, bytes, size, error);
    if (status == VERSO_OK)
        status = verso_file_sync(&file, error);
    verso_status closed = verso_file_close(&file, status == VERSO_OK ? error : NULL);
    return status == VERSO_OK ? closed : status;
}

static verso_status replace(const verso_native_durable *durable, const unsigned char *bytes, size_t size,
                            verso_error *error) {
    char *path = verso_path_join(durable->directory, "native.new");
    if (path == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for the name of a file.");
    verso_status status = write_file(durable, path, bytes, size, error);
    if (status == VERSO_OK)
        status = verso_file_rename(durable->system, path, durable->path, error);
    if (status == VERSO_OK)
        status = verso_directory_sync(durable->system, durable->directory, error);
    verso_dealloc(path);
    return status;
}

verso_status verso_native_durable_keep(verso_native_durable *durable, verso_error *error) {
    size_t size = size_of(durable->facts.count);
    unsigned char *bytes = verso_alloc(size, 1);
    if (bytes == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory to write '%s'.", durable->path);
    put(durable, bytes);
    durable->identity = verso_checksum_wide(bytes, size);
    bool holds_run;
    verso_status status = verso_holds_run(durable->system, durable->directory, &holds_run, error);
    if (status == VERSO_OK && holds_run)
        status = verso_abandon(durable->system, durable->directory, error);
    if (status == VERSO_OK)
        status = replace(durable, bytes, size, error);
    durable->continued = status == VERSO_OK;
    verso_dealloc(bytes);
    return status;
}
