/* The layout of the arena, and what the files of its allocator share. Only arena.c, arena_large.c, arena_find.c and the
 * room's tests may include this header.
 *
 * The first page of the arena holds the allocator's state. All other pages up to `top` belong to large blocks, free
 * large blocks and spans (whole pages from which small blocks are cut). The word before each block holds its tag and a
 * number. */
#ifndef NATIVE_MEMORY_ARENA_INSIDE_H
#define NATIVE_MEMORY_ARENA_INSIDE_H

#include "native/memory/inside.h"
#include "native/memory/shared.h"

enum {
    VERSO_NATIVE_CLASSES = 39,  /* number of sizes of small blocks */
    VERSO_NATIVE_BINS = 4 * 29, /* lists of free large blocks: four to a power of two, up to 2^28 pages, the arena */
};

/* The lowest byte of the word before a block. The other bytes are a number. */
enum {
    VERSO_NATIVE_TAG_SMALL = 0xa1,      /* small block in use; the number is its class */
    VERSO_NATIVE_TAG_SMALL_FREE = 0xa2, /* free small block; its class */
    VERSO_NATIVE_TAG_LARGE = 0xb1,      /* large block in use; its pages */
    VERSO_NATIVE_TAG_LARGE_FREE = 0xb2, /* free large block; its pages */
    VERSO_NATIVE_TAG_SPAN = 0xb3,       /* span of small blocks; its pages */
    VERSO_NATIVE_TAG_ALIGNED = 0xc1,    /* aligned part of a block; bytes from the beginning of that block */
};

/* The beginning of a large block, a free large block or a span: always at a page. */
typedef struct verso__native_large {
    uint64_t pages_before; /* pages of the large block that ends here; 0: none */
    uint64_t unused[6];    /* so that the block begins with a line of the cache */
    uint64_t word;         /* tag and number of pages */
    /* The list of the block's bin, if it is free. In a block in use, the user's memory begins here. */
    struct verso__native_large *next, *previous;
} verso__native_large;

enum {
    VERSO_NATIVE_LARGE_HEADER = offsetof(verso__native_large, next), /* bytes before a large block's memory */
    VERSO_NATIVE_TAG_SIZE = sizeof(uint64_t),                        /* bytes of the word before a block */
    /* Bytes before a span's first tag. Its first block begins with a line of the cache, and so do all blocks of sizes
     * that are multiples of a line: vectors of 32 and 64 bytes that cross lines take twice as long. */
    VERSO_NATIVE_SPAN_HEADER = 2 * VERSO_NATIVE_LARGE_HEADER - VERSO_NATIVE_TAG_SIZE,
};

_Static_assert(VERSO_NATIVE_LARGE_HEADER == 64, "blocks begin with lines of the cache");

/* The allocator's state, in the arena's first page. */
typedef struct verso__native_heap {
    char *top;                                      /* end of the heap */
    uint64_t pages_last;                            /* pages of the large block that ends at `top` */
    void *free[VERSO_NATIVE_CLASSES];               /* list of free blocks by class; each block points to the next */
    char *cut[VERSO_NATIVE_CLASSES];                /* by class: the unused rest of the last span ... */
    char *cut_end[VERSO_NATIVE_CLASSES];            /* ... and its end */
    uint64_t cut_total[VERSO_NATIVE_CLASSES];       /* bytes of all spans by class */
    verso__native_large *bin[VERSO_NATIVE_BINS];    /* lists of free large blocks */
    uint64_t filled[(VERSO_NATIVE_BINS + 63) / 64]; /* a bit for each bin: it is not empty */
} verso__native_heap;

_Static_assert(sizeof(verso__native_heap) <= VERSO_NATIVE_PAGE, "the heap's state is one page");

static inline verso__native_arena_bounds *verso__native_bounds(void) {
    return &verso__native_shared_now->bounds;
}

static inline verso__native_heap *verso__native_the_heap(void) {
    return (verso__native_heap *)verso__native_address(VERSO_NATIVE_ARENA_AT);
}

/* ---- Words before blocks ---- */

static inline uint64_t verso__native_word(uint64_t number, unsigned tag) {
    return number << 8 | tag;
}

static inline unsigned verso__native_tag_of(uint64_t word) {
    return word & 0xff;
}

static inline uint64_t *verso__native_word_at(void *block) {
    return (uint64_t *)block - 1;
}

/* ---- arena.c ---- */

/* Returns the bytes of a small block of this class, its tag included. */
size_t verso__native_class_size(unsigned class);

/* ---- arena_large.c: the caller holds the allocator's lock ---- */

static inline uint64_t verso__native_large_pages(const verso__native_large *block) {
    return block->word >> 8;
}

/* Returns the block after this one, or the top. */
static inline verso__native_large *verso__native_large_after(verso__native_large *block) {
    return (verso__native_large *)((char *)block + verso__native_large_pages(block) * VERSO_NATIVE_PAGE);
}

/* Returns the pages of a large block that holds `size` bytes. */
uint64_t verso__native_pages_for(size_t size);
/* Allocates `pages` pages and gives them this tag. Returns NULL if the arena is full. */
verso__native_large *verso__native_large_new(verso__native_heap *heap, uint64_t pages, unsigned tag);
/* Frees a large block or a span, and joins it with its free neighbours. */
void verso__native_large_free(verso__native_heap *heap, verso__native_large *block);
/* Resizes a large block in place to `size` bytes. Returns false if there is no room. */
bool verso__native_large_resize(verso__native_heap *heap, verso__native_large *block, size_t size);
/* Clears the memory of free large blocks, and rebuilds the bins in an order that depends on addresses only. */
void verso__native_large_tidy(verso__native_heap *heap);

#endif
