/* The program's heap: an allocator whose state lies inside the heap. See memory.h and native/state.h.
 *
 * All memory of the program is in one range of addresses, from the arena's start to `top`, and so is the allocator's
 * state: a copy of the range is a copy of the heap, and putting the copy back undoes every malloc and free since. No
 * other allocator has this property, which is why Verso has its own. Its scheme is common:
 *
 *   - Blocks of up to 32 KiB have one of a few sizes (classes), four to a power of two. Each class has a list of free
 *     blocks and a span of pages from which new ones are cut. Spans grow with use, so that the heap of a small program
 *     is small.
 *   - Larger blocks are whole pages (arena_large.c).
 *
 * Eight bytes before every block hold its tag and its size. Pages below `touched` may have been written before, also
 * when a copy with a lower top was put back; that number is therefore not in the arena.
 *
 * One mutex, outside the arena (shared.h), guards the allocator; it is not taken while the process has one thread.
 * Freeing an address in the arena that is not a block in use (freed twice, or never allocated) has no effect. */
#include "native/memory/arena_inside.h"

#include "base/checksum.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define ONE_THREAD (__libc_single_threaded != 0)
#else
#define ONE_THREAD false
#endif

typedef verso__native_large large;
typedef verso__native_heap heap;

enum {
    PAGE = VERSO_NATIVE_PAGE,
    GRAIN = VERSO_NATIVE_GRAIN,
    SMALL_MOST = 1 << 15, /* largest small block with its tag, in bytes; its class is VERSO_NATIVE_CLASSES - 1 */
    SPAN_MOST = 1 << 16,  /* largest span, in bytes, unless one block needs more */
};

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER; /* held while `tried` is set */
static atomic_int tried;                                  /* 1: the arena is reserved; -1: it is not available */

/* ---- Classes ---- */

static unsigned log2_of(uint64_t number) {
    return 63 - (unsigned)__builtin_clzll(number);
}

/* Returns the class for a request of `size` bytes. Blocks have 32, 48, ..., 128 bytes, then four sizes to a
 * power of two; these sizes include the tag. */
static unsigned class_of(size_t size) {
    size_t whole = (size + VERSO_NATIVE_TAG_SIZE + GRAIN - 1) / GRAIN * GRAIN;
    if (whole <= 128)
        return whole <= 32 ? 0 : (unsigned)(whole / 16 - 2);
    unsigned power = log2_of(whole - 1);
    return 4 * (power - 7) + (unsigned)((whole - 1) >> (power - 2)) - 4 + 7;
}

size_t verso__native_class_size(unsigned class) {
    return class < 7 ? 16 * (class + 2) : (size_t)((class - 7) % 4 + 5) << ((class - 7) / 4 + 5);
}

/* ---- The lock ---- */

/* Touches the stack that the functions below need. A stack overflow while the heap is being changed would
 * abandon the run with a half-changed heap and the lock held; this makes the overflow happen before. */
static void touch_stack(void) {
    volatile char probe[2 * PAGE];
    probe[0] = 0;
    (void)probe[0];
}

static bool lock(void) {
    touch_stack();
    if (ONE_THREAD)
        return false;
    pthread_mutex_lock(&verso__native_shared_now->heap_lock);
    return true;
}

static void unlock(bool locked) {
    if (locked)
        pthread_mutex_unlock(&verso__native_shared_now->heap_lock);
}

static bool reserve(void) {
    if (verso__native_shared_now->arena) /* by another run time of the process */
        return true;
    if (verso__native_reserve(VERSO_NATIVE_ARENA_AT, VERSO_NATIVE_ARENA_SIZE, "the heap", NULL) != VERSO_STATUS_OK)
        return false;
    verso__native_the_heap()->top = (char *)verso__native_the_heap() + PAGE;
    verso__native_bounds()->touched = verso__native_bounds()->highest = verso__native_the_heap()->top;
    verso__native_shared_now->arena = true;
    return true;
}

bool verso__native_arena_ready(void) {
    if (tried == 0) {
        pthread_mutex_lock(&first);
        if (tried == 0 && verso__native_shared_find(NULL) != VERSO_STATUS_OK)
            tried = -1;
        bool locked = tried == 0 && lock();
        if (tried == 0)
            tried = reserve() ? 1 : -1;
        unlock(locked);
        pthread_mutex_unlock(&first);
    }
    return tried > 0;
}

verso__native_range verso__native_arena_used(void) {
    return (verso__native_range){(char *)verso__native_the_heap(), verso__native_the_heap()->top};
}

void verso__native_arena_reach(size_t size) {
    verso__native_bounds()->changes++;
    char *end = (char *)verso__native_the_heap() + size;
    if (end > verso__native_bounds()->touched)
        verso__native_bounds()->touched = end;
    if (end > verso__native_bounds()->highest)
        verso__native_bounds()->highest = end;
}

verso__native_range verso__native_arena_ever_used(void) {
    return (verso__native_range){(char *)verso__native_the_heap(), verso__native_bounds()->highest};
}

/* ---- Small blocks ---- */

/* Allocates a span as large as all spans of the class so far, but at least one page and one block, and at most
 * SPAN_MOST. */
static bool span_new(heap *heap, unsigned class) {
    size_t size = verso__native_class_size(class), wanted = heap->cut_total[class];
    wanted = wanted < PAGE - VERSO_NATIVE_SPAN_HEADER ? PAGE - VERSO_NATIVE_SPAN_HEADER
             : wanted > SPAN_MOST                     ? SPAN_MOST
                                                      : wanted;
    size_t blocks = wanted / size > 0 ? wanted / size : 1;
    uint64_t pages = (VERSO_NATIVE_SPAN_HEADER + blocks * size + PAGE - 1) / PAGE;
    large *span = verso__native_large_new(heap, pages, VERSO_NATIVE_TAG_SPAN);
    if (span == NULL)
        return false;
    heap->cut[class] = (char *)span + VERSO_NATIVE_SPAN_HEADER;
    heap->cut_end[class] = (char *)span + pages * PAGE;
    heap->cut_total[class] += pages * PAGE;
    return true;
}

static void *small_new(heap *heap, unsigned class) {
    void *block = heap->free[class];
    if (block != NULL) {
        memcpy(&heap->free[class], block, sizeof(void *));
        *verso__native_word_at(block) = verso__native_word(class, VERSO_NATIVE_TAG_SMALL);
        return block;
    }
    size_t size = verso__native_class_size(class);
    if ((size_t)(heap->cut_end[class] - heap->cut[class]) < size && !span_new(heap, class))
        return NULL;
    block = heap->cut[class] + VERSO_NATIVE_TAG_SIZE;
    heap->cut[class] += size;
    *verso__native_word_at(block) = verso__native_word(class, VERSO_NATIVE_TAG_SMALL);
    return block;
}

static void small_free(heap *heap, void *block, unsigned class) {
    *verso__native_word_at(block) = verso__native_word(class, VERSO_NATIVE_TAG_SMALL_FREE);
    memcpy(block, &heap->free[class], sizeof(void *));
    heap->free[class] = block;
}

/* ---- Tidying ---- */

static void *next_free(const void *block) {
    void *next;
    memcpy(&next, block, sizeof next);
    return next;
}

/* Merges two lists of free blocks that are sorted by address. */
static void *merge(void *a, void *b) {
    void *first = NULL, *last = &first; /* the head of a list has the layout of a free block */
    while (a != NULL && b != NULL) {
        void **least = (uintptr_t)a < (uintptr_t)b ? &a : &b;
        memcpy(last, least, sizeof *least);
        last = *least;
        *least = next_free(*least);
    }
    memcpy(last, a != NULL ? &a : &b, sizeof a);
    return first;
}

/* Removes `count` blocks from the list and returns them as a list sorted by address. */
static void *sort(void **list, size_t count) {
    if (count > 1) {
        void *half = sort(list, count / 2);
        return merge(half, sort(list, count - count / 2));
    }
    void *only = *list, *none = NULL;
    if (count == 0)
        return NULL;
    *list = next_free(only);
    memcpy(only, &none, sizeof none);
    return only;
}

static void tidy_class(heap *heap, unsigned class) {
    size_t count = 0;
    for (char *block = heap->free[class]; block != NULL; block = next_free(block), count++)
        memset(block + sizeof(void *), 0, verso__native_class_size(class) - VERSO_NATIVE_TAG_SIZE - sizeof(void *));
    heap->free[class] = sort(&heap->free[class], count);
    if (heap->cut[class] != NULL)
        memset(heap->cut[class], 0, (size_t)(heap->cut_end[class] - heap->cut[class]));
}

void verso__native_arena_tidy(void) {
    if (!verso__native_arena_ready())
        return;
    bool locked = lock();
    for (unsigned class = 0; class < VERSO_NATIVE_CLASSES; class ++)
        tidy_class(verso__native_the_heap(), class);
    verso__native_large_tidy(verso__native_the_heap());
    unlock(locked);
}

/* ---- Blocks of any size ---- */

bool verso__native_arena_owns(const void *block) {
    uintptr_t address = (uintptr_t)block;
    return address - VERSO_NATIVE_ARENA_AT < VERSO_NATIVE_ARENA_SIZE && tried > 0;
}

/* Returns the block that an aligned block is a part of, or the block itself. */
static char *whole_of(void *block) {
    uint64_t word = *verso__native_word_at(block);
    return (char *)block - (verso__native_tag_of(word) == VERSO_NATIVE_TAG_ALIGNED ? word >> 8 : 0);
}

static void *block_new(size_t size) {
    if (size <= SMALL_MOST - VERSO_NATIVE_TAG_SIZE)
        return small_new(verso__native_the_heap(), class_of(size));
    large *block =
        verso__native_large_new(verso__native_the_heap(), verso__native_pages_for(size), VERSO_NATIVE_TAG_LARGE);
    return block != NULL ? (char *)block + VERSO_NATIVE_LARGE_HEADER : NULL;
}

static void block_free(void *block) {
    block = whole_of(block);
    uint64_t word = *verso__native_word_at(block);
    if (verso__native_tag_of(word) == VERSO_NATIVE_TAG_SMALL)
        small_free(verso__native_the_heap(), block, (unsigned)(word >> 8));
    else if (verso__native_tag_of(word) == VERSO_NATIVE_TAG_LARGE)
        verso__native_large_free(verso__native_the_heap(), (large *)((char *)block - VERSO_NATIVE_LARGE_HEADER));
}

size_t verso__native_arena_size_of(void *block) {
    char *whole = whole_of(block);
    uint64_t word = *verso__native_word_at(whole);
    size_t size = verso__native_tag_of(word) == VERSO_NATIVE_TAG_SMALL
                      ? verso__native_class_size((unsigned)(word >> 8)) - VERSO_NATIVE_TAG_SIZE
                  : verso__native_tag_of(word) == VERSO_NATIVE_TAG_LARGE
                      ? (word >> 8) * PAGE - VERSO_NATIVE_LARGE_HEADER
                      : 0;
    return size - (size_t)((char *)block - whole);
}

/* ---- For other files ---- */

void *verso__native_arena_new(size_t size, char **touched_before) {
    bool locked = lock();
    *touched_before = verso__native_bounds()->touched;
    void *block = block_new(size);
    unlock(locked);
    return block;
}

void verso__native_arena_release(void *block) {
    bool locked = lock();
    block_free(block);
    unlock(locked);
}

bool verso__native_arena_resize(void *block, size_t size) {
    uint64_t word = *verso__native_word_at(block);
    if (verso__native_tag_of(word) == VERSO_NATIVE_TAG_SMALL)
        return size <= verso__native_arena_size_of(block) && size >= verso__native_arena_size_of(block) / 2;
    if (verso__native_tag_of(word) != VERSO_NATIVE_TAG_LARGE || size <= SMALL_MOST - VERSO_NATIVE_TAG_SIZE)
        return false;
    bool locked = lock();
    bool done = verso__native_large_resize(verso__native_the_heap(),
                                           (large *)((char *)block - VERSO_NATIVE_LARGE_HEADER), size);
    unlock(locked);
    return done;
}

void verso__native_arena_mark_aligned(void *block, size_t distance) {
    *verso__native_word_at(block) = verso__native_word(distance, VERSO_NATIVE_TAG_ALIGNED);
}

char *verso__native_arena_touched(void) {
    return verso__native_bounds()->touched;
}

uint64_t verso__native_arena_checksum(void) {
    return verso__checksum(verso__native_the_heap(), sizeof(heap));
}
