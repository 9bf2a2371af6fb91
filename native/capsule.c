/* Capsules: where the program stands, as bytes. See native.h.
 *
 * A capsule holds what the program could have written: its suspended stack (which has the registers on it), its heap,
 * its globals from the table that `verso cc` makes, and those regions of the differentiation that lie outside. Put
 * back, the program goes on from there, any number of times, with the same bits. It does not hold shadow memory, frames
 * and tape: they belong to the derivative, not to the program. Nor does it hold memory of foreign libraries and of the
 * caller's stack other than the regions: what the program wrote there is not undone. Of the C library it holds the
 * random number generators and how far the program has come in the log of the outside world (world.c); errno is on the
 * stack.
 *
 * Programs hold much that a run only reads: meshes, tables, data. So what is as it was when the run began is left out:
 * chunks that are as in a `base` capsule, for as long as that saves something. */
#include "native/native.h"

#include "base/alloc.h"

#include <string.h>

bool verso_native_linked(void) {
    return &verso_native_global_count != NULL;
}

/* ---- The pieces, in the order in which they lie in a capsule ---- */

/* Memory is compared and copied in chunks; `base` is where the base capsule has the piece, or NULL. */
enum { CHUNK = 4096, LEFT_OUT_LEAST = 64 << 10 };

typedef struct piece {
    char *data;
    size_t size;
    const char *base;
    size_t base_size;
} piece;

typedef void visitor(void *context, const piece *piece);

/* In front of the pieces. The stack comes first, then a bit for each chunk of the other pieces: whether it is here, or
 * as in the base. No bits: all are here. */
typedef struct head {
    verso_native_place at;
    uint64_t stack_size, arena_size, bits_size;
    char *stack_pointer;
    void (*last)(void);
    double value;        /* of f, once it has ended */
    uint64_t jump_count; /* numbers that setjmp has given: those on the stack must not be given again */
    uint64_t world;      /* how far it has come in the log, */
    uint64_t chain;      /* and what that says so far */
    verso_native_generators generators;
} head;

typedef struct visit {
    visitor *visitor;
    void *context;
    const char *base;
} visit;

static void visit_piece(visit *visit, char *data, size_t size, size_t base_size) {
    piece one = {data, size, visit->base, base_size};
    visit->visitor(visit->context, &one);
    if (visit->base != NULL)
        visit->base += base_size;
}

static void visit_regions(visit *visit, const verso_array *regions, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uintptr_t at = (uintptr_t)regions[i].data;
        size_t size = regions[i].count * verso_native_scalar_size(regions[i].type);
        if (at - VERSO_NATIVE_ARENA_AT >= VERSO_NATIVE_ARENA_SIZE)
            visit_piece(visit, regions[i].data, size, size);
    }
}

static size_t below(size_t size, uint64_t most) {
    return size < most ? size : (size_t)most;
}

/* The heap but for what is left out. */
static void visit_arena(visit *visit, size_t size, uint64_t base_size) {
    char *begin = verso_native_arena_used().begin;
    size_t at = 0;
    for (size_t i = 0; i <= verso_native_runtime.capsule.left_out_count && at < size; i++) {
        bool last = i == verso_native_runtime.capsule.left_out_count;
        const verso_native_range *out = &verso_native_runtime.capsule.left_out[i];
        size_t end = last ? size : below(size, (uint64_t)(out->begin - begin));
        size_t base_end = last ? (size_t)base_size : below((size_t)base_size, (uint64_t)(out->begin - begin));
        visit_piece(visit, begin + at, end - at, base_end > at ? base_end - at : 0);
        at = last ? size : (size_t)(out->end - begin);
    }
}

/* Globals, and regions outside the heap. f's x is not written by f. */
static void visit_fixed(visit *visit) {
    const verso_native_job *job = verso_native_runtime.job;
    for (uint64_t i = 0; verso_native_linked() && i < verso_native_global_count; i++)
        visit_piece(visit, verso_native_globals[i].data, verso_native_globals[i].size, verso_native_globals[i].size);
    if (job == NULL || job->run == NULL)
        return;
    visit_regions(visit, job->wrt, job->wrt_count);
    visit_regions(visit, job->of, job->of_count);
}

/* All but the stack: first the heap, `arena_size` bytes of it. */
static void visit_all(visitor *visitor, void *context, size_t arena_size) {
    const verso_native_capsule *base = verso_native_runtime.capsule.base;
    visit visit = {visitor, context, NULL};
    head head = {0};
    if (base != NULL) {
        memcpy(&head, base->bytes, sizeof head);
        visit.base = base->bytes + sizeof head;
    }
    visit_arena(&visit, arena_size, head.arena_size);
    visit_fixed(&visit);
}

typedef struct listing {
    verso_native_range *ranges; /* NULL: they are counted */
    size_t count;
} listing;

static void list_piece(void *context, const piece *piece) {
    listing *listing = context;
    if (listing->ranges != NULL)
        listing->ranges[listing->count] = (verso_native_range){piece->data, piece->data + piece->size};
    listing->count++;
}

size_t verso_native_capsule_fixed(verso_native_range *ranges) {
    listing listing = {.ranges = ranges};
    visit visit = {list_piece, &listing, NULL};
    visit_fixed(&visit);
    return listing.count;
}

static size_t chunks_of(const piece *piece) {
    return (piece->size + CHUNK - 1) / CHUNK;
}

static size_t chunk_size(const piece *piece, size_t at) {
    return piece->size - at < CHUNK ? piece->size - at : CHUNK;
}

static bool differs(const piece *piece, size_t at) {
    size_t size = chunk_size(piece, at);
    return piece->base == NULL || piece->base_size < at + size || memcmp(piece->data + at, piece->base + at, size) != 0;
}

/* ---- Sizes ---- */

/* At the beginning there is no stack yet, at the end no more. */
static bool has_stack(void) {
    return verso_native_runtime.walk.at.step > 0 && !verso_native_runtime.walk.at.ended;
}

size_t verso_native_capsule_stack(void) {
    return has_stack() ? (size_t)(verso_native_stack_top() - verso_native_runtime.stack.task) : 0;
}

static size_t arena_size(void) {
    verso_native_range used = verso_native_arena_used();
    return (size_t)(used.end - used.begin);
}

static void add_size(void *context, const piece *piece) {
    *(size_t *)context += piece->size;
}

static void add_chunks(void *context, const piece *piece) {
    *(size_t *)context += chunks_of(piece);
}

typedef struct comparison {
    unsigned char *bits;
    size_t chunk, here; /* chunks so far; bytes that differ */
} comparison;

static void compare(void *context, const piece *piece) {
    comparison *comparison = context;
    for (size_t at = 0; at < piece->size; at += CHUNK, comparison->chunk++) {
        unsigned char bit = (unsigned char)(1u << comparison->chunk % 8);
        if (differs(piece, at)) {
            comparison->bits[comparison->chunk / 8] |= bit;
            comparison->here += chunk_size(piece, at);
        }
    }
}

/* Where comparing has saved little it is not done again. */
static bool compare_all(size_t *size) {
    size_t chunks = 0, whole = 0;
    visit_all(add_chunks, &chunks, arena_size());
    visit_all(add_size, &whole, arena_size());
    size_t bits_size = (chunks + 7) / 8;
    unsigned char *bits = verso_realloc(verso_native_runtime.capsule.bits, bits_size, 1);
    if (bits == NULL)
        return false;
    memset(bits, 0, bits_size);
    verso_native_runtime.capsule.bits = bits;
    verso_native_runtime.capsule.bits_size = bits_size;
    comparison comparison = {.bits = bits};
    visit_all(compare, &comparison, arena_size());
    *size += bits_size + comparison.here;
    /* Snapshots of calls have one size at one place, whatever was there before. */
    verso_native_runtime.capsule.comparing = verso_native_runtime.calls.on || comparison.here < whole / 8 * 7;
    return true;
}

size_t verso_native_capsule_size(void) {
    size_t size = sizeof(head) + verso_native_capsule_stack();
    verso_native_runtime.capsule.bits_size = 0;
    if (verso_native_runtime.capsule.base == NULL || !verso_native_runtime.capsule.comparing || !compare_all(&size))
        visit_all(add_size, &size, arena_size());
    return size;
}

/* ---- Copying ---- */

typedef struct copying {
    char *to;         /* of a capsule that is written */
    const char *from; /* of one that is read */
    const unsigned char *bits;
    size_t chunk;
} copying;

static bool is_here(const copying *copying) {
    return (copying->bits[copying->chunk / 8] >> copying->chunk % 8 & 1) != 0;
}

static void copy_out(void *context, const piece *piece) {
    copying *copying = context;
    if (copying->bits == NULL) {
        memcpy(copying->to, piece->data, piece->size);
        copying->to += piece->size;
        return;
    }
    for (size_t at = 0; at < piece->size; at += CHUNK, copying->chunk++)
        if (is_here(copying)) {
            memcpy(copying->to, piece->data + at, chunk_size(piece, at));
            copying->to += chunk_size(piece, at);
        }
}

/* What is as in the base is mostly so already. */
static void copy_back(void *context, const piece *piece) {
    copying *copying = context;
    if (copying->bits == NULL) {
        memcpy(piece->data, copying->from, piece->size);
        copying->from += piece->size;
        return;
    }
    for (size_t at = 0; at < piece->size; at += CHUNK, copying->chunk++)
        if (is_here(copying)) {
            memcpy(piece->data + at, copying->from, chunk_size(piece, at));
            copying->from += chunk_size(piece, at);
        } else if (differs(piece, at))
            memcpy(piece->data + at, piece->base + at, chunk_size(piece, at));
}

/* Before the run has begun it is the same bytes in every process. */
static head make_head(void) {
    const verso_native_job *job = verso_native_runtime.job;
    head head = {.at = verso_native_runtime.walk.at,
                 .stack_size = verso_native_capsule_stack(),
                 .arena_size = arena_size(),
                 .bits_size = verso_native_runtime.capsule.bits_size,
                 .world = verso_native_world_at(),
                 .chain = verso_native_log_chain(verso_native_world_at())};
    if (head.at.step > 0) {
        head.stack_pointer = verso_native_runtime.stack.task;
        head.last = verso_native_now.last;
        head.value = job != NULL ? job->value : 0;
        head.jump_count = verso_native_now.jump_count;
    }
    verso_native_generators_take(&head.generators);
    return head;
}

void verso_native_capsule_write(char *bytes) {
    head head = make_head();
    copying copying = {.to = bytes + sizeof head + head.stack_size + head.bits_size};
    memcpy(bytes, &head, sizeof head);
    if (head.stack_size > 0)
        memcpy(bytes + sizeof head, head.stack_pointer, head.stack_size);
    if (head.bits_size > 0) {
        copying.bits = verso_native_runtime.capsule.bits;
        memcpy(bytes + sizeof head + head.stack_size, copying.bits, head.bits_size);
    }
    visit_all(copy_out, &copying, head.arena_size);
}

bool verso_native_capsule_fits(const char *bytes) {
    head head;
    memcpy(&head, bytes, sizeof head);
    return verso_native_log_has(head.world, head.chain);
}

void verso_native_capsule_read(const char *bytes) {
    head head;
    memcpy(&head, bytes, sizeof head);
    verso_native_world_go(head.world);
    verso_native_generators_leave(&head.generators);
    const char *bits = bytes + sizeof head + head.stack_size;
    copying copying = {.from = bits + head.bits_size, .bits = head.bits_size > 0 ? (const unsigned char *)bits : NULL};
    if (head.stack_size > 0) {
        memcpy(head.stack_pointer, bytes + sizeof head, head.stack_size);
        verso_native_runtime.stack.task = head.stack_pointer;
    }
    if (head.stack_size > verso_native_runtime.walk.stack_most)
        verso_native_runtime.walk.stack_most = head.stack_size;
    verso_native_arena_reach(head.arena_size);
    visit_all(copy_back, &copying, head.arena_size);
    verso_native_generators_put(&head.generators);
    verso_native_runtime.walk.at = head.at;
    verso_native_now.last = head.last;
    if (head.jump_count > verso_native_now.jump_count)
        verso_native_now.jump_count = head.jump_count;
    if (verso_native_runtime.job != NULL)
        verso_native_runtime.job->value = head.value;
}

void verso_native_capsule_base(const verso_native_capsule *base) {
    verso_dealloc(verso_native_runtime.capsule.bits);
    verso_native_runtime.capsule.bits = NULL;
    verso_native_runtime.capsule.base = base;
    verso_native_runtime.capsule.comparing = base != NULL;
}

/* ---- What nobody writes ---- */

/* Whole chunks of the heap, in ascending order; what is small or too much is not worth it. */
static void leave_out(const void *data, size_t size) {
    uint64_t begin = ((uintptr_t)data + CHUNK - 1) / CHUNK * CHUNK, end = ((uintptr_t)data + size) / CHUNK * CHUNK;
    verso_native_range *out = verso_native_runtime.capsule.left_out;
    size_t at = verso_native_runtime.capsule.left_out_count;
    if (begin - VERSO_NATIVE_ARENA_AT >= VERSO_NATIVE_ARENA_SIZE || end < begin + LEFT_OUT_LEAST ||
        at == VERSO_NATIVE_LEFT_OUT)
        return;
    for (size_t i = 0; i < at; i++)
        if (begin < (uintptr_t)out[i].end && (uintptr_t)out[i].begin < end)
            return;
    for (; at > 0 && (uintptr_t)out[at - 1].begin > begin; at--)
        out[at] = out[at - 1];
    out[at] = (verso_native_range){verso_native_address(begin), verso_native_address(end)};
    verso_native_runtime.capsule.left_out_count++;
}

void verso_native_capsule_leave_out(const verso_native_job *job) {
    verso_native_runtime.capsule.left_out_count = 0;
    if (job == NULL)
        return;
    if (job->f != NULL)
        leave_out(job->x, job->n * sizeof *job->x);
    for (size_t i = 0; i < job->wrt_count; i++)
        leave_out(job->wrt[i].derivative, job->wrt[i].count * sizeof(double));
    for (size_t i = 0; i < job->of_count; i++)
        leave_out(job->of[i].derivative, job->of[i].count * sizeof(double));
}

/* ---- In a buffer of its own ---- */

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
