/* The journal of a durable run: what it is, and appending to it. Reading is in journal_read.c, whole files at once
 * (new ones, compacted ones) in journal_whole.c.
 *
 * The file
 *  1. It begins with three words: a magic number, the version of the format, and the XXH3-64 of both. This much is the
 *     same in every version, so that an older Verso can say that a newer one wrote the file.
 *  2. Records follow without gaps (journal_record.c has their bytes). Each carries its place, 0, 1, 2, …, and a
 *     checksum that is chained on the one before it, the first on the header: no record can be moved, left out,
 *     doubled, or come from another run.
 *  3. Record 0 is the head, and there is no other. Record 1 may say how much came earlier, which a compacted journal
 *     does not hold. All others are commits and continuations.
 *  4. A record is trusted if and only if its length, type, place, checksum and contents hold, and those of all records
 *     before it do. What is not trusted is a tail, which a reader ignores and a writer cuts off. A crash tears
 *     one record at most; a tail that is more than that is kept beside the journal before it is cut off.
 *
 * What records mean
 *  5. A commit's number is 1 more than that of the commit it follows; that of the first is 1 more than the number of
 *     those that came earlier. A continuation names the commit from which the run went on (0: none, from the start),
 *     which is in the file; commits with higher numbers then never were, and the next one has that number plus 1. So
 *     the commits of a run that count are always numbered 1, 2, … n, and the file holds the last of them.
 *  6. Nothing but a continuation follows a commit that is the end.
 *
 * The protocol
 *  7. A journal comes under its name only when it is on the disk, and its directory is synced before anything is done
 *     that relies on it. So at every instant a whole journal has the name, from the first one on; a file without a
 *     trusted head is damaged, never merely young.
 *  8. A commit is appended only after all that it refers to is on the disk (its caller's duty), and what only older
 *     commits need is removed only after the append has returned. So what the last trusted commits refer to is there.
 *  9. Bytes that are trusted are never written again. Appending ends with a sync; before the first append to a file
 *     with a tail the tail is cut off, and that is synced, so that no old record can come to follow a new one.
 * 10. After a write or a sync of the journal has failed nobody knows what is on the disk: it takes no further record.
 *     The next process reads it, and trusts what is there.
 * 11. Whatever is written was first read back from memory by the code that reads files: nothing is written that will
 *     not be trusted.
 * 12. One process at a time writes (drive/lock.h). Anyone may read at any time; a reader may meet a record that is
 *     being appended, which is a tail to it.
 * 13. A file that has grown beyond a limit, and beyond several times what matters of it, is compacted: a new one takes
 *     its place by 7, with the head, how much came earlier, the newest commits, and the continuation if nothing follows
 *     it. It is done after an append, so it holds all that was acknowledged, and whichever of the two is found after a
 *     crash will do. What fails before the new file may have the name concerns that file only (10 does not apply): it
 *     is removed, now or by the next process, the old one is appended to, and the next attempt is when that has
 *     doubled. */
#include "drive/journal.h"

#include "base/alloc.h"
#include "base/file.h"
#include "drive/journal_write.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* The path, and those of the files beside it, in one block. */
static verso_status make_journal(const verso_system *system, const char *path, verso_journal **made,
                                 verso_error *error) {
    size_t length = strlen(path), temporary = length + sizeof ".new", damaged = length + sizeof ".damaged";
    verso_journal *journal = verso_alloc(1, sizeof *journal + length + 1 + temporary + damaged);
    char *directory = verso_path_parent(path);
    if (journal == NULL || directory == NULL) {
        verso_dealloc(journal);
        verso_dealloc(directory);
        return verso_fail(error, VERSO_NO_MEMORY, "no memory to write the journal '%s'", path);
    }
    memcpy(journal->path, path, length + 1);
    journal->temporary = journal->path + length + 1;
    memcpy(journal->temporary, path, length);
    memcpy(journal->temporary + length, ".new", sizeof ".new");
    journal->damaged = journal->temporary + temporary;
    memcpy(journal->damaged, path, length);
    memcpy(journal->damaged + length, ".damaged", sizeof ".damaged");
    journal->directory = directory;
    journal->out.file = (verso_file){system, journal->path, -1};
    *made = journal;
    return VERSO_OK;
}

void verso_journal_close(verso_journal *journal) {
    if (journal == NULL)
        return;
    (void)verso_file_close(&journal->out.file, NULL); /* all that matters has been synced */
    for (size_t i = 0; i < journal->kept_count; i++)
        verso_dealloc(journal->kept[i].payload);
    verso_dealloc(journal->directory);
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
    verso_journal_output *out = &journal->out;
    size_t size = VERSO_RECORD_FRAME + payload_size;
    verso_identity chain = out->chain;
    verso_record_seal(journal->record, type, out->records, payload_size, &chain);
    verso_status status = verso_file_write(&out->file, journal->record, size, &journal->failure);
    if (status == VERSO_OK)
        status = verso_file_sync(&out->file, &journal->failure);
    if (status != VERSO_OK)
        return verso_fail(error, status, "%s", journal->failure.message);
    out->chain = chain;
    out->records++;
    out->bytes += size;
    return VERSO_OK;
}

/* The payload of a commit, in a block of its own. */
static verso_status encode(const verso_commit *commit, bool done, unsigned char **payload, verso_error *error) {
    size_t size = verso_record_commit_size(commit);
    *payload = verso_alloc(size, 1);
    if (*payload == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a restart point of %zu bytes", size);
    verso_record record = {VERSO_RECORD_COMMIT, *payload, size};
    verso_commit again;
    bool done_again;
    verso_record_put_commit(*payload, commit, done);
    if (verso_record_get_commit(&record, &again, &done_again))
        return VERSO_OK;
    verso_dealloc(*payload);
    return verso_fail(error, VERSO_INVALID, "restart point %llu contradicts itself",
                      (unsigned long long)commit->number);
}

static verso_status append_commit(verso_journal *journal, const unsigned char *payload, size_t size,
                                  verso_error *error) {
    verso_status status = reserve(journal, size, error);
    if (status != VERSO_OK)
        return status;
    memcpy(journal->record + VERSO_RECORD_BEFORE, payload, size);
    return append(journal, VERSO_RECORD_COMMIT, size, error);
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
    unsigned char *payload;
    verso_status status = encode(commit, done, &payload, error);
    if (status != VERSO_OK)
        return status;
    status = append_commit(journal, payload, size, error);
    if (status != VERSO_OK) {
        verso_dealloc(payload);
        return status;
    }
    verso_journal_keep(journal, payload, size, commit->adjoint);
    journal->commits++;
    journal->done = done;
    journal->continued = false;
    return verso_journal_compact(journal, error);
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

verso_status verso_journal_create(const verso_system *system, const char *path, const verso_journal_head *head,
                                  verso_journal **journal, verso_error *error) {
    *journal = NULL;
    verso_status status = refuse_existing(system, path, error);
    if (status != VERSO_OK)
        return status;
    verso_journal *made = NULL;
    status = make_journal(system, path, &made, error);
    if (status == VERSO_OK) {
        made->head = *head;
        status = verso_journal_write_first(made, error);
    }
    if (status == VERSO_OK)
        *journal = made;
    else
        verso_journal_close(made);
    return status;
}

/* ---- One that is there ---- */

static verso_status has_changed(const verso_file *file, verso_error *error) {
    return verso_fail(error, VERSO_STATE, "the journal '%s' has changed since it was read", file->path);
}

/* The bytes of `from` behind the first `skipped`. */
static verso_status copy_rest(verso_file *from, uint64_t skipped, verso_file *to, verso_error *error) {
    unsigned char bytes[8192];
    uint64_t rest = skipped;
    size_t got = 1;
    while (got > 0) {
        size_t size = rest > 0 && rest < sizeof bytes ? (size_t)rest : sizeof bytes;
        verso_status status = verso_file_read(from, bytes, size, &got, error);
        if (status == VERSO_OK && rest == 0)
            status = verso_file_write(to, bytes, got, error);
        if (status != VERSO_OK)
            return status;
        rest -= rest < got ? rest : got;
    }
    return rest == 0 ? VERSO_OK : has_changed(from, error);
}

/* On the disk, so that the tail can be cut off. */
static verso_status keep_tail(const verso_journal *journal, const verso_journal_contents *contents,
                              verso_error *error) {
    const verso_system *system = journal->out.file.system;
    verso_file from, to;
    verso_status status = verso_journal_open_existing(system, journal->path, O_RDONLY, &from, error);
    if (status != VERSO_OK)
        return status;
    status = verso_file_open(system, journal->damaged, O_WRONLY | O_CREAT | O_TRUNC, &to, error);
    if (status == VERSO_OK)
        status = copy_rest(&from, contents->trusted, &to, error);
    if (status == VERSO_OK)
        status = verso_file_sync(&to, error);
    if (status == VERSO_OK)
        status = verso_directory_sync(system, journal->directory, error);
    (void)verso_file_close(&to, NULL); /* which is synced, or will be written again */
    (void)verso_file_close(&from, NULL);
    return status;
}

/* Leaves the trusted bytes and nothing behind them. */
static verso_status cut_tail(verso_journal *journal, const verso_journal_contents *contents, verso_error *error) {
    verso_file *file = &journal->out.file;
    uint64_t size;
    verso_status status = verso_file_size(file, &size, error);
    if (status != VERSO_OK)
        return status;
    if (size != contents->bytes)
        return has_changed(file, error);
    if (contents->trusted == contents->bytes)
        return VERSO_OK;
    status = contents->damaged ? keep_tail(journal, contents, error) : VERSO_OK;
    if (status != VERSO_OK)
        return status;
    int result;
    do
        result = file->system->truncate(file->system, file->handle, (off_t)contents->trusted);
    while (result != 0 && errno == EINTR);
    return result == 0 ? verso_file_sync(file, error) : verso_file_error(error, "truncate", file->path);
}

/* What the journal knows once it has been continued from commits[from]. */
static verso_status take_contents(verso_journal *journal, const verso_journal_contents *contents, size_t from,
                                  verso_error *error) {
    journal->head = contents->head;
    journal->out.chain = contents->chain;
    journal->out.records = contents->records;
    journal->out.bytes = contents->trusted;
    journal->restarts = contents->restarts + 1;
    const verso_commit *commits = contents->commits + from;
    for (size_t i = verso_journal_kept_of(commits, contents->commit_count - from); i-- > 0;) {
        unsigned char *payload;
        verso_status status = encode(&commits[i], false, &payload, error);
        if (status != VERSO_OK)
            return status;
        verso_journal_keep(journal, payload, verso_record_commit_size(&commits[i]), commits[i].adjoint);
        journal->commits = commits[i].number;
    }
    journal->continued = true;
    journal->continuation = (verso_continued){journal->commits, verso_date(), (uint64_t)getpid()};
    return reserve(journal, VERSO_RECORD_CONTINUED_SIZE, error);
}

static verso_status go_on(verso_journal *journal, const verso_journal_contents *contents, size_t from,
                          verso_error *error) {
    const verso_system *system = journal->out.file.system;
    verso_status status = take_contents(journal, contents, from, error);
    if (status == VERSO_OK)
        status = verso_journal_open_existing(system, journal->path, O_WRONLY | O_APPEND, &journal->out.file, error);
    if (status == VERSO_OK)
        status = cut_tail(journal, contents, error);
    if (status != VERSO_OK)
        return status;
    verso_record_put_continued(journal->record + VERSO_RECORD_BEFORE, &journal->continuation);
    status = append(journal, VERSO_RECORD_CONTINUED, VERSO_RECORD_CONTINUED_SIZE, error);
    if (status != VERSO_OK)
        return status;
    (void)verso_file_remove(system, journal->temporary, NULL); /* of a process that died; the next one tries again */
    return verso_journal_compact(journal, error);
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
