/* Capsules: the state of the program as bytes. See run.h.
 *
 * A capsule holds what the program can have written: its suspended stack (which contains the registers), its
 * heap, its globals from the table that `verso cc` makes, and the arrays of the differentiation that are not in
 * the heap. When it is put back, the program continues from there, any number of times, with the same bits. It
 * does not hold shadow memory, frames and tape, which belong to the derivative and not to the program. Of the
 * caller's stack it holds the words that the run has changed (caller.c). It does not hold memory of foreign
 * libraries: the program's writes there are not undone. Of the C library it holds the random number generators
 * and how far the program has come in the log of the outside world (world.c); errno is on the stack.
 *
 * Programs hold much that a run only reads: meshes, tables, data. So a capsule leaves out chunks that are equal
 * in a `base` capsule, as long as that saves memory. */
#include "native/run/run.h"

#include "base/alloc.h"
#include "base/checksum.h"

#include <stdlib.h>
#include <string.h>

enum { LEFT_OUT_MOST = 16 };

static struct {
    const verso__native_capsule *base;
    bool comparing; /* comparing with the base saves memory */
    bool always;    /* compare even if that saves little */
    unsigned char *bits;
    size_t bits_size; /* bytes of `bits` for the capsule whose size was last determined; 0: it is copied completely */
    verso__native_range left_out[LEFT_OUT_MOST];
    size_t left_out_count;
    struct based {
        verso__native_range range;
        const char *bytes;
    } *based; /* memory that the base holds, by address, and where its bytes are; NULL: not listed yet */
    size_t based_count;
} capsule_state;

bool verso__native_is_linked(void) {
    return &verso__native_global_count != NULL;
}

/* ---- The pieces, in the order in which they lie in a capsule ---- */

/* Memory is compared and copied in chunks of CHUNK bytes. Memory that is not written is left out from
 * LEFT_OUT_LEAST bytes on. */
enum { CHUNK = 4096, LEFT_OUT_LEAST = 64 << 10 };

typedef struct piece {
    char *data;
    size_t size;
    const char *base;
    size_t base_size;
} piece;

typedef void visitor(void *context, const piece *piece);

/* The head of a capsule. The stack follows, then a bit for each chunk of the other pieces (1: the capsule
 * contains it; 0: it is equal in the base), then the chunks, then the words of the caller's stack. Without
 * bits, the capsule contains all chunks. */
typedef struct head {
    verso__native_place at;
    uint64_t stack_size, arena_size, bits_size;
    char *stack_pointer;
    void (*last)(void);
    struct verso__native_locals *locals;
    double value;        /* f's result, if the run has ended */
    uint64_t jump_count; /* number of setjmp calls; numbers that are on the stack must not be used again */
    uint64_t world;      /* offset in the log of the outside world */
    uint64_t chain;      /* checksum of the log up to there */
    verso_identity base; /* checksum of the base, in a capsule of the run's beginning */
    verso__native_generators generators;
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
        size_t size = regions[i].count * verso__native_scalar_size(regions[i].type);
        if (at - VERSO_NATIVE_ARENA_AT >= VERSO_NATIVE_ARENA_SIZE)
            visit_piece(visit, regions[i].data, size, size);
    }
}

static size_t below(size_t size, uint64_t most) {
    return size < most ? size : (size_t)most;
}

/* Visits the heap except for memory that is left out. */
static void visit_arena(visit *visit, size_t size, uint64_t base_size) {
    char *begin = verso__native_arena_used().begin;
    size_t at = 0;
    for (size_t i = 0; i <= capsule_state.left_out_count && at < size; i++) {
        bool last = i == capsule_state.left_out_count;
        const verso__native_range *out = &capsule_state.left_out[i];
        size_t end = last ? size : below(size, (uint64_t)(out->begin - begin));
        size_t base_end = last ? (size_t)base_size : below((size_t)base_size, (uint64_t)(out->begin - begin));
        visit_piece(visit, begin + at, end - at, base_end > at ? base_end - at : 0);
        at = last ? size : (size_t)(out->end - begin);
    }
}

/* Visits globals, and the job's arrays outside the heap. f does not write its x. */
static void visit_fixed(visit *visit) {
    const verso__native_job *job = verso__native_job_now();
    for (uint64_t i = 0; verso__native_is_linked() && i < verso__native_global_count; i++)
        visit_piece(visit, verso__native_globals[i].data, verso__native_globals[i].size, verso__native_globals[i].size);
    if (job == NULL || job->run == NULL)
        return;
    visit_regions(visit, job->wrt, job->wrt_count);
    visit_regions(visit, job->of, job->of_count);
}

/* Visits everything except the stack: first `arena_size` bytes of the heap. */
static void visit_all(visitor *visitor, void *context, size_t arena_size) {
    const verso__native_capsule *base = capsule_state.base;
    visit visit = {visitor, context, NULL};
    head head = {0};
    if (base != NULL) {
        memcpy(&head, base->bytes, sizeof head);
        visit.base = base->bytes + sizeof head + head.stack_size;
    }
    visit_arena(&visit, arena_size, head.arena_size);
    visit_fixed(&visit);
}

typedef struct listing {
    verso__native_range *ranges; /* NULL: the ranges are only counted */
    size_t count;
} listing;

static void list_piece(void *context, const piece *piece) {
    listing *listing = context;
    if (listing->ranges != NULL)
        listing->ranges[listing->count] = (verso__native_range){piece->data, piece->data + piece->size};
    listing->count++;
}

size_t verso__native_capsule_fixed(verso__native_range *ranges) {
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

/* Returns true if the run has a stack: it has begun and not ended. */
static bool has_stack(void) {
    return verso__native_place_now()->step > 0 && !verso__native_place_now()->ended;
}

size_t verso__native_capsule_stack(void) {
    return has_stack() ? (size_t)(verso__native_stack_top() - verso__native_stack_pointer()) : 0;
}

static size_t arena_size(void) {
    verso__native_range used = verso__native_arena_used();
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
    size_t chunk, here; /* number of chunks so far, and bytes of those that differ */
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

static bool is_at_beginning(void) {
    return verso__native_place_now()->step == 0;
}

/* If comparing has saved little, later capsules are not compared, except at the beginning of the run: that
 * capsule must have the same bytes in every process of a durable run, and takes next to nothing. */
static bool compare_all(size_t *size) {
    size_t chunks = 0, whole = 0;
    visit_all(add_chunks, &chunks, arena_size());
    visit_all(add_size, &whole, arena_size());
    size_t bits_size = (chunks + 7) / 8;
    unsigned char *bits = verso__realloc(capsule_state.bits, bits_size, 1);
    if (bits == NULL)
        return false;
    memset(bits, 0, bits_size);
    capsule_state.bits = bits;
    capsule_state.bits_size = bits_size;
    comparison comparison = {.bits = bits};
    visit_all(compare, &comparison, arena_size());
    *size += bits_size + comparison.here;
    /* Snapshots must have the same size at the same place, whatever came before. */
    if (!is_at_beginning())
        capsule_state.comparing = capsule_state.always || comparison.here < whole / 8 * 7;
    return true;
}

size_t verso__native_capsule_size(void) {
    size_t size = sizeof(head) + verso__native_capsule_stack();
    capsule_state.bits_size = 0;
    bool comparing = capsule_state.comparing || is_at_beginning();
    if (capsule_state.base == NULL || !comparing || !compare_all(&size))
        visit_all(add_size, &size, arena_size());
    return size + verso__native_caller_size();
}

size_t verso__native_capsule_unchanged(void) {
    size_t chunks = 0;
    visit_all(add_chunks, &chunks, arena_size());
    return sizeof(head) + (chunks + 7) / 8;
}

size_t verso__native_capsule_whole(void) {
    size_t size = sizeof(head);
    visit_all(add_size, &size, arena_size());
    return size;
}

/* ---- Copying ---- */

typedef struct copying {
    char *to;         /* writing: the next byte of the capsule */
    const char *from; /* reading: the next byte of the capsule */
    const unsigned char *bits;
    size_t chunk;
} copying;

static bool is_here(const copying *copying) {
    return (copying->bits[copying->chunk / 8] >> copying->chunk % 8 & 1) != 0;
}

static void copy_here(char *to, const char *data, size_t size) {
    memcpy(to, data, size);
    verso__native_handles_hide(data, to, size);
}

static void copy_there(char *data, const char *from, size_t size) {
    memcpy(data, from, size);
    verso__native_handles_show(data, size);
}

static void copy_out(void *context, const piece *piece) {
    copying *copying = context;
    if (copying->bits == NULL) {
        copy_here(copying->to, piece->data, piece->size);
        copying->to += piece->size;
        return;
    }
    for (size_t at = 0; at < piece->size; at += CHUNK, copying->chunk++)
        if (is_here(copying)) {
            copy_here(copying->to, piece->data + at, chunk_size(piece, at));
            copying->to += chunk_size(piece, at);
        }
}

/* Writes only if the bytes differ: memory that the program has never touched must stay without pages. */
static void put_back(char *data, const char *from, size_t size) {
    if (memcmp(data, from, size) != 0)
        copy_there(data, from, size);
}

/* Chunks that are equal in the base are mostly equal in memory already. */
static void copy_back(void *context, const piece *piece) {
    copying *copying = context;
    if (copying->bits == NULL) {
        for (size_t at = 0; at < piece->size; at += CHUNK)
            put_back(piece->data + at, copying->from + at, chunk_size(piece, at));
        copying->from += piece->size;
        return;
    }
    for (size_t at = 0; at < piece->size; at += CHUNK, copying->chunk++)
        if (is_here(copying)) {
            copy_there(piece->data + at, copying->from, chunk_size(piece, at));
            copying->from += chunk_size(piece, at);
        } else if (differs(piece, at))
            copy_there(piece->data + at, piece->base + at, chunk_size(piece, at));
}

/* At the beginning of the run, the head must have the same bytes in every process. */
static head make_head(void) {
    const verso__native_job *job = verso__native_job_now();
    head head = {.at = *verso__native_place_now(),
                 .stack_size = verso__native_capsule_stack(),
                 .arena_size = arena_size(),
                 .bits_size = capsule_state.bits_size,
                 .world = verso__native_world_at(),
                 .chain = verso__native_log_chain(verso__native_world_at())};
    if (head.at.step > 0) {
        head.stack_pointer = verso__native_stack_pointer();
        head.last = verso__native_now.last;
        head.locals = verso__native_now.locals;
        head.value = job != NULL ? job->value : 0;
        head.jump_count = verso__native_now.jump_count;
    } else if (head.bits_size > 0) {
        const verso__native_capsule *base = capsule_state.base;
        head.base = verso__checksum_wide(base->bytes, base->room);
    }
    verso__native_generators_take(&head.generators);
    return head;
}

void verso__native_capsule_write(char *bytes) {
    head head = make_head();
    copying copying = {.to = bytes + sizeof head + head.stack_size + head.bits_size};
    memcpy(bytes, &head, sizeof head);
    if (head.stack_size > 0)
        copy_here(bytes + sizeof head, head.stack_pointer, head.stack_size);
    if (head.bits_size > 0) {
        copying.bits = capsule_state.bits;
        memcpy(bytes + sizeof head + head.stack_size, copying.bits, head.bits_size);
    }
    visit_all(copy_out, &copying, head.arena_size);
    verso__native_caller_write(copying.to);
}

bool verso__native_capsule_fits(const char *bytes) {
    head head;
    memcpy(&head, bytes, sizeof head);
    return verso__native_log_has(head.world, head.chain);
}

void verso__native_capsule_read(const char *bytes) {
    head head;
    memcpy(&head, bytes, sizeof head);
    verso__native_world_rewind(head.world);
    verso__native_generators_leave(&head.generators);
    const char *bits = bytes + sizeof head + head.stack_size;
    copying copying = {.from = bits + head.bits_size, .bits = head.bits_size > 0 ? (const unsigned char *)bits : NULL};
    if (head.stack_size > 0) {
        copy_there(head.stack_pointer, bytes + sizeof head, head.stack_size);
        verso__native_stack_set_pointer(head.stack_pointer);
    }
    verso__native_stack_note_depth(head.stack_size);
    verso__native_arena_reach(head.arena_size);
    visit_all(copy_back, &copying, head.arena_size);
    verso__native_caller_read(copying.from);
    verso__native_generators_put(&head.generators);
    *verso__native_place_now() = head.at;
    verso__native_now.last = head.last;
    verso__native_now.locals = head.locals;
    if (head.jump_count > verso__native_now.jump_count)
        verso__native_now.jump_count = head.jump_count;
    if (verso__native_job_now() != NULL)
        verso__native_job_now()->value = head.value;
}

/* ---- The base as memory ---- */

static void list_base(void *context, const piece *piece) {
    size_t *count = context;
    if (capsule_state.based != NULL)
        capsule_state.based[*count] = (struct based){{piece->data, piece->data + piece->base_size}, piece->base};
    ++*count;
}

static int compare_based(const void *a, const void *b) {
    const struct based *first = a, *second = b;
    return first->range.begin < second->range.begin ? -1 : first->range.begin > second->range.begin;
}

/* Without memory for the list, the base counts as empty. */
static void index_base(void) {
    size_t count = 0;
    head head;
    memcpy(&head, capsule_state.base->bytes, sizeof head);
    visit_all(list_base, &count, head.arena_size);
    capsule_state.based = verso__alloc(count + 1, sizeof *capsule_state.based);
    if (capsule_state.based == NULL)
        return;
    count = 0;
    visit_all(list_base, &count, head.arena_size);
    qsort(capsule_state.based, count, sizeof *capsule_state.based, compare_based);
    capsule_state.based_count = count;
}

static void forget_based(void) {
    verso__dealloc(capsule_state.based);
    capsule_state.based = NULL;
    capsule_state.based_count = 0;
}

const char *verso__native_capsule_base_at(const char *data, size_t size) {
    if (capsule_state.base == NULL)
        return NULL;
    if (capsule_state.based == NULL)
        index_base();
    size_t low = 0, high = capsule_state.based_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct based *at = &capsule_state.based[middle];
        if (data < at->range.begin)
            high = middle;
        else if (data >= at->range.end)
            low = middle + 1;
        else
            return size <= (size_t)(at->range.end - data) ? at->bytes + (data - at->range.begin) : NULL;
    }
    return NULL;
}

void verso__native_capsule_base(const verso__native_capsule *base, bool always) {
    forget_based();
    verso__dealloc(capsule_state.bits);
    capsule_state.bits = NULL;
    capsule_state.base = base;
    capsule_state.comparing = base != NULL;
    capsule_state.always = always;
}

/* ---- Memory that the run does not write ---- */

/* Adds whole chunks of the heap to the list of memory that is left out, in ascending order. Ignores small
 * arrays, and arrays beyond LEFT_OUT_MOST. */
static void leave_out(const void *data, size_t size) {
    uint64_t begin = ((uintptr_t)data + CHUNK - 1) / CHUNK * CHUNK, end = ((uintptr_t)data + size) / CHUNK * CHUNK;
    verso__native_range *out = capsule_state.left_out;
    size_t at = capsule_state.left_out_count;
    if (begin - VERSO_NATIVE_ARENA_AT >= VERSO_NATIVE_ARENA_SIZE || end < begin + LEFT_OUT_LEAST || at == LEFT_OUT_MOST)
        return;
    for (size_t i = 0; i < at; i++)
        if (begin < (uintptr_t)out[i].end && (uintptr_t)out[i].begin < end)
            return;
    for (; at > 0 && (uintptr_t)out[at - 1].begin > begin; at--)
        out[at] = out[at - 1];
    out[at] = (verso__native_range){verso__native_address(begin), verso__native_address(end)};
    capsule_state.left_out_count++;
}

void verso__native_capsule_leave_out(const verso__native_job *job) {
    capsule_state.left_out_count = 0;
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

verso_status verso__native_capsule_take(verso__native_capsule *capsule, verso_error *error) {
    size_t size = verso__native_capsule_size();
    if (capsule->room < size) {
        verso__native_capsule_free(capsule);
        capsule->bytes = verso__block_new(size);
        if (capsule->bytes == NULL)
            return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a capsule of %zu bytes", size);
        capsule->room = size;
    }
    verso__native_capsule_write(capsule->bytes);
    return VERSO_STATUS_OK;
}

void verso__native_capsule_restore(const verso__native_capsule *capsule) {
    verso__native_capsule_read(capsule->bytes);
}

void verso__native_capsule_free(verso__native_capsule *capsule) {
    verso__block_free(capsule->bytes, capsule->room);
    *capsule = (verso__native_capsule){0};
}
