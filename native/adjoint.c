/* The adjoint as bytes, so that it outlives the process. See native.h.
 *
 * Between two sweeps the adjoint lies in cells and in frames. Only cells of memory that capsules hold are kept: others
 * would belong to memory that a resumed program does not have. Most of them are zero, so pages that are zero are left
 * out. The program's memory at its end, which the sweep leaves behind last of all, goes along.
 *
 *     head | frames | numbers that are unfinished (parts.c) | end | page, its address first | page | ... */
#include "native/native.h"

#include "base/alloc.h"

#include <string.h>

enum { PAGE = VERSO_NATIVE_PAGE, ASKED = 4096 };

typedef struct head {
    uint64_t frames_size, parts_size, end_size, pages;
    uint64_t heap_size, stack_size; /* that have ever been used, and may have cells */
    uint64_t world, chain;          /* the whole log, of which it knows */
} head;

/* ---- Pages of cells that are not zero ---- */

typedef struct scan {
    char *to; /* NULL: they are only counted */
    uint64_t pages;
} scan;

static bool page_is_zero(const char *page) {
    for (size_t i = 0; i < PAGE; i += VERSO_NATIVE_BLOCK)
        if (!verso_native_block_zero(page + i))
            return false;
    return true;
}

static void take_page(scan *scan, char *page) {
    if (page_is_zero(page))
        return;
    scan->pages++;
    if (scan->to == NULL)
        return;
    memcpy(scan->to, &page, sizeof page);
    memcpy(scan->to + sizeof page, page, PAGE);
    scan->to += sizeof page + PAGE;
}

typedef void visitor(void *context, char *begin, char *end);

static void scan_pages(void *context, char *begin, char *end) {
    bool written[ASKED];
    for (char *chunk = begin; chunk < end; chunk += (size_t)ASKED * PAGE) {
        size_t pages = (size_t)(end - chunk) / PAGE;
        pages = pages < ASKED ? pages : ASKED;
        verso_native_written(chunk, pages, written);
        for (size_t i = 0; i < pages; i++)
            if (written[i])
                take_page(context, chunk + i * PAGE);
    }
}

static void clear_pages(void *context, char *begin, char *end) {
    (void)context;
    verso_native_shadow_clear(begin, end);
}

/* Whole pages of the planes of one range (all have the same shifts); a cell may begin 4 bytes before the end of its
 * page. */
static void visit_cells(verso_native_range memory, visitor *visit, void *context) {
    for (size_t i = 0; i < VERSO_NATIVE_SHIFTS; i++) {
        verso_native_plane plane = verso_native_plane_at(i);
        if (!verso_native_uses(plane.kind))
            continue;
        uint64_t begin = (uintptr_t)memory.begin + plane.shift, end = (uintptr_t)memory.end + plane.shift + 8;
        visit(context, verso_native_address(begin / PAGE * PAGE), verso_native_address((end + PAGE - 1) / PAGE * PAGE));
    }
}

static bool within(const verso_array *region, verso_native_range memory) {
    return (uintptr_t)region->data >= (uintptr_t)memory.begin && (uintptr_t)region->data < (uintptr_t)memory.end;
}

/* Heap, program and stack; regions that lie elsewhere. A page that two of them share comes twice, which does no harm.
 */
static void visit_all(visitor *visit, void *context) {
    const verso_native_job *job = verso_native_runtime.job;
    char *top = verso_native_stack_top();
    verso_native_range heap = verso_native_arena_ever_used(), program = verso_native_program();
    visit_cells(heap, visit, context);
    visit_cells(program, visit, context);
    visit_cells((verso_native_range){top - verso_native_runtime.walk.stack_most, top}, visit, context);
    for (size_t i = 0; i < job->wrt_count + job->of_count; i++) {
        const verso_array *region = i < job->wrt_count ? &job->wrt[i] : &job->of[i - job->wrt_count];
        char *data = region->data;
        if (!within(region, heap) && !within(region, program))
            visit_cells((verso_native_range){data, data + region->count * verso_native_scalar_size(region->type)},
                        visit, context);
    }
}

static uint64_t scan_all(char *to) {
    scan scan = {.to = to};
    visit_all(scan_pages, &scan);
    return scan.pages;
}

/* ---- All of it ---- */

static head make_head(const verso_native_capsule *end) {
    verso_native_range heap = verso_native_arena_ever_used();
    return (head){.frames_size = verso_native_now.frame > verso_native_frames()
                                     ? (uint64_t)(verso_native_now.frame - verso_native_frames())
                                     : 0,
                  .parts_size = verso_native_runtime.parts.changes > 0 ? sizeof verso_native_runtime.parts : 0,
                  .end_size = end->room,
                  .pages = scan_all(NULL),
                  .heap_size = (uint64_t)(heap.end - heap.begin),
                  .stack_size = verso_native_runtime.walk.stack_most,
                  .world = verso_native_runtime.world.size,
                  .chain = verso_native_log_chain(verso_native_runtime.world.size)};
}

static size_t size_of(const head *head) {
    return (size_t)(sizeof *head + head->frames_size + head->parts_size + head->end_size +
                    head->pages * (sizeof(char *) + PAGE));
}

size_t verso_native_adjoint_size(const verso_native_capsule *end) {
    head head = make_head(end);
    return size_of(&head);
}

verso_status verso_native_adjoint_write(const verso_native_capsule *end, char *bytes, size_t size, verso_error *error) {
    head head = make_head(end);
    if (size_of(&head) != size)
        return verso_fail(error, VERSO_CORRUPT, "the adjoint has changed while it was captured: Verso has a bug.");
    memcpy(bytes, &head, sizeof head);
    bytes += sizeof head;
    memcpy(bytes, verso_native_frames(), head.frames_size);
    bytes += head.frames_size;
    memcpy(bytes, &verso_native_runtime.parts, head.parts_size);
    bytes += head.parts_size;
    if (head.end_size > 0)
        memcpy(bytes, end->bytes, head.end_size);
    scan_all(bytes + head.end_size);
    return VERSO_OK;
}

void verso_native_adjoint_clear(void) {
    visit_all(clear_pages, NULL);
    verso_native_parts_begin();
    verso_native_now.frame = verso_native_frames();
}

static verso_status read_end(verso_native_capsule *end, const char *bytes, size_t size, verso_error *error) {
    verso_native_capsule_free(end);
    if (size == 0)
        return VERSO_OK;
    end->bytes = verso_alloc(size, 1);
    if (end->bytes == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a capsule of %zu bytes.", size);
    end->room = size;
    memcpy(end->bytes, bytes, size);
    return VERSO_OK;
}

verso_status verso_native_adjoint_read(verso_native_capsule *end, const char *bytes, size_t size, verso_error *error) {
    head head;
    if (size < sizeof head)
        return verso_fail(error, VERSO_CORRUPT, "an adjoint of %zu bytes is too short to be one.", size);
    memcpy(&head, bytes, sizeof head);
    bool parts_right = head.parts_size == 0 || head.parts_size == sizeof verso_native_runtime.parts;
    if (head.frames_size > size || !parts_right || head.end_size > size || head.pages > size / PAGE ||
        size_of(&head) != size)
        return verso_fail(error, VERSO_CORRUPT, "an adjoint of %zu bytes does not have the length that it says.", size);
    if (!verso_native_log_has(head.world, head.chain))
        return verso_native_log_lacks(error);
    bytes += sizeof head;
    verso_native_adjoint_clear();
    memcpy(verso_native_frames(), bytes, head.frames_size);
    verso_native_now.frame = verso_native_frames() + head.frames_size;
    bytes += head.frames_size;
    memcpy(&verso_native_runtime.parts, bytes, head.parts_size);
    bytes += head.parts_size;
    verso_status status = read_end(end, bytes, head.end_size, error);
    if (status != VERSO_OK)
        return status;
    bytes += head.end_size;
    verso_native_arena_reach(head.heap_size);
    if (head.stack_size > verso_native_runtime.walk.stack_most)
        verso_native_runtime.walk.stack_most = head.stack_size;
    for (uint64_t i = 0; i < head.pages; i++, bytes += sizeof(char *) + PAGE) {
        char *page;
        memcpy(&page, bytes, sizeof page);
        if (!verso_native_has_cells(page, PAGE))
            return verso_fail(error, VERSO_CORRUPT, "an adjoint has a page of cells at %p, where none is.",
                              (void *)page);
        memcpy(page, bytes + sizeof page, PAGE);
    }
    return VERSO_OK;
}
