/* Reads a journal: finds the trusted records and returns the newest restart points. journal.c lists the invariants.
 * The file is read as a whole and checked from its first record on; only a few restart points are kept. */
#include "drive/journal_record.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/file.h"
#include "base/words.h"

#include <errno.h>
#include <fcntl.h>

verso_status verso__journal_open_existing(const verso__system *system, const char *path, int flags, verso__file *file,
                                          verso_error *error) {
    verso_status status = verso__file_open_own(system, path, flags, file, NULL);
    if (status == VERSO_STATUS_OK)
        return status;
    if (errno == ENOENT || errno == ENOTDIR)
        return verso__fail(error, VERSO_STATUS_STATE, "the journal '%s' does not exist", path);
    return verso__file_error(error, "open", path);
}

/* The state of reading. Restart points are remembered by their offsets: at[i] is that of number before + i + 1. */
typedef struct scan {
    const unsigned char *bytes;
    size_t size;
    const char *path;
    uint64_t before;
    size_t *at;
    size_t count, capacity;
    size_t longest; /* size in bytes of the longest trusted record */
    verso__journal_contents *contents;
} scan;

static verso_status remember(scan *scan, size_t at, verso_error *error) {
    if (scan->count == scan->capacity) {
        size_t capacity = scan->capacity == 0 ? 64 : 2 * scan->capacity;
        size_t *grown = verso__realloc(scan->at, capacity, sizeof *grown);
        if (grown == NULL)
            return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to read the journal '%s'", scan->path);
        scan->at = grown;
        scan->capacity = capacity;
    }
    scan->at[scan->count++] = at;
    return VERSO_STATUS_OK;
}

/* Goes back to restart point `from`, or to the start if it is 0. Returns false if the file does not contain it. */
static bool go_back(scan *scan, uint64_t from) {
    if (from == 0)
        scan->before = 0;
    else if (from <= scan->before || from - scan->before > scan->count)
        return false;
    scan->count = (size_t)(from - scan->before);
    return true;
}

/* Processes a record whose frame is valid. Sets *trusted if its contents are valid, too. */
static verso_status take_record(scan *scan, const verso__record *record, size_t at, bool *trusted, verso_error *error) {
    verso__journal_contents *contents = scan->contents;
    verso__commit commit;
    verso__continued continued;
    verso__earlier earlier;
    bool done;
    *trusted = false;
    if ((record->type == VERSO_RECORD_HEAD) != (contents->records == 0))
        return VERSO_STATUS_OK;
    switch (record->type) {
    case VERSO_RECORD_HEAD: *trusted = verso__record_get_head(record, &contents->head); return VERSO_STATUS_OK;
    case VERSO_RECORD_COMMIT:
        if (!verso__record_get_commit(record, &commit, &done) || contents->done ||
            commit.number != scan->before + scan->count + 1)
            return VERSO_STATUS_OK;
        contents->done = done;
        contents->continued = false;
        *trusted = true;
        return remember(scan, at, error);
    case VERSO_RECORD_CONTINUED:
        if (!verso__record_get_continued(record, &continued) || !go_back(scan, continued.from))
            return VERSO_STATUS_OK;
        contents->done = false;
        contents->continued = true;
        contents->restarts++;
        *trusted = true;
        return VERSO_STATUS_OK;
    case VERSO_RECORD_EARLIER:
        if (contents->records != 1 || !verso__record_get_earlier(record, &earlier))
            return VERSO_STATUS_OK;
        scan->before = earlier.commits;
        contents->restarts = earlier.restarts;
        *trusted = true;
        return VERSO_STATUS_OK;
    default: return VERSO_STATUS_OK;
    }
}

static verso_status take_records(scan *scan, verso_error *error) {
    verso__journal_contents *contents = scan->contents;
    size_t at = VERSO_JOURNAL_HEADER;
    bool trusted = true;
    while (trusted) {
        verso__record record;
        verso_identity chain = contents->chain;
        if (!verso__record_open(scan->bytes + at, scan->size - at, contents->records, &chain, &record))
            return VERSO_STATUS_OK;
        verso_status status = take_record(scan, &record, at, &trusted, error);
        if (status != VERSO_STATUS_OK)
            return status;
        if (trusted) {
            size_t size = VERSO_RECORD_FRAME + record.payload_size;
            scan->longest = size > scan->longest ? size : scan->longest;
            at += size;
            contents->trusted = at;
            contents->records++;
            contents->chain = chain;
        }
    }
    return VERSO_STATUS_OK;
}

/* Returns whether the tail is more than one torn record: longer than any record so far, and not the beginning of
 * one. */
static bool is_damaged(const scan *scan) {
    const verso__journal_contents *contents = scan->contents;
    size_t tail = scan->size - (size_t)contents->trusted;
    return tail > scan->longest && !verso__record_may_be_torn(scan->bytes + contents->trusted, tail, contents->records);
}

/* Copies the newest restart points out of the bytes. Their frames are known to be valid. */
static verso_status keep_newest(scan *scan, verso_error *error) {
    verso__journal_contents *contents = scan->contents;
    while (contents->commit_count < VERSO_COMMITS_KEPT && contents->commit_count < scan->count) {
        verso__words words = {.at = scan->bytes + scan->at[scan->count - 1 - contents->commit_count],
                              .left = VERSO_RECORD_BEFORE};
        verso__record record = {.payload = words.at + VERSO_RECORD_BEFORE};
        record.payload_size = (size_t)verso__take_word(&words);
        verso__commit *commit = &contents->commits[contents->commit_count];
        bool done;
        (void)verso__record_get_commit(&record, commit, &done);
        verso_status status = verso__record_own_commit(&record, commit, error);
        if (status != VERSO_STATUS_OK)
            return status;
        contents->commit_count++;
    }
    return VERSO_STATUS_OK;
}

verso_status verso__journal_parse(const void *bytes, size_t size, const char *path, verso__journal_contents *contents,
                                  verso_error *error) {
    *contents = (verso__journal_contents){.bytes = size};
    verso_status status = verso__journal_check_header(bytes, size, path, error);
    if (status != VERSO_STATUS_OK)
        return status;
    scan scan = {.bytes = bytes, .size = size, .path = path, .contents = contents};
    contents->chain = verso__checksum_wide(bytes, VERSO_JOURNAL_HEADER);
    status = take_records(&scan, error);
    if (status == VERSO_STATUS_OK && contents->records == 0)
        status =
            verso__fail(error, VERSO_STATUS_CORRUPT, "the journal '%s' is damaged: its first record is invalid", path);
    contents->damaged = status == VERSO_STATUS_OK && is_damaged(&scan);
    if (status == VERSO_STATUS_OK)
        status = keep_newest(&scan, error);
    verso__dealloc(scan.at);
    if (status != VERSO_STATUS_OK)
        verso__journal_contents_free(contents);
    return status;
}

/* Reads the whole file into one block. If the file grows meanwhile, the new bytes are ignored. */
static verso_status read_all(verso__file *file, unsigned char **bytes, size_t *size, verso_error *error) {
    uint64_t length;
    verso_status status = verso__file_size(file, &length, error);
    if (status != VERSO_STATUS_OK)
        return status;
    *bytes = verso__alloc(1, (size_t)length);
    if (*bytes == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the %llu bytes of the journal '%s'",
                           (unsigned long long)length, file->path);
    return verso__file_read(file, *bytes, (size_t)length, size, error);
}

verso_status verso__journal_read(const verso__system *system, const char *path, verso__journal_contents *contents,
                                 verso_error *error) {
    *contents = (verso__journal_contents){0};
    verso__file file;
    verso_status status = verso__journal_open_existing(system, path, O_RDONLY, &file, error);
    if (status != VERSO_STATUS_OK)
        return status;
    unsigned char *bytes = NULL;
    size_t size = 0;
    status = read_all(&file, &bytes, &size, error);
    (void)verso__file_close(&file, NULL); /* only read: a failure loses nothing */
    if (status == VERSO_STATUS_OK)
        status = verso__journal_parse(bytes, size, path, contents, error);
    verso__dealloc(bytes);
    return status;
}

void verso__journal_contents_free(verso__journal_contents *contents) {
    for (size_t i = 0; i < VERSO_COMMITS_KEPT; i++)
        verso__record_disown_commit(&contents->commits[i]);
    *contents = (verso__journal_contents){0};
}
