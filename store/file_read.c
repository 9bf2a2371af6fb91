/* Buffers of the file store, and reading its files: at once, or ahead in the reader's thread. See file_inside.h.
 *
 * Reading ahead follows a hint (`expect`). If it fails, the failure is ignored and the capsule is read when it is
 * borrowed. */
#include "base/alloc.h"
#include "store/file_inside.h"

#include <inttypes.h>

/* A capsule that is read ahead. It has two holders: the store, until the capsule is taken or discarded, and the
 * reader, until it is read. The last one frees it. */
struct verso__ahead {
    verso__job job;
    verso__file_store *store;
    verso_capsule_name name;
    verso__capsule_label label;
    verso__buffer *buffer;
    bool wanted;  /* the store holds it */
    bool reading; /* the reader holds it */
    bool begun;   /* the reader has begun to read */
    bool whole;   /* the buffer contains the capsule */
};

/* ---- Buffers ---- */

enum { QUEUE_WRITES = 4, QUEUE_BYTES = 64 << 20 };

void verso__file_let_go(verso__file_store *store, verso__buffer *buffer) {
    if (--buffer->holders == 0)
        verso__pool_give(&store->pool, buffer);
}

static verso_status no_room(const verso__file_store *store, size_t size, verso_error *error) {
    uint64_t least = verso__pool_least(&store->pool, size);
    return verso__fail(error, VERSO_STATUS_IMPOSSIBLE,
                       "a capsule of %zu bytes beside %" PRIu64 " bytes of others does not fit into the %" PRIu64
                       " bytes of memory for capsules on their way to or from files; give at least %" PRIu64 " bytes",
                       size, least - size, store->pool.limit, least);
}

/* Releases the mutex and waits until a write is done. */
static verso_status wait_for_write(verso__file_store *store, verso_error *error) {
    verso__file_unlock(store);
    double start = verso__now();
    verso_status status = verso__worker_wait_one(store->writer, error);
    double seconds = verso__now() - start;
    verso__file_lock(store);
    store->usage.seconds_waited += seconds;
    return status;
}

/* Without a budget the queue is limited, too: otherwise a disk that is slower than the computation would fill the
 * memory. */
static bool is_queue_long(const verso__file_store *store) {
    return store->pool.limit == 0 && store->pending >= QUEUE_WRITES && store->pool.in_use >= QUEUE_BYTES;
}

verso_status verso__file_acquire(verso__file_store *store, size_t size, verso__buffer **buffer, verso_error *error) {
    while (is_queue_long(store)) {
        verso_status status = wait_for_write(store, error);
        if (status != VERSO_STATUS_OK)
            return status;
    }
    for (;;) {
        bool full;
        *buffer = verso__pool_take(&store->pool, size, &full);
        if (*buffer != NULL)
            break;
        if (!full)
            return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a capsule of %zu bytes", size);
        if (size > store->pool.limit || (store->pending == 0 && store->reading == 0 && store->ahead == NULL))
            return no_room(store, size, error);
        verso_status status = VERSO_STATUS_OK;
        if (store->pending > 0)
            status = wait_for_write(store, error);
        else
            verso__file_forget(store, true);
        if (status != VERSO_STATUS_OK)
            return status;
    }
    (*buffer)->holders = 1;
    return VERSO_STATUS_OK;
}

/* ---- Reading ahead ---- */

/* If the store no longer holds it, releases the buffer, unless the reader is using it, and frees it once the reader
 * has finished. */
static void free_if_unheld(verso__ahead *ahead) {
    if (ahead->wanted)
        return;
    if (ahead->buffer != NULL && !(ahead->reading && ahead->begun)) {
        verso__file_let_go(ahead->store, ahead->buffer);
        ahead->buffer = NULL;
    }
    if (!ahead->reading)
        verso__dealloc(ahead);
}

static void count_read(verso__file_store *store, verso__capsule_io *io, uint64_t bytes) {
    store->usage.bytes_read += bytes;
    store->usage.seconds_read += io->seconds;
    io->seconds = 0;
}

static verso_status ahead_run(verso__job *job, verso_error *error) {
    (void)error;
    verso__ahead *ahead = (verso__ahead *)job;
    verso__file_store *store = ahead->store;
    verso__capsule_io *io = &store->reader_io;
    verso__file_lock(store);
    ahead->begun = ahead->wanted;
    verso__file_unlock(store);
    if (!ahead->begun)
        return VERSO_STATUS_OK;
    verso__file_path(store, "", &ahead->label, store->reader_path);
    bool whole = verso__capsule_open(io, store->reader_path, &ahead->label, NULL) == VERSO_STATUS_OK;
    if (whole && io->header.length != ahead->buffer->size) {
        verso__capsule_close(io);
        whole = false;
    }
    whole = whole && verso__capsule_read(io, ahead->buffer->bytes, NULL) == VERSO_STATUS_OK;
    verso__file_lock(store);
    ahead->whole = whole;
    count_read(store, io, whole ? VERSO_CAPSULE_HEADER + io->header.stored : 0);
    verso__file_unlock(store);
    return VERSO_STATUS_OK;
}

static void ahead_dispose(verso__job *job) {
    verso__ahead *ahead = (verso__ahead *)job;
    verso__file_store *store = ahead->store;
    verso__file_lock(store);
    ahead->reading = false;
    store->reading--;
    free_if_unheld(ahead);
    verso__file_unlock(store);
}

static void wait_for_reader(verso__file_store *store) {
    verso__file_unlock(store);
    double start = verso__now();
    (void)verso__worker_drain(store->reader, NULL); /* its jobs never fail */
    double seconds = verso__now() - start;
    verso__file_lock(store);
    store->usage.seconds_waited += seconds;
}

void verso__file_forget(verso__file_store *store, bool wait) {
    verso__ahead *ahead = store->ahead;
    store->ahead = NULL;
    if (ahead != NULL) {
        ahead->wanted = false;
        free_if_unheld(ahead);
    }
    if (wait && store->reader != NULL)
        wait_for_reader(store);
}

bool verso__file_is_expected(const verso__file_store *store, const verso_capsule_name *name) {
    return store->ahead != NULL && store->ahead->name.kind == name->kind && store->ahead->name.step == name->step;
}

static verso__ahead *ahead_new(verso__file_store *store, const verso__held *held) {
    bool full;
    if (store->reader == NULL && verso__worker_new(false, &store->reader, NULL) != VERSO_STATUS_OK)
        return NULL;
    verso__ahead *ahead = verso__alloc(1, sizeof *ahead);
    verso__buffer *buffer = ahead == NULL ? NULL : verso__pool_take(&store->pool, (size_t)held->length, &full);
    if (buffer == NULL) {
        verso__dealloc(ahead);
        return NULL;
    }
    buffer->holders = 1;
    *ahead = (verso__ahead){.job = {.run = ahead_run, .dispose = ahead_dispose},
                            .store = store,
                            .name = held->name,
                            .label = verso__file_label(store, &held->name),
                            .buffer = buffer,
                            .wanted = true,
                            .reading = true};
    return ahead;
}

void verso__file_expect(verso__file_store *store, const verso__held *held) {
    if (store->options.foreground || held->write != NULL || held->damaged ||
        verso__file_is_expected(store, &held->name))
        return;
    verso__file_forget(store, false);
    store->ahead = ahead_new(store, held);
    if (store->ahead == NULL)
        return;
    verso__job *job = &store->ahead->job;
    store->reading++;
    verso__file_unlock(store);
    (void)verso__worker_submit(store->reader, job, NULL);
    verso__file_lock(store);
}

/* Returns the buffer with this capsule if it was read ahead successfully, else NULL. Waits if it is being read. */
static verso__buffer *take_ahead(verso__file_store *store, const verso_capsule_name *name) {
    if (!verso__file_is_expected(store, name))
        return NULL;
    if (store->ahead->reading)
        wait_for_reader(store);
    verso__buffer *buffer = store->ahead->whole ? store->ahead->buffer : NULL;
    if (buffer != NULL)
        store->ahead->buffer = NULL;
    verso__file_forget(store, false);
    return buffer;
}

/* ---- Reading at once ---- */

/* Reads the header before taking a buffer, so that an unchecked length is never allocated. */
static verso_status read_now(verso__file_store *store, const verso_capsule_name *name, verso__buffer **buffer,
                             verso_error *error) {
    verso__capsule_io *io = &store->caller_io;
    verso__capsule_label label = verso__file_label(store, name);
    verso__file_path(store, "", &label, store->caller_path);
    verso__file_unlock(store);
    verso_status status = verso__capsule_open(io, store->caller_path, &label, error);
    verso__file_lock(store);
    if (status != VERSO_STATUS_OK)
        return status;
    status = verso__file_acquire(store, (size_t)io->header.length, buffer, error);
    if (status != VERSO_STATUS_OK) {
        verso__capsule_close(io);
        return status;
    }
    verso__file_unlock(store);
    status = verso__capsule_read(io, (*buffer)->bytes, error);
    verso__file_lock(store);
    if (status != VERSO_STATUS_OK)
        verso__file_let_go(store, *buffer);
    return status;
}

verso_status verso__file_fetch(verso__file_store *store, const verso__held *held, verso__buffer **buffer,
                               verso_error *error) {
    if (held->write != NULL) {
        *buffer = held->write->buffer;
        (*buffer)->holders++;
        return VERSO_STATUS_OK;
    }
    *buffer = take_ahead(store, &held->name);
    if (*buffer != NULL)
        return VERSO_STATUS_OK;
    verso_status status = read_now(store, &held->name, buffer, error);
    store->usage.seconds_waited += store->caller_io.seconds;
    count_read(store, &store->caller_io,
               status == VERSO_STATUS_OK ? VERSO_CAPSULE_HEADER + store->caller_io.header.stored : 0);
    return status;
}
