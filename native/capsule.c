/* Capsules: where the program stands, as bytes. See native.h.
 *
 * A capsule holds what the program could have written: its suspended stack (which has the registers on it), its heap,
 * its globals from the table that `verso cc` makes, and those regions of the differentiation that lie outside. Put
 * back, the program goes on from there, any number of times, with the same bits. It does not hold shadow memory, frames
 * and tape: they belong to the derivative, not to the program. Nor does it hold memory of foreign libraries, of the C
 * library (stdio, rand) and of the caller's stack other than the regions: what the program wrote there is not undone.
 */
#include "native/native.h"

#include "base/alloc.h"

#include <string.h>

/* Weak: a program that uses the library without `verso cc` has no such table, and must link all the same. */
extern const verso_native_global verso_native_globals[] __attribute__((weak));
extern const uint64_t verso_native_global_count __attribute__((weak));

bool verso_native_linked(void) {
    return &verso_native_global_count != NULL;
}

/* ---- The pieces, in the order in which they lie in a capsule ---- */

typedef void visitor(void *context, char *data, size_t size);

static void visit_regions(const verso_array *regions, size_t count, visitor *visit, void *context) {
    for (size_t i = 0; i < count; i++) {
        uintptr_t at = (uintptr_t)regions[i].data;
        if (at - VERSO_NATIVE_ARENA_AT >= VERSO_NATIVE_ARENA_SIZE)
            visit(context, regions[i].data, regions[i].count * verso_native_scalar_size(regions[i].type));
    }
}

/* All but stack and heap, whose sizes change. f's x is not written by f. */
static void visit_fixed(visitor *visit, void *context) {
    const verso_native_job *job = verso_native_runtime.job;
    for (uint64_t i = 0; verso_native_linked() && i < verso_native_global_count; i++)
        visit(context, verso_native_globals[i].data, verso_native_globals[i].size);
    if (job == NULL || job->run == NULL)
        return;
    visit_regions(job->wrt, job->wrt_count, visit, context);
    visit_regions(job->of, job->of_count, visit, context);
}

static void add_size(void *context, char *data, size_t size) {
    (void)data;
    *(size_t *)context += size;
}

static void copy_out(void *context, char *data, size_t size) {
    char **to = context;
    memcpy(*to, data, size);
    *to += size;
}

static void copy_back(void *context, char *data, size_t size) {
    const char **from = context;
    memcpy(data, *from, size);
    *from += size;
}

static size_t stack_size(bool with_stack) {
    return with_stack ? (size_t)(verso_native_stack_top() - verso_native_runtime.stack.task) : 0;
}

static size_t arena_size(void) {
    verso_native_range used = verso_native_arena_used();
    return (size_t)(used.end - used.begin);
}

size_t verso_native_capsule_size(bool with_stack) {
    size_t size = stack_size(with_stack) + arena_size();
    visit_fixed(add_size, &size);
    return size;
}

/* ---- Taking and restoring ---- */

static verso_status make_room(verso_native_capsule *capsule, size_t size, verso_error *error) {
    if (capsule->room >= size)
        return VERSO_OK;
    verso_native_capsule_free(capsule);
    capsule->bytes = verso_alloc(size, 1);
    if (capsule->bytes == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a capsule of %zu bytes.", size);
    capsule->room = size;
    return VERSO_OK;
}

verso_status verso_native_capsule_take(verso_native_capsule *capsule, bool with_stack, verso_error *error) {
    verso_status status = make_room(capsule, verso_native_capsule_size(with_stack), error);
    if (status != VERSO_OK)
        return status;
    char *to = capsule->bytes;
    capsule->stack_size = stack_size(with_stack);
    capsule->arena_size = arena_size();
    capsule->stack_pointer = verso_native_runtime.stack.task;
    capsule->last = verso_native_now.last;
    if (with_stack)
        copy_out(&to, capsule->stack_pointer, capsule->stack_size);
    copy_out(&to, verso_native_arena_used().begin, capsule->arena_size);
    visit_fixed(copy_out, &to);
    return VERSO_OK;
}

void verso_native_capsule_restore(const verso_native_capsule *capsule) {
    const char *from = capsule->bytes;
    if (capsule->stack_size > 0) {
        copy_back(&from, capsule->stack_pointer, capsule->stack_size);
        verso_native_runtime.stack.task = capsule->stack_pointer;
    }
    copy_back(&from, verso_native_arena_used().begin, capsule->arena_size);
    visit_fixed(copy_back, &from);
    verso_native_now.last = capsule->last;
}

void verso_native_capsule_free(verso_native_capsule *capsule) {
    verso_dealloc(capsule->bytes);
    capsule->bytes = NULL;
    capsule->room = 0;
}
