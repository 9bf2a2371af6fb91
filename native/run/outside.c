/* Refuses writes to memory that no capsule holds: they would be lost, or made twice, when a run is put back.
 * See native/state.h.
 *
 * Generated code tests whether an address is in the arena or on the private stack, which are adjacent, and
 * calls verso__native_check_write only if it is not. For several writes to one object, it may pass the address of
 * one end, or of the element before the first; hence the slack. */
#define _GNU_SOURCE 1 /* dl_iterate_phdr is not in POSIX */
#include "native/run/run.h"

#include "base/alloc.h"

#if VERSO_NATIVE_HERE
#include <link.h>
#endif

static struct {
    verso__native_range *held; /* memory outside heap and stack that capsules hold, sorted; NULL: not listed yet */
    size_t held_count;
} outside_state;

enum { SLACK = 16 };

/* Lists that memory, sorted and without overlaps. */
static void list_held(void) {
    size_t count = verso__native_capsule_fixed(NULL), joined = 0;
    verso__native_range *held = verso__alloc(count + 1, sizeof *held);
    if (held == NULL)
        verso__native_give_up(VERSO_STATUS_NO_MEMORY, "no memory for the list of the program's variables");
    verso__native_capsule_fixed(held);
    verso__native_ranges_sort(held, count);
    for (size_t i = 0; i < count; i++) {
        held[i].begin -= SLACK, held[i].end += SLACK;
        if (joined > 0 && held[i].begin <= held[joined - 1].end) {
            if (held[joined - 1].end < held[i].end)
                held[joined - 1].end = held[i].end;
        } else {
            held[joined++] = held[i];
        }
    }
    outside_state.held = held;
    outside_state.held_count = joined;
}

static bool is_held(const char *address) {
    if (verso__native_caller_holds(address))
        return true;
    return verso__native_ranges_find(outside_state.held, outside_state.held_count, address).begin != NULL;
}

bool verso__native_is_own(const void *data) {
    uint64_t from_arena = (uintptr_t)data - VERSO_NATIVE_ARENA_AT;
    if (from_arena < VERSO_NATIVE_STACK_AT + VERSO_NATIVE_STACK_SIZE - VERSO_NATIVE_ARENA_AT)
        return true;
    if (outside_state.held == NULL)
        list_held();
    return is_held(data);
}

#if VERSO_NATIVE_HERE

/* Searches the loaded objects. It does not recognise memory that is written only while objects are linked. */
static int find_constant(struct dl_phdr_info *info, size_t size, void *context) {
    const char **data = context;
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_W) == 0 &&
            (uintptr_t)*data - (info->dlpi_addr + part->p_vaddr) < part->p_memsz) {
            *data = NULL;
            return 1;
        }
    }
    return 0;
}

bool verso__native_is_constant(const void *data) {
    const char *sought = data;
    (void)dl_iterate_phdr(find_constant, &sought);
    return sought == NULL;
}

#else

bool verso__native_is_constant(const void *data) {
    (void)data;
    return false;
}

#endif

/* Returns whether capsules hold what is written. The offset is the constant part of that from the pointer: of a member
 * of a struct, or of an index such as (i - 1) * n + j, which may lead out of the array by itself. A pointer into a
 * variable is used to write to that variable only. A region may be a part of a struct whose other
 * parts are not held. */
static bool holds_write(const char *pointer, int64_t offset) {
    return is_held(pointer + offset) || verso__native_is_variable(pointer) || (offset < 0 && is_held(pointer));
}

void verso__native_check_write(const void *pointer, const verso__native_write *writes) {
    if (outside_state.held == NULL)
        list_held();
    if (pointer == NULL)
        return;
    while (writes->where != NULL && holds_write(pointer, writes->offset))
        writes++;
    if (writes->where == NULL)
        return;
    verso__native_give_up(
        VERSO_STATUS_INVALID,
        "%s: memory at %p is written, which is not the program's own (it belongs to a library, or is far away on "
        "the caller's stack), and so cannot be put back, but this run is repeated; allocate it with malloc, declare it "
        "as a region, "
        "or differentiate in a single pass",
        writes->where, (const void *)((const char *)pointer + writes->offset));
}

void verso__native_outside_watch(void) {
    verso__native_caller_open();
    verso__native_now.inside = VERSO_NATIVE_STACK_AT + VERSO_NATIVE_STACK_SIZE - VERSO_INSIDE_AT - 1;
}

void verso__native_outside_forget(void) {
    verso__native_caller_close();
    verso__dealloc(outside_state.held);
    outside_state.held = NULL;
    verso__native_now.inside = UINT64_MAX;
}
