/* Finds the block of the arena that an address belongs to. See arena_inside.h for the layout.
 *
 * Large blocks and spans are found by binary search in a list of them all, which is made anew when they have
 * changed. */
#include "native/memory/arena_inside.h"

#include "base/alloc.h"

typedef verso__native_large large;
typedef verso__native_heap heap;

enum { PAGE = VERSO_NATIVE_PAGE };

static struct {
    char **index;       /* large blocks and spans, sorted by address; NULL: not made yet */
    size_t count, room; /* entries used and allocated */
    uint64_t changes;   /* verso__native_bounds()->changes when it was made */
} find_state;

/* Makes the index again if blocks have changed. Returns false if there is no memory. */
static bool index_blocks(void) {
    uint64_t changes = verso__native_bounds()->changes;
    const heap *heap = verso__native_the_heap();
    size_t count = 0;
    if (find_state.index != NULL && find_state.changes == changes)
        return true;
    for (large *block = (large *)((char *)heap + PAGE); (char *)block < heap->top;
         block = verso__native_large_after(block)) {
        if (count == find_state.room) {
            size_t room = count > 0 ? 2 * count : 64;
            char **longer = verso__realloc(find_state.index, room, sizeof *longer);
            if (longer == NULL)
                return false;
            find_state.index = longer;
            find_state.room = room;
        }
        find_state.index[count++] = (char *)block;
    }
    find_state.count = count;
    find_state.changes = changes;
    return true;
}

static verso__native_range small_block(char *span, const char *address) {
    verso__native_range none = {NULL, NULL};
    char *first = span + VERSO_NATIVE_SPAN_HEADER;
    uint64_t word = *(uint64_t *)first;
    if (address < first || (verso__native_tag_of(word) != VERSO_NATIVE_TAG_SMALL &&
                            verso__native_tag_of(word) != VERSO_NATIVE_TAG_SMALL_FREE))
        return none;
    size_t size = verso__native_class_size((unsigned)(word >> 8));
    char *begin = first + (size_t)(address - first) / size * size + VERSO_NATIVE_TAG_SIZE;
    if (begin - VERSO_NATIVE_TAG_SIZE + size > (char *)verso__native_large_after((large *)span) ||
        verso__native_tag_of(*verso__native_word_at(begin)) != VERSO_NATIVE_TAG_SMALL)
        return none;
    return (verso__native_range){begin, begin - VERSO_NATIVE_TAG_SIZE + size};
}

verso__native_range verso__native_arena_block(const char *address) {
    verso__native_range none = {NULL, NULL}, used = verso__native_arena_used();
    if (address < used.begin + PAGE || address >= used.end || !index_blocks())
        return none;
    size_t low = 0, high = find_state.count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(find_state.index[middle] <= address ? &low : &high) = middle;
    }
    large *block = (large *)find_state.index[low];
    if (verso__native_tag_of(block->word) == VERSO_NATIVE_TAG_SPAN)
        return small_block((char *)block, address);
    verso__native_range all = {(char *)block + VERSO_NATIVE_LARGE_HEADER, (char *)verso__native_large_after(block)};
    return verso__native_tag_of(block->word) == VERSO_NATIVE_TAG_LARGE && address >= all.begin ? all : none;
}

void verso__native_arena_forget(void) {
    verso__dealloc(find_state.index);
    find_state.index = NULL;
    find_state.room = 0;
}
