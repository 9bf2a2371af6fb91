/* Whole journals at once: a new one, and one that takes the place of a file that has become large. The invariants are
 * in journal.c.
 *
 * Which commits a compacted file holds. They are the newest ones without a gap, so that a number still says which
 * restart point is meant when a group agrees on one:
 *  1. at least four: a member of a group may go back by three;
 *  2. so many that three different adjoints are among them, which are as many as restart.c keeps capsules of (a run may
 *     make many restart points at one adjoint, and one damaged capsule makes all of these useless), or one of the first
 *     sweep, which needs no adjoint;
 *  3. at most VERSO_COMMITS_KEPT, which are all that a reader looks at.
 * Older ones will not be asked for later on, either: each new commit can only make fewer of the old ones needed. */
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

/* Compacting to an eighth or less means that at most an eighth more is written. */
static uint64_t least_bytes = UINT64_C(1) << 20, least_growth = 8;

void verso_journal_set_limits(uint64_t bytes, uint64_t growth) {
    least_bytes = bytes;
    least_growth = growth;
}

/* ---- Commits that are kept ---- */

/* Going from the newest to older ones. */
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

size_t verso_journal_kept_of(const verso_commit *commits, size_t count) {
    choice choice = {0};
    while (choice.commits < count && needs_more(&choice))
        choose(&choice, commits[choice.commits].adjoint);
    return choice.commits;
}

static void forget_oldest(verso_journal *journal, size_t count) {
    for (size_t i = 0; i < count; i++)
        verso_dealloc(journal->kept[i].payload);
    journal->kept_count -= count;
    memmove(journal->kept, journal->kept + count, journal->kept_count * sizeof *journal->kept);
}

void verso_journal_keep(verso_journal *journal, unsigned char *payload, size_t size, uint64_t adjoint) {
    choice choice = {0};
    choose(&choice, adjoint);
    while (choice.commits <= journal->kept_count && needs_more(&choice))
        choose(&choice, journal->kept[journal->kept_count - choice.commits].adjoint);
    forget_oldest(journal, journal->kept_count - (choice.commits - 1));
    journal->kept[journal->kept_count++] = (verso_kept_commit){payload, size, adjoint};
}

/* ---- The bytes of a whole journal ---- */

static verso_earlier earlier_of(const verso_journal *journal) {
    return (verso_earlier){journal->commits - journal->kept_count, journal->restarts - journal->continued};
}

static bool has_earlier(const verso_journal *journal) {
    verso_earlier earlier = earlier_of(journal);
    return earlier.commits > 0 || earlier.restarts > 0;
}

static size_t whole_size(const verso_journal *journal) {
    size_t size = VERSO_JOURNAL_HEADER + VERSO_RECORD_FRAME + verso_record_head_size(&journal->head);
    if (has_earlier(journal))
        size += VERSO_RECORD_FRAME + VERSO_RECORD_EARLIER_SIZE;
    for (size_t i = 0; i < journal->kept_count; i++)
        size += VERSO_RECORD_FRAME + journal->kept[i].size;
    if (journal->continued)
        size += VERSO_RECORD_FRAME + VERSO_RECORD_CONTINUED_SIZE;
    return size;
}

/* Where the next payload goes. */
static unsigned char *payload_at(unsigned char *bytes, const verso_journal_output *out) {
    return bytes + out->bytes + VERSO_RECORD_BEFORE;
}

static void seal(unsigned char *bytes, verso_journal_output *out, verso_record_type type, size_t payload_size) {
    verso_record_seal(bytes + out->bytes, type, out->records, payload_size, &out->chain);
    out->records++;
    out->bytes += VERSO_RECORD_FRAME + payload_size;
}

static void fill(const verso_journal *journal, unsigned char *bytes, verso_journal_output *out) {
    verso_journal_put_header(bytes);
    out->chain = verso_checksum_wide(bytes, VERSO_JOURNAL_HEADER);
    out->bytes = VERSO_JOURNAL_HEADER;
    verso_record_put_head(payload_at(bytes, out), &journal->head);
    seal(bytes, out, VERSO_RECORD_HEAD, verso_record_head_size(&journal->head));
    if (has_earlier(journal)) {
        verso_earlier earlier = earlier_of(journal);
        verso_record_put_earlier(payload_at(bytes, out), &earlier);
        seal(bytes, out, VERSO_RECORD_EARLIER, VERSO_RECORD_EARLIER_SIZE);
    }
    for (size_t i = 0; i < journal->kept_count; i++) {
        memcpy(payload_at(bytes, out), journal->kept[i].payload, journal->kept[i].size);
        seal(bytes, out, VERSO_RECORD_COMMIT, journal->kept[i].size);
    }
    if (journal->continued) {
        verso_record_put_continued(payload_at(bytes, out), &journal->continuation);
        seal(bytes, out, VERSO_RECORD_CONTINUED, VERSO_RECORD_CONTINUED_SIZE);
    }
}

/* A reader would find in these bytes what the journal knows. */
static verso_status check(const verso_journal *journal, const unsigned char *bytes, size_t size, verso_error *error) {
    verso_journal_contents contents;
    verso_status status = verso_journal_parse(bytes, size, journal->path, &contents, error);
    if (status == VERSO_NO_MEMORY)
        return status;
    bool holds = status == VERSO_OK && contents.trusted == size && contents.commit_count == journal->kept_count &&
                 (contents.commit_count == 0 || contents.commits[0].number == journal->commits) &&
                 contents.restarts == journal->restarts && contents.done == journal->done &&
                 contents.continued == journal->continued;
    verso_journal_contents_free(&contents);
    return holds ? VERSO_OK
                 : verso_fail(error, VERSO_INVALID, "the head of the journal '%s' contradicts itself", journal->path);
}

/* ---- Its file ---- */

static verso_status write_bytes(verso_journal *journal, const unsigned char *bytes, verso_journal_output *out,
                                verso_error *error) {
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND;
    verso_status status = verso_file_open(journal->out.file.system, journal->temporary, flags, &out->file, error);
    if (status == VERSO_OK)
        status = verso_file_write(&out->file, bytes, (size_t)out->bytes, error);
    return status == VERSO_OK ? verso_file_sync(&out->file, error) : status;
}

/* On the disk, under the temporary name. */
static verso_status write_temporary(verso_journal *journal, verso_journal_output *out, verso_error *error) {
    *out = (verso_journal_output){.file = {journal->out.file.system, journal->temporary, -1}};
    unsigned char *bytes = verso_alloc(whole_size(journal), 1);
    if (bytes == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory to write the journal '%s'", journal->path);
    fill(journal, bytes, out);
    verso_status status = check(journal, bytes, (size_t)out->bytes, error);
    if (status == VERSO_OK)
        status = write_bytes(journal, bytes, out, error);
    verso_dealloc(bytes);
    return status;
}

/* True when there was such a file, and it is gone. */
static bool remove_temporary(const verso_journal *journal) {
    const verso_system *system = journal->out.file.system;
    int result;
    do
        result = system->remove(system, journal->temporary);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

/* *taken: the new file may have the name, whatever the disk knows of it. That is so also when renaming failed and the
 * file is no longer under its old name: a server may have done it, and its answer been lost. */
static verso_status take_name(const verso_journal *journal, bool *taken, verso_error *error) {
    const verso_system *system = journal->out.file.system;
    verso_file directory; /* opened beforehand: this, too, may fail, and then nothing has happened */
    *taken = false;
    verso_status status = verso_file_open(system, journal->directory, O_RDONLY | O_DIRECTORY, &directory, error);
    if (status == VERSO_OK) {
        status = verso_file_rename(system, journal->temporary, journal->path, error);
        *taken = status == VERSO_OK || !remove_temporary(journal);
    } else {
        (void)remove_temporary(journal);
    }
    if (status == VERSO_OK)
        status = verso_file_sync(&directory, error);
    (void)verso_file_close(&directory, NULL); /* which is synced, or of no use */
    return status;
}

/* The journal's file is the new one when all went well, and else the one before. */
static verso_status replace(verso_journal *journal, bool *taken, verso_error *error) {
    verso_journal_output out;
    *taken = false;
    verso_status status = write_temporary(journal, &out, error);
    if (status == VERSO_OK)
        status = take_name(journal, taken, error);
    else if (out.file.handle >= 0)
        (void)remove_temporary(journal);
    if (status != VERSO_OK) {
        (void)verso_file_close(&out.file, NULL);
        return status;
    }
    (void)verso_file_close(&journal->out.file, NULL); /* all that matters of it is in the new one */
    journal->out = out;
    journal->out.file.path = journal->path;
    return VERSO_OK;
}

verso_status verso_journal_write_first(verso_journal *journal, verso_error *error) {
    bool taken;
    verso_status status = replace(journal, &taken, error);
    if (status != VERSO_OK && taken) /* as if it had not been begun: the next attempt begins afresh */
        (void)verso_file_remove(journal->out.file.system, journal->path, NULL);
    return status;
}

static bool is_large(const verso_journal *journal) {
    uint64_t bytes = journal->out.bytes;
    return bytes > least_bytes && bytes >= journal->again && bytes / least_growth > whole_size(journal);
}

verso_status verso_journal_compact(verso_journal *journal, verso_error *error) {
    if (!is_large(journal))
        return VERSO_OK;
    verso_error why = {0};
    bool taken;
    verso_status status = replace(journal, &taken, &why);
    if (status != VERSO_OK && taken) { /* which of the two files will be found is not known */
        journal->failure = why;
        return verso_fail(error, status, "%s", why.message);
    }
    journal->again = status == VERSO_OK ? 0 : 2 * journal->out.bytes;
    return VERSO_OK;
}
