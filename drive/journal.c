/* The journal of a durable run: its format and guarantees, and appending to it. journal_read.c reads it;
 * journal_whole.c writes whole files (new and compacted ones).
 *
 * The file
 *  1. It begins with three words: a magic number, the version of the format, and the XXH3-64 of both. All versions
 *     begin like this, so that an older Verso can report that a newer one wrote the file.
 *  2. Records follow without gaps (journal_record.c defines their bytes). Each contains its number 0, 1, 2, ... and
 *     a checksum that is chained on the previous record's, the first on the header's. A record that was moved, left
 *     out, doubled or copied from another run is therefore detected.
 *  3. Record 0 is the head, and only record 0. Record 1 may state how much a compacted journal omits. All others
 *     are commits (restart points) and continuations.
 *  4. A record is trusted if and only if its length, type, number, checksum and contents are valid, and all records
 *     before it are trusted. The untrusted rest is the tail: readers ignore it and writers cut it off. A crash
 *     tears at most one record; a longer tail is saved beside the journal before it is cut off.
 *
 * Meaning of the records
 *  5. The number of a commit is 1 more than that of the commit it follows; the first follows the omitted ones. A
 *     continuation names the commit from which the run continued (0: the start), which is in the file. It makes
 *     commits with higher numbers void; the next commit has that number plus 1. The valid commits of a run are
 *     therefore numbered 1, 2, ..., n, and the file contains the last of them.
 *  6. Only a continuation may follow the commit that says that the run is done.
 *
 * The protocol
 *  7. A journal gets its name only when it is complete on the disk, and its directory is synced before anything
 *     relies on it. Its name therefore always refers to a complete journal; a file without a trusted head is
 *     damaged, never merely new.
 *  8. The caller appends a commit only after everything that it refers to is on the disk, and removes what only
 *     older commits need only after the append has returned. What the last trusted commits refer to is therefore
 *     available.
 *  9. Trusted bytes are never written again. Appending ends with a sync. Before the first append to a file with a
 *     tail, the tail is cut off and that is synced, so that an old record can never follow a new one.
 * 10. After a failed write or sync of the journal the contents of the disk are unknown, so it accepts no further
 *     record. The next process reads it and trusts what is there.
 * 11. Everything that is written was first decoded from memory by the code that reads files, so that nothing is
 *     written that readers would not trust.
 * 12. One process at a time writes (drive/lock.h). Any process may read at any time; a record that is just being
 *     appended looks like a tail to it.
 * 13. A file that exceeds a limit and a multiple of its compacted size is compacted: a new file replaces it as in
 *     7, with the head, what it omits, the newest commits, and the continuation if that is the last record. This
 *     happens after an append, so the new file contains everything that was acknowledged, and a process may use
 *     whichever of the two it finds after a crash. A failure before the new file has the name concerns only that
 *     file (10 does not apply): it is removed, now or by the next process, appending to the old file continues, and
 *     compacting is tried again when that has doubled. */
#include "drive/journal.h"

#include "base/alloc.h"
#include "base/file.h"
#include "drive/journal_write.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Allocates a journal, with its path and those of the files beside it in one block. */
static verso_status make_journal(const verso__system *system, const char *path, verso__journal **made,
                                 verso_error *error) {
    size_t length = strlen(path), temporary = length + sizeof ".new", damaged = length + sizeof ".damaged";
    verso__journal *journal = verso__alloc(1, sizeof *journal + length + 1 + temporary + damaged);
    char *directory = verso__path_parent(path);
    if (journal == NULL || directory == NULL) {
        verso__dealloc(journal);
        verso__dealloc(directory);
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to write the journal '%s'", path);
    }
    memcpy(journal->path, path, length + 1);
    journal->temporary = journal->path + length + 1;
    memcpy(journal->temporary, path, length);
    memcpy(journal->temporary + length, ".new", sizeof ".new");
    journal->damaged = journal->temporary + temporary;
    memcpy(journal->damaged, path, length);
    memcpy(journal->damaged + length, ".damaged", sizeof ".damaged");
    journal->directory = directory;
    journal->out.file = (verso__file){system, journal->path, -1};
    *made = journal;
    return VERSO_STATUS_OK;
}

void verso__journal_close(verso__journal *journal) {
    if (journal == NULL)
        return;
    (void)verso__file_close(&journal->out.file, NULL); /* everything that matters is synced */
    for (size_t i = 0; i < journal->kept_count; i++)
        verso__dealloc(journal->kept[i].payload);
    verso__dealloc(journal->directory);
    verso__dealloc(journal->record);
    verso__dealloc(journal);
}

/* Makes room for a record, whose payload goes to record + VERSO_RECORD_BEFORE. */
static verso_status reserve(verso__journal *journal, size_t payload_size, verso_error *error) {
    size_t size = VERSO_RECORD_FRAME + payload_size;
    if (size <= journal->capacity)
        return VERSO_STATUS_OK;
    unsigned char *record = verso__realloc(journal->record, size, 1);
    if (record == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a record of %zu bytes", size);
    journal->record = record;
    journal->capacity = size;
    return VERSO_STATUS_OK;
}

static verso_status append(verso__journal *journal, verso__record_type type, size_t payload_size, verso_error *error) {
    verso__journal_output *out = &journal->out;
    size_t size = VERSO_RECORD_FRAME + payload_size;
    verso_identity chain = out->chain;
    verso__record_seal(journal->record, type, out->records, payload_size, &chain);
    verso_status status = verso__file_write(&out->file, journal->record, size, &journal->failure);
    if (status == VERSO_STATUS_OK)
        status = verso__file_sync(&out->file, &journal->failure);
    if (status != VERSO_STATUS_OK)
        return verso__fail(error, status, "%s", journal->failure.message);
    out->chain = chain;
    out->records++;
    out->bytes += size;
    return VERSO_STATUS_OK;
}

/* Encodes a restart point in a new block and checks that it can be decoded. */
static verso_status encode(const verso__commit *commit, bool done, unsigned char **payload, verso_error *error) {
    size_t size = verso__record_commit_size(commit);
    *payload = verso__alloc(size, 1);
    if (*payload == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a restart point of %zu bytes", size);
    verso__record record = {VERSO_RECORD_COMMIT, *payload, size};
    verso__commit again;
    bool done_again;
    verso__record_put_commit(*payload, commit, done);
    if (verso__record_get_commit(&record, &again, &done_again))
        return VERSO_STATUS_OK;
    verso__dealloc(*payload);
    return verso__fail(error, VERSO_STATUS_INVALID,
                       "restart point %llu is inconsistent (internal error, please report it)",
                       (unsigned long long)commit->number);
}

static verso_status append_commit(verso__journal *journal, const unsigned char *payload, size_t size,
                                  verso_error *error) {
    verso_status status = reserve(journal, size, error);
    if (status != VERSO_STATUS_OK)
        return status;
    memcpy(journal->record + VERSO_RECORD_BEFORE, payload, size);
    return append(journal, VERSO_RECORD_COMMIT, size, error);
}

verso_status verso__journal_commit(verso__journal *journal, const verso__commit *commit, bool done,
                                   verso_error *error) {
    if (journal->failure.status != VERSO_STATUS_OK)
        return verso__fail(error, journal->failure.status, "%s", journal->failure.message);
    if (journal->done)
        return verso__fail(error, VERSO_STATUS_STATE, "the journal '%s' already says that the run is done",
                           journal->path);
    if (commit->number != journal->commits + 1)
        return verso__fail(error, VERSO_STATUS_INVALID, "restart point %llu cannot follow restart point %llu",
                           (unsigned long long)commit->number, (unsigned long long)journal->commits);
    size_t size = verso__record_commit_size(commit);
    unsigned char *payload;
    verso_status status = encode(commit, done, &payload, error);
    if (status != VERSO_STATUS_OK)
        return status;
    status = append_commit(journal, payload, size, error);
    if (status != VERSO_STATUS_OK) {
        verso__dealloc(payload);
        return status;
    }
    verso__journal_keep(journal, payload, size, commit->adjoint);
    journal->commits++;
    journal->done = done;
    journal->continued = false;
    return verso__journal_compact(journal, error);
}

/* ---- A new one ---- */

static verso_status refuse_existing(const verso__system *system, const char *path, verso_error *error) {
    verso__file file;
    verso_error absent;
    verso_status status = verso__journal_open_existing(system, path, O_RDONLY, &file, &absent);
    if (status == VERSO_STATUS_STATE)
        return VERSO_STATUS_OK;
    if (status != VERSO_STATUS_OK)
        return verso__fail(error, status, "%s", absent.message);
    (void)verso__file_close(&file, NULL);
    return verso__fail(error, VERSO_STATUS_STATE, "the journal '%s' already exists", path);
}

verso_status verso__journal_create(const verso__system *system, const char *path, const verso__journal_head *head,
                                   verso__journal **journal, verso_error *error) {
    *journal = NULL;
    verso_status status = refuse_existing(system, path, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__journal *made = NULL;
    status = make_journal(system, path, &made, error);
    if (status == VERSO_STATUS_OK) {
        made->head = *head;
        status = verso__journal_write_first(made, error);
    }
    if (status == VERSO_STATUS_OK)
        *journal = made;
    else
        verso__journal_close(made);
    return status;
}

/* ---- Opening an existing journal ---- */

static verso_status fail_changed(const verso__file *file, verso_error *error) {
    return verso__fail(error, VERSO_STATUS_STATE,
                       "another process has changed the journal '%s' while this one was opening it; end that process, "
                       "then start this run again",
                       file->path);
}

/* Copies the bytes of `from` after the first `skipped`. */
static verso_status copy_rest(verso__file *from, uint64_t skipped, verso__file *to, verso_error *error) {
    unsigned char bytes[8192];
    uint64_t rest = skipped;
    size_t got = 1;
    while (got > 0) {
        size_t size = rest > 0 && rest < sizeof bytes ? (size_t)rest : sizeof bytes;
        verso_status status = verso__file_read(from, bytes, size, &got, error);
        if (status == VERSO_STATUS_OK && rest == 0)
            status = verso__file_write(to, bytes, got, error);
        if (status != VERSO_STATUS_OK)
            return status;
        rest -= rest < got ? rest : got;
    }
    return rest == 0 ? VERSO_STATUS_OK : fail_changed(from, error);
}

/* Saves the tail as PATH.damaged and syncs it, so that it can be cut off. */
static verso_status keep_tail(const verso__journal *journal, const verso__journal_contents *contents,
                              verso_error *error) {
    const verso__system *system = journal->out.file.system;
    verso__file from, to;
    verso_status status = verso__journal_open_existing(system, journal->path, O_RDONLY, &from, error);
    if (status != VERSO_STATUS_OK)
        return status;
    status = verso__file_open_own(system, journal->damaged, O_WRONLY | O_CREAT | O_TRUNC, &to, error);
    if (status == VERSO_STATUS_OK)
        status = copy_rest(&from, contents->trusted, &to, error);
    if (status == VERSO_STATUS_OK)
        status = verso__file_sync(&to, error);
    if (status == VERSO_STATUS_OK)
        status = verso__directory_sync(system, journal->directory, error);
    (void)verso__file_close(&to, NULL); /* it is synced, or will be written again */
    (void)verso__file_close(&from, NULL);
    return status;
}

/* Cuts the file off after the trusted bytes. */
static verso_status cut_tail(verso__journal *journal, const verso__journal_contents *contents, verso_error *error) {
    verso__file *file = &journal->out.file;
    uint64_t size;
    verso_status status = verso__file_size(file, &size, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (size != contents->bytes)
        return fail_changed(file, error);
    if (contents->trusted == contents->bytes)
        return VERSO_STATUS_OK;
    status = contents->damaged ? keep_tail(journal, contents, error) : VERSO_STATUS_OK;
    if (status != VERSO_STATUS_OK)
        return status;
    int result;
    do
        result = file->system->truncate(file->system, file->handle, (off_t)contents->trusted);
    while (result != 0 && errno == EINTR);
    return result == 0 ? verso__file_sync(file, error) : verso__file_error(error, "truncate", file->path);
}

/* Fills in the journal from `contents` as continued from commits[from]. */
static verso_status take_contents(verso__journal *journal, const verso__journal_contents *contents, size_t from,
                                  verso_error *error) {
    journal->head = contents->head;
    journal->out.chain = contents->chain;
    journal->out.records = contents->records;
    journal->out.bytes = contents->trusted;
    journal->restarts = contents->restarts + 1;
    const verso__commit *commits = contents->commits + from;
    for (size_t i = verso__journal_kept_of(commits, contents->commit_count - from); i-- > 0;) {
        unsigned char *payload;
        verso_status status = encode(&commits[i], false, &payload, error);
        if (status != VERSO_STATUS_OK)
            return status;
        verso__journal_keep(journal, payload, verso__record_commit_size(&commits[i]), commits[i].adjoint);
        journal->commits = commits[i].number;
    }
    journal->continued = true;
    journal->continuation = (verso__continued){journal->commits, verso__date(), (uint64_t)getpid()};
    return reserve(journal, VERSO_RECORD_CONTINUED_SIZE, error);
}

static verso_status open_and_continue(verso__journal *journal, const verso__journal_contents *contents, size_t from,
                                      verso_error *error) {
    const verso__system *system = journal->out.file.system;
    verso_status status = take_contents(journal, contents, from, error);
    if (status == VERSO_STATUS_OK)
        status = verso__journal_open_existing(system, journal->path, O_WRONLY | O_APPEND, &journal->out.file, error);
    if (status == VERSO_STATUS_OK)
        status = cut_tail(journal, contents, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__record_put_continued(journal->record + VERSO_RECORD_BEFORE, &journal->continuation);
    status = append(journal, VERSO_RECORD_CONTINUED, VERSO_RECORD_CONTINUED_SIZE, error);
    if (status != VERSO_STATUS_OK)
        return status;
    /* left by a process that died; a failure is ignored, and the next process tries again */
    (void)verso__file_remove(system, journal->temporary, NULL);
    return verso__journal_compact(journal, error);
}

verso_status verso__journal_continue(const verso__system *system, const char *path,
                                     const verso__journal_contents *contents, size_t from, verso__journal **journal,
                                     verso_error *error) {
    *journal = NULL;
    if (from > contents->commit_count)
        return verso__fail(error, VERSO_STATUS_INVALID, "the journal '%s' has only %zu restart points to go back to",
                           path, contents->commit_count);
    verso__journal *made = NULL;
    verso_status status = make_journal(system, path, &made, error);
    if (status == VERSO_STATUS_OK)
        status = open_and_continue(made, contents, from, error);
    if (status == VERSO_STATUS_OK)
        *journal = made;
    else
        verso__journal_close(made);
    return status;
}
