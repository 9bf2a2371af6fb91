/* Opening and closing a file store; taking stock of what earlier runs left in its directory. See file_inside.h.
 *
 * A file counts as held when its header says that it is of this program and this run; of another's, with a header that
 * holds, it is none of ours: it is neither listed nor removed, and a capsule of its name replaces it. One whose header
 * is damaged is held, so that who wants it is told, and discarding it removes it. What lies behind headers is read when
 * it is wanted. */
#include "base/alloc.h"
#include "store/file.h"
#include "store/file_inside.h"
#include "store/listing.h"
#include "store/name.h"

#include <errno.h>
#include <string.h>

/* ---- Taking stock ---- */

static verso_status hold(verso_file_store *store, const verso_capsule_name *name, bool damaged, verso_error *error) {
    verso_held *held = verso_held_add(&store->table, name);
    if (held == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a list of the capsules in '%s'",
                          store->options.directory);
    held->damaged = damaged;
    held->length = damaged ? 0 : store->caller_io.header.length;
    held->size = held->promised = store->caller_io.size;
    store->promised += held->size;
    store->usage.bytes += held->size;
    return VERSO_OK;
}

static bool ours(const verso_file_store *store, const verso_capsule_label *label) {
    return verso_identity_equal(label->program, store->options.program) &&
           verso_identity_equal(label->run, store->options.run);
}

static verso_status inspect(verso_file_store *store, const verso_capsule_name *name, verso_error *error) {
    verso_capsule_io *io = &store->caller_io;
    verso_capsule_label label = verso_file_label(store, name);
    verso_file_path(store, "", &label, store->caller_path);
    verso_status status = verso_capsule_open(io, store->caller_path, NULL, error);
    if (status == VERSO_IO)
        io->size = 0;
    if (status == VERSO_CORRUPT || status == VERSO_IO) /* whoever asks for it learns more */
        return hold(store, name, true, error);
    if (status != VERSO_OK)
        return status;
    verso_capsule_close(io);
    return ours(store, &io->header.label) ? hold(store, name, false, error) : VERSO_OK;
}

static verso_status remove_half(verso_file_store *store, const verso_capsule_name *name, verso_error *error) {
    verso_capsule_label label = verso_file_label(store, name);
    verso_file_path(store, VERSO_WRITING_PREFIX, &label, store->caller_path);
    return verso_file_remove(store->options.system, store->caller_path, error);
}

/* Makes the directory, removes half-written files, enters what is held. */
static verso_status take_stock(verso_file_store *store, verso_error *error) {
    verso_listing all = {0};
    verso_status status =
        verso_directory_make(store->options.system, store->options.directory, store->options.durable, error);
    if (status == VERSO_OK)
        status = verso_listing_read(store->options.system, store->options.directory, &all, error);
    for (size_t i = 0; status == VERSO_OK && i < all.count; i++)
        status = all.list[i].writing ? remove_half(store, &all.list[i].name, error)
                                     : inspect(store, &all.list[i].name, error);
    /* What a process saw that died before it synced the directory is not durable yet. */
    if (status == VERSO_OK && store->options.durable && store->table.count > 0)
        status = verso_directory_sync(store->options.system, store->options.directory, error);
    verso_listing_free(&all);
    store->usage.bytes_peak = store->usage.bytes;
    store->caller_io.seconds = 0; /* of opening: no capsule was read */
    return status;
}

/* ---- Opening and closing ---- */

/* Everything but the workers' jobs, which are done. */
static void free_store(verso_file_store *store) {
    for (size_t i = 0; i < store->table.bucket_count;
         i++) /* what is reserved and was neither committed nor cancelled */
        for (verso_held *held = store->table.buckets[i]; held != NULL; held = held->next)
            if (held->write != NULL)
                held->write->job.dispose(&held->write->job);
    verso_held_free(&store->table);
    verso_capsule_io_free(&store->caller_io);
    verso_capsule_io_free(&store->writer_io);
    verso_capsule_io_free(&store->reader_io);
    verso_dealloc(store->caller_path);
    verso_dealloc(store->writer_path);
    verso_dealloc(store->writer_path_to);
    verso_dealloc(store->reader_path);
    verso_dealloc((char *)(uintptr_t)store->options.directory);
    if (store->borrowed != NULL)
        verso_file_let_go(store, store->borrowed);
    verso_pool_empty(&store->pool);
    pthread_mutex_destroy(&store->mutex);
    verso_dealloc(store);
}

/* What was committed is still written: closing is no way to lose it. */
void verso_file_close_store(void *self) {
    verso_file_store *store = self;
    (void)verso_worker_drain(store->writer, NULL);
    verso_file_lock(store);
    verso_file_forget(store, false);
    verso_file_unlock(store);
    verso_worker_free(store->reader);
    if (store->writer_is_ours)
        verso_worker_free(store->writer);
    free_store(store);
}

static char *copy_of(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = verso_alloc(size, 1);
    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

/* A store without stock and writer; NULL: no memory. */
static verso_file_store *store_new(const verso_file_store_options *options) {
    verso_file_store *store = verso_alloc(1, sizeof *store);
    if (store == NULL)
        return NULL;
    store->options = *options;
    if (options->system == NULL)
        store->options.system = &verso_system_machine;
    pthread_mutex_init(&store->mutex, NULL); /* an ordinary one: cannot fail */
    store->pool.limit = options->memory;
    verso_capsule_io_init(&store->caller_io, store->options.system);
    verso_capsule_io_init(&store->writer_io, store->options.system);
    verso_capsule_io_init(&store->reader_io, store->options.system);
    store->options.directory = copy_of(options->directory);
    if (store->options.directory == NULL) {
        free_store(store);
        return NULL;
    }
    store->caller_path = verso_alloc(verso_file_path_room(store), 1);
    store->writer_path = verso_alloc(verso_file_path_room(store), 1);
    store->writer_path_to = verso_alloc(verso_file_path_room(store), 1);
    store->reader_path = verso_alloc(verso_file_path_room(store), 1);
    if (store->caller_path == NULL || store->writer_path == NULL || store->writer_path_to == NULL ||
        store->reader_path == NULL) {
        free_store(store);
        return NULL;
    }
    return store;
}

verso_status verso_store_file_open_with(const verso_file_store_options *options, verso_worker *writer,
                                        verso_store *store, verso_error *error) {
    *store = (verso_store){0};
    if (options->directory == NULL || options->directory[0] == '\0')
        return verso_fail(error, VERSO_INVALID, "a store of files needs a directory");
    verso_file_store *made = store_new(options);
    if (made == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a store in '%s'", options->directory);
    made->writer = writer;
    verso_status status = take_stock(made, error);
    if (status != VERSO_OK) {
        free_store(made);
        return status;
    }
    *store = (verso_store){.operations = &verso_file_operations, .self = made, .durable = options->durable};
    return VERSO_OK;
}

verso_status verso_store_file_open(const verso_file_store_options *options, verso_store *store, verso_error *error) {
    verso_worker *writer;
    *store = (verso_store){0};
    verso_status status = verso_worker_new(options->foreground, &writer, error);
    if (status != VERSO_OK)
        return status;
    status = verso_store_file_open_with(options, writer, store, error);
    if (status != VERSO_OK) {
        verso_worker_free(writer);
        return status;
    }
    ((verso_file_store *)store->self)->writer_is_ours = true;
    return VERSO_OK;
}
