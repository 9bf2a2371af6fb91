/* See pool.h. Idle buffers lie in one list a size; of the sizes the one that has not been used for longest goes first.
 */
#include "store/pool.h"

#include "base/alloc.h"

static void free_one(verso_pool *pool, struct verso_pool_size *place) {
    verso_buffer *buffer = place->first;
    place->first = buffer->next;
    pool->idle -= buffer->size;
    verso_dealloc(buffer);
}

/* The place of a size; NULL: nothing of that size is kept. */
static struct verso_pool_size *place_of(verso_pool *pool, size_t size) {
    for (size_t i = 0; i < VERSO_POOL_SIZES; i++)
        if (pool->sizes[i].size == size && pool->sizes[i].first != NULL)
            return &pool->sizes[i];
    return NULL;
}

/* NULL: nothing at all is kept. */
static struct verso_pool_size *oldest(verso_pool *pool) {
    struct verso_pool_size *found = NULL;
    for (size_t i = 0; i < VERSO_POOL_SIZES; i++)
        if (pool->sizes[i].first != NULL && (found == NULL || pool->sizes[i].used < found->used))
            found = &pool->sizes[i];
    return found;
}

static void note_peak(verso_pool *pool) {
    if (pool->in_use + pool->idle > pool->peak)
        pool->peak = pool->in_use + pool->idle;
}

static bool fits(const verso_pool *pool, size_t size) {
    return pool->limit == 0 || (pool->in_use <= pool->limit && size <= pool->limit - pool->in_use);
}

static verso_buffer *allocate(size_t size) {
    return size > SIZE_MAX - sizeof(verso_buffer) ? NULL : verso_realloc(NULL, sizeof(verso_buffer) + size, 1);
}

static verso_buffer *take_new(verso_pool *pool, size_t size) {
    while (pool->limit != 0 && pool->idle > pool->limit - pool->in_use - size)
        free_one(pool, oldest(pool));
    verso_buffer *buffer = allocate(size);
    if (buffer == NULL && pool->idle > 0) {
        verso_pool_empty(pool);
        buffer = allocate(size);
    }
    if (buffer == NULL)
        return NULL;
    buffer->size = size;
    pool->in_use += size;
    note_peak(pool);
    return buffer;
}

verso_buffer *verso_pool_take(verso_pool *pool, size_t size, bool *full) {
    struct verso_pool_size *place = place_of(pool, size);
    *full = !fits(pool, size);
    if (*full)
        return NULL;
    if (place == NULL)
        return take_new(pool, size);
    verso_buffer *buffer = place->first;
    place->first = buffer->next;
    place->used = ++pool->clock;
    pool->idle -= size;
    pool->in_use += size;
    return buffer;
}

/* A place for a new size: a free one, or that of the oldest, whose buffers are freed. */
static struct verso_pool_size *make_place(verso_pool *pool, size_t size) {
    struct verso_pool_size *place = NULL;
    for (size_t i = 0; i < VERSO_POOL_SIZES && place == NULL; i++)
        if (pool->sizes[i].first == NULL)
            place = &pool->sizes[i];
    if (place == NULL)
        place = oldest(pool);
    while (place->first != NULL)
        free_one(pool, place);
    place->size = size;
    return place;
}

void verso_pool_give(verso_pool *pool, verso_buffer *buffer) {
    struct verso_pool_size *place = place_of(pool, buffer->size);
    if (place == NULL)
        place = make_place(pool, buffer->size);
    buffer->next = place->first;
    place->first = buffer;
    place->used = ++pool->clock;
    pool->in_use -= buffer->size;
    pool->idle += buffer->size;
}

void verso_pool_empty(verso_pool *pool) {
    for (size_t i = 0; i < VERSO_POOL_SIZES; i++)
        while (pool->sizes[i].first != NULL)
            free_one(pool, &pool->sizes[i]);
}

uint64_t verso_pool_least(const verso_pool *pool, size_t size) {
    return pool->in_use > UINT64_MAX - size ? UINT64_MAX : pool->in_use + size;
}
