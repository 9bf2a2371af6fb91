/* Capsules: where the program stands, as bytes. See native.h.
 *
 * A capsule holds what the program could have written: its suspended stack (which has the registers on it), its heap,
 * its globals from the table that `verso cc` makes, and those regions of the differentiation that lie outside. Put
 * back, the program goes on from there, any number of times, with the same bits. It does not hold shadow memory, frames
 * and tape: they belong to the derivative, not to the program. Nor does it hold memory of foreign libraries and of the
 * caller's stack other than the regions: what the program wrote there is not undone. Of the C library it holds the
 * random number generators and how far the program has come in the log of the outside world (world.c); errno is on the
 * stack.
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

/* At the beginning there is no stack yet, at the end no more. */
static bool has_stack(void) {
    return verso_native_runtime.walk.at.step > 0 && !verso_native_runtime.walk.at.ended;
}

static size_t stack_size(void) {
    return has_stack() ? (size_t)(verso_native_stack_top() - verso_native_runtime.stack.task) : 0;
}

static size_t arena_size(void) {
    verso_native_range used = verso_native_arena_used();
    return (size_t)(used.end - used.begin);
}

/* ---- Taking and restoring ---- */

/* In front of the pieces. */
typedef struct head {
    verso_native_place at;
    uint64_t stack_size, arena_size;
    char *stack_pointer;
    void (*last)(void);
    double value;   /* of f, once it has ended */
    uint64_t world; /* how far it has come in the log */
    verso_native_generators generators;
} head;

size_t verso_native_capsule_size(void) {
    size_t size = sizeof(head) + stack_size() + arena_size();
    visit_fixed(add_size, &size);
    return size;
}

void verso_native_capsule_write(char *bytes) {
    const verso_native_job *job = verso_native_runtime.job;
    head head = {.at = verso_native_runtime.walk.at,
                 .stack_size = stack_size(),
                 .arena_size = arena_size(),
                 .stack_pointer = verso_native_runtime.stack.task,
                 .last = verso_native_now.last,
                 .value = job != NULL ? job->value : 0,
                 .world = verso_native_world_at()};
    verso_native_generators_take(&head.generators);
    copy_out(&bytes, (char *)&head, sizeof head);
    copy_out(&bytes, head.stack_pointer, head.stack_size);
    copy_out(&bytes, verso_native_arena_used().begin, head.arena_size);
    visit_fixed(copy_out, &bytes);
}

void verso_native_capsule_read(const char *bytes) {
    head head;
    copy_back(&bytes, (char *)&head, sizeof head);
    verso_native_world_go(head.world);
    verso_native_generators_leave(&head.generators);
    if (head.stack_size > 0)
        verso_native_runtime.stack.task = head.stack_pointer;
    if (head.stack_size > verso_native_runtime.walk.stack_most)
        verso_native_runtime.walk.stack_most = head.stack_size;
    copy_back(&bytes, head.stack_pointer, head.stack_size);
    copy_back(&bytes, verso_native_arena_used().begin, head.arena_size);
    visit_fixed(copy_back, &bytes);
    verso_native_generators_put(&head.generators);
    verso_native_runtime.walk.at = head.at;
    verso_native_now.last = head.last;
    if (verso_native_runtime.job != NULL)
        verso_native_runtime.job->value = head.value;
}

verso_status verso_native_capsule_take(verso_native_capsule *capsule, verso_error *error) {
    size_t size = verso_native_capsule_size();
    if (capsule->room < size) {
        verso_native_capsule_free(capsule);
        capsule->bytes = verso_alloc(size, 1);
        if (capsule->bytes == NULL)
            return verso_fail(error, VERSO_NO_MEMORY, "no memory for a capsule of %zu bytes.", size);
        capsule->room = size;
    }
    verso_native_capsule_write(capsule->bytes);
    return VERSO_OK;
}

void verso_native_capsule_restore(const verso_native_capsule *capsule) {
    verso_native_capsule_read(capsule->bytes);
}

void verso_native_capsule_free(verso_native_capsule *capsule) {
    verso_dealloc(capsule->bytes);
    *capsule = (verso_native_capsule){0};
}
