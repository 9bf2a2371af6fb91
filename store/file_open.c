/* Opens and closes a file store and finds the capsules that earlier runs left in its directory. See file_inside.h.
 *
 * The store holds a file whose header names this program and this run. It ignores an intact file of another program
 * or run: it neither lists nor removes it, and a new capsule with the same name replaces it. It also holds a file
 * with a damaged header, so that borrowing the capsule reports the damage and discarding it removes the file. At
 * this point only headers are read; the rest of a file is read when the capsule is borrowed. */
#include "base/alloc.h"
#include "base/sized.h"
#include "store/file.h"
#include "store/file_inside.h"
#include "store/listing.h"
#include "store/name.h"

#include <errno.h>
#include <string.h>

/* ---- Finding existing capsules ---- */

/* Adds an entry for the file that store->caller_io has just opened. */
static verso_status hold(verso__file_store *store, const verso_capsule_name *name, bool damaged, verso_error *error) {
    verso__held *held = verso__held_add(&store->table, name);
    if (held == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a list of the capsules in '%s'",
                           store->options.directory);
    held->damaged = damaged;
    held->length = damaged ? 0 : store->caller_io.header.length;
    held->size = held->promised = store->caller_io.size;
    store->promised += held->size;
    store->usage.bytes += held->size;
    return VERSO_STATUS_OK;
}

static bool is_of_this_run(const verso__file_store *store, const verso__capsule_label *label) {
    return verso__identity_equal(label->program, store->options.program) &&
           verso__identity_equal(label->run, store->options.run);
}

static verso_status inspect(verso__file_store *store, const verso_capsule_name *name, verso_error *error) {
    verso__capsule_io *io = &store->caller_io;
    verso__capsule_label label = verso__file_label(store, name);
    verso__file_path(store, "", &label, store->caller_path);
    verso_status status = verso__capsule_open(io, store->caller_path, NULL, error);
    if (status == VERSO_STATUS_IO)
        io->size = 0;
    if (status == VERSO_STATUS_CORRUPT || status == VERSO_STATUS_IO) /* borrowing it will report the cause */
        return hold(store, name, true, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__capsule_close(io);
    return is_of_this_run(store, &io->header.label) ? hold(store, name, false, error) : VERSO_STATUS_OK;
}

static verso_status remove_half(verso__file_store *store, const verso_capsule_name *name, verso_error *error) {
    verso__capsule_label label = verso__file_label(store, name);
    verso__file_path(store, VERSO_WRITING_PREFIX, &label, store->caller_path);
    return verso__file_remove(store->system, store->caller_path, error);
}

/* Creates the directory, removes half-written files and adds an entry for each capsule of this run. */
static verso_status take_stock(verso__file_store *store, verso_error *error) {
    verso__listing all = {0};
    verso_status status = verso__directory_make(store->system, store->options.directory, store->options.durable, error);
    if (status == VERSO_STATUS_OK)
        status = verso__listing_read(store->system, store->options.directory, &all, error);
    for (size_t i = 0; status == VERSO_STATUS_OK && i < all.count; i++)
        status = all.list[i].writing ? remove_half(store, &all.list[i].name, error)
                                     : inspect(store, &all.list[i].name, error);
    /* A process that died may have renamed files without syncing the directory. */
    if (status == VERSO_STATUS_OK && store->options.durable && store->table.count > 0)
        status = verso__directory_sync(store->system, store->options.directory, error);
    verso__listing_free(&all);
    store->usage.bytes_peak = store->usage.bytes;
    store->caller_io.seconds = 0; /* opening does not count: no capsule was read */
    return status;
}

/* ---- Opening and closing ---- */

/* Frees the store. All jobs of its workers are done. */
static void free_store(verso__file_store *store) {
    for (size_t i = 0; i < store->table.bucket_count;
         i++) /* capsules that were reserved and neither committed nor cancelled */
        for (verso__held *held = store->table.buckets[i]; held != NULL; held = held->next)
            if (held->write != NULL)
                held->write->job.dispose(&held->write->job);
    verso__held_free(&store->table);
    verso__capsule_io_free(&store->caller_io);
    verso__capsule_io_free(&store->writer_io);
    verso__capsule_io_free(&store->reader_io);
    verso__dealloc(store->caller_path);
    verso__dealloc(store->writer_path);
    verso__dealloc(store->writer_path_to);
    verso__dealloc(store->reader_path);
    verso__dealloc((char *)(uintptr_t)store->options.directory);
    if (store->borrowed != NULL)
        verso__file_let_go(store, store->borrowed);
    verso__pool_empty(&store->pool);
    pthread_mutex_destroy(&store->mutex);
    verso__dealloc(store);
}

/* Waits until all committed capsules are written: closing must not lose them. */
void verso__file_close_store(void *self) {
    verso__file_store *store = self;
    (void)verso__worker_drain(store->writer, NULL);
    verso__file_lock(store);
    verso__file_forget(store, false);
    verso__file_unlock(store);
    verso__worker_free(store->reader);
    if (store->owns_writer)
        verso__worker_free(store->writer);
    free_store(store);
}

static char *copy_of(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = verso__alloc(size, 1);
    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

/* Creates a store without entries and without a writer; NULL if there is no memory. */
static verso__file_store *store_new(const verso_file_store_options *options) {
    verso__file_store *store = verso__alloc(1, sizeof *store);
    if (store == NULL)
        return NULL;
    store->options = *options;
    store->system = verso__system_current();
    pthread_mutex_init(&store->mutex, NULL); /* cannot fail: a normal mutex */
    store->pool.limit = options->memory;
    verso__capsule_io_init(&store->caller_io, store->system);
    verso__capsule_io_init(&store->writer_io, store->system);
    verso__capsule_io_init(&store->reader_io, store->system);
    store->options.directory = copy_of(options->directory);
    if (store->options.directory == NULL) {
        free_store(store);
        return NULL;
    }
    store->caller_path = verso__alloc(verso__file_path_room(store), 1);
    store->writer_path = verso__alloc(verso__file_path_room(store), 1);
    store->writer_path_to = verso__alloc(verso__file_path_room(store), 1);
    store->reader_path = verso__alloc(verso__file_path_room(store), 1);
    if (store->caller_path == NULL || store->writer_path == NULL || store->writer_path_to == NULL ||
        store->reader_path == NULL) {
        free_store(store);
        return NULL;
    }
    return store;
}

verso_status verso__store_file_open_with(const verso_file_store_options *options, verso__worker *writer,
                                         verso_store *store, verso_error *error) {
    *store = (verso_store){0};
    if (options->directory == NULL || options->directory[0] == '\0')
        return verso__fail(error, VERSO_STATUS_INVALID, "a store of files needs a directory");
    verso__file_store *made = store_new(options);
    if (made == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a store in '%s'", options->directory);
    made->writer = writer;
    verso_status status = take_stock(made, error);
    if (status != VERSO_STATUS_OK) {
        free_store(made);
        return status;
    }
    *store = (verso_store){.operations = &verso__file_operations, .self = made, .durable = options->durable};
    return VERSO_STATUS_OK;
}

verso_status verso_store_file_open(const verso_file_store_options *options, verso_store *store, verso_error *error) {
    verso_file_store_options own;
    verso__worker *writer;
    *store = (verso_store){0};
    verso_status status = verso__sized_read(options, &own, sizeof own, "VERSO_FILE_STORE_OPTIONS_INIT", error);
    if (status == VERSO_STATUS_OK)
        status = verso__worker_new(own.foreground, &writer, error);
    if (status != VERSO_STATUS_OK)
        return status;
    status = verso__store_file_open_with(&own, writer, store, error);
    if (status != VERSO_STATUS_OK) {
        verso__worker_free(writer);
        return status;
    }
    ((verso__file_store *)store->self)->owns_writer = true;
    return VERSO_STATUS_OK;
}
