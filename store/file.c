/* The operations of the file store, which the caller's thread runs. file_inside.h describes how the threads
 * cooperate. */
#include "base/alloc.h"
#include "store/file_inside.h"
#include "store/name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void verso__file_lock(verso__file_store *store) {
    pthread_mutex_lock(&store->mutex); /* cannot fail: a normal mutex that this thread does not hold */
}

void verso__file_unlock(verso__file_store *store) {
    pthread_mutex_unlock(&store->mutex);
}

verso_status verso__file_failure(verso__file_store *store, verso_error *error) {
    verso_status status = verso__worker_drain(store->writer, error);
    return status != VERSO_STATUS_OK
               ? status
               : verso__fail(error, VERSO_STATUS_IO, "an earlier write to '%s' failed", store->options.directory);
}

verso__capsule_label verso__file_label(const verso__file_store *store, const verso_capsule_name *name) {
    return (verso__capsule_label){name->kind, name->step, store->options.program, store->options.run};
}

size_t verso__file_path_room(const verso__file_store *store) {
    return strlen(store->options.directory) + 1 + VERSO_FILE_NAME_MAX;
}

void verso__file_path(const verso__file_store *store, const char *prefix, const verso__capsule_label *label,
                      char *path) {
    char name[VERSO_FILE_NAME_MAX];
    verso__file_name_write(prefix, label->kind, label->step, name);
    (void)snprintf(path, verso__file_path_room(store), "%s/%s", store->options.directory, name);
}

/* ---- Storing, reading and discarding capsules ---- */

static verso_status out_of_order(const verso__file_store *store, verso_error *error, const char *call,
                                 const verso_capsule_name *name, const char *why) {
    return verso__fail(error, VERSO_STATUS_STATE, "cannot %s %s %" PRIu64 " of '%s': %s", call,
                       verso__capsule_word(name->kind), name->step, store->options.directory, why);
}

/* Sets *held to the entry of the capsule if it is committed (or reserved, if `reserved` is true); else sets it to
 * NULL and fails. */
static verso_status find(verso__file_store *store, const char *call, const verso_capsule_name *name, bool reserved,
                         verso__held **held, verso_error *error) {
    *held = NULL;
    if (!verso__capsule_known(name->kind))
        return verso__fail(error, VERSO_STATUS_INVALID, "cannot %s a capsule of kind %d: the kind is unknown", call,
                           (int)name->kind);
    verso__held *found = verso__held_find(&store->table, name);
    if (found == NULL || (reserved && !found->reserved))
        return out_of_order(store, error, call, name, reserved ? "it is not reserved" : "it is not held");
    if (!reserved && found->reserved)
        return out_of_order(store, error, call, name, "it is reserved and not committed");
    *held = found;
    return VERSO_STATUS_OK;
}

static bool is_borrowed(const verso__file_store *store, const verso_capsule_name *name) {
    return store->borrowed != NULL && store->borrowed_name.kind == name->kind &&
           store->borrowed_name.step == name->step;
}

/* Checks the disk budget for a capsule of `size` bytes and sets *promised to the size of its file. The size of a
 * compressed file is unknown before it is written; its promise is 0, and the writer checks it. */
static verso_status promise(verso__file_store *store, size_t size, uint64_t *promised, verso_error *error) {
    uint64_t limit = store->options.disk;
    *promised = store->options.compression != 0 ? 0 : VERSO_CAPSULE_HEADER + (uint64_t)size;
    if (limit == 0 || *promised == 0 || (store->promised <= limit && *promised <= limit - store->promised))
        return VERSO_STATUS_OK;
    return verso__fail(error, VERSO_STATUS_IMPOSSIBLE,
                       "a file of %" PRIu64 " bytes beside %" PRIu64
                       " bytes in '%s' exceeds the disk budget of %" PRIu64 " bytes; give at least %" PRIu64 " bytes",
                       *promised, store->promised, store->options.directory, limit, store->promised + *promised);
}

/* Adds a reserved entry with a write that has no buffer yet. The caller holds the mutex. */
static verso_status add_reserved(verso__file_store *store, const verso_capsule_name *name, verso__held **held,
                                 verso_error *error) {
    *held = verso__held_add(&store->table, name);
    if (*held != NULL) {
        (*held)->reserved = true;
        (*held)->write = verso__file_write_new(store, *held);
        if ((*held)->write != NULL)
            return VERSO_STATUS_OK;
        verso__held_remove(&store->table, *held);
    }
    return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to note %s %" PRIu64, verso__capsule_word(name->kind),
                       name->step);
}

static verso_status reserve_locked(verso__file_store *store, const verso_capsule_name *name, size_t size, void **bytes,
                                   verso_error *error) {
    uint64_t promised;
    verso__buffer *buffer = NULL;
    verso__held *held;
    verso_status status = promise(store, size, &promised, error);
    if (status == VERSO_STATUS_OK)
        status = verso__file_acquire(store, size, &buffer, error);
    if (status != VERSO_STATUS_OK)
        return status;
    status = add_reserved(store, name, &held, error);
    if (status != VERSO_STATUS_OK) {
        verso__file_let_go(store, buffer);
        return status;
    }
    held->write->buffer = buffer;
    held->length = size;
    held->promised = promised;
    store->promised += promised;
    *bytes = buffer->bytes;
    return VERSO_STATUS_OK;
}

static verso_status file_reserve(void *self, const verso_capsule_name *name, size_t size, void **bytes,
                                 verso_error *error) {
    verso__file_store *store = self;
    if (!verso__capsule_known(name->kind))
        return verso__fail(error, VERSO_STATUS_INVALID, "cannot reserve a capsule of kind %d: the kind is unknown",
                           (int)name->kind);
    verso__file_lock(store);
    bool broken = store->broken, taken = verso__held_find(&store->table, name) != NULL;
    verso_status status = VERSO_STATUS_OK;
    if (!broken && taken)
        status = out_of_order(store, error, "reserve", name, "it is held already");
    else if (!broken)
        status = reserve_locked(store, name, size, bytes, error);
    verso__file_unlock(store);
    return broken ? verso__file_failure(store, error) : status;
}

/* Removes the entry of a capsule that was reserved. Its write has been submitted, or the caller disposes of it
 * next. */
static void remove_reserved(verso__file_store *store, const verso_capsule_name *name) {
    verso__held *held = verso__held_find(&store->table, name);
    if (held->write != NULL)
        held->write->held = NULL;
    store->promised -= held->promised;
    verso__held_remove(&store->table, held);
}

static verso_status file_commit(void *self, const verso_capsule_name *name, verso_error *error) {
    verso__file_store *store = self;
    verso__held *held;
    verso__file_lock(store);
    verso_status status = find(store, "commit", name, true, &held, error);
    if (status == VERSO_STATUS_OK) {
        held->reserved = false;
        store->usage.writes++;
    }
    verso__file_unlock(store);
    if (status != VERSO_STATUS_OK)
        return status;
    double start = store->options.foreground ? verso__now() : 0;
    status = verso__file_write_submit(held->write, error);
    double seconds = store->options.foreground ? verso__now() - start : 0;
    verso__file_lock(store);
    store->usage.seconds_waited += seconds;
    if (status != VERSO_STATUS_OK)
        remove_reserved(store, name);
    verso__file_unlock(store);
    return status;
}

static void file_cancel(void *self, const verso_capsule_name *name) {
    verso__file_store *store = self;
    verso__held *held;
    verso__file_lock(store);
    verso__write *write = find(store, "cancel", name, true, &held, NULL) == VERSO_STATUS_OK ? held->write : NULL;
    if (write != NULL)
        remove_reserved(store, name);
    verso__file_unlock(store);
    if (write != NULL)
        write->job.dispose(&write->job);
}

static verso_status borrow_locked(verso__file_store *store, const verso_capsule_name *name, verso_error *error) {
    verso__held *held;
    verso_status status = find(store, "borrow", name, false, &held, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (store->borrowed != NULL)
        return out_of_order(store, error, "borrow", name, "another one has not been released");
    verso__buffer *buffer;
    status = verso__file_fetch(store, held, &buffer, error);
    if (status != VERSO_STATUS_OK)
        return status;
    store->borrowed = buffer;
    store->borrowed_name = *name;
    store->usage.reads++;
    return VERSO_STATUS_OK;
}

static verso_status file_borrow(void *self, const verso_capsule_name *name, const void **bytes, size_t *size,
                                verso_error *error) {
    verso__file_store *store = self;
    verso__file_lock(store);
    bool broken = store->broken;
    verso_status status = broken ? VERSO_STATUS_OK : borrow_locked(store, name, error);
    if (!broken && status == VERSO_STATUS_OK) {
        *bytes = store->borrowed->bytes;
        *size = store->borrowed->size;
    }
    verso__file_unlock(store);
    return broken ? verso__file_failure(store, error) : status;
}

static void file_release(void *self, const verso_capsule_name *name) {
    verso__file_store *store = self;
    verso__file_lock(store);
    if (is_borrowed(store, name)) {
        verso__file_let_go(store, store->borrowed);
        store->borrowed = NULL;
    }
    verso__file_unlock(store);
}

static verso_status discard_capsule(verso__file_store *store, const verso_capsule_name *name, bool skippable,
                                    verso_error *error) {
    verso__held *held = NULL;
    verso__file_lock(store);
    bool broken = store->broken;
    verso_status status = broken ? VERSO_STATUS_OK : find(store, "discard", name, false, &held, error);
    if (held != NULL && is_borrowed(store, name))
        status = out_of_order(store, error, "discard", name, "it has not been released");
    else if (held != NULL && verso__file_is_expected(store, name))
        verso__file_forget(store, false);
    verso__file_unlock(store);
    if (broken)
        return verso__file_failure(store, error);
    return status == VERSO_STATUS_OK ? verso__file_discard(store, held, skippable, error) : status;
}

static verso_status file_discard(void *self, const verso_capsule_name *name, verso_error *error) {
    verso__file_store *store = self;
    return discard_capsule(store, name, !store->options.durable, error);
}

verso_status verso__store_file_withdraw(verso_store *store, const verso_capsule_name *name, verso_error *error) {
    return discard_capsule(store->self, name, true, error);
}

static void file_expect(void *self, const verso_capsule_name *name) {
    verso__file_store *store = self;
    verso__held *held;
    verso__file_lock(store);
    if (!store->broken && find(store, "expect", name, false, &held, NULL) == VERSO_STATUS_OK)
        verso__file_expect(store, held);
    verso__file_unlock(store);
}

static verso_status file_sync(void *self, verso_error *error) {
    verso__file_store *store = self;
    double start = verso__now();
    verso_status status = verso__file_sync_all(store, error);
    double seconds = verso__now() - start;
    verso__file_lock(store);
    store->usage.seconds_waited += seconds;
    verso__file_unlock(store);
    return status;
}

/* ---- Listing and usage ---- */

/* Passes a copy of the names, so that `visit` may use the store. */
static verso_status file_list(void *self, verso_status (*visit)(void *context, const verso_capsule_name *name),
                              void *context, verso_error *error) {
    verso__file_store *store = self;
    size_t count;
    verso__file_lock(store);
    bool broken = store->broken;
    verso_capsule_name *names = broken ? NULL : verso__held_names(&store->table, &count);
    verso__file_unlock(store);
    if (broken)
        return verso__file_failure(store, error);
    if (names == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a list of the capsules in '%s'",
                           store->options.directory);
    verso_status status = VERSO_STATUS_OK;
    for (size_t i = 0; i < count && status == VERSO_STATUS_OK; i++)
        status = visit(context, &names[i]);
    verso__dealloc(names);
    return status;
}

static void file_usage(void *self, verso_store_usage *usage) {
    verso__file_store *store = self;
    verso__file_lock(store);
    *usage = store->usage;
    usage->memory = store->pool.in_use + store->pool.idle;
    usage->memory_peak = store->pool.peak;
    verso__file_unlock(store);
}

const verso_store_operations verso__file_operations = {
    .reserve = file_reserve,
    .commit = file_commit,
    .cancel = file_cancel,
    .borrow = file_borrow,
    .release = file_release,
    .discard = file_discard,
    .expect = file_expect,
    .sync = file_sync,
    .list = file_list,
    .usage = file_usage,
    .close = verso__file_close_store,
};
