/* The directory of a durable run: a new run in it, or continuing from a restart point.
 *
 *     DIRECTORY/lock       held by the process that is at work
 *     DIRECTORY/journal    restart points (journal.c)
 *     DIRECTORY/capsules/  states and adjoints (store/)
 *
 * The order in which a run begins makes every instant safe: x_0 is durable before the journal exists, and a directory
 * without a journal is no run: whatever capsules lie in it are removed. */
#include "base/alloc.h"
#include "base/checksum.h"
#include "base/file.h"
#include "drive/drive.h"
#include "drive/journal_record.h"
#include "store/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- Vault ---- */

typedef struct listing {
    verso_drive *drive;
    verso_error *error;
} listing;

static verso_status list_state(void *context, const verso_capsule_name *name) {
    listing *list = context;
    verso_vault_entry *entry;
    if (name->kind != VERSO_CAPSULE_STATE)
        return VERSO_OK;
    return verso_vault_add(list->drive, name->step, &entry, list->error);
}

verso_status verso_open_vault(verso_drive *drive, verso_error *error) {
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
        .system = drive->system,
    };
    verso_status status = verso_worker_new(options->foreground, &drive->worker, error);
    if (status == VERSO_OK)
        status = verso_store_file_open_with(&files, drive->worker, &drive->vault.store, error);
    if (status == VERSO_OK)
        status =
            drive->vault.store.operations->list(drive->vault.store.self, list_state, &(listing){drive, error}, error);
    return status;
}

/* ---- A new run ---- */

/* Not a secret: it must only differ from that of every other run. */
verso_identity verso_new_run(const verso_drive *drive) {
    const double dates[] = {verso_date(), verso_now()};
    const uint64_t facts[] = {(uint64_t)getpid(), (uint64_t)(uintptr_t)drive, (uint64_t)(uintptr_t)&dates};
    return verso_checksum_chain(verso_checksum_wide(dates, sizeof dates), facts, sizeof facts);
}

/* The program is at x_0. */
static verso_status checksum_of_start(verso_drive *drive, verso_identity *checksum, verso_error *error) {
    const verso_program *program = drive->program;
    size_t size = program->operations->capsule_size(program->self, VERSO_CAPSULE_STATE);
    void *bytes = verso_alloc(size, 1);
    if (bytes == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a state of %zu bytes", size);
    verso_status status = program->operations->capture(program->self, VERSO_CAPSULE_STATE, bytes, size, error);
    if (status == VERSO_OK)
        *checksum = verso_checksum_wide(bytes, size);
    verso_dealloc(bytes);
    return status;
}

static verso_status keep_start(verso_drive *drive, verso_error *error) {
    verso_vault_entry *entry;
    verso_status status = verso_vault_put(drive, 0, true, &entry, error);
    if (status == VERSO_OK)
        verso_vault_keep(drive, entry);
    return status;
}

verso_status verso_begin(verso_drive *drive, verso_error *error) {
    verso_journal_head *head = &drive->head;
    head->program = drive->program->identity;
    head->started = verso_date();
    head->capsule_size = drive->capsule_size;
    head->adjoint_size = drive->adjoint_size;
    memcpy(head->reason, drive->reason, sizeof head->reason);
    for (size_t tier = 0; tier < drive->tier_count; tier++)
        head->places[tier] = drive->tiers[tier] == &drive->vault.store ? VERSO_PLACE_FILES : VERSO_PLACE_MEMORY;
    verso_status status = checksum_of_start(drive, &head->base, error);
    if (status == VERSO_OK)
        status = keep_start(drive, error);
    if (status == VERSO_OK)
        status = verso_drive_drain(drive, error);
    if (status == VERSO_OK)
        status = verso_journal_create(drive->system, drive->journal_path, head, &drive->journal, error);
    return status == VERSO_OK ? verso_restart_commit(drive, VERSO_COMMIT_GOING_ON, error) : status;
}

/* ---- Which restart point ---- */

/* Its adjoint can be loaded, and is; its cursor makes sense, and is now the schedule. */
static verso_status try_commit(verso_drive *drive, const verso_commit *commit, verso_error *error) {
    verso_error why = {0};
    verso_schedule *schedule = NULL;
    verso_status status = verso_schedule_load(commit->cursor, commit->cursor_size, &schedule, &why);
    if (status == VERSO_OK && commit->adjoint != VERSO_UNKNOWN) {
        verso_capsule_name name = {VERSO_CAPSULE_ADJOINT, commit->adjoint, 0};
        status = verso_resume_from(drive, &drive->vault.store, &name, &why);
    }
    if (status == VERSO_OK) {
        verso_schedule_free(drive->schedule);
        drive->schedule = schedule;
        return VERSO_OK;
    }
    verso_schedule_free(schedule);
    if (error != NULL)
        *error = why;
    return status;
}

/* The newest usable restart point with at most the number `limit`; *index = count when there is none. That a file could
 * not be read is a reason to use an older one, but none to give all of them up. */
static verso_status newest_usable(verso_drive *drive, const verso_journal_contents *contents, uint64_t limit,
                                  size_t *index, verso_error *error) {
    verso_error unreadable = {0};
    for (*index = 0; *index < contents->commit_count; ++*index) {
        verso_error why = {0};
        if (contents->commits[*index].number > limit)
            continue;
        verso_status status = try_commit(drive, &contents->commits[*index], &why);
        if (status == VERSO_OK)
            return VERSO_OK;
        if (!verso_is_lost(status))
            return verso_fail(error, status, "%s", why.message);
        verso_drive_notice(drive, "%s; the restart point before it is used", why.message);
        if (status == VERSO_IO)
            unreadable = why;
    }
    if (unreadable.status != VERSO_OK && error != NULL)
        *error = unreadable;
    return unreadable.status;
}

/* True for all when all have the same value. */
static verso_status same_for_all(verso_drive *drive, uint64_t value, bool *same, verso_error *error) {
    uint64_t low = value, below_high = ~value;
    verso_status status = verso_drive_least(drive, &low, error);
    if (status == VERSO_OK)
        status = verso_drive_least(drive, &below_high, error);
    *same = low == ~below_high;
    return status;
}

/* Restart points of one number are at one place of the schedule, unless a member's directory is an old copy. */
static uint64_t place_of_commit(const verso_commit *commit) {
    const verso_action *pending = &commit->pending;
    const uint64_t facts[] = {commit->adjoint, pending->kind, pending->tier, pending->slot, pending->from, pending->to};
    return verso_checksum_chain(verso_checksum_wide(commit->cursor, commit->cursor_size), facts, sizeof facts).words[0];
}

/* The newest restart point that all of the group can use; *index = count when there is none. */
static verso_status agree_on_commit(verso_drive *drive, const verso_journal_contents *contents, size_t *index,
                                    verso_error *error) {
    for (uint64_t limit = UINT64_MAX;;) {
        verso_status status = newest_usable(drive, contents, limit, index, error);
        uint64_t number = *index < contents->commit_count ? contents->commits[*index].number : 0;
        limit = number;
        if (status == VERSO_OK)
            status = verso_drive_least(drive, &limit, error);
        bool agreed = limit == number;
        if (status == VERSO_OK)
            status = verso_drive_all(drive, &agreed, error);
        if (status == VERSO_OK && agreed && number > 0) {
            status = same_for_all(drive, place_of_commit(&contents->commits[*index]), &agreed, error);
            limit -= !agreed;
        }
        if (status != VERSO_OK || agreed)
            return status;
    }
}

/* ---- Continuing ---- */

static verso_status check_head(verso_drive *drive, const verso_journal_head *head, verso_error *error) {
    const char *directory = drive->directory;
    if (!verso_identity_equal(head->program, drive->program->identity))
        return verso_fail(error, VERSO_INVALID,
                          "the run in '%s' belongs to another program, or to other inputs; nothing was changed. Use "
                          "another directory, or remove this one to give that run up",
                          directory);
    if (head->adjoint_size != drive->adjoint_size)
        return verso_fail(error, VERSO_INVALID,
                          "the run in '%s' has adjoints of %llu bytes, this program of %zu; nothing was changed. Use "
                          "another directory, or remove this one to give that run up",
                          directory, (unsigned long long)head->adjoint_size, drive->adjoint_size);
    verso_identity start;
    verso_status status = checksum_of_start(drive, &start, error);
    if (status == VERSO_OK && !verso_identity_equal(start, head->base))
        return verso_fail(error, VERSO_INVALID,
                          "the run in '%s' began from another state than this program does; nothing was changed. Use "
                          "another directory, or remove this one to give that run up",
                          directory);
    return status;
}

/* More adjoints than restart points that are kept can only be left by a fault; the rest is found at the next restart.
 */
typedef struct listed_adjoints {
    uint64_t steps[4 * VERSO_COMMITS_KEPT];
    size_t count;
} listed_adjoints;

static verso_status list_adjoint(void *context, const verso_capsule_name *name) {
    listed_adjoints *listed = context;
    if (name->kind == VERSO_CAPSULE_ADJOINT && listed->count < sizeof listed->steps / sizeof *listed->steps)
        listed->steps[listed->count++] = name->step;
    return VERSO_OK;
}

static bool is_referred_to(const verso_journal_contents *contents, size_t from, uint64_t step) {
    for (size_t i = from; i < contents->commit_count; i++)
        if (contents->commits[i].adjoint == step)
            return true;
    return false;
}

/* Adjoint capsules of restart points that were never written, or that are given up, would be in the way of new ones.
 * The adjoint goes downwards, so the newest of the others is the one of the least step. */
static verso_status sort_adjoints(verso_drive *drive, const verso_journal_contents *contents, size_t from,
                                  verso_error *error) {
    const verso_store *store = &drive->vault.store;
    listed_adjoints listed = {0};
    size_t stored = 0;
    verso_status status = store->operations->list(store->self, list_adjoint, &listed, error);
    for (size_t i = 0; i < listed.count && status == VERSO_OK; i++) {
        verso_capsule_name name = {VERSO_CAPSULE_ADJOINT, listed.steps[i], 0};
        if (is_referred_to(contents, from, listed.steps[i]) && stored < verso_adjoints_kept(drive))
            drive->adjoint_stored[stored++] = listed.steps[i];
        else
            status = store->operations->discard(store->self, &name, error);
    }
    return status;
}

/* x_0 may have been damaged; the program has just shown that it starts from the same one. */
static verso_status repair_start(verso_drive *drive, verso_error *error) {
    const verso_store *store = &drive->vault.store;
    verso_capsule_name name = {VERSO_CAPSULE_STATE, 0, 0};
    verso_vault_entry *entry = verso_vault_find(drive, 0);
    verso_status status = VERSO_OK;
    if (entry != NULL) {
        const void *bytes;
        size_t size;
        verso_error why = {0};
        if (store->operations->borrow(store->self, &name, &bytes, &size, &why) == VERSO_OK)
            store->operations->release(store->self, &name);
        else {
            verso_drive_notice(drive, "%s; it is written again", why.message);
            status = verso_vault_lose(drive, entry, error);
        }
    }
    return status == VERSO_OK ? keep_start(drive, error) : status;
}

/* A program that counts its steps otherwise now would end elsewhere. */
static verso_status check_steps(const verso_drive *drive, verso_error *error) {
    uint64_t planned = verso_schedule_get_spec(drive->schedule)->steps, now = drive->program->steps;
    if (planned == now)
        return VERSO_OK;
    char before[32] = "unknown many", here[32] = "unknown many";
    if (planned != VERSO_UNKNOWN)
        snprintf(before, sizeof before, "%llu", (unsigned long long)planned);
    if (now != VERSO_UNKNOWN)
        snprintf(here, sizeof here, "%llu", (unsigned long long)now);
    return verso_fail(
        error, VERSO_INVALID,
        "the run in '%s' has %s steps, this program %s; nothing was changed. Use another directory, or remove "
        "this one to give that run up",
        drive->directory, before, here);
}

static void continue_from(verso_drive *drive, const verso_journal_contents *contents, size_t index) {
    const verso_commit *commit = &contents->commits[index];
    drive->restarts = contents->restarts + 1;
    drive->commit_number = commit->number;
    drive->counts = commit->counts;
    drive->adjoint = commit->adjoint;
    drive->pending = commit->pending;
    memcpy(drive->reason, contents->head.reason, sizeof drive->reason);
    drive->from = index;
}

static void say_tail(verso_drive *drive, const verso_journal_contents *contents) {
    if (contents->trusted < contents->bytes)
        verso_drive_notice(drive, "the journal '%s' ends in %llu bytes that are torn or damaged; they are cut off%s",
                           drive->journal_path, (unsigned long long)(contents->bytes - contents->trusted),
                           contents->damaged ? ", and kept as journal.damaged" : "");
}

static void say_where(verso_drive *drive, const verso_commit *commit) {
    if (commit->adjoint != VERSO_UNKNOWN)
        verso_drive_notice(drive, "the run in '%s' goes on: the adjoint is at step %llu", drive->directory,
                           (unsigned long long)commit->adjoint);
    else
        verso_drive_notice(drive, "the run in '%s' goes on: the first sweep had reached step %llu", drive->directory,
                           (unsigned long long)commit->counts.reached);
}

static void say_working(verso_drive *drive, const verso_commit *commit) {
    if (commit->working != VERSO_UNKNOWN && verso_vault_find(drive, commit->working) == NULL)
        verso_drive_notice(drive, "x_%llu should be in '%s' and is not; it is computed again",
                           (unsigned long long)commit->working, drive->capsules_path);
}

/* A schedule cannot be changed in the middle. */
static void say_schedule(verso_drive *drive) {
    const verso_schedule_spec *played = verso_schedule_get_spec(drive->schedule), *given = &drive->options->spec;
    if (drive->options->automatic ||
        (played->kind == given->kind && (given->slots == 0 || played->slots == given->slots)))
        return;
    verso_drive_notice(drive, "the run in '%s' began with %s on %llu slots and goes on with that", drive->directory,
                       verso_kind_word(played->kind), (unsigned long long)played->slots);
}

/* The journal holds, but it is of no use: the run begins anew. */
static verso_status give_up(verso_drive *drive, const char *why, verso_error *error) {
    verso_drive_notice(drive, "%s; the run in '%s' begins anew, and its journal stays as journal.damaged", why,
                       drive->directory);
    char *aside = verso_path_join(drive->directory, "journal.damaged");
    verso_status status = aside != NULL ? verso_file_rename(drive->system, drive->journal_path, aside, error)
                                        : verso_fail(error, VERSO_NO_MEMORY, "no memory for a path");
    verso_dealloc(aside);
    return status == VERSO_OK ? verso_directory_sync(drive->system, drive->directory, error) : status;
}

static verso_status reopen_with(verso_drive *drive, const verso_journal_contents *contents, bool *continued, bool *done,
                                verso_error *error) {
    size_t index;
    say_tail(drive, contents);
    verso_status status = verso_open_vault(drive, error);
    if (status == VERSO_OK)
        status = agree_on_commit(drive, contents, &index, error);
    if (status != VERSO_OK)
        return status;
    *continued = index < contents->commit_count;
    if (!*continued)
        return give_up(drive, "no restart point can be used", error);
    status = check_steps(drive, error);
    if (status != VERSO_OK)
        return status;
    *done = contents->done && index == 0;
    if (*done) {
        drive->adjoint = contents->commits[0].adjoint;
        drive->counts = contents->commits[0].counts;
        drive->restarts = contents->restarts;
        memcpy(drive->reason, contents->head.reason, sizeof drive->reason);
        return verso_vault_clear(drive, drive->adjoint, error); /* of what a process left that died at the very end */
    }
    continue_from(drive, contents, index);
    return VERSO_OK;
}

/* Do all of the group have a journal, of one run? If not they begin anew together: what one has lost the others cannot
 * go on without. */
static verso_status agree_on_run(verso_drive *drive, bool *there, verso_error *error) {
    bool here = *there, same = true;
    verso_status status = verso_drive_all(drive, there, error);
    for (size_t i = 0; i < 2 && status == VERSO_OK && *there; i++) {
        status = same_for_all(drive, drive->head.run.words[i], &same, error);
        *there = same;
    }
    return status == VERSO_OK && here && !*there
               ? give_up(drive, "another process of the group has lost its part", error)
               : status;
}

/* A vault with nothing in it, for a run that was never before. */
static verso_status begin_anew(verso_drive *drive, verso_error *error) {
    verso_schedule_free(drive->schedule); /* of a restart point that others could not use */
    drive->schedule = NULL;
    verso_vault_free(drive);
    verso_worker_free(drive->worker);
    drive->worker = NULL;
    drive->vault = (verso_vault){0};
    drive->head = (verso_journal_head){.run = verso_new_run(drive)};
    verso_status status = VERSO_OK;
    for (size_t i = 0; i < 2 && status == VERSO_OK; i++)
        status = verso_drive_least(drive, &drive->head.run.words[i], error);
    if (status == VERSO_OK)
        status = verso_remove_strays(drive, error);
    if (status == VERSO_OK)
        status = verso_open_vault(drive, error);
    return status == VERSO_OK ? verso_vault_clear(drive, VERSO_UNKNOWN, error) : status;
}

static verso_status no_memory(verso_error *error) {
    return verso_fail(error, VERSO_NO_MEMORY, "no memory for the names of a run's files");
}

static verso_status take_directory(verso_drive *drive, verso_error *error) {
    const char *directory = drive->directory;
    drive->lock_path = verso_path_join(directory, "lock");
    drive->journal_path = verso_path_join(directory, "journal");
    if (drive->lock_path == NULL || drive->journal_path == NULL)
        return no_memory(error);
    verso_status status = verso_directory_make(drive->system, directory, true, error);
    return status == VERSO_OK ? verso_lock_take(drive->system, drive->lock_path, &drive->lock, error) : status;
}

verso_status verso_refuse_run(verso_drive *drive, verso_error *error) {
    bool holds;
    verso_status status = verso_holds_run(drive->system, drive->directory, &holds, error);
    if (status != VERSO_OK || !holds)
        return status;
    return verso_fail(error, VERSO_INVALID,
                      "a durable run lies in '%s', which is not for scratch; use another directory", drive->directory);
}

verso_status verso_reopen(verso_drive *drive, bool *continued, bool *done, verso_error *error) {
    verso_journal_contents *contents = &drive->contents;
    verso_error why = {0};
    *continued = *done = false;
    verso_status status = take_directory(drive, error);
    if (status != VERSO_OK)
        return status;
    status = verso_journal_read(drive->system, drive->journal_path, contents, &why);
    bool there = status == VERSO_OK;
    if (status == VERSO_CORRUPT)
        return verso_fail(error, status,
                          "%.250s; nothing was changed. Bring it back from a copy, or remove '%.150s' to begin anew",
                          why.message, drive->directory);
    if (status != VERSO_OK && status != VERSO_STATE)
        return verso_fail(error, status, "%s", why.message);
    status = VERSO_OK;
    if (there) {
        drive->head = contents->head;
        status = check_head(drive, &contents->head, error);
    }
    if (status == VERSO_OK)
        status = agree_on_run(drive, &there, error);
    if (status == VERSO_OK && there)
        status = reopen_with(drive, contents, continued, done, error);
    return status == VERSO_OK && !*continued ? begin_anew(drive, error) : status;
}

/* Says whether what the slot held is still there. */
static verso_status reopen_slot(verso_drive *drive, const verso_live *live, verso_error *error) {
    const verso_store *store = drive->tiers[live->tier];
    bool in_vault = store == &drive->vault.store;
    verso_vault_entry *entry = verso_vault_find(drive, live->from);
    bool there = in_vault && entry != NULL;
    if (entry == NULL && (in_vault || drive->contents.commits[drive->from].suspended))
        verso_drive_notice(drive, "x_%llu should be in '%s' and is not; it is computed again when it is needed",
                           (unsigned long long)live->from, drive->capsules_path);
    if (in_vault && entry != NULL)
        entry->live++;
    return verso_slots_set(drive, live, there ? VERSO_SLOT_PRESENT : VERSO_SLOT_MISSING, error);
}

verso_status verso_reopen_slots(verso_drive *drive, verso_error *error) {
    verso_journal_contents *contents = &drive->contents;
    const verso_commit *commit = &contents->commits[drive->from];
    verso_status status =
        verso_journal_continue(drive->system, drive->journal_path, contents, drive->from, &drive->journal, error);
    if (status == VERSO_OK) { /* only now: what was refused before is not continued */
        say_where(drive, commit);
        say_working(drive, commit);
        say_schedule(drive);
        status = sort_adjoints(drive, contents, drive->from, error);
    }
    if (status == VERSO_OK)
        status = repair_start(drive, error);
    for (size_t i = 0; i < commit->live_count && status == VERSO_OK; i++)
        status = reopen_slot(drive, &commit->live[i], error);
    verso_journal_contents_free(contents);
    for (size_t i = 0; i < drive->vault.count; i++) {
        verso_vault_entry *entry = &drive->vault.entries[i];
        if (entry->live == 0 && !entry->kept) {
            entry->kept = true;
            drive->vault.kept++;
        }
    }
    if (status == VERSO_OK)
        status = verso_vault_sweep(drive, error);
    drive->leftovers = drive->vault.kept > 0;
    return status == VERSO_OK ? verso_drive_any(drive, &drive->leftovers, error) : status;
}

void verso_reopen_close(verso_drive *drive) {
    verso_journal_close(drive->journal);
    verso_lock_release(drive->lock);
    verso_journal_contents_free(&drive->contents);
    verso_dealloc(drive->directory);
    verso_dealloc(drive->lock_path);
    verso_dealloc(drive->journal_path);
    verso_dealloc(drive->capsules_path);
}
