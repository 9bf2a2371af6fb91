/* Writes to memory that no capsule holds: they would be lost, or done twice, when a run is put back. See state.h.
 *
 * Generated code looks whether an address is in the arena or on the private stack, which lie side by side; only where
 * it is not, it asks here. Of several writes to one object it may have the address of one end, or of the element before
 * the first, hence the slack. */
#include "native/native.h"

#include "base/alloc.h"

#include <stdlib.h>

enum { SLACK = 16 };

static int compare(const void *a, const void *b) {
    const verso_native_range *first = a, *second = b;
    return first->begin < second->begin ? -1 : first->begin > second->begin;
}

/* In order, and apart. */
static void list_held(void) {
    size_t count = verso_native_capsule_fixed(NULL), joined = 0;
    verso_native_range *held = verso_alloc(count + 1, sizeof *held);
    if (held == NULL)
        verso_native_give_up(VERSO_NO_MEMORY, "no memory for the list of the program's variables.");
    verso_native_capsule_fixed(held);
    qsort(held, count, sizeof *held, compare);
    for (size_t i = 0; i < count; i++) {
        held[i].begin -= SLACK, held[i].end += SLACK;
        if (joined > 0 && held[i].begin <= held[joined - 1].end) {
            if (held[joined - 1].end < held[i].end)
                held[joined - 1].end = held[i].end;
        } else {
            held[joined++] = held[i];
        }
    }
    verso_native_runtime.outside.held = held;
    verso_native_runtime.outside.held_count = joined;
}

static bool is_held(const char *address) {
    const verso_native_range *held = verso_native_runtime.outside.held;
    size_t low = 0, high = verso_native_runtime.outside.held_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (address < held[middle].begin)
            high = middle;
        else if (address >= held[middle].end)
            low = middle + 1;
        else
            return true;
    }
    return false;
}

bool verso_native_is_own(const void *data) {
    uint64_t from_arena = (uintptr_t)data - VERSO_NATIVE_ARENA_AT;
    if (from_arena < VERSO_NATIVE_STACK_AT + VERSO_NATIVE_STACK_SIZE - VERSO_NATIVE_ARENA_AT)
        return true;
    if (verso_native_runtime.outside.held == NULL)
        list_held();
    return is_held(data);
}

void verso_native_inside(const void *pointer, const verso_native_write *writes) {
    if (verso_native_runtime.outside.held == NULL)
        list_held();
    if (pointer == NULL)
        return;
    while (writes->where != NULL && is_held((const char *)pointer + writes->offset))
        writes++;
    if (writes->where == NULL)
        return;
    verso_native_give_up(
        VERSO_INVALID,
        "%s: memory at %p is written, which is not the program's own (it belongs to a library, or to the caller's "
        "stack), and so cannot be put back, but this run is repeated; allocate it with malloc, declare it as a region, "
        "or differentiate at one go.",
        writes->where, (const void *)((const char *)pointer + writes->offset));
}

void verso_native_outside_watch(void) {
    verso_native_now.inside = VERSO_NATIVE_STACK_AT + VERSO_NATIVE_STACK_SIZE - VERSO_INSIDE_AT - 1;
}

void verso_native_outside_forget(void) {
    verso_dealloc(verso_native_runtime.outside.held);
    verso_native_runtime.outside.held = NULL;
    verso_native_now.inside = UINT64_MAX;
}
