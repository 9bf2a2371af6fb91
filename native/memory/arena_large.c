/* Large blocks of the arena: whole pages. See arena_inside.h for the layout.
 *
 * Free neighbours are joined at once, so that no two free blocks are adjacent. Lists by size (bins), four to a power of
 * two, find a block that fits. A free block that reaches the top lowers the top. */
#include "native/memory/arena_inside.h"

#include <string.h>

typedef verso__native_large large;
typedef verso__native_heap heap;

enum {
    PAGE = VERSO_NATIVE_PAGE,
    SCANNED = 32,    /* maximum number of free blocks of a bin that are compared */
    TRIM = 64 << 20, /* bytes of unused memory above the top that are kept */
};

static char *arena_end(void) {
    return verso__native_address(VERSO_NATIVE_ARENA_AT + VERSO_NATIVE_ARENA_SIZE);
}

/* ---- Bins ---- */

static unsigned log2_of(uint64_t number) {
    return 63 - (unsigned)__builtin_clzll(number);
}

/* Returns the bin for blocks of `pages` pages. All blocks of a bin have at least as many pages as any block of
 * the bins below. */
static unsigned bin_of(uint64_t pages) {
    unsigned power = log2_of(pages);
    return 4 * power + (unsigned)(power >= 2 ? (pages >> (power - 2)) & 3 : (pages << (2 - power)) & 3);
}

static void bin_put(heap *heap, large *block) {
    unsigned bin = bin_of(verso__native_large_pages(block));
    block->next = heap->bin[bin];
    block->previous = NULL;
    if (block->next != NULL)
        block->next->previous = block;
    heap->bin[bin] = block;
    heap->filled[bin / 64] |= UINT64_C(1) << bin % 64;
}

static void bin_take(heap *heap, large *block) {
    unsigned bin = bin_of(verso__native_large_pages(block));
    if (block->next != NULL)
        block->next->previous = block->previous;
    if (block->previous != NULL)
        block->previous->next = block->next;
    else
        heap->bin[bin] = block->next;
    if (heap->bin[bin] == NULL)
        heap->filled[bin / 64] &= ~(UINT64_C(1) << bin % 64);
}

/* Returns the smallest fitting block among the first SCANNED of its bin, or any block of the next filled bin,
 * where all blocks fit. NULL if there is none. */
static large *bin_find(const heap *heap, uint64_t pages) {
    unsigned bin = bin_of(pages);
    large *best = NULL;
    unsigned scanned = 0;
    for (large *block = heap->bin[bin]; block != NULL && scanned < SCANNED; block = block->next, scanned++)
        if (verso__native_large_pages(block) >= pages &&
            (best == NULL || verso__native_large_pages(block) < verso__native_large_pages(best)))
            best = block;
    if (best != NULL)
        return best;
    for (unsigned next = bin + 1; next < VERSO_NATIVE_BINS; next = (next / 64 + 1) * 64) {
        uint64_t filled = heap->filled[next / 64] >> next % 64;
        if (filled != 0)
            return heap->bin[next + (unsigned)__builtin_ctzll(filled)];
    }
    return NULL;
}

/* ---- Neighbours and the top ---- */

/* Updates the size of the preceding block that the next block, or the heap, has noted. */
static void note_pages(heap *heap, large *block) {
    if ((char *)verso__native_large_after(block) < heap->top)
        verso__native_large_after(block)->pages_before = verso__native_large_pages(block);
    else
        heap->pages_last = verso__native_large_pages(block);
}

static void raise_top(heap *heap, char *top) {
    heap->top = top;
    verso__native_arena_reach((size_t)(top - (char *)heap));
}

/* Marks `pages` pages as one free block. The block must not be in a bin or at the top. */
static void become_free(heap *heap, large *block, uint64_t pages) {
    block->word = verso__native_word(pages, VERSO_NATIVE_TAG_LARGE_FREE);
    note_pages(heap, block);
    bin_put(heap, block);
}

/* Lowers the top to `block`. Memory far above the top goes back to the system, and is then zero. */
static void lower_top(heap *heap, large *block) {
    heap->top = (char *)block;
    heap->pages_last = block->pages_before;
    if (verso__native_bounds()->touched - heap->top > TRIM) {
        verso__native_drop(heap->top, verso__native_bounds()->touched);
        verso__native_bounds()->touched = heap->top;
    }
}

/* ---- Allocating and freeing ---- */

uint64_t verso__native_pages_for(size_t size) {
    return ((uint64_t)size + VERSO_NATIVE_LARGE_HEADER + PAGE - 1) / PAGE;
}

void verso__native_large_free(heap *heap, large *block) {
    verso__native_bounds()->changes++;
    uint64_t pages = verso__native_large_pages(block);
    large *next = verso__native_large_after(block);
    if ((char *)next < heap->top && verso__native_tag_of(next->word) == VERSO_NATIVE_TAG_LARGE_FREE) {
        bin_take(heap, next);
        pages += verso__native_large_pages(next);
    }
    if (block->pages_before > 0) {
        large *previous = (large *)((char *)block - block->pages_before * PAGE);
        if (verso__native_tag_of(previous->word) == VERSO_NATIVE_TAG_LARGE_FREE) {
            bin_take(heap, previous);
            pages += verso__native_large_pages(previous);
            block = previous;
        }
    }
    if ((char *)block + pages * PAGE == heap->top)
        lower_top(heap, block);
    else
        become_free(heap, block, pages);
}

/* Shortens a block in use to `pages` pages. */
static void large_shorten(heap *heap, large *block, uint64_t pages) {
    uint64_t left = verso__native_large_pages(block) - pages;
    if (left == 0)
        return;
    verso__native_bounds()->changes++;
    block->word = verso__native_word(pages, verso__native_tag_of(block->word));
    large *rest = verso__native_large_after(block);
    rest->pages_before = pages;
    rest->word = verso__native_word(left, VERSO_NATIVE_TAG_LARGE);
    note_pages(heap, rest);
    verso__native_large_free(heap, rest);
}

large *verso__native_large_new(heap *heap, uint64_t pages, unsigned tag) {
    verso__native_bounds()->changes++;
    large *block = bin_find(heap, pages);
    if (block != NULL) {
        bin_take(heap, block);
        block->word = verso__native_word(verso__native_large_pages(block), tag);
        large_shorten(heap, block, pages);
        return block;
    }
    if (pages > (uint64_t)(arena_end() - heap->top) / PAGE)
        return NULL;
    block = (large *)heap->top;
    block->pages_before = heap->pages_last;
    block->word = verso__native_word(pages, tag);
    raise_top(heap, (char *)verso__native_large_after(block));
    heap->pages_last = pages;
    return block;
}

bool verso__native_large_resize(heap *heap, large *block, size_t size) {
    uint64_t wanted = verso__native_pages_for(size);
    large *next = verso__native_large_after(block);
    verso__native_bounds()->changes++;
    if (wanted <= verso__native_large_pages(block)) {
        large_shorten(heap, block, wanted);
        return true;
    }
    if ((char *)next == heap->top) {
        if (wanted - verso__native_large_pages(block) > (uint64_t)(arena_end() - heap->top) / PAGE)
            return false;
        block->word = verso__native_word(wanted, VERSO_NATIVE_TAG_LARGE);
        raise_top(heap, (char *)verso__native_large_after(block));
        heap->pages_last = wanted;
        return true;
    }
    if (verso__native_tag_of(next->word) != VERSO_NATIVE_TAG_LARGE_FREE ||
        verso__native_large_pages(block) + verso__native_large_pages(next) < wanted)
        return false;
    bin_take(heap, next);
    block->word =
        verso__native_word(verso__native_large_pages(block) + verso__native_large_pages(next), VERSO_NATIVE_TAG_LARGE);
    note_pages(heap, block);
    large_shorten(heap, block, wanted);
    return true;
}

void verso__native_large_tidy(heap *heap) {
    memset(heap->bin, 0, sizeof heap->bin);
    memset(heap->filled, 0, sizeof heap->filled);
    for (large *block = (large *)((char *)heap + PAGE); (char *)block < heap->top;
         block = verso__native_large_after(block))
        if (verso__native_tag_of(block->word) == VERSO_NATIVE_TAG_LARGE_FREE) {
            memset(block + 1, 0, verso__native_large_pages(block) * PAGE - sizeof *block);
            bin_put(heap, block);
        }
}
