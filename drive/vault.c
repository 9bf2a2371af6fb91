/* The capsules in files: which states there are and what each is needed for. The file store itself knows neither. */
#include "base/alloc.h"
#include "drive/drive.h"
#include "store/file.h"

#include <string.h>

static verso_capsule_name state_name(uint64_t step) {
    return (verso_capsule_name){VERSO_CAPSULE_STATE, step, 0};
}

/* Where `step` is, or where it would have to be inserted. */
static size_t place_of(const verso_vault *vault, uint64_t step) {
    if (vault->count > 0 && vault->entries[vault->count - 1].step < step)
        return vault->count; /* nearly always */
    size_t low = 0, high = vault->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (vault->entries[middle].step < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

verso_vault_entry *verso_vault_find(verso_drive *drive, uint64_t step) {
    verso_vault *vault = &drive->vault;
    size_t place = place_of(vault, step);
    return place < vault->count && vault->entries[place].step == step ? &vault->entries[place] : NULL;
}

verso_vault_entry *verso_vault_at_most(verso_drive *drive, uint64_t limit) {
    verso_vault *vault = &drive->vault;
    size_t above = limit == UINT64_MAX ? vault->count : place_of(vault, limit + 1);
    while (above > 0 && vault->entries[above - 1].damaged)
        above--;
    return above > 0 ? &vault->entries[above - 1] : NULL;
}

static verso_status make_room(verso_vault *vault, verso_error *error) {
    if (vault->count < vault->capacity)
        return VERSO_OK;
    size_t capacity = vault->capacity == 0 ? 64 : 2 * vault->capacity;
    verso_vault_entry *entries = verso_realloc(vault->entries, capacity, sizeof *entries);
    if (entries == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory to remember %zu capsules", capacity);
    vault->entries = entries;
    vault->capacity = capacity;
    return VERSO_OK;
}

static verso_vault_entry *insert(verso_vault *vault, uint64_t step) {
    size_t place = place_of(vault, step);
    memmove(vault->entries + place + 1, vault->entries + place, (vault->count - place) * sizeof *vault->entries);
    vault->entries[place] = (verso_vault_entry){.step = step};
    vault->count++;
    return &vault->entries[place];
}

verso_status verso_vault_add(verso_drive *drive, uint64_t step, verso_vault_entry **entry, verso_error *error) {
    *entry = verso_vault_find(drive, step);
    if (*entry != NULL)
        return VERSO_OK;
    verso_status status = make_room(&drive->vault, error);
    if (status == VERSO_OK)
        *entry = insert(&drive->vault, step);
    return status;
}

static void forget(verso_vault *vault, verso_vault_entry *entry) {
    vault->waiting -= entry->waiting;
    vault->kept -= entry->kept && entry->step != 0;
    size_t place = (size_t)(entry - vault->entries);
    memmove(entry, entry + 1, (vault->count - place - 1) * sizeof *entry);
    vault->count--;
}

/* No restart point refers to it. */
static bool is_new(const verso_drive *drive, const verso_vault_entry *entry) {
    return entry->since == drive->commit_number;
}

verso_status verso_vault_remove(verso_drive *drive, verso_vault_entry *entry, verso_error *error) {
    verso_capsule_name name = state_name(entry->step);
    bool unneeded = is_new(drive, entry);
    forget(&drive->vault, entry);
    if (unneeded)
        return verso_store_file_withdraw(&drive->vault.store, &name, error);
    return drive->vault.store.operations->discard(drive->vault.store.self, &name, error);
}

/* What is only kept as a help, the lowest first: that is needed last, and the working state of the restart point from
 * which a run goes on lies above. NULL: none. */
static verso_vault_entry *find_dispensable(verso_drive *drive, const verso_capsule_name *but) {
    for (size_t i = 0; i < drive->vault.count; i++) {
        verso_vault_entry *entry = &drive->vault.entries[i];
        bool is_that = but->kind == VERSO_CAPSULE_STATE && but->step == entry->step;
        if (entry->kept && entry->live == 0 && !entry->safe && entry->step != 0 && !is_that)
            return entry;
    }
    return NULL;
}

verso_status verso_vault_capture(verso_drive *drive, const verso_capsule_name *name, verso_error *error) {
    verso_error why = {0};
    verso_status status = verso_capture_into(drive, &drive->vault.store, name, &why);
    verso_vault_entry *entry;
    while (status == VERSO_IMPOSSIBLE && (entry = find_dispensable(drive, name)) != NULL) {
        verso_drive_notice(drive,
                           "the limit of the disk leaves no room for x_%llu any more; it is computed again when it is "
                           "needed",
                           (unsigned long long)entry->step);
        status = verso_vault_remove(drive, entry, &why);
        if (status == VERSO_OK)
            status = verso_capture_into(drive, &drive->vault.store, name, &why);
    }
    if (status != VERSO_OK && error != NULL)
        *error = why;
    return status;
}

verso_status verso_vault_put(verso_drive *drive, uint64_t step, bool must, verso_vault_entry **entry,
                             verso_error *error) {
    const verso_store *store = &drive->vault.store;
    verso_capsule_name name = state_name(step);
    verso_status status = VERSO_OK;
    *entry = verso_vault_find(drive, step);
    if (*entry != NULL && !(*entry)->damaged)
        return VERSO_OK;
    if (*entry != NULL)
        status = store->operations->discard(store->self, &name, error);
    else
        status = make_room(&drive->vault, error);
    if (status == VERSO_OK)
        status = must ? verso_vault_capture(drive, &name, error) : verso_capture_into(drive, store, &name, error);
    if (status != VERSO_OK)
        return status;
    *entry = verso_vault_find(drive, step); /* which may have moved */
    if (*entry == NULL)
        *entry = insert(&drive->vault, step);
    (*entry)->damaged = false;
    (*entry)->since = drive->commit_number;
    return VERSO_OK;
}

void verso_vault_keep(verso_drive *drive, verso_vault_entry *entry) {
    drive->vault.waiting -= entry->waiting;
    drive->vault.kept += !entry->kept && entry->step != 0;
    entry->waiting = false;
    entry->kept = true;
}

verso_status verso_vault_settle(verso_drive *drive, verso_vault_entry *entry, verso_error *error) {
    if (entry->live > 0 || entry->kept || entry->safe || entry->waiting)
        return VERSO_OK;
    if (!drive->durable)
        return verso_vault_remove(drive, entry, error);
    if (verso_slots_misses(drive, entry->step)) { /* here it can still be had from */
        verso_vault_keep(drive, entry);
        return VERSO_OK;
    }
    if (is_new(drive, entry))
        return verso_vault_remove(drive, entry, error);
    entry->waiting = true;
    drive->vault.waiting++;
    return VERSO_OK;
}

verso_status verso_vault_lose(verso_drive *drive, verso_vault_entry *entry, verso_error *error) {
    verso_slots_lose(drive, entry->step);
    entry->live = 0;
    entry->damaged = true;
    return verso_vault_settle(drive, entry, error);
}

verso_status verso_vault_tidy(verso_drive *drive, verso_error *error) {
    verso_status status = VERSO_OK;
    for (size_t i = drive->vault.count; i-- > 0 && drive->vault.kept > 0 && status == VERSO_OK;) {
        verso_vault_entry *entry = &drive->vault.entries[i];
        if (!entry->kept || entry->step == 0)
            continue;
        entry->kept = false;
        drive->vault.kept--;
        status = verso_vault_settle(drive, entry, error);
    }
    return status;
}

/* What an interrupted stretch left above the adjoint can help nobody any more. */
static bool is_superfluous(const verso_drive *drive, const verso_vault_entry *entry) {
    if (entry->live > 0 || entry->safe || entry->step == 0)
        return false;
    if (entry->kept)
        return drive->adjoint != VERSO_UNKNOWN && entry->step >= drive->adjoint;
    return entry->waiting;
}

verso_status verso_vault_sweep(verso_drive *drive, verso_error *error) {
    verso_vault *vault = &drive->vault;
    if (vault->waiting == 0 && vault->kept == 0)
        return VERSO_OK;
    verso_status status = VERSO_OK;
    for (size_t i = vault->count; i-- > 0 && status == VERSO_OK;)
        if (is_superfluous(drive, &vault->entries[i]))
            status = verso_vault_remove(drive, &vault->entries[i], error);
    return status;
}

/* ---- Emptying it ---- */

typedef struct clearing {
    uint64_t but;
    verso_error *error;
    verso_capsule_name *names;
    size_t count, capacity;
} clearing;

static verso_status note_name(void *context, const verso_capsule_name *name) {
    clearing *work = context;
    if (name->kind == VERSO_CAPSULE_ADJOINT && name->step == work->but)
        return VERSO_OK;
    if (work->count == work->capacity) {
        size_t capacity = work->capacity == 0 ? 64 : 2 * work->capacity;
        verso_capsule_name *names = verso_realloc(work->names, capacity, sizeof *names);
        if (names == NULL)
            return verso_fail(work->error, VERSO_NO_MEMORY, "no memory for a list of capsules");
        work->names = names;
        work->capacity = capacity;
    }
    work->names[work->count++] = *name;
    return VERSO_OK;
}

verso_status verso_clear(const verso_store *store, uint64_t but, verso_error *error) {
    clearing work = {.but = but, .error = error};
    verso_status status = store->operations->list(store->self, note_name, &work, error);
    for (size_t i = 0; i < work.count && status == VERSO_OK; i++)
        status = store->operations->discard(store->self, &work.names[i], error);
    verso_dealloc(work.names);
    return status;
}

verso_status verso_vault_clear(verso_drive *drive, uint64_t but, verso_error *error) {
    verso_vault *vault = &drive->vault;
    verso_status status = verso_clear(&vault->store, but, error);
    vault->count = 0;
    vault->kept = 0;
    vault->waiting = 0;
    return status;
}

void verso_vault_free(verso_drive *drive) {
    verso_store_close(&drive->vault.store);
    verso_dealloc(drive->vault.entries);
    drive->vault.entries = NULL;
}
