/* The jobs of the file store's writer: write a capsule, remove a file, make removals durable. See file_inside.h. */
#include "base/alloc.h"
#include "store/file_inside.h"
#include "store/name.h"

#include <inttypes.h>

struct verso__removal {
    verso__job job;
    verso__file_store *store;
    verso__capsule_label label;
    uint64_t size; /* size of the file in bytes; set by a pending write of the same capsule when it is done */
    bool done;
};

/* ---- Writing ---- */

/* Returns the number of bytes that the disk budget leaves for one more file. */
static uint64_t room_on_disk(verso__file_store *store) {
    if (store->options.disk == 0)
        return UINT64_MAX;
    return store->options.disk > store->usage.bytes ? store->options.disk - store->usage.bytes : 0;
}

/* Writes a temporary file and renames it when it is complete, so that a file under its final name is always
 * complete. The write is done only when the name is durable, too. */
static verso_status write_file(verso__write *write, uint64_t most, uint64_t *size, verso_error *error) {
    verso__file_store *store = write->store;
    const verso_file_store_options *options = &store->options;
    const verso__capsule_source source = {
        .label = &write->label,
        .bytes = write->buffer->bytes,
        .length = write->buffer->size,
        .level = options->compression,
        .durable = options->durable,
        .most = most,
    };
    verso__file_path(store, VERSO_WRITING_PREFIX, &write->label, store->writer_path);
    verso__file_path(store, "", &write->label, store->writer_path_to);
    verso_status status = verso__capsule_write(&store->writer_io, store->writer_path, &source, size, error);
    if (status != VERSO_STATUS_OK)
        return status;
    double start = verso__now();
    status = verso__file_rename(store->system, store->writer_path, store->writer_path_to, error);
    if (status != VERSO_STATUS_OK)
        (void)verso__file_remove(store->system, store->writer_path, NULL);
    else if (options->durable)
        status = verso__directory_sync(store->system, options->directory, error);
    store->writer_io.seconds += verso__now() - start;
    return status;
}

static void count_write(verso__write *write, uint64_t size) {
    verso__file_store *store = write->store;
    store->usage.bytes += size;
    if (store->usage.bytes > store->usage.bytes_peak)
        store->usage.bytes_peak = store->usage.bytes;
    store->usage.bytes_written += size;
    store->unsynced = false; /* syncing the directory has made earlier removals durable, too */
    if (write->held != NULL)
        write->held->size = size;
    else if (write->removal != NULL)
        write->removal->size = size;
}

static verso_status write_run(verso__job *job, verso_error *error) {
    verso__write *write = (verso__write *)job;
    verso__file_store *store = write->store;
    verso__file_lock(store);
    write->begun = true;
    write->done = write->buffer == NULL;
    uint64_t most = room_on_disk(store);
    verso__file_unlock(store);
    if (write->done)
        return VERSO_STATUS_OK;
    uint64_t size = 0;
    verso_status status = write_file(write, most, &size, error);
    verso__file_lock(store);
    store->usage.seconds_written += store->writer_io.seconds;
    store->writer_io.seconds = 0;
    write->done = status == VERSO_STATUS_OK;
    if (write->done)
        count_write(write, size);
    verso__file_unlock(store);
    return status;
}

static void write_dispose(verso__job *job) {
    verso__write *write = (verso__write *)job;
    verso__file_store *store = write->store;
    verso__file_lock(store);
    if (write->held != NULL)
        write->held->write = NULL;
    if (write->buffer != NULL)
        verso__file_let_go(store, write->buffer);
    if (write->submitted) {
        store->pending--;
        store->broken = store->broken || !write->done;
    }
    verso__file_unlock(store);
    verso__dealloc(write);
}

verso__write *verso__file_write_new(verso__file_store *store, verso__held *held) {
    verso__write *write = verso__alloc(1, sizeof *write);
    if (write == NULL)
        return NULL;
    *write = (verso__write){.job = {.run = write_run, .dispose = write_dispose},
                            .store = store,
                            .held = held,
                            .label = verso__file_label(store, &held->name)};
    return write;
}

verso_status verso__file_write_submit(verso__write *write, verso_error *error) {
    verso__file_store *store = write->store;
    verso__file_lock(store);
    write->submitted = true;
    store->pending++;
    verso__file_unlock(store);
    return verso__worker_submit(store->writer, &write->job, error);
}

/* ---- Removing ---- */

static verso_status removal_run(verso__job *job, verso_error *error) {
    verso__removal *removal = (verso__removal *)job;
    verso__file_store *store = removal->store;
    verso__file_path(store, "", &removal->label, store->writer_path_to);
    double start = verso__now();
    verso_status status = verso__file_remove(store->system, store->writer_path_to, error);
    double seconds = verso__now() - start;
    verso__file_lock(store);
    store->usage.seconds_written += seconds;
    removal->done = status == VERSO_STATUS_OK;
    if (removal->done) {
        store->usage.bytes -= removal->size;
        store->unsynced = true;
    }
    verso__file_unlock(store);
    return status;
}

static void removal_dispose(verso__job *job) {
    verso__removal *removal = (verso__removal *)job;
    verso__file_lock(removal->store);
    removal->store->broken = removal->store->broken || !removal->done;
    verso__file_unlock(removal->store);
    verso__dealloc(removal);
}

/* Skips a write that has not begun. Returns true if it did; then there is no file to remove, either. */
static bool skip_write(verso__write *write) {
    if (write == NULL || write->begun)
        return false;
    verso__file_let_go(write->store, write->buffer);
    write->buffer = NULL;
    write->held = NULL;
    return true;
}

verso_status verso__file_discard(verso__file_store *store, verso__held *held, bool skippable, verso_error *error) {
    verso__removal *removal = verso__alloc(1, sizeof *removal);
    if (removal == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to remove %s %" PRIu64,
                           verso__capsule_word(held->name.kind), held->name.step);
    *removal = (verso__removal){.job = {.run = removal_run, .dispose = removal_dispose},
                                .store = store,
                                .label = verso__file_label(store, &held->name)};
    verso__file_lock(store);
    bool skipped = skippable && skip_write(held->write);
    if (!skipped && held->write != NULL) {
        held->write->held = NULL;
        held->write->removal = removal;
    }
    removal->size = held->size;
    store->promised -= held->promised;
    verso__held_remove(&store->table, held);
    verso__file_unlock(store);
    if (!skipped)
        return verso__worker_submit(store->writer, &removal->job, error);
    verso__dealloc(removal);
    return VERSO_STATUS_OK;
}

/* ---- Making removals durable ---- */

typedef struct directory_sync {
    verso__job job;
    verso__file_store *store;
    bool done;
} directory_sync;

static verso_status sync_run(verso__job *job, verso_error *error) {
    directory_sync *sync = (directory_sync *)job;
    verso__file_store *store = sync->store;
    verso__file_lock(store);
    bool needed = store->unsynced;
    verso__file_unlock(store);
    double start = verso__now();
    verso_status status =
        needed ? verso__directory_sync(store->system, store->options.directory, error) : VERSO_STATUS_OK;
    double seconds = verso__now() - start;
    verso__file_lock(store);
    sync->done = status == VERSO_STATUS_OK;
    store->unsynced = store->unsynced && !sync->done;
    store->usage.seconds_written += seconds;
    verso__file_unlock(store);
    return status;
}

static void sync_dispose(verso__job *job) {
    directory_sync *sync = (directory_sync *)job;
    verso__file_lock(sync->store);
    sync->store->broken = sync->store->broken || !sync->done;
    verso__file_unlock(sync->store);
    verso__dealloc(sync);
}

verso_status verso__file_sync_all(verso__file_store *store, verso_error *error) {
    if (store->options.durable) {
        directory_sync *sync = verso__alloc(1, sizeof *sync);
        if (sync == NULL)
            return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to sync '%s'", store->options.directory);
        *sync = (directory_sync){.job = {.run = sync_run, .dispose = sync_dispose}, .store = store};
        verso_status status = verso__worker_submit(store->writer, &sync->job, error);
        if (status != VERSO_STATUS_OK)
            return status;
    }
    return verso__worker_drain(store->writer, error);
}
