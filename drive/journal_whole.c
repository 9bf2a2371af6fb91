/* Writes whole journals: a new one, and a compacted one that replaces a file that has become large. journal.c lists
 * the invariants.
 *
 * A compacted file contains the newest commits (restart points) without a gap, so that a number still identifies
 * the same restart point in all processes of a group:
 *  1. at least four, because a process of a group may go back by three;
 *  2. enough that three different adjoints are among them, as many as restart.c keeps capsules of (many restart
 *     points may have the same adjoint, and one damaged capsule makes all of these useless), or one of the first
 *     sweep, which needs no adjoint;
 *  3. at most VERSO_COMMITS_KEPT, all that a reader returns. Commits that are dropped are never needed later: each
 *     new commit can only reduce what is needed of the old ones. */
#include "drive/journal_write.h"

#include "base/alloc.h"
#include "base/checksum.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum {
    COMMITS_LEAST = 4,
    ADJOINTS_LEAST = 3,
};

/* If compacting reduces a file to an eighth or less, it adds at most an eighth to what is written. */
static uint64_t least_bytes = UINT64_C(1) << 20, least_growth = 8;

void verso__journal_set_limits(uint64_t bytes, uint64_t growth) {
    least_bytes = bytes;
    least_growth = growth;
}

/* ---- Commits that are kept ---- */

/* The number of commits and of different adjoints chosen so far, going from the newest commit to older ones. */
typedef struct choice {
    size_t commits, adjoints;
    uint64_t last;
    bool first_sweep;
} choice;

static bool needs_more(const choice *choice) {
    if (choice->commits >= VERSO_COMMITS_KEPT)
        return false;
    return choice->commits < COMMITS_LEAST || (choice->adjoints < ADJOINTS_LEAST && !choice->first_sweep);
}

static void choose(choice *choice, uint64_t adjoint) {
    choice->adjoints += choice->commits == 0 || adjoint != choice->last;
    choice->first_sweep = choice->first_sweep || adjoint == VERSO_UNKNOWN;
    choice->last = adjoint;
    choice->commits++;
}

size_t verso__journal_kept_of(const verso__commit *commits, size_t count) {
    choice choice = {0};
    while (choice.commits < count && needs_more(&choice))
        choose(&choice, commits[choice.commits].adjoint);
    return choice.commits;
}

static void forget_oldest(verso__journal *journal, size_t count) {
    for (size_t i = 0; i < count; i++)
        verso__dealloc(journal->kept[i].payload);
    journal->kept_count -= count;
    memmove(journal->kept, journal->kept + count, journal->kept_count * sizeof *journal->kept);
}

void verso__journal_keep(verso__journal *journal, unsigned char *payload, size_t size, uint64_t adjoint) {
    choice choice = {0};
    choose(&choice, adjoint);
    while (choice.commits <= journal->kept_count && needs_more(&choice))
        choose(&choice, journal->kept[journal->kept_count - choice.commits].adjoint);
    forget_oldest(journal, journal->kept_count - (choice.commits - 1));
    journal->kept[journal->kept_count++] = (verso__kept_commit){payload, size, adjoint};
}

/* ---- The bytes of a whole journal ---- */

static verso__earlier earlier_of(const verso__journal *journal) {
    return (verso__earlier){journal->commits - journal->kept_count, journal->restarts - journal->continued};
}

static bool has_earlier(const verso__journal *journal) {
    verso__earlier earlier = earlier_of(journal);
    return earlier.commits > 0 || earlier.restarts > 0;
}

static size_t whole_size(const verso__journal *journal) {
    size_t size = VERSO_JOURNAL_HEADER + VERSO_RECORD_FRAME + verso__record_head_size(&journal->head);
    if (has_earlier(journal))
        size += VERSO_RECORD_FRAME + VERSO_RECORD_EARLIER_SIZE;
    for (size_t i = 0; i < journal->kept_count; i++)
        size += VERSO_RECORD_FRAME + journal->kept[i].size;
    if (journal->continued)
        size += VERSO_RECORD_FRAME + VERSO_RECORD_CONTINUED_SIZE;
    return size;
}

/* Returns where the next payload goes. */
static unsigned char *payload_at(unsigned char *bytes, const verso__journal_output *out) {
    return bytes + out->bytes + VERSO_RECORD_BEFORE;
}

static void seal(unsigned char *bytes, verso__journal_output *out, verso__record_type type, size_t payload_size) {
    verso__record_seal(bytes + out->bytes, type, out->records, payload_size, &out->chain);
    out->records++;
    out->bytes += VERSO_RECORD_FRAME + payload_size;
}

static void fill(const verso__journal *journal, unsigned char *bytes, verso__journal_output *out) {
    verso__journal_put_header(bytes);
    out->chain = verso__checksum_wide(bytes, VERSO_JOURNAL_HEADER);
    out->bytes = VERSO_JOURNAL_HEADER;
    verso__record_put_head(payload_at(bytes, out), &journal->head);
    seal(bytes, out, VERSO_RECORD_HEAD, verso__record_head_size(&journal->head));
    if (has_earlier(journal)) {
        verso__earlier earlier = earlier_of(journal);
        verso__record_put_earlier(payload_at(bytes, out), &earlier);
        seal(bytes, out, VERSO_RECORD_EARLIER, VERSO_RECORD_EARLIER_SIZE);
    }
    for (size_t i = 0; i < journal->kept_count; i++) {
        memcpy(payload_at(bytes, out), journal->kept[i].payload, journal->kept[i].size);
        seal(bytes, out, VERSO_RECORD_COMMIT, journal->kept[i].size);
    }
    if (journal->continued) {
        verso__record_put_continued(payload_at(bytes, out), &journal->continuation);
        seal(bytes, out, VERSO_RECORD_CONTINUED, VERSO_RECORD_CONTINUED_SIZE);
    }
}

/* Checks that a reader of these bytes would get what the journal contains. */
static verso_status check(const verso__journal *journal, const unsigned char *bytes, size_t size, verso_error *error) {
    verso__journal_contents contents;
    verso_status status = verso__journal_parse(bytes, size, journal->path, &contents, error);
    if (status == VERSO_STATUS_NO_MEMORY)
        return status;
    bool holds = status == VERSO_STATUS_OK && contents.trusted == size &&
                 contents.commit_count == journal->kept_count &&
                 (contents.commit_count == 0 || contents.commits[0].number == journal->commits) &&
                 contents.restarts == journal->restarts && contents.done == journal->done &&
                 contents.continued == journal->continued;
    verso__journal_contents_free(&contents);
    return holds ? VERSO_STATUS_OK
                 : verso__fail(error, VERSO_STATUS_INVALID, "the head of the journal '%s' is inconsistent",
                               journal->path);
}

/* ---- Its file ---- */

static verso_status write_bytes(verso__journal *journal, const unsigned char *bytes, verso__journal_output *out,
                                verso_error *error) {
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND;
    verso_status status = verso__file_open_own(journal->out.file.system, journal->temporary, flags, &out->file, error);
    if (status == VERSO_STATUS_OK)
        status = verso__file_write(&out->file, bytes, (size_t)out->bytes, error);
    return status == VERSO_STATUS_OK ? verso__file_sync(&out->file, error) : status;
}

/* Writes the whole journal to the temporary file and syncs it. */
static verso_status write_temporary(verso__journal *journal, verso__journal_output *out, verso_error *error) {
    *out = (verso__journal_output){.file = {journal->out.file.system, journal->temporary, -1}};
    unsigned char *bytes = verso__alloc(whole_size(journal), 1);
    if (bytes == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to write the journal '%s'", journal->path);
    fill(journal, bytes, out);
    verso_status status = check(journal, bytes, (size_t)out->bytes, error);
    if (status == VERSO_STATUS_OK)
        status = write_bytes(journal, bytes, out, error);
    verso__dealloc(bytes);
    return status;
}

/* Removes the temporary file. Returns false if it did not exist or could not be removed. */
static bool remove_temporary(const verso__journal *journal) {
    const verso__system *system = journal->out.file.system;
    int result;
    do
        result = system->remove(system, journal->temporary);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

/* Renames the temporary file to the journal's name and syncs the directory. Sets *taken if the new file may have
 * the name, even if it is not durable. That is also the case if renaming failed but the temporary file is gone: a
 * network file system may have renamed it and the answer was lost. */
static verso_status take_name(const verso__journal *journal, bool *taken, verso_error *error) {
    const verso__system *system = journal->out.file.system;
    verso__file directory; /* opened first, because if this fails nothing has happened yet */
    *taken = false;
    verso_status status = verso__file_open(system, journal->directory, O_RDONLY | O_DIRECTORY, &directory, error);
    if (status == VERSO_STATUS_OK) {
        status = verso__file_rename(system, journal->temporary, journal->path, error);
        *taken = status == VERSO_STATUS_OK || !remove_temporary(journal);
    } else {
        (void)remove_temporary(journal);
    }
    if (status == VERSO_STATUS_OK)
        status = verso__file_sync(&directory, error);
    (void)verso__file_close(&directory, NULL); /* it is synced, or not needed */
    return status;
}

/* Replaces the journal's file by a compacted one. On failure the journal continues with the old file. */
static verso_status replace(verso__journal *journal, bool *taken, verso_error *error) {
    verso__journal_output out;
    *taken = false;
    verso_status status = write_temporary(journal, &out, error);
    if (status == VERSO_STATUS_OK)
        status = take_name(journal, taken, error);
    else if (out.file.handle >= 0)
        (void)remove_temporary(journal);
    if (status != VERSO_STATUS_OK) {
        (void)verso__file_close(&out.file, NULL);
        return status;
    }
    (void)verso__file_close(&journal->out.file, NULL); /* the new file contains everything that matters */
    journal->out = out;
    journal->out.file.path = journal->path;
    return VERSO_STATUS_OK;
}

verso_status verso__journal_write_first(verso__journal *journal, verso_error *error) {
    bool taken;
    verso_status status = replace(journal, &taken, error);
    if (status != VERSO_STATUS_OK && taken) /* remove it: the next attempt starts afresh */
        (void)verso__file_remove(journal->out.file.system, journal->path, NULL);
    return status;
}

static bool is_large(const verso__journal *journal) {
    uint64_t bytes = journal->out.bytes;
    return bytes > least_bytes && bytes >= journal->compact_at && bytes / least_growth > whole_size(journal);
}

verso_status verso__journal_compact(verso__journal *journal, verso_error *error) {
    if (!is_large(journal))
        return VERSO_STATUS_OK;
    verso_error why = {0};
    bool taken;
    verso_status status = replace(journal, &taken, &why);
    if (status != VERSO_STATUS_OK && taken) { /* it is unknown which of the two files will be found */
        journal->failure = why;
        return verso__fail(error, status, "%s", why.message);
    }
    journal->compact_at = status == VERSO_STATUS_OK ? 0 : 2 * journal->out.bytes;
    return VERSO_STATUS_OK;
}
