/* The journal of a durable run: what it is, and writing it. Reading is in journal_read.c.
 *
 * The file
 *  1. It begins with three words: a magic number, the version of the format, and the XXH3-64 of both. This much is the
 *     same in every version, so that an older Verso can say that a newer one wrote the file.
 *  2. Records follow without gaps (journal_record.c has their bytes). Each carries its place, 0, 1, 2, …, and a
 *     checksum that is chained on the one before it, the first on the header: no record can be moved, left out,
 * doubled, or come from another run.
 *  3. Record 0 is the head, and there is no other. All others are commits and continuations.
 *  4. A record is trusted if and only if its length, type, place, checksum and contents hold, and those of all records
 *     before it do. What is not trusted is a tail, which a reader ignores and a writer cuts off.
 *
 * What records mean
 *  5. A commit's number is 1 more than that of the commit it follows. A continuation names the commit from which the
 *     run went on (0: none, from the start); commits with higher numbers then never were, and the next one has that
 *     number plus 1. So the commits that count are always numbered 1, 2, … n.
 *  6. Nothing but a continuation follows a commit that is the end.
 *
 * The protocol
 *  7. The journal comes under its name only when its head is on the disk, and `create` returns when the name is, too.
 *     A file without a trusted head is therefore damaged, never merely young.
 *  8. A commit is appended only after all that it refers to is on the disk (its caller's duty), and what only older
 *     commits need is removed only after the append has returned. So what the last trusted commits refer to is there.
 *  9. Bytes that are trusted are never written again. Appending ends with a sync; before the first append to a file
 *     with a tail the tail is cut off, and that is synced, so that no old record can come to follow a new one.
 * 10. After a write or a sync has failed nobody knows what is on the disk: the journal takes no further record. The
 *     next process reads it, and trusts what is there.
 * 11. Whatever is appended was first read back from memory by the code that reads files: nothing is written that will
 *     not be trusted.
 * 12. One process at a time writes (drive/lock.h). Anyone may read at any time; a reader may meet a record that is
 * being appended, which is a tail to it. */
#include "drive/journal.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/file.h"
#include "drive/journal_record.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct verso_journal {
    verso_file file;
    verso_identity chain; /* of the last record */
    uint64_t records, commits;
    bool done;
    verso_error failure; /* of the first append that failed; OK: none has */
    unsigned char *record;
    size_t capacity; /* of `record` */
    char path[];
};

static verso_status make_journal(const verso_system *system, const char *path, verso_journal **made,
                                 verso_error *error) {
    size_t length = strlen(path);
    verso_journal *journal = verso_alloc(1, sizeof *journal + length + 1);
    if (journal == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory to write the journal '%s'", path);
    memcpy(journal->path, path, length + 1);
    journal->file = (verso_file){system, journal->path, -1};
    *made = journal;
    return VERSO_OK;
}

void verso_journal_close(verso_journal *journal) {
    if (journal == NULL)
        return;
    (void)verso_file_close(&journal->file, NULL); /* all that matters has been synced */
    verso_dealloc(journal->record);
    verso_dealloc(journal);
}

/* Room for a record; its payload goes to record + VERSO_RECORD_BEFORE. */
static verso_status reserve(verso_journal *journal, size_t payload_size, verso_error *error) {
    size_t size = VERSO_RECORD_FRAME + payload_size;
    if (size <= journal->capacity)
        return VERSO_OK;
    unsigned char *record = verso_realloc(journal->record, size, 1);
    if (record == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a record of %zu bytes", size);
    journal->record = record;
    journal->capacity = size;
    return VERSO_OK;
}

static verso_status append(verso_journal *journal, verso_record_type type, size_t payload_size, verso_error *error) {
    verso_identity chain = journal->chain;
    verso_record_seal(journal->record, type, journal->records, payload_size, &chain);
    verso_status status =
        verso_file_write(&journal->file, journal->record, VERSO_RECORD_FRAME + payload_size, &journal->failure);
    if (status == VERSO_OK)
        status = verso_file_sync(&journal->file, &journal->failure);
    if (status != VERSO_OK)
        return verso_fail(error, status, "%s", journal->failure.message);
    journal->chain = chain;
    journal->records++;
    return VERSO_OK;
}

verso_status verso_journal_commit(verso_journal *journal, const verso_commit *commit, bool done, verso_error *error) {
    if (journal->failure.status != VERSO_OK)
        return verso_fail(error, journal->failure.status, "%s", journal->failure.message);
    if (journal->done)
        return verso_fail(error, VERSO_STATE, "the journal '%s' already has its end", journal->path);
    if (commit->number != journal->commits + 1)
        return verso_fail(error, VERSO_INVALID, "restart point %llu cannot follow restart point %llu",
                          (unsigned long long)commit->number, (unsigned long long)journal->commits);
    size_t size = verso_record_commit_size(commit);
    verso_status status = reserve(journal, size, error);
    if (status != VERSO_OK)
        return status;
    verso_record record = {VERSO_RECORD_COMMIT, journal->record + VERSO_RECORD_BEFORE, size};
    verso_commit again;
    bool done_again;
    verso_record_put_commit(journal->record + VERSO_RECORD_BEFORE, commit, done);
    if (!verso_record_get_commit(&record, &again, &done_again))
        return verso_fail(error, VERSO_INVALID, "restart point %llu contradicts itself",
                          (unsigned long long)commit->number);
    status = append(journal, VERSO_RECORD_COMMIT, size, error);
    if (status == VERSO_OK) {
        journal->commits++;
        journal->done = done;
    }
    return status;
}

/* ---- A new one ---- */

static verso_status refuse_existing(const verso_system *system, const char *path, verso_error *error) {
    verso_file file;
    verso_error absent;
    verso_status status = verso_journal_open_existing(system, path, O_RDONLY, &file, &absent);
    if (status == VERSO_STATE)
        return VERSO_OK;
    if (status != VERSO_OK)
        return verso_fail(error, status, "%s", absent.message);
    (void)verso_file_close(&file, NULL);
    return verso_fail(error, VERSO_STATE, "there is a journal '%s' already", path);
}

static verso_status write_header(verso_journal *journal, verso_error *error) {
    unsigned char header[VERSO_JOURNAL_HEADER];
    verso_journal_put_header(header);
    journal->chain = verso_checksum_wide(header, sizeof header);
    return verso_file_write(&journal->file, header, sizeof header, error);
}

static verso_status write_head(verso_journal *journal, const verso_journal_head *head, verso_error *error) {
    size_t size = verso_record_head_size(head);
    verso_status status = reserve(journal, size, error);
    if (status != VERSO_OK)
        return status;
    verso_record record = {VERSO_RECORD_HEAD, journal->record + VERSO_RECORD_BEFORE, size};
    verso_journal_head again;
    verso_record_put_head(journal->record + VERSO_RECORD_BEFORE, head);
    if (!verso_record_get_head(&record, &again))
        return verso_fail(error, VERSO_INVALID, "the head of the journal '%s' contradicts itself", journal->path);
    return append(journal, VERSO_RECORD_HEAD, size, error);
}

static verso_status take_name(verso_journal *journal, const char *temporary, verso_error *error) {
    const verso_system *system = journal->file.system;
    char *directory = verso_path_parent(journal->path);
    if (directory == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory to write the journal '%s'", journal->path);
    verso_status status = verso_file_rename(system, temporary, journal->path, error);
    if (status == VERSO_OK) {
        status = verso_directory_sync(system, directory, error);
        if (status != VERSO_OK) /* as if it had not been begun: the next attempt begins afresh */
            (void)verso_file_remove(system, journal->path, NULL);
    }
    verso_dealloc(directory);
    return status;
}

static verso_status write_new(verso_journal *journal, const verso_journal_head *head, const char *temporary,
                              verso_error *error) {
    const verso_system *system = journal->file.system;
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND;
    verso_status status = verso_file_open(system, temporary, flags, &journal->file, error);
    if (status != VERSO_OK)
        return status;
    status = write_header(journal, error);
    if (status == VERSO_OK)
        status = write_head(journal, head, error);
    if (status == VERSO_OK)
        status = take_name(journal, temporary, error);
    if (status != VERSO_OK)
        (void)verso_file_remove(system, temporary, NULL);
    journal->file.path = journal->path;
    return status;
}

verso_status verso_journal_create(const verso_system *system, const char *path, const verso_journal_head *head,
                                  verso_journal **journal, verso_error *error) {
    *journal = NULL;
    verso_status status = refuse_existing(system, path, error);
    if (status != VERSO_OK)
        return status;
    size_t length = strlen(path);
    char *temporary = verso_alloc(length + sizeof ".new", 1);
    if (temporary == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory to write the journal '%s'", path);
    memcpy(temporary, path, length);
    memcpy(temporary + length, ".new", sizeof ".new");
    verso_journal *made = NULL;
    status = make_journal(system, path, &made, error);
    if (status == VERSO_OK)
        status = write_new(made, head, temporary, error);
    verso_dealloc(temporary);
    if (status == VERSO_OK)
        *journal = made;
    else
        verso_journal_close(made);
    return status;
}

/* ---- One that is there ---- */

/* Leaves the trusted bytes and nothing behind them. */
static verso_status cut_tail(verso_file *file, const verso_journal_contents *contents, verso_error *error) {
    uint64_t size;
    verso_status status = verso_file_size(file, &size, error);
    if (status != VERSO_OK)
        return status;
    if (size != contents->bytes)
        return verso_fail(error, VERSO_STATE, "the journal '%s' has changed since it was read", file->path);
    if (contents->trusted == contents->bytes)
        return VERSO_OK;
    int result;
    do
        result = file->system->truncate(file->system, file->handle, (off_t)contents->trusted);
    while (result != 0 && errno == EINTR);
    return result == 0 ? verso_file_sync(file, error) : verso_file_error(error, "truncate", file->path);
}

static verso_status go_on(verso_journal *journal, const verso_journal_contents *contents, size_t from,
                          verso_error *error) {
    verso_status status =
        verso_journal_open_existing(journal->file.system, journal->path, O_WRONLY | O_APPEND, &journal->file, error);
    if (status == VERSO_OK)
        status = cut_tail(&journal->file, contents, error);
    if (status == VERSO_OK)
        status = reserve(journal, VERSO_RECORD_CONTINUED_SIZE, error);
    if (status != VERSO_OK)
        return status;
    verso_continued continued = {
        .from = from < contents->commit_count ? contents->commits[from].number : 0,
        .date = verso_date(),
        .pid = (uint64_t)getpid(),
    };
    journal->chain = contents->chain;
    journal->records = contents->records;
    journal->commits = continued.from;
    verso_record_put_continued(journal->record + VERSO_RECORD_BEFORE, &continued);
    return append(journal, VERSO_RECORD_CONTINUED, VERSO_RECORD_CONTINUED_SIZE, error);
}

verso_status verso_journal_continue(const verso_system *system, const char *path,
                                    const verso_journal_contents *contents, size_t from, verso_journal **journal,
                                    verso_error *error) {
    *journal = NULL;
    if (from > contents->commit_count)
        return verso_fail(error, VERSO_INVALID, "the journal '%s' has only %zu restart points to go back to", path,
                          contents->commit_count);
    verso_journal *made = NULL;
    verso_status status = make_journal(system, path, &made, error);
    if (status == VERSO_OK)
        status = go_on(made, contents, from, error);
    if (status == VERSO_OK)
        *journal = made;
    else
        verso_journal_close(made);
    return status;
}
