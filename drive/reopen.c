/* The directory of a durable run: begins a new run in it, or continues one from a restart point.
 *
 *     DIRECTORY/lock       held by the process that runs
 *     DIRECTORY/journal    restart points (journal.c)
 *     DIRECTORY/capsules/  states and adjoints (store/)
 *
 * A new run makes x_0 durable before it creates the journal. A directory without a journal is not a run, and
 * capsules in it are removed. A crash at any instant therefore leaves a valid directory. */
#include "base/alloc.h"
#include "base/checksum.h"
#include "base/file.h"
#include "base/wide.h"
#include "drive/inside.h"
#include "drive/journal_record.h"
#include "store/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- Vault ---- */

typedef struct listing {
    verso__drive *drive;
    verso_error *error;
} listing;

static verso_status list_state(void *context, const verso_capsule_name *name) {
    listing *list = context;
    verso__vault_entry *entry;
    if (name->kind != VERSO_CAPSULE_STATE)
        return VERSO_STATUS_OK;
    return verso__vault_add(list->drive, name->step, &entry, list->error);
}

verso_status verso__open_vault(verso__drive *drive, verso_error *error) {
    const verso_run_options *options = drive->options;
    verso_file_store_options files = {
        .directory = drive->capsules_path,
        .program = drive->program->identity,
        .run = drive->head.run,
        .memory = drive->vault_memory,
        .disk = options->disk,
        .compression = options->compression,
        .durable = drive->durable,
        .foreground = options->foreground,
    };
    verso_status status = verso__worker_new(options->foreground, &drive->worker, error);
    if (status == VERSO_STATUS_OK)
        status = verso__store_file_open_with(&files, drive->worker, &drive->vault.store, error);
    if (status == VERSO_STATUS_OK)
        status =
            drive->vault.store.operations->list(drive->vault.store.self, list_state, &(listing){drive, error}, error);
    return status;
}

/* ---- A new run ---- */

/* It need not be secret, only different from that of every other run. */
verso_identity verso__new_run(const verso__drive *drive) {
    const double dates[] = {verso__date(), verso__now()};
    const uint64_t facts[] = {(uint64_t)getpid(), (uint64_t)(uintptr_t)drive, (uint64_t)(uintptr_t)&dates};
    return verso__checksum_chain(verso__checksum_wide(dates, sizeof dates), facts, sizeof facts);
}

/* Computes the checksum of x_0. The program must be at x_0. */
static verso_status checksum_of_start(verso__drive *drive, verso_identity *checksum, verso_error *error) {
    const verso_program *program = drive->program;
    size_t size = program->operations->capsule_size(program->self, VERSO_CAPSULE_STATE);
    void *bytes = verso__alloc(size, 1);
    if (bytes == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a state of %zu bytes", size);
    verso_status status = program->operations->capture(program->self, VERSO_CAPSULE_STATE, bytes, size, error);
    if (status == VERSO_STATUS_OK)
        *checksum = verso__checksum_wide(bytes, size);
    verso__dealloc(bytes);
    return status;
}

static verso_status keep_start(verso__drive *drive, verso_error *error) {
    verso__vault_entry *entry;
    verso_status status = verso__vault_put(drive, 0, true, &entry, error);
    if (status == VERSO_STATUS_OK)
        verso__vault_keep(drive, entry);
    return status;
}

verso_status verso__begin(verso__drive *drive, verso_error *error) {
    verso__journal_head *head = &drive->head;
    head->program = drive->program->identity;
    head->started = verso__date();
    head->capsule_size = drive->capsule_size;
    head->adjoint_size = drive->adjoint_size;
    memcpy(head->reason, drive->reason, sizeof head->reason);
    for (size_t tier = 0; tier < drive->tier_count; tier++)
        head->places[tier] = drive->tiers[tier] == &drive->vault.store ? VERSO_PLACE_FILES : VERSO_PLACE_MEMORY;
    verso_status status = checksum_of_start(drive, &head->base, error);
    if (status == VERSO_STATUS_OK)
        status = keep_start(drive, error);
    if (status == VERSO_STATUS_OK)
        status = verso__drive_drain(drive, error);
    if (status == VERSO_STATUS_OK)
        status = verso__journal_create(drive->system, drive->journal_path, head, &drive->journal, error);
    return status == VERSO_STATUS_OK ? verso__restart_commit(drive, VERSO_COMMIT_GOING_ON, error) : status;
}

/* ---- Which restart point ---- */

/* Tries to use a restart point: loads its schedule and its adjoint. */
static verso_status try_commit(verso__drive *drive, const verso__commit *commit, verso_error *error) {
    verso_error why = {0};
    verso_schedule *schedule = NULL;
    verso_status status = verso_schedule_load(commit->cursor, commit->cursor_size, &schedule, &why);
    if (status == VERSO_STATUS_OK && !verso__commit_fits(commit, schedule))
        status = verso__fail(&why, VERSO_STATUS_CORRUPT, "restart point %llu of '%s' does not fit its schedule",
                             (unsigned long long)commit->number, drive->journal_path);
    if (status == VERSO_STATUS_OK && commit->adjoint != VERSO_UNKNOWN) {
        verso_capsule_name name = {VERSO_CAPSULE_ADJOINT, commit->adjoint, 0};
        status = verso__resume_from(drive, &drive->vault.store, &name, &why);
    }
    if (status == VERSO_STATUS_OK) {
        verso_schedule_free(drive->schedule);
        drive->schedule = schedule;
        return VERSO_STATUS_OK;
    }
    verso_schedule_free(schedule);
    if (error != NULL)
        *error = why;
    return status;
}

/* Finds the newest usable restart point with a number of at most `limit`; *index = commit_count if there is none.
 * If a file could not be read (VERSO_STATUS_IO) and no older restart point is usable, returns that error instead of
 * giving up all restart points, because the failure may be temporary. */
static verso_status newest_usable(verso__drive *drive, const verso__journal_contents *contents, uint64_t limit,
                                  size_t *index, verso_error *error) {
    verso_error unreadable = {0};
    for (*index = 0; *index < contents->commit_count; ++*index) {
        verso_error why = {0};
        if (contents->commits[*index].number > limit)
            continue;
        verso_status status = try_commit(drive, &contents->commits[*index], &why);
        if (status == VERSO_STATUS_OK)
            return VERSO_STATUS_OK;
        if (!verso__is_lost(status))
            return verso__fail(error, status, "%s", why.message);
        verso__drive_warn(drive, "%s; the restart point before it is used", why.message);
        if (status == VERSO_STATUS_IO)
            unreadable = why;
    }
    if (unreadable.status != VERSO_STATUS_OK && error != NULL)
        *error = unreadable;
    return unreadable.status;
}

/* Sets *same to whether `value` is the same in all processes of the group. */
static verso_status same_for_all(verso__drive *drive, uint64_t value, bool *same, verso_error *error) {
    uint64_t low = value, below_high = ~value;
    verso_status status = verso__drive_least(drive, &low, error);
    if (status == VERSO_STATUS_OK)
        status = verso__drive_least(drive, &below_high, error);
    *same = low == ~below_high;
    return status;
}

/* Returns a checksum of the restart point's position in the schedule. In a group, restart points with the same
 * number have the same position, unless a directory is an old copy. */
static uint64_t place_of_commit(const verso__commit *commit) {
    const verso_action *pending = &commit->pending;
    const uint64_t facts[] = {commit->adjoint, pending->kind, pending->tier, pending->slot, pending->from, pending->to};
    return verso__checksum_chain(verso__checksum_wide(commit->cursor, commit->cursor_size), facts, sizeof facts)
        .words[0];
}

/* Finds the newest restart point that all processes of the group can use; *index = commit_count if there is none. */
static verso_status agree_on_commit(verso__drive *drive, const verso__journal_contents *contents, size_t *index,
                                    verso_error *error) {
    for (uint64_t limit = UINT64_MAX;;) {
        verso_status status = newest_usable(drive, contents, limit, index, error);
        uint64_t number = *index < contents->commit_count ? contents->commits[*index].number : 0;
        limit = number;
        if (status == VERSO_STATUS_OK)
            status = verso__drive_least(drive, &limit, error);
        bool agreed = limit == number;
        if (status == VERSO_STATUS_OK)
            status = verso__drive_all(drive, &agreed, error);
        if (status == VERSO_STATUS_OK && agreed && number > 0) {
            status = same_for_all(drive, place_of_commit(&contents->commits[*index]), &agreed, error);
            limit -= !agreed;
        }
        if (status != VERSO_STATUS_OK || agreed)
            return status;
    }
}

/* ---- Continuing ---- */

static verso_status check_head(verso__drive *drive, const verso__journal_head *head, verso_error *error) {
    const char *directory = drive->directory;
    if (!verso__identity_equal(head->program, drive->program->identity))
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "the run in '%s' belongs to another program, or to other inputs; nothing was changed. Use "
                           "another directory, or remove this one to give that run up",
                           directory);
    if (head->adjoint_size != drive->adjoint_size)
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "the run in '%s' has adjoints of %llu bytes, this program of %zu; nothing was changed. Use "
                           "another directory, or remove this one to give that run up",
                           directory, (unsigned long long)head->adjoint_size, drive->adjoint_size);
    verso_identity start;
    verso_status status = checksum_of_start(drive, &start, error);
    if (status == VERSO_STATUS_OK && !verso__identity_equal(start, head->base))
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "the run in '%s' began from another state than this program does; nothing was changed. Use "
                           "another directory, or remove this one to give that run up",
                           directory);
    return status;
}

/* Adjoints found in the vault. There are more than fit here only after a fault; the rest is found at the next
 * restart. */
typedef struct listed_adjoints {
    uint64_t steps[4 * VERSO_COMMITS_KEPT];
    size_t count;
} listed_adjoints;

static verso_status list_adjoint(void *context, const verso_capsule_name *name) {
    listed_adjoints *listed = context;
    if (name->kind == VERSO_CAPSULE_ADJOINT && listed->count < sizeof listed->steps / sizeof *listed->steps)
        listed->steps[listed->count++] = name->step;
    return VERSO_STATUS_OK;
}

static bool is_needed_by_commit(const verso__journal_contents *contents, size_t from, uint64_t step) {
    for (size_t i = from; i < contents->commit_count; i++)
        if (contents->commits[i].adjoint == step)
            return true;
    return false;
}

/* Removes adjoint capsules of restart points that were never written or are given up, because new ones could have
 * the same names. Fills adjoint_stored with the others, newest first: since adjoints go backwards, the newest has
 * the least step. */
static verso_status sort_adjoints(verso__drive *drive, const verso__journal_contents *contents, size_t from,
                                  verso_error *error) {
    const verso_store *store = &drive->vault.store;
    listed_adjoints listed = {0};
    size_t stored = 0;
    verso_status status = store->operations->list(store->self, list_adjoint, &listed, error);
    for (size_t i = 0; i < listed.count && status == VERSO_STATUS_OK; i++) {
        verso_capsule_name name = {VERSO_CAPSULE_ADJOINT, listed.steps[i], 0};
        if (is_needed_by_commit(contents, from, listed.steps[i]) && stored < verso__adjoints_kept(drive))
            drive->adjoint_stored[stored++] = listed.steps[i];
        else
            status = store->operations->discard(store->self, &name, error);
    }
    return status;
}

/* Writes x_0 again if its file is damaged or missing. This is safe because the checksum of the program's start has
 * just been compared. */
static verso_status repair_start(verso__drive *drive, verso_error *error) {
    const verso_store *store = &drive->vault.store;
    verso_capsule_name name = {VERSO_CAPSULE_STATE, 0, 0};
    verso__vault_entry *entry = verso__vault_find(drive, 0);
    verso_status status = VERSO_STATUS_OK;
    if (entry != NULL) {
        const void *bytes;
        size_t size;
        verso_error why = {0};
        if (store->operations->borrow(store->self, &name, &bytes, &size, &why) == VERSO_STATUS_OK)
            store->operations->release(store->self, &name);
        else {
            verso__drive_warn(drive, "%s; it is written again", why.message);
            status = verso__vault_lose(drive, entry, error);
        }
    }
    return status == VERSO_STATUS_OK ? keep_start(drive, error) : status;
}

/* Refuses to continue if the program's number of steps has changed. */
static verso_status check_steps(const verso__drive *drive, verso_error *error) {
    uint64_t planned = verso_schedule_get_spec(drive->schedule)->steps, now = drive->program->steps;
    if (planned == now)
        return VERSO_STATUS_OK;
    char before[32] = "an unknown number of", here[32] = "an unknown number";
    if (planned != VERSO_UNKNOWN)
        snprintf(before, sizeof before, "%llu", (unsigned long long)planned);
    if (now != VERSO_UNKNOWN)
        snprintf(here, sizeof here, "%llu", (unsigned long long)now);
    return verso__fail(
        error, VERSO_STATUS_INVALID,
        "the run in '%s' has %s steps, this program %s; nothing was changed. Use another directory, or remove "
        "this one to give that run up",
        drive->directory, before, here);
}

static void raise_word(uint64_t *count, uint64_t least) {
    *count = *count > least ? *count : least;
}

static void raise_wide(verso__wide *count, verso__wide least) {
    *count = *count > least ? *count : least;
}

/* Raises `counts`, those of the restart point from which the run continues, to `done`: what was done up to the
 * newest restart point, or up to the last note of a process that died. The difference is counted as lost. */
static void count_all(verso__counts *counts, const verso__counts *done) {
    verso__wide before = counts->forward_steps + counts->reversed_steps;
    raise_wide(&counts->forward_steps, done->forward_steps);
    raise_wide(&counts->reversed_steps, done->reversed_steps);
    raise_wide(&counts->recovered_steps, done->recovered_steps);
    counts->lost_steps += counts->forward_steps + counts->reversed_steps - before;
    raise_word(&counts->recovered_capsules, done->recovered_capsules);
    for (size_t tier = 0; tier < VERSO_TIERS_MAX; tier++) {
        raise_word(&counts->writes[tier], done->writes[tier]);
        raise_word(&counts->reads[tier], done->reads[tier]);
    }
    raise_word(&counts->adjoint_stores, done->adjoint_stores);
    counts->seconds = counts->seconds > done->seconds ? counts->seconds : done->seconds;
}

static void continue_from(verso__drive *drive, const verso__journal_contents *contents, size_t index) {
    const verso__commit *commit = &contents->commits[index];
    drive->restarts = contents->restarts + 1;
    drive->commit_number = commit->number;
    drive->counts = commit->counts;
    count_all(&drive->counts, &contents->commits[0].counts);
    const verso__counts *noted = verso__lock_counts(drive->lock, contents->head.run);
    if (noted != NULL)
        count_all(&drive->counts, noted);
    drive->adjoint = commit->adjoint;
    drive->pending = commit->pending;
    memcpy(drive->reason, contents->head.reason, sizeof drive->reason);
    drive->from = index;
}

static void report_tail(verso__drive *drive, const verso__journal_contents *contents) {
    if (contents->trusted < contents->bytes)
        verso__drive_warn(drive, "the journal '%s' ends in %llu bytes that are torn or damaged; they are cut off%s",
                          drive->journal_path, (unsigned long long)(contents->bytes - contents->trusted),
                          contents->damaged ? ", and kept as journal.damaged" : "");
}

static void report_position(verso__drive *drive, const verso__commit *commit) {
    if (commit->adjoint != VERSO_UNKNOWN)
        verso__drive_notice(drive, "the run in '%s' is continued: the adjoint is at step %llu", drive->directory,
                            (unsigned long long)commit->adjoint);
    else
        verso__drive_notice(drive, "the run in '%s' is continued: the first sweep had reached step %llu",
                            drive->directory, (unsigned long long)commit->counts.reached);
}

static void report_working(verso__drive *drive, const verso__commit *commit) {
    if (commit->working != VERSO_UNKNOWN && verso__vault_find(drive, commit->working) == NULL)
        verso__drive_warn(drive, "x_%llu should be in '%s' and is not; it is computed again",
                          (unsigned long long)commit->working, drive->capsules_path);
}

/* Reports that the run continues with its own schedule if the options ask for another one: a schedule cannot be
 * changed in the middle of a run. */
static void report_schedule(verso__drive *drive) {
    const verso_schedule_spec *played = verso_schedule_get_spec(drive->schedule), *given = &drive->options->spec;
    if (drive->options->automatic ||
        (played->kind == given->kind && (given->slots == 0 || played->slots == given->slots)))
        return;
    verso__drive_notice(drive, "the run in '%s' began with %s on %llu slots and continues with that", drive->directory,
                        verso_kind_word(played->kind), (unsigned long long)played->slots);
}

/* Sets the journal aside because it cannot be used. The run then begins anew. */
static verso_status give_up(verso__drive *drive, const char *why, verso_error *error) {
    verso__drive_warn(drive, "%s; the run in '%s' begins anew, and its journal stays as journal.damaged", why,
                      drive->directory);
    drive->begun_anew++;
    char *aside = verso__path_join(drive->directory, "journal.damaged");
    verso_status status = aside != NULL ? verso__file_rename(drive->system, drive->journal_path, aside, error)
                                        : verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a path");
    verso__dealloc(aside);
    return status == VERSO_STATUS_OK ? verso__directory_sync(drive->system, drive->directory, error) : status;
}

static verso_status reopen_with(verso__drive *drive, const verso__journal_contents *contents, bool *continued,
                                bool *done, verso_error *error) {
    size_t index;
    report_tail(drive, contents);
    verso_status status = verso__open_vault(drive, error);
    if (status == VERSO_STATUS_OK)
        status = agree_on_commit(drive, contents, &index, error);
    if (status != VERSO_STATUS_OK)
        return status;
    *continued = index < contents->commit_count;
    if (!*continued)
        return give_up(drive, "no restart point can be used", error);
    status = check_steps(drive, error);
    if (status != VERSO_STATUS_OK)
        return status;
    *done = contents->done && index == 0;
    if (*done) {
        drive->adjoint = contents->commits[0].adjoint;
        drive->counts = contents->commits[0].counts;
        drive->restarts = contents->restarts;
        memcpy(drive->reason, contents->head.reason, sizeof drive->reason);
        /* removes what a process left that died at the very end */
        return verso__vault_clear(drive, drive->adjoint, error);
    }
    continue_from(drive, contents, index);
    return VERSO_STATUS_OK;
}

/* Sets *there to whether all processes of the group have a journal of the same run. If not, all begin anew, because
 * the others cannot continue without the lost part. */
static verso_status agree_on_run(verso__drive *drive, bool *there, verso_error *error) {
    bool here = *there, same = true;
    verso_status status = verso__drive_all(drive, there, error);
    for (size_t i = 0; i < 2 && status == VERSO_STATUS_OK && *there; i++) {
        status = same_for_all(drive, drive->head.run.words[i], &same, error);
        *there = same;
    }
    return status == VERSO_STATUS_OK && here && !*there
               ? give_up(drive, "another process of the group has lost its part", error)
               : status;
}

/* Prepares a new run with an empty vault and a new identity. */
static verso_status begin_anew(verso__drive *drive, verso_error *error) {
    verso_schedule_free(drive->schedule); /* loaded from a restart point that others could not use */
    drive->schedule = NULL;
    verso__vault_free(drive);
    verso__worker_free(drive->worker);
    drive->worker = NULL;
    drive->vault = (verso__vault){0};
    drive->head = (verso__journal_head){.run = verso__new_run(drive)};
    verso_status status = VERSO_STATUS_OK;
    for (size_t i = 0; i < 2 && status == VERSO_STATUS_OK; i++)
        status = verso__drive_least(drive, &drive->head.run.words[i], error);
    if (status == VERSO_STATUS_OK)
        status = verso__remove_strays(drive, error);
    if (status == VERSO_STATUS_OK)
        status = verso__open_vault(drive, error);
    return status == VERSO_STATUS_OK ? verso__vault_clear(drive, VERSO_UNKNOWN, error) : status;
}

static verso_status no_memory(verso_error *error) {
    return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the names of a run's files");
}

static verso_status take_directory(verso__drive *drive, verso_error *error) {
    const char *directory = drive->directory;
    drive->lock_path = verso__path_join(directory, "lock");
    drive->journal_path = verso__path_join(directory, "journal");
    if (drive->lock_path == NULL || drive->journal_path == NULL)
        return no_memory(error);
    verso_status status = verso__directory_make(drive->system, directory, true, error);
    if (status == VERSO_STATUS_OK)
        status = verso__lock_take(drive->system, drive->lock_path, &drive->lock, error);
    return status == VERSO_STATUS_OK /* files behind a link could belong to something else */
               ? verso__directory_refuse_link(drive->system, drive->capsules_path, error)
               : status;
}

verso_status verso__refuse_run(verso__drive *drive, verso_error *error) {
    bool holds;
    verso_status status = verso__holds_run(drive->system, drive->directory, &holds, error);
    if (status != VERSO_STATUS_OK || !holds)
        return status;
    return verso__fail(error, VERSO_STATUS_INVALID,
                       "'%s' contains a durable run and cannot be used as scratch; use another directory",
                       drive->directory);
}

verso_status verso__reopen(verso__drive *drive, bool *continued, bool *done, verso_error *error) {
    verso__journal_contents *contents = &drive->contents;
    verso_error why = {0};
    *continued = *done = false;
    verso_status status = take_directory(drive, error);
    if (status != VERSO_STATUS_OK)
        return status;
    status = verso__journal_read(drive->system, drive->journal_path, contents, &why);
    bool there = status == VERSO_STATUS_OK;
    if (status == VERSO_STATUS_CORRUPT)
        return verso__fail(error, status,
                           "%.250s; nothing was changed. Restore it from a copy, or remove '%.150s' to begin anew",
                           why.message, drive->directory);
    if (status != VERSO_STATUS_OK && status != VERSO_STATUS_STATE)
        return verso__fail(error, status, "%s", why.message);
    status = VERSO_STATUS_OK;
    if (there) {
        drive->head = contents->head;
        status = check_head(drive, &contents->head, error);
    }
    if (status == VERSO_STATUS_OK)
        status = agree_on_run(drive, &there, error);
    if (status == VERSO_STATUS_OK && there)
        status = reopen_with(drive, contents, continued, done, error);
    return status == VERSO_STATUS_OK && !*continued ? begin_anew(drive, error) : status;
}

/* Sets a slot of the restart point to PRESENT or MISSING, and reports a missing state. */
static verso_status reopen_slot(verso__drive *drive, const verso__live *live, verso_error *error) {
    const verso_store *store = drive->tiers[live->tier];
    bool in_vault = store == &drive->vault.store;
    verso__vault_entry *entry = verso__vault_find(drive, live->from);
    bool there = in_vault && entry != NULL;
    if (entry == NULL && (in_vault || drive->contents.commits[drive->from].suspended))
        verso__drive_warn(drive, "x_%llu should be in '%s' and is not; it is computed again when it is needed",
                          (unsigned long long)live->from, drive->capsules_path);
    if (in_vault && entry != NULL)
        entry->live++;
    return verso__slots_set(drive, live, there ? VERSO_SLOT_PRESENT : VERSO_SLOT_MISSING, error);
}

verso_status verso__reopen_slots(verso__drive *drive, verso_error *error) {
    verso__journal_contents *contents = &drive->contents;
    const verso__commit *commit = &contents->commits[drive->from];
    verso_status status =
        verso__journal_continue(drive->system, drive->journal_path, contents, drive->from, &drive->journal, error);
    if (status == VERSO_STATUS_OK) { /* report this only now that nothing can be refused any more */
        report_position(drive, commit);
        report_working(drive, commit);
        report_schedule(drive);
        status = sort_adjoints(drive, contents, drive->from, error);
    }
    if (status == VERSO_STATUS_OK)
        status = repair_start(drive, error);
    for (size_t i = 0; i < commit->live_count && status == VERSO_STATUS_OK; i++)
        status = reopen_slot(drive, &commit->live[i], error);
    verso__journal_contents_free(contents);
    for (size_t i = 0; i < drive->vault.count; i++) {
        verso__vault_entry *entry = &drive->vault.entries[i];
        if (entry->live == 0 && !entry->kept) {
            entry->kept = true;
            drive->vault.kept++;
        }
    }
    if (status == VERSO_STATUS_OK)
        status = verso__vault_sweep(drive, error);
    drive->leftovers = drive->vault.kept > 0;
    return status == VERSO_STATUS_OK ? verso__drive_any(drive, &drive->leftovers, error) : status;
}

void verso__reopen_close(verso__drive *drive) {
    verso__journal_close(drive->journal);
    verso__lock_release(drive->lock);
    verso__journal_contents_free(&drive->contents);
    verso__dealloc(drive->directory);
    verso__dealloc(drive->lock_path);
    verso__dealloc(drive->journal_path);
    verso__dealloc(drive->capsules_path);
}
