/* The vault: which states are in files, and what each is needed for. The file store knows neither. */
#include "base/alloc.h"
#include "drive/inside.h"
#include "store/file.h"

#include <string.h>

static verso_capsule_name state_name(uint64_t step) {
    return (verso_capsule_name){VERSO_CAPSULE_STATE, step, 0};
}

/* Returns the index of the entry `step`, or the index at which to insert it. */
static size_t place_of(const verso__vault *vault, uint64_t step) {
    if (vault->count > 0 && vault->entries[vault->count - 1].step < step)
        return vault->count; /* the usual case */
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

verso__vault_entry *verso__vault_find(verso__drive *drive, uint64_t step) {
    verso__vault *vault = &drive->vault;
    size_t place = place_of(vault, step);
    return place < vault->count && vault->entries[place].step == step ? &vault->entries[place] : NULL;
}

verso__vault_entry *verso__vault_at_most(verso__drive *drive, uint64_t limit) {
    verso__vault *vault = &drive->vault;
    size_t above = limit == UINT64_MAX ? vault->count : place_of(vault, limit + 1);
    while (above > 0 && vault->entries[above - 1].damaged)
        above--;
    return above > 0 ? &vault->entries[above - 1] : NULL;
}

static verso_status make_room(verso__vault *vault, verso_error *error) {
    if (vault->count < vault->capacity)
        return VERSO_STATUS_OK;
    size_t capacity = vault->capacity == 0 ? 64 : 2 * vault->capacity;
    verso__vault_entry *entries = verso__realloc(vault->entries, capacity, sizeof *entries);
    if (entries == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to remember %zu capsules", capacity);
    vault->entries = entries;
    vault->capacity = capacity;
    return VERSO_STATUS_OK;
}

static verso__vault_entry *insert(verso__vault *vault, uint64_t step) {
    size_t place = place_of(vault, step);
    memmove(vault->entries + place + 1, vault->entries + place, (vault->count - place) * sizeof *vault->entries);
    vault->entries[place] = (verso__vault_entry){.step = step};
    vault->count++;
    return &vault->entries[place];
}

verso_status verso__vault_add(verso__drive *drive, uint64_t step, verso__vault_entry **entry, verso_error *error) {
    *entry = verso__vault_find(drive, step);
    if (*entry != NULL)
        return VERSO_STATUS_OK;
    verso_status status = make_room(&drive->vault, error);
    if (status == VERSO_STATUS_OK)
        *entry = insert(&drive->vault, step);
    return status;
}

static void forget(verso__vault *vault, verso__vault_entry *entry) {
    vault->waiting -= entry->waiting;
    vault->kept -= entry->kept && entry->step != 0;
    size_t place = (size_t)(entry - vault->entries);
    memmove(entry, entry + 1, (vault->count - place - 1) * sizeof *entry);
    vault->count--;
}

/* Returns whether no restart point refers to the entry. */
static bool is_new(const verso__drive *drive, const verso__vault_entry *entry) {
    return entry->since == drive->commit_number;
}

verso_status verso__vault_remove(verso__drive *drive, verso__vault_entry *entry, verso_error *error) {
    verso_capsule_name name = state_name(entry->step);
    bool unneeded = is_new(drive, entry);
    forget(&drive->vault, entry);
    if (unneeded)
        return verso__store_file_withdraw(&drive->vault.store, &name, error);
    return drive->vault.store.operations->discard(drive->vault.store.self, &name, error);
}

/* Returns the entry of lowest step that is only `kept` and can be removed; NULL: none. The lowest is needed last,
 * and the working state of the restart point from which the run continues is above it. */
static verso__vault_entry *find_dispensable(verso__drive *drive, const verso_capsule_name *but) {
    for (size_t i = 0; i < drive->vault.count; i++) {
        verso__vault_entry *entry = &drive->vault.entries[i];
        bool is_that = but->kind == VERSO_CAPSULE_STATE && but->step == entry->step;
        if (entry->kept && entry->live == 0 && !entry->safe && entry->step != 0 && !is_that)
            return entry;
    }
    return NULL;
}

verso_status verso__vault_capture(verso__drive *drive, const verso_capsule_name *name, verso_error *error) {
    verso_error why = {0};
    verso_status status = verso__capture_into(drive, &drive->vault.store, name, &why);
    verso__vault_entry *entry;
    while (status == VERSO_STATUS_IMPOSSIBLE && (entry = find_dispensable(drive, name)) != NULL) {
        verso__drive_warn(drive,
                          "the limit of the disk leaves no room for x_%llu; it will be computed again when it is "
                          "needed",
                          (unsigned long long)entry->step);
        status = verso__vault_remove(drive, entry, &why);
        if (status == VERSO_STATUS_OK)
            status = verso__capture_into(drive, &drive->vault.store, name, &why);
    }
    if (status != VERSO_STATUS_OK && error != NULL)
        *error = why;
    return status;
}

verso_status verso__vault_put(verso__drive *drive, uint64_t step, bool must, verso__vault_entry **entry,
                              verso_error *error) {
    const verso_store *store = &drive->vault.store;
    verso_capsule_name name = state_name(step);
    verso_status status = VERSO_STATUS_OK;
    *entry = verso__vault_find(drive, step);
    if (*entry != NULL && !(*entry)->damaged)
        return VERSO_STATUS_OK;
    if (*entry != NULL)
        status = store->operations->discard(store->self, &name, error);
    else
        status = make_room(&drive->vault, error);
    if (status == VERSO_STATUS_OK)
        status = must ? verso__vault_capture(drive, &name, error) : verso__capture_into(drive, store, &name, error);
    if (status != VERSO_STATUS_OK)
        return status;
    *entry = verso__vault_find(drive, step); /* find it again: entries may have moved */
    if (*entry == NULL)
        *entry = insert(&drive->vault, step);
    (*entry)->damaged = false;
    (*entry)->since = drive->commit_number;
    return VERSO_STATUS_OK;
}

void verso__vault_keep(verso__drive *drive, verso__vault_entry *entry) {
    drive->vault.waiting -= entry->waiting;
    drive->vault.kept += !entry->kept && entry->step != 0;
    entry->waiting = false;
    entry->kept = true;
}

verso_status verso__vault_settle(verso__drive *drive, verso__vault_entry *entry, verso_error *error) {
    if (entry->live > 0 || entry->kept || entry->safe || entry->waiting)
        return VERSO_STATUS_OK;
    if (!drive->durable)
        return verso__vault_remove(drive, entry, error);
    if (verso__slots_is_missing(drive,
                                entry->step)) { /* a slot has lost this state, and it can be restored from here */
        verso__vault_keep(drive, entry);
        return VERSO_STATUS_OK;
    }
    if (is_new(drive, entry))
        return verso__vault_remove(drive, entry, error);
    entry->waiting = true;
    drive->vault.waiting++;
    return VERSO_STATUS_OK;
}

verso_status verso__vault_lose(verso__drive *drive, verso__vault_entry *entry, verso_error *error) {
    verso__slots_lose(drive, entry->step);
    entry->live = 0;
    entry->damaged = true;
    return verso__vault_settle(drive, entry, error);
}

verso_status verso__vault_tidy(verso__drive *drive, verso_error *error) {
    verso_status status = VERSO_STATUS_OK;
    for (size_t i = drive->vault.count; i-- > 0 && drive->vault.kept > 0 && status == VERSO_STATUS_OK;) {
        verso__vault_entry *entry = &drive->vault.entries[i];
        if (!entry->kept || entry->step == 0)
            continue;
        entry->kept = false;
        drive->vault.kept--;
        status = verso__vault_settle(drive, entry, error);
    }
    return status;
}

/* Returns whether an entry can be removed after a restart point. States at or above the adjoint, which an interrupted
 * stretch may have left, are useless. */
static bool is_superfluous(const verso__drive *drive, const verso__vault_entry *entry) {
    if (entry->live > 0 || entry->safe || entry->step == 0)
        return false;
    if (entry->kept)
        return drive->adjoint != VERSO_UNKNOWN && entry->step >= drive->adjoint;
    return entry->waiting;
}

verso_status verso__vault_sweep(verso__drive *drive, verso_error *error) {
    verso__vault *vault = &drive->vault;
    if (vault->waiting == 0 && vault->kept == 0)
        return VERSO_STATUS_OK;
    verso_status status = VERSO_STATUS_OK;
    for (size_t i = vault->count; i-- > 0 && status == VERSO_STATUS_OK;)
        if (is_superfluous(drive, &vault->entries[i]))
            status = verso__vault_remove(drive, &vault->entries[i], error);
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
        return VERSO_STATUS_OK;
    if (work->count == work->capacity) {
        size_t capacity = work->capacity == 0 ? 64 : 2 * work->capacity;
        verso_capsule_name *names = verso__realloc(work->names, capacity, sizeof *names);
        if (names == NULL)
            return verso__fail(work->error, VERSO_STATUS_NO_MEMORY, "no memory for a list of capsules");
        work->names = names;
        work->capacity = capacity;
    }
    work->names[work->count++] = *name;
    return VERSO_STATUS_OK;
}

verso_status verso__clear(const verso_store *store, uint64_t but, verso_error *error) {
    clearing work = {.but = but, .error = error};
    verso_status status = store->operations->list(store->self, note_name, &work, error);
    for (size_t i = 0; i < work.count && status == VERSO_STATUS_OK; i++)
        status = store->operations->discard(store->self, &work.names[i], error);
    verso__dealloc(work.names);
    return status;
}

verso_status verso__vault_clear(verso__drive *drive, uint64_t but, verso_error *error) {
    verso__vault *vault = &drive->vault;
    verso_status status = verso__clear(&vault->store, but, error);
    vault->count = 0;
    vault->kept = 0;
    vault->waiting = 0;
    return status;
}

void verso__vault_free(verso__drive *drive) {
    verso_store_close(&drive->vault.store);
    verso__dealloc(drive->vault.entries);
    drive->vault.entries = NULL;
}
