/* Capsules in files of a directory: the operations, which the caller's thread runs. See file_inside.h for how the
 * threads work together. */
#include "base/alloc.h"
#include "store/file_inside.h"
#include "store/name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void verso_file_lock(verso_file_store *store) {
    pthread_mutex_lock(&store->mutex); /* an ordinary one, rightly used: cannot fail */
}

void verso_file_unlock(verso_file_store *store) {
    pthread_mutex_unlock(&store->mutex);
}

verso_status verso_file_failure(verso_file_store *store, verso_error *error) {
    verso_status status = verso_worker_drain(store->writer, error);
    return status != VERSO_OK
               ? status
               : verso_fail(error, VERSO_IO, "an earlier write to '%s' failed", store->options.directory);
}

verso_capsule_label verso_file_label(const verso_file_store *store, const verso_capsule_name *name) {
    return (verso_capsule_label){name->kind, name->step, store->options.program, store->options.run};
}

size_t verso_file_path_room(const verso_file_store *store) {
    return strlen(store->options.directory) + 1 + VERSO_FILE_NAME_MAX;
}

void verso_file_path(const verso_file_store *store, const char *prefix, const verso_capsule_label *label, char *path) {
    char name[VERSO_FILE_NAME_MAX];
    verso_file_name_write(prefix, label->kind, label->step, name);
    (void)snprintf(path, verso_file_path_room(store), "%s/%s", store->options.directory, name);
}

/* ---- The way of a capsule ---- */

static verso_status out_of_order(const verso_file_store *store, verso_error *error, const char *call,
                                 const verso_capsule_name *name, const char *why) {
    return verso_fail(error, VERSO_STATE, "cannot %s %s %" PRIu64 " of '%s': %s", call, verso_capsule_word(name->kind),
                      name->step, store->options.directory, why);
}

/* The capsule, when it is held (or reserved, as asked for); else *held is NULL and the error says why. */
static verso_status find(verso_file_store *store, const char *call, const verso_capsule_name *name, bool reserved,
                         verso_held **held, verso_error *error) {
    *held = NULL;
    if (!verso_capsule_known(name->kind))
        return verso_fail(error, VERSO_INVALID, "cannot %s a capsule of kind %d: there is no such kind", call,
                          (int)name->kind);
    verso_held *found = verso_held_find(&store->table, name);
    if (found == NULL || (reserved && !found->reserved))
        return out_of_order(store, error, call, name, reserved ? "it is not reserved" : "it is not held");
    if (!reserved && found->reserved)
        return out_of_order(store, error, call, name, "it is reserved and not committed");
    *held = found;
    return VERSO_OK;
}

static bool is_borrowed(const verso_file_store *store, const verso_capsule_name *name) {
    return store->borrowed != NULL && store->borrowed_name.kind == name->kind &&
           store->borrowed_name.step == name->step;
}

/* Compressed files are measured when they are written; others can be refused before anything is spent on them. */
static verso_status promise(verso_file_store *store, size_t size, uint64_t *promised, verso_error *error) {
    uint64_t limit = store->options.disk;
    *promised = store->options.compression != 0 ? 0 : VERSO_CAPSULE_HEADER + (uint64_t)size;
    if (limit == 0 || *promised == 0 || (store->promised <= limit && *promised <= limit - store->promised))
        return VERSO_OK;
    return verso_fail(error, VERSO_IMPOSSIBLE,
                      "a file of %" PRIu64 " bytes beside %" PRIu64 " bytes in '%s' exceeds the disk budget of %" PRIu64
                      " bytes; give at least %" PRIu64 " bytes",
                      *promised, store->promised, store->options.directory, limit, store->promised + *promised);
}

/* An entry and its write, the buffer not yet; with the lock. */
static verso_status enter(verso_file_store *store, const verso_capsule_name *name, verso_held **held,
                          verso_error *error) {
    *held = verso_held_add(&store->table, name);
    if (*held != NULL) {
        (*held)->reserved = true;
        (*held)->write = verso_file_write_new(store, *held);
        if ((*held)->write != NULL)
            return VERSO_OK;
        verso_held_remove(&store->table, *held);
    }
    return verso_fail(error, VERSO_NO_MEMORY, "no memory to note %s %" PRIu64, verso_capsule_word(name->kind),
                      name->step);
}

static verso_status reserve_locked(verso_file_store *store, const verso_capsule_name *name, size_t size, void **bytes,
                                   verso_error *error) {
    uint64_t promised;
    verso_buffer *buffer = NULL;
    verso_held *held;
    verso_status status = promise(store, size, &promised, error);
    if (status == VERSO_OK)
        status = verso_file_acquire(store, size, &buffer, error);
    if (status != VERSO_OK)
        return status;
    status = enter(store, name, &held, error);
    if (status != VERSO_OK) {
        verso_file_let_go(store, buffer);
        return status;
    }
    held->write->buffer = buffer;
    held->length = size;
    held->promised = promised;
    store->promised += promised;
    *bytes = buffer->bytes;
    return VERSO_OK;
}

static verso_status file_reserve(void *self, const verso_capsule_name *name, size_t size, void **bytes,
                                 verso_error *error) {
    verso_file_store *store = self;
    if (!verso_capsule_known(name->kind))
        return verso_fail(error, VERSO_INVALID, "cannot reserve a capsule of kind %d: there is no such kind",
                          (int)name->kind);
    verso_file_lock(store);
    bool broken = store->broken, taken = verso_held_find(&store->table, name) != NULL;
    verso_status status = VERSO_OK;
    if (!broken && taken)
        status = out_of_order(store, error, "reserve", name, "it is held already");
    else if (!broken)
        status = reserve_locked(store, name, size, bytes, error);
    verso_file_unlock(store);
    return broken ? verso_file_failure(store, error) : status;
}

/* Ends the entry of what was reserved; its write has been submitted, or is disposed of next. */
static void leave(verso_file_store *store, const verso_capsule_name *name) {
    verso_held *held = verso_held_find(&store->table, name);
    if (held->write != NULL)
        held->write->held = NULL;
    store->promised -= held->promised;
    verso_held_remove(&store->table, held);
}

static verso_status file_commit(void *self, const verso_capsule_name *name, verso_error *error) {
    verso_file_store *store = self;
    verso_held *held;
    verso_file_lock(store);
    verso_status status = find(store, "commit", name, true, &held, error);
    if (status == VERSO_OK) {
        held->reserved = false;
        store->usage.writes++;
    }
    verso_file_unlock(store);
    if (status != VERSO_OK)
        return status;
    double start = store->options.foreground ? verso_now() : 0;
    status = verso_file_write_submit(held->write, error);
    double seconds = store->options.foreground ? verso_now() - start : 0;
    verso_file_lock(store);
    store->usage.seconds_waited += seconds;
    if (status != VERSO_OK)
        leave(store, name);
    verso_file_unlock(store);
    return status;
}

static void file_cancel(void *self, const verso_capsule_name *name) {
    verso_file_store *store = self;
    verso_held *held;
    verso_file_lock(store);
    verso_write *write = find(store, "cancel", name, true, &held, NULL) == VERSO_OK ? held->write : NULL;
    if (write != NULL)
        leave(store, name);
    verso_file_unlock(store);
    if (write != NULL)
        write->job.dispose(&write->job);
}

static verso_status borrow_locked(verso_file_store *store, const verso_capsule_name *name, verso_error *error) {
    verso_held *held;
    verso_status status = find(store, "borrow", name, false, &held, error);
    if (status != VERSO_OK)
        return status;
    if (store->borrowed != NULL)
        return out_of_order(store, error, "borrow", name, "another one has not been released");
    verso_buffer *buffer;
    status = verso_file_fetch(store, held, &buffer, error);
    if (status != VERSO_OK)
        return status;
    store->borrowed = buffer;
    store->borrowed_name = *name;
    store->usage.reads++;
    return VERSO_OK;
}

static verso_status file_borrow(void *self, const verso_capsule_name *name, const void **bytes, size_t *size,
                                verso_error *error) {
    verso_file_store *store = self;
    verso_file_lock(store);
    bool broken = store->broken;
    verso_status status = broken ? VERSO_OK : borrow_locked(store, name, error);
    if (!broken && status == VERSO_OK) {
        *bytes = store->borrowed->bytes;
        *size = store->borrowed->size;
    }
    verso_file_unlock(store);
    return broken ? verso_file_failure(store, error) : status;
}

static void file_release(void *self, const verso_capsule_name *name) {
    verso_file_store *store = self;
    verso_file_lock(store);
    if (is_borrowed(store, name)) {
        verso_file_let_go(store, store->borrowed);
        store->borrowed = NULL;
    }
    verso_file_unlock(store);
}

static verso_status let_go_of(verso_file_store *store, const verso_capsule_name *name, bool skippable,
                              verso_error *error) {
    verso_held *held = NULL;
    verso_file_lock(store);
    bool broken = store->broken;
    verso_status status = broken ? VERSO_OK : find(store, "discard", name, false, &held, error);
    if (held != NULL && is_borrowed(store, name))
        status = out_of_order(store, error, "discard", name, "it has not been released");
    else if (held != NULL && verso_file_expects(store, name))
        verso_file_forget(store, false);
    verso_file_unlock(store);
    if (broken)
        return verso_file_failure(store, error);
    return status == VERSO_OK ? verso_file_discard(store, held, skippable, error) : status;
}

static verso_status file_discard(void *self, const verso_capsule_name *name, verso_error *error) {
    verso_file_store *store = self;
    return let_go_of(store, name, !store->options.durable, error);
}

verso_status verso_store_file_withdraw(verso_store *store, const verso_capsule_name *name, verso_error *error) {
    return let_go_of(store->self, name, true, error);
}

static void file_expect(void *self, const verso_capsule_name *name) {
    verso_file_store *store = self;
    verso_held *held;
    verso_file_lock(store);
    if (!store->broken && find(store, "expect", name, false, &held, NULL) == VERSO_OK)
        verso_file_expect(store, held);
    verso_file_unlock(store);
}

static verso_status file_sync(void *self, verso_error *error) {
    verso_file_store *store = self;
    double start = verso_now();
    verso_status status = verso_file_sync_all(store, error);
    double seconds = verso_now() - start;
    verso_file_lock(store);
    store->usage.seconds_waited += seconds;
    verso_file_unlock(store);
    return status;
}

/* ---- Looking at it ---- */

/* A visitor may use the store: it is shown a copy. */
static verso_status file_list(void *self, verso_status (*visit)(void *context, const verso_capsule_name *name),
                              void *context, verso_error *error) {
    verso_file_store *store = self;
    size_t count;
    verso_file_lock(store);
    bool broken = store->broken;
    verso_capsule_name *names = broken ? NULL : verso_held_names(&store->table, &count);
    verso_file_unlock(store);
    if (broken)
        return verso_file_failure(store, error);
    if (names == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a list of the capsules in '%s'",
                          store->options.directory);
    verso_status status = VERSO_OK;
    for (size_t i = 0; i < count && status == VERSO_OK; i++)
        status = visit(context, &names[i]);
    verso_dealloc(names);
    return status;
}

static void file_usage(void *self, verso_store_usage *usage) {
    verso_file_store *store = self;
    verso_file_lock(store);
    *usage = store->usage;
    usage->memory = store->pool.in_use + store->pool.idle;
    usage->memory_peak = store->pool.peak;
    verso_file_unlock(store);
}

const verso_store_operations verso_file_operations = {
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
    .close = verso_file_close_store,
};
