/* How the file store comes by buffers and by what is in its files: at once, or ahead, in the reader's thread. See
 * file_inside.h.
 *
 * What is read ahead is a hint's consequence: whatever goes wrong with it is forgotten, and the capsule is read when it
 * is borrowed. */
#include "base/alloc.h"
#include "store/file_inside.h"

#include <inttypes.h>

/* Two hold it: the store, until it is taken or forgotten, and the reader, until it is read. The last one frees it. */
struct verso_ahead {
    verso_job job;
    verso_file_store *store;
    verso_capsule_name name;
    verso_capsule_label label;
    verso_buffer *buffer;
    bool wanted;  /* the store holds it */
    bool reading; /* the reader does */
    bool begun;   /* and is at it */
    bool whole;   /* the buffer has the capsule */
};

/* ---- Buffers ---- */

enum { QUEUE_WRITES = 4, QUEUE_BYTES = 64 << 20 };

void verso_file_let_go(verso_file_store *store, verso_buffer *buffer) {
    if (--buffer->holders == 0)
        verso_pool_give(&store->pool, buffer);
}

static verso_status no_room(const verso_file_store *store, size_t size, verso_error *error) {
    uint64_t least = verso_pool_least(&store->pool, size);
    return verso_fail(error, VERSO_IMPOSSIBLE,
                      "a capsule of %zu bytes beside %" PRIu64 " bytes of others does not fit into the %" PRIu64
                      " bytes of memory for capsules on their way to or from files; give at least %" PRIu64 " bytes",
                      size, least - size, store->pool.limit, least);
}

/* Gives up the lock until a write is done. */
static verso_status wait_for_write(verso_file_store *store, verso_error *error) {
    verso_file_unlock(store);
    double start = verso_now();
    verso_status status = verso_worker_wait_one(store->writer, error);
    double seconds = verso_now() - start;
    verso_file_lock(store);
    store->usage.seconds_waited += seconds;
    return status;
}

/* Without a budget the queue is bounded all the same: a disk that is slower than the computation must not fill memory.
 */
static bool is_queue_long(const verso_file_store *store) {
    return store->pool.limit == 0 && store->pending >= QUEUE_WRITES && store->pool.in_use >= QUEUE_BYTES;
}

verso_status verso_file_acquire(verso_file_store *store, size_t size, verso_buffer **buffer, verso_error *error) {
    while (is_queue_long(store)) {
        verso_status status = wait_for_write(store, error);
        if (status != VERSO_OK)
            return status;
    }
    for (;;) {
        bool full;
        *buffer = verso_pool_take(&store->pool, size, &full);
        if (*buffer != NULL)
            break;
        if (!full)
            return verso_fail(error, VERSO_NO_MEMORY, "no memory for a capsule of %zu bytes", size);
        if (size > store->pool.limit || (store->pending == 0 && store->reading == 0 && store->ahead == NULL))
            return no_room(store, size, error);
        verso_status status = VERSO_OK;
        if (store->pending > 0)
            status = wait_for_write(store, error);
        else
            verso_file_forget(store, true);
        if (status != VERSO_OK)
            return status;
    }
    (*buffer)->holders = 1;
    return VERSO_OK;
}

/* ---- Reading ahead ---- */

/* A buffer that is not being read into is free as soon as nobody wants it. */
static void free_if_unheld(verso_ahead *ahead) {
    if (ahead->wanted)
        return;
    if (ahead->buffer != NULL && !(ahead->reading && ahead->begun)) {
        verso_file_let_go(ahead->store, ahead->buffer);
        ahead->buffer = NULL;
    }
    if (!ahead->reading)
        verso_dealloc(ahead);
}

static void count_read(verso_file_store *store, verso_capsule_io *io, uint64_t bytes) {
    store->usage.bytes_read += bytes;
    store->usage.seconds_read += io->seconds;
    io->seconds = 0;
}

static verso_status ahead_run(verso_job *job, verso_error *error) {
    (void)error;
    verso_ahead *ahead = (verso_ahead *)job;
    verso_file_store *store = ahead->store;
    verso_capsule_io *io = &store->reader_io;
    verso_file_lock(store);
    ahead->begun = ahead->wanted;
    verso_file_unlock(store);
    if (!ahead->begun)
        return VERSO_OK;
    verso_file_path(store, "", &ahead->label, store->reader_path);
    bool whole = verso_capsule_open(io, store->reader_path, &ahead->label, NULL) == VERSO_OK;
    if (whole && io->header.length != ahead->buffer->size) {
        verso_capsule_close(io);
        whole = false;
    }
    whole = whole && verso_capsule_read(io, ahead->buffer->bytes, NULL) == VERSO_OK;
    verso_file_lock(store);
    ahead->whole = whole;
    count_read(store, io, whole ? VERSO_CAPSULE_HEADER + io->header.stored : 0);
    verso_file_unlock(store);
    return VERSO_OK;
}

static void ahead_dispose(verso_job *job) {
    verso_ahead *ahead = (verso_ahead *)job;
    verso_file_store *store = ahead->store;
    verso_file_lock(store);
    ahead->reading = false;
    store->reading--;
    free_if_unheld(ahead);
    verso_file_unlock(store);
}

static void wait_for_reader(verso_file_store *store) {
    verso_file_unlock(store);
    double start = verso_now();
    (void)verso_worker_drain(store->reader, NULL); /* its jobs never fail */
    double seconds = verso_now() - start;
    verso_file_lock(store);
    store->usage.seconds_waited += seconds;
}

void verso_file_forget(verso_file_store *store, bool wait) {
    verso_ahead *ahead = store->ahead;
    store->ahead = NULL;
    if (ahead != NULL) {
        ahead->wanted = false;
        free_if_unheld(ahead);
    }
    if (wait && store->reader != NULL)
        wait_for_reader(store);
}

bool verso_file_expects(const verso_file_store *store, const verso_capsule_name *name) {
    return store->ahead != NULL && store->ahead->name.kind == name->kind && store->ahead->name.step == name->step;
}

static verso_ahead *ahead_new(verso_file_store *store, const verso_held *held) {
    bool full;
    if (store->reader == NULL && verso_worker_new(false, &store->reader, NULL) != VERSO_OK)
        return NULL;
    verso_ahead *ahead = verso_alloc(1, sizeof *ahead);
    verso_buffer *buffer = ahead == NULL ? NULL : verso_pool_take(&store->pool, (size_t)held->length, &full);
    if (buffer == NULL) {
        verso_dealloc(ahead);
        return NULL;
    }
    buffer->holders = 1;
    *ahead = (verso_ahead){.job = {.run = ahead_run, .dispose = ahead_dispose},
                           .store = store,
                           .name = held->name,
                           .label = verso_file_label(store, &held->name),
                           .buffer = buffer,
                           .wanted = true,
                           .reading = true};
    return ahead;
}

void verso_file_expect(verso_file_store *store, const verso_held *held) {
    if (store->options.foreground || held->write != NULL || held->damaged || verso_file_expects(store, &held->name))
        return;
    verso_file_forget(store, false);
    store->ahead = ahead_new(store, held);
    if (store->ahead == NULL)
        return;
    verso_job *job = &store->ahead->job;
    store->reading++;
    verso_file_unlock(store);
    (void)verso_worker_submit(store->reader, job, NULL);
    verso_file_lock(store);
}

/* What was read ahead of this capsule, if that went well. Waits for it when it is being read. */
static verso_buffer *take_ahead(verso_file_store *store, const verso_capsule_name *name) {
    if (!verso_file_expects(store, name))
        return NULL;
    if (store->ahead->reading)
        wait_for_reader(store);
    verso_buffer *buffer = store->ahead->whole ? store->ahead->buffer : NULL;
    if (buffer != NULL)
        store->ahead->buffer = NULL;
    verso_file_forget(store, false);
    return buffer;
}

/* ---- Reading at once ---- */

/* The header first, so that no buffer is taken for a length that was not checked. */
static verso_status read_now(verso_file_store *store, const verso_capsule_name *name, verso_buffer **buffer,
                             verso_error *error) {
    verso_capsule_io *io = &store->caller_io;
    verso_capsule_label label = verso_file_label(store, name);
    verso_file_path(store, "", &label, store->caller_path);
    verso_file_unlock(store);
    verso_status status = verso_capsule_open(io, store->caller_path, &label, error);
    verso_file_lock(store);
    if (status != VERSO_OK)
        return status;
    status = verso_file_acquire(store, (size_t)io->header.length, buffer, error);
    if (status != VERSO_OK) {
        verso_capsule_close(io);
        return status;
    }
    verso_file_unlock(store);
    status = verso_capsule_read(io, (*buffer)->bytes, error);
    verso_file_lock(store);
    if (status != VERSO_OK)
        verso_file_let_go(store, *buffer);
    return status;
}

verso_status verso_file_fetch(verso_file_store *store, const verso_held *held, verso_buffer **buffer,
                              verso_error *error) {
    if (held->write != NULL) {
        *buffer = held->write->buffer;
        (*buffer)->holders++;
        return VERSO_OK;
    }
    *buffer = take_ahead(store, &held->name);
    if (*buffer != NULL)
        return VERSO_OK;
    verso_status status = read_now(store, &held->name, buffer, error);
    store->usage.seconds_waited += store->caller_io.seconds;
    count_read(store, &store->caller_io,
               status == VERSO_OK ? VERSO_CAPSULE_HEADER + store->caller_io.header.stored : 0);
    return status;
}
