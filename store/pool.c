/* See pool.h. Idle buffers are in lists, one list per size. The size that was used longest ago is freed or resized
 * first. */
#include "store/pool.h"

#include "base/alloc.h"

static verso__buffer *take_one(verso__pool *pool, struct verso__pool_size *place) {
    verso__buffer *buffer = place->first;
    place->first = buffer->next;
    pool->idle -= buffer->size;
    return buffer;
}

/* The size of a buffer including its header. */
static size_t block_size(size_t size) {
    return sizeof(verso__buffer) + size;
}

static void free_one(verso__pool *pool, struct verso__pool_size *place) {
    verso__buffer *buffer = take_one(pool, place);
    verso__block_free(buffer, block_size(buffer->size));
}

/* Returns the list of idle buffers of this size; NULL if there is none. */
static struct verso__pool_size *place_of(verso__pool *pool, size_t size) {
    for (size_t i = 0; i < VERSO_POOL_SIZES; i++)
        if (pool->sizes[i].size == size && pool->sizes[i].first != NULL)
            return &pool->sizes[i];
    return NULL;
}

/* Returns the list that was used longest ago; NULL if no buffer is idle. */
static struct verso__pool_size *oldest(verso__pool *pool) {
    struct verso__pool_size *found = NULL;
    for (size_t i = 0; i < VERSO_POOL_SIZES; i++)
        if (pool->sizes[i].first != NULL && (found == NULL || pool->sizes[i].used < found->used))
            found = &pool->sizes[i];
    return found;
}

static void note_peak(verso__pool *pool) {
    if (pool->in_use + pool->idle > pool->peak)
        pool->peak = pool->in_use + pool->idle;
}

/* Returns whether the limit permits `size` more bytes in use, if idle buffers are freed. */
static bool fits(const verso__pool *pool, size_t size) {
    return pool->limit == 0 || (pool->in_use <= pool->limit && size <= pool->limit - pool->in_use);
}

/* Returns whether idle buffers must be freed before `size` more bytes can be in use. */
static bool is_over(const verso__pool *pool, size_t size) {
    return pool->limit != 0 && pool->idle > pool->limit - pool->in_use - size;
}

/* Allocates a buffer. If the limit or the machine leaves no memory for it, resizes an idle buffer instead. */
static verso__buffer *allocate(verso__pool *pool, size_t size) {
    verso__buffer *buffer = is_over(pool, size) ? NULL : verso__block_new(block_size(size));
    while (buffer == NULL && pool->idle > 0) {
        verso__buffer *old = take_one(pool, oldest(pool));
        buffer = verso__block_resize(old, block_size(old->size), block_size(size));
    }
    while (is_over(pool, size))
        free_one(pool, oldest(pool));
    return buffer;
}

static verso__buffer *take_new(verso__pool *pool, size_t size) {
    verso__buffer *buffer = size > SIZE_MAX - sizeof *buffer ? NULL : allocate(pool, size);
    if (buffer == NULL)
        return NULL;
    buffer->size = size;
    pool->in_use += size;
    note_peak(pool);
    return buffer;
}

verso__buffer *verso__pool_take(verso__pool *pool, size_t size, bool *full) {
    struct verso__pool_size *place = place_of(pool, size);
    *full = !fits(pool, size);
    if (*full)
        return NULL;
    if (place == NULL)
        return take_new(pool, size);
    verso__buffer *buffer = take_one(pool, place);
    place->used = ++pool->clock;
    pool->in_use += size;
    return buffer;
}

/* Returns an empty list for a new size: an unused one, or the list that was used longest ago, whose buffers it
 * frees. */
static struct verso__pool_size *make_place(verso__pool *pool, size_t size) {
    struct verso__pool_size *place = NULL;
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

void verso__pool_give(verso__pool *pool, verso__buffer *buffer) {
    struct verso__pool_size *place = place_of(pool, buffer->size);
    if (place == NULL)
        place = make_place(pool, buffer->size);
    buffer->next = place->first;
    place->first = buffer;
    place->used = ++pool->clock;
    pool->in_use -= buffer->size;
    pool->idle += buffer->size;
}

void verso__pool_empty(verso__pool *pool) {
    for (size_t i = 0; i < VERSO_POOL_SIZES; i++)
        while (pool->sizes[i].first != NULL)
            free_one(pool, &pool->sizes[i]);
}

uint64_t verso__pool_least(const verso__pool *pool, size_t size) {
    return pool->in_use > UINT64_MAX - size ? UINT64_MAX : pool->in_use + size;
}
