/* The program's heap. See native.h and state.h.
 *
 * All memory of the program is in one stretch of addresses from the arena's start to `top`, and all that the allocator
 * knows is in that stretch, too: a copy of it is a copy of the heap, and putting the copy back undoes every malloc and
 * free since. Hence an allocator of our own. It is of the usual kind:
 *
 *   - Blocks of up to 32 KiB have one of a few sizes, four to a power of two. Each size has a list of free blocks and a
 *     span of pages from which new ones are cut; spans grow with use, so that the heap of a small program is small.
 *   - Larger blocks are whole pages. Free neighbours are joined at once; lists by size, four to a power of two, find a
 *     block that fits. A free block that reaches the top lowers it.
 *
 * Eight bytes before every block say what it is (a tag) and how large. Pages below `touched` may have been written
 * before, also when a copy with a lower top was put back; that number is therefore not in the arena.
 *
 * One mutex, outside the arena; it is not taken while the process has one thread. A pointer that is no block in use
 * (freed twice, or not ours but in the arena) is left alone. */
#include "native/native.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <malloc.h>
#else
#define malloc_usable_size(block) ((void)(block), (size_t)0) /* nobody asks: no code is generated here */
#endif

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define ONE_THREAD (__libc_single_threaded != 0)
#else
#define ONE_THREAD false
#endif

enum {
    PAGE = VERSO_NATIVE_PAGE,
    GRAIN = 16,           /* alignment of every block */
    SMALL_MOST = 1 << 15, /* bytes of a small block with its tag */
    CLASSES = 39,         /* class_of(SMALL_MOST) + 1 */
    BINS = 4 * 29,        /* up to 2^28 pages: the arena */
    SPAN_MOST = 1 << 16,
    SCANNED = 32, /* free large blocks of about the right size that are looked at */
    TRIM = 64 << 20,
};

/* The last byte of the word before a block; the rest of the word is a number. */
enum {
    SMALL = 0xa1,      /* the class */
    SMALL_FREE = 0xa2, /* the class */
    LARGE = 0xb1,      /* pages */
    LARGE_FREE = 0xb2, /* pages */
    SPAN = 0xb3,       /* pages; small blocks are cut from it */
    ALIGNED = 0xc1,    /* bytes from the block that it is part of */
};

/* Where a large block, a free one or a span begins: always a page. */
typedef struct large {
    uint64_t pages_before; /* of the large block that ends here; 0: none */
    uint64_t word;
    struct large *next, *previous; /* when free */
} large;

enum { LARGE_HEADER = offsetof(large, next), TAG_SIZE = sizeof(uint64_t), SPAN_HEADER = LARGE_HEADER + TAG_SIZE };

/* The arena's first page. */
typedef struct heap {
    char *top;
    uint64_t pages_last; /* of the large block that ends at top */
    void *free[CLASSES]; /* each points to the next */
    char *cut[CLASSES], *cut_end[CLASSES];
    uint64_t cut_total[CLASSES];
    large *bin[BINS];
    uint64_t filled[(BINS + 63) / 64]; /* bins that are not empty */
} heap;

_Static_assert(sizeof(heap) <= PAGE, "the heap's state is one page");

static heap *the_heap(void) {
    return (heap *)verso_native_address(VERSO_NATIVE_ARENA_AT);
}

static char *arena_end(void) {
    return verso_native_address(VERSO_NATIVE_ARENA_AT + VERSO_NATIVE_ARENA_SIZE);
}

/* ---- Words and sizes ---- */

static uint64_t word_of(uint64_t number, unsigned tag) {
    return number << 8 | tag;
}

static unsigned tag_of(uint64_t word) {
    return word & 0xff;
}

static uint64_t *word_at(void *block) {
    return (uint64_t *)block - 1;
}

static unsigned log2_of(uint64_t number) {
    return 63 - (unsigned)__builtin_clzll(number);
}

/* Blocks of 32, 48, ... 128 bytes, then four sizes to a power of two; the tag is counted. */
static unsigned class_of(size_t size) {
    size_t whole = (size + TAG_SIZE + GRAIN - 1) / GRAIN * GRAIN;
    if (whole <= 128)
        return whole <= 32 ? 0 : (unsigned)(whole / 16 - 2);
    unsigned power = log2_of(whole - 1);
    return 4 * (power - 7) + (unsigned)((whole - 1) >> (power - 2)) - 4 + 7;
}

static size_t class_size(unsigned class) {
    return class < 7 ? 16 * (class + 2) : (size_t)((class - 7) % 4 + 5) << ((class - 7) / 4 + 5);
}

/* Bins hold blocks of at least so many pages, less than the next one. */
static unsigned bin_of(uint64_t pages) {
    unsigned power = log2_of(pages);
    return 4 * power + (unsigned)(power >= 2 ? (pages >> (power - 2)) & 3 : (pages << (2 - power)) & 3);
}

/* ---- The lock ---- */

/* A stack overflow must not strike while the heap is being changed: the run would be given up, the heap left half done
 * and the lock kept. So what the functions below need of the stack is touched first. */
static void touch_stack(void) {
    volatile char probe[2 * PAGE];
    probe[0] = 0;
    (void)probe[0];
}

static bool lock(void) {
    touch_stack();
    if (ONE_THREAD)
        return false;
    pthread_mutex_lock(&verso_native_runtime.arena.lock);
    return true;
}

static void unlock(bool locked) {
    if (locked)
        pthread_mutex_unlock(&verso_native_runtime.arena.lock);
}

static void before_fork(void) {
    pthread_mutex_lock(&verso_native_runtime.arena.lock);
}

static void after_fork(void) {
    pthread_mutex_unlock(&verso_native_runtime.arena.lock);
}

static void reserve(void) {
    if (verso_native_reserve(VERSO_NATIVE_ARENA_AT, VERSO_NATIVE_ARENA_SIZE, "the heap", NULL) != VERSO_OK) {
        verso_native_runtime.arena.tried = -1;
        return;
    }
    the_heap()->top = (char *)the_heap() + PAGE;
    verso_native_runtime.arena.touched = verso_native_runtime.arena.highest = the_heap()->top;
    verso_native_runtime.arena.tried = 1;
    (void)pthread_atfork(before_fork, after_fork, after_fork); /* matters only to a child that forks with threads */
}

bool verso_native_arena_ready(void) {
    if (verso_native_runtime.arena.tried == 0) {
        bool locked = lock();
        if (verso_native_runtime.arena.tried == 0)
            reserve();
        unlock(locked);
    }
    return verso_native_runtime.arena.tried > 0;
}

verso_native_range verso_native_arena_used(void) {
    return (verso_native_range){(char *)the_heap(), the_heap()->top};
}

void verso_native_arena_reach(size_t size) {
    char *end = (char *)the_heap() + size;
    if (end > verso_native_runtime.arena.touched)
        verso_native_runtime.arena.touched = end;
    if (end > verso_native_runtime.arena.highest)
        verso_native_runtime.arena.highest = end;
}

verso_native_range verso_native_arena_ever_used(void) {
    return (verso_native_range){(char *)the_heap(), verso_native_runtime.arena.highest};
}

/* ---- Large blocks ---- */

static uint64_t pages_of(const large *block) {
    return block->word >> 8;
}

static large *after(large *block) {
    return (large *)((char *)block + pages_of(block) * PAGE);
}

/* Tells the neighbour behind, or the heap, how large the block before it is now. */
static void note_pages(heap *heap, large *block) {
    if ((char *)after(block) < heap->top)
        after(block)->pages_before = pages_of(block);
    else
        heap->pages_last = pages_of(block);
}

static void bin_put(heap *heap, large *block) {
    unsigned bin = bin_of(pages_of(block));
    block->next = heap->bin[bin];
    block->previous = NULL;
    if (block->next != NULL)
        block->next->previous = block;
    heap->bin[bin] = block;
    heap->filled[bin / 64] |= UINT64_C(1) << bin % 64;
}

static void bin_take(heap *heap, large *block) {
    unsigned bin = bin_of(pages_of(block));
    if (block->next != NULL)
        block->next->previous = block->previous;
    if (block->previous != NULL)
        block->previous->next = block->next;
    else
        heap->bin[bin] = block->next;
    if (heap->bin[bin] == NULL)
        heap->filled[bin / 64] &= ~(UINT64_C(1) << bin % 64);
}

/* The best of the first few in the bin of that size; else one of the next bin that is not empty: all there fit. */
static large *bin_find(const heap *heap, uint64_t pages) {
    unsigned bin = bin_of(pages);
    large *best = NULL;
    unsigned scanned = 0;
    for (large *block = heap->bin[bin]; block != NULL && scanned < SCANNED; block = block->next, scanned++)
        if (pages_of(block) >= pages && (best == NULL || pages_of(block) < pages_of(best)))
            best = block;
    if (best != NULL)
        return best;
    for (unsigned next = bin + 1; next < BINS; next = (next / 64 + 1) * 64) {
        uint64_t filled = heap->filled[next / 64] >> next % 64;
        if (filled != 0)
            return heap->bin[next + (unsigned)__builtin_ctzll(filled)];
    }
    return NULL;
}

static void raise_top(heap *heap, char *top) {
    heap->top = top;
    verso_native_arena_reach((size_t)(top - (char *)heap));
}

/* The block is not in a bin and not at the top. */
static void become_free(heap *heap, large *block, uint64_t pages) {
    block->word = word_of(pages, LARGE_FREE);
    note_pages(heap, block);
    bin_put(heap, block);
}

/* The heap has become shorter. Memory far beyond its end goes back to the system, where it turns to zero. */
static void lower_top(heap *heap, large *block) {
    heap->top = (char *)block;
    heap->pages_last = block->pages_before;
    if (verso_native_runtime.arena.touched - heap->top > TRIM) {
        verso_native_drop(heap->top, verso_native_runtime.arena.touched);
        verso_native_runtime.arena.touched = heap->top;
    }
}

static void large_free(heap *heap, large *block) {
    uint64_t pages = pages_of(block);
    large *next = after(block);
    if ((char *)next < heap->top && tag_of(next->word) == LARGE_FREE) {
        bin_take(heap, next);
        pages += pages_of(next);
    }
    if (block->pages_before > 0) {
        large *previous = (large *)((char *)block - block->pages_before * PAGE);
        if (tag_of(previous->word) == LARGE_FREE) {
            bin_take(heap, previous);
            pages += pages_of(previous);
            block = previous;
        }
    }
    if ((char *)block + pages * PAGE == heap->top)
        lower_top(heap, block);
    else
        become_free(heap, block, pages);
}

/* Cuts a block in use down to so many pages. */
static void large_shorten(heap *heap, large *block, uint64_t pages) {
    uint64_t left = pages_of(block) - pages;
    if (left == 0)
        return;
    block->word = word_of(pages, tag_of(block->word));
    large *rest = after(block);
    rest->pages_before = pages;
    rest->word = word_of(left, LARGE);
    note_pages(heap, rest);
    large_free(heap, rest);
}

/* NULL: the arena is full. */
static large *large_new(heap *heap, uint64_t pages, unsigned tag) {
    large *block = bin_find(heap, pages);
    if (block != NULL) {
        bin_take(heap, block);
        block->word = word_of(pages_of(block), tag);
        large_shorten(heap, block, pages);
        return block;
    }
    if (pages > (uint64_t)(arena_end() - heap->top) / PAGE)
        return NULL;
    block = (large *)heap->top;
    block->pages_before = heap->pages_last;
    block->word = word_of(pages, tag);
    raise_top(heap, (char *)after(block));
    heap->pages_last = pages;
    return block;
}

static uint64_t pages_for(size_t size) {
    return ((uint64_t)size + LARGE_HEADER + PAGE - 1) / PAGE;
}

/* Whether a large block could be made to hold `size` bytes where it is. */
static bool large_resize(heap *heap, large *block, size_t size) {
    uint64_t wanted = pages_for(size);
    large *next = after(block);
    if (wanted <= pages_of(block)) {
        large_shorten(heap, block, wanted);
        return true;
    }
    if ((char *)next == heap->top) {
        if (wanted - pages_of(block) > (uint64_t)(arena_end() - heap->top) / PAGE)
            return false;
        block->word = word_of(wanted, LARGE);
        raise_top(heap, (char *)after(block));
        heap->pages_last = wanted;
        return true;
    }
    if (tag_of(next->word) != LARGE_FREE || pages_of(block) + pages_of(next) < wanted)
        return false;
    bin_take(heap, next);
    block->word = word_of(pages_of(block) + pages_of(next), LARGE);
    note_pages(heap, block);
    large_shorten(heap, block, wanted);
    return true;
}

/* ---- Small blocks ---- */

/* As much as the class has used so far, between one page and SPAN_MOST; at least one block. */
static bool span_new(heap *heap, unsigned class) {
    size_t size = class_size(class), wanted = heap->cut_total[class];
    wanted = wanted < PAGE - SPAN_HEADER ? PAGE - SPAN_HEADER : wanted > SPAN_MOST ? SPAN_MOST : wanted;
    size_t blocks = wanted / size > 0 ? wanted / size : 1;
    uint64_t pages = (SPAN_HEADER + blocks * size + PAGE - 1) / PAGE;
    large *span = large_new(heap, pages, SPAN);
    if (span == NULL)
        return false;
    heap->cut[class] = (char *)span + SPAN_HEADER;
    heap->cut_end[class] = (char *)span + pages * PAGE;
    heap->cut_total[class] += pages * PAGE;
    return true;
}

static void *small_new(heap *heap, unsigned class) {
    void *block = heap->free[class];
    if (block != NULL) {
        memcpy(&heap->free[class], block, sizeof(void *));
        *word_at(block) = word_of(class, SMALL);
        return block;
    }
    size_t size = class_size(class);
    if ((size_t)(heap->cut_end[class] - heap->cut[class]) < size && !span_new(heap, class))
        return NULL;
    block = heap->cut[class] + TAG_SIZE;
    heap->cut[class] += size;
    *word_at(block) = word_of(class, SMALL);
    return block;
}

static void small_free(heap *heap, void *block, unsigned class) {
    *word_at(block) = word_of(class, SMALL_FREE);
    memcpy(block, &heap->free[class], sizeof(void *));
    heap->free[class] = block;
}

/* ---- Forgetting what was freed ---- */

static void *next_free(const void *block) {
    void *next;
    memcpy(&next, block, sizeof next);
    return next;
}

/* Two lists of free blocks in the order of addresses become one. */
static void *merge(void *a, void *b) {
    void *first = NULL, *last = &first; /* a list begins like a block */
    while (a != NULL && b != NULL) {
        void **least = (uintptr_t)a < (uintptr_t)b ? &a : &b;
        memcpy(last, least, sizeof *least);
        last = *least;
        *least = next_free(*least);
    }
    memcpy(last, a != NULL ? &a : &b, sizeof a);
    return first;
}

/* Takes so many blocks from the list. */
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
        memset(block + sizeof(void *), 0, class_size(class) - TAG_SIZE - sizeof(void *));
    heap->free[class] = sort(&heap->free[class], count);
    if (heap->cut[class] != NULL)
        memset(heap->cut[class], 0, (size_t)(heap->cut_end[class] - heap->cut[class]));
}

static void tidy_large(heap *heap) {
    memset(heap->bin, 0, sizeof heap->bin);
    memset(heap->filled, 0, sizeof heap->filled);
    for (large *block = (large *)((char *)heap + PAGE); (char *)block < heap->top; block = after(block))
        if (tag_of(block->word) == LARGE_FREE) {
            memset(block + 1, 0, pages_of(block) * PAGE - sizeof *block);
            bin_put(heap, block);
        }
}

void verso_native_arena_tidy(void) {
    if (!verso_native_arena_ready())
        return;
    bool locked = lock();
    for (unsigned class = 0; class < CLASSES; class ++)
        tidy_class(the_heap(), class);
    tidy_large(the_heap());
    unlock(locked);
}

/* ---- Blocks of any size ---- */

/* Sizes that no arena has room for, whatever else is in it. */
static bool beyond(uint64_t size) {
    return size >= VERSO_NATIVE_ARENA_SIZE;
}

static bool ours(const void *block) {
    uintptr_t address = (uintptr_t)block;
    return address - VERSO_NATIVE_ARENA_AT < VERSO_NATIVE_ARENA_SIZE && verso_native_runtime.arena.tried > 0;
}

/* The block that an aligned one is part of, else itself. */
static char *whole_of(void *block) {
    uint64_t word = *word_at(block);
    return (char *)block - (tag_of(word) == ALIGNED ? word >> 8 : 0);
}

static void *block_new(size_t size) {
    if (size <= SMALL_MOST - TAG_SIZE)
        return small_new(the_heap(), class_of(size));
    large *block = large_new(the_heap(), pages_for(size), LARGE);
    return block != NULL ? (char *)block + LARGE_HEADER : NULL;
}

static void block_free(void *block) {
    block = whole_of(block);
    uint64_t word = *word_at(block);
    if (tag_of(word) == SMALL)
        small_free(the_heap(), block, (unsigned)(word >> 8));
    else if (tag_of(word) == LARGE)
        large_free(the_heap(), (large *)((char *)block - LARGE_HEADER));
}

static size_t block_size(void *block) {
    char *whole = whole_of(block);
    uint64_t word = *word_at(whole);
    size_t size = tag_of(word) == SMALL   ? class_size((unsigned)(word >> 8)) - TAG_SIZE
                  : tag_of(word) == LARGE ? (word >> 8) * PAGE - LARGE_HEADER
                                          : 0;
    return size - (size_t)((char *)block - whole);
}

/* ---- What the program calls ---- */

static void *no_memory(void) {
    errno = ENOMEM;
    return NULL;
}

/* Where it also says whether it is zero already, being memory that was never used. */
static void *allocate(size_t size, char **touched_before) {
    if (beyond(size))
        return no_memory();
    bool locked = lock();
    *touched_before = verso_native_runtime.arena.touched;
    void *block = block_new(size);
    unlock(locked);
    return block != NULL ? block : no_memory();
}

void *verso_native_malloc(size_t size) {
    char *touched;
    return verso_native_arena_ready() ? allocate(size, &touched) : malloc(size);
}

void *verso_native_calloc(size_t count, size_t size) {
    size_t bytes;
    if (!verso_native_arena_ready())
        return calloc(count, size);
    if (__builtin_mul_overflow(count, size, &bytes))
        return no_memory();
    char *touched;
    char *block = allocate(bytes, &touched);
    if (block != NULL && block < touched)
        memset(block, 0, bytes < (size_t)(touched - block) ? bytes : (size_t)(touched - block));
    return block;
}

/* In place: a small block that is at least half used, or a large one whose neighbour gives way. */
static bool resize(void *block, size_t size) {
    uint64_t word = *word_at(block);
    if (tag_of(word) == SMALL)
        return size <= block_size(block) && size >= block_size(block) / 2;
    if (tag_of(word) != LARGE || size <= SMALL_MOST - TAG_SIZE)
        return false;
    bool locked = lock();
    bool done = large_resize(the_heap(), (large *)((char *)block - LARGE_HEADER), size);
    unlock(locked);
    return done;
}

void *verso_native_realloc(void *old, size_t size) {
    if (old == NULL)
        return verso_native_malloc(size);
    if (!ours(old))
        return realloc(old, size);
    if (size == 0) {
        verso_native_free(old);
        return NULL;
    }
    if (!beyond(size) && resize(old, size))
        return old;
    size_t had = block_size(old);
    void *block = verso_native_malloc(size);
    if (block == NULL)
        return NULL;
    memcpy(block, old, had < size ? had : size);
    verso_native_free(old);
    return block;
}

static bool is_power(size_t number) {
    return number != 0 && (number & (number - 1)) == 0;
}

void *verso_native_aligned_alloc(size_t alignment, size_t size) {
    if (!verso_native_arena_ready())
        return aligned_alloc(alignment, size);
    if (!is_power(alignment)) {
        errno = EINVAL;
        return NULL;
    }
    if (alignment <= GRAIN)
        return verso_native_malloc(size);
    if (beyond(size) || beyond(alignment))
        return no_memory();
    char *whole = verso_native_malloc(size + alignment + GRAIN);
    if (whole == NULL || (uintptr_t)whole % alignment == 0)
        return whole;
    /* Behind the block's own tag there is room for another. */
    char *block = whole + GRAIN;
    block += (alignment - (uintptr_t)block % alignment) % alignment;
    *word_at(block) = word_of((uint64_t)(block - whole), ALIGNED);
    return block;
}

int verso_native_posix_memalign(void **block, size_t alignment, size_t size) {
    if (!verso_native_arena_ready())
        return posix_memalign(block, alignment, size);
    if (!is_power(alignment) || alignment % sizeof(void *) != 0)
        return EINVAL;
    int before = errno;
    void *got = verso_native_aligned_alloc(alignment, size);
    errno = before;
    if (got == NULL)
        return ENOMEM;
    *block = got;
    return 0;
}

void verso_native_free(void *block) {
    if (block == NULL)
        return;
    if (!ours(block)) {
        if (!verso_native_world_keeps(block))
            free(block);
        return;
    }
    bool locked = lock();
    block_free(block);
    unlock(locked);
}

size_t verso_native_block_size(void *block) {
    return block == NULL ? 0 : ours(block) ? block_size(block) : malloc_usable_size(block);
}
