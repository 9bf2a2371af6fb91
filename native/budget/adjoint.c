/* The adjoint as bytes, so that it outlives the process. See budget.h.
 *
 * Between two sweeps, the adjoint is in cells and in frames. Only cells of memory that capsules hold are
 * stored: others would belong to memory that a resumed program does not have. Most cells are zero, so pages of
 * zeros are left out. The program's memory at its end, which the sweep restores last of all, is stored, too.
 *
 *     head | frames | unfinished numbers (parts.c) | end | address of a page, page | address, page | ... */
#include "native/budget/budget.h"

#include "base/alloc.h"
#include "native/sweep/ranks.h"

#include <string.h>

enum { PAGE = VERSO_NATIVE_PAGE, ASKED = 4096 };

typedef struct head {
    uint64_t frames_size, parts_size, end_size, pages;
    uint64_t heap_size, stack_size; /* bytes of heap and stack that were ever used, and may have cells */
    uint64_t world, chain;          /* size of the log of the outside world, and its checksum */
    uint64_t posts, posts_chain;    /* the same of the list of messages to other ranks */
} head;

/* ---- Pages of cells that are not zero ---- */

typedef struct scan {
    char *to; /* where to write the pages; NULL: they are only counted */
    uint64_t pages;
} scan;

static bool page_is_zero(const char *page) {
    for (size_t i = 0; i < PAGE; i += VERSO_NATIVE_BLOCK)
        if (!verso__native_block_zero(page + i))
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
        verso__native_find_written(chunk, pages, written);
        for (size_t i = 0; i < pages; i++)
            if (written[i])
                take_page(context, chunk + i * PAGE);
    }
}

static void clear_pages(void *context, char *begin, char *end) {
    (void)context;
    verso__native_shadow_clear(begin, end);
}

/* Visits the pages of all planes that hold the cells of `memory`. (All ranges have the same shifts. A cell may
 * begin 4 bytes before the end of a page.) */
static void visit_cells(verso__native_range memory, visitor *visit, void *context) {
    for (size_t i = 0; memory.begin != memory.end && i < VERSO_NATIVE_SHIFTS; i++) {
        verso__native_plane plane = verso__native_plane_at(i);
        if (!verso__native_uses(plane.kind))
            continue;
        uint64_t begin = (uintptr_t)memory.begin + plane.shift, end = (uintptr_t)memory.end + plane.shift + 8;
        visit(context, verso__native_address(begin / PAGE * PAGE),
              verso__native_address((end + PAGE - 1) / PAGE * PAGE));
    }
}

static bool is_within(const verso_array *region, verso__native_range memory) {
    return (uintptr_t)region->data >= (uintptr_t)memory.begin && (uintptr_t)region->data < (uintptr_t)memory.end;
}

/* Visits the cells of heap, program and stack, and of arrays elsewhere. A page that two of them share is
 * visited twice, which does no harm. */
static void visit_all(visitor *visit, void *context) {
    const verso__native_job *job = verso__native_job_now();
    char *top = verso__native_stack_top();
    verso__native_range heap = verso__native_arena_ever_used(), program = verso__native_program();
    visit_cells(heap, visit, context);
    visit_cells(program, visit, context);
    visit_cells(verso__native_files_range(), visit, context);
    visit_cells(verso__native_caller(), visit, context);
    visit_cells((verso__native_range){top - verso__native_stack_deepest(), top}, visit, context);
    for (size_t i = 0; i < job->wrt_count + job->of_count; i++) {
        const verso_array *region = i < job->wrt_count ? &job->wrt[i] : &job->of[i - job->wrt_count];
        char *data = region->data;
        if (!is_within(region, heap) && !is_within(region, program))
            visit_cells((verso__native_range){data, data + region->count * verso__native_scalar_size(region->type)},
                        visit, context);
    }
}

static uint64_t scan_all(char *to) {
    scan scan = {.to = to};
    visit_all(scan_pages, &scan);
    return scan.pages;
}

/* ---- The whole adjoint ---- */

static head make_head(const verso__native_capsule *end) {
    verso__native_range heap = verso__native_arena_ever_used();
    return (head){.frames_size = verso__native_now.frame > verso__native_frames()
                                     ? (uint64_t)(verso__native_now.frame - verso__native_frames())
                                     : 0,
                  .parts_size = verso__native_parts_size(),
                  .end_size = end->room,
                  .pages = scan_all(NULL),
                  .heap_size = (uint64_t)(heap.end - heap.begin),
                  .stack_size = verso__native_stack_deepest(),
                  .world = verso__native_world_size(),
                  .chain = verso__native_log_chain(verso__native_world_size()),
                  .posts = verso__native_posts_at(),
                  .posts_chain = verso__native_posts_chain()};
}

static size_t size_of(const head *head) {
    return (size_t)(sizeof *head + head->frames_size + head->parts_size + head->end_size +
                    head->pages * (sizeof(char *) + PAGE));
}

size_t verso__native_adjoint_size(const verso__native_capsule *end) {
    head head = make_head(end);
    return size_of(&head);
}

verso_status verso__native_adjoint_write(const verso__native_capsule *end, char *bytes, size_t size,
                                         verso_error *error) {
    head head = make_head(end);
    if (size_of(&head) != size)
        return verso__fail(error, VERSO_STATUS_CORRUPT,
                           "the adjoint has changed while it was captured: internal error (please report it)");
    memcpy(bytes, &head, sizeof head);
    bytes += sizeof head;
    memcpy(bytes, verso__native_frames(), head.frames_size);
    bytes += head.frames_size;
    verso__native_parts_write(bytes);
    bytes += head.parts_size;
    if (head.end_size > 0)
        memcpy(bytes, end->bytes, head.end_size);
    scan_all(bytes + head.end_size);
    return VERSO_STATUS_OK;
}

void verso__native_adjoint_clear(void) {
    visit_all(clear_pages, NULL);
    verso__native_parts_begin();
    verso__native_now.frame = verso__native_frames();
}

static verso_status read_end(verso__native_capsule *end, const char *bytes, size_t size, verso_error *error) {
    verso__native_capsule_free(end);
    if (size == 0)
        return VERSO_STATUS_OK;
    end->bytes = verso__block_new(size);
    if (end->bytes == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a capsule of %zu bytes", size);
    end->room = size;
    memcpy(end->bytes, bytes, size);
    return VERSO_STATUS_OK;
}

verso_status verso__native_adjoint_read(verso__native_capsule *end, const char *bytes, size_t size,
                                        verso_error *error) {
    head head;
    if (size < sizeof head)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "an adjoint of %zu bytes is too short", size);
    memcpy(&head, bytes, sizeof head);
    bool parts_right = verso__native_parts_fit(head.parts_size);
    if (head.frames_size > size || !parts_right || head.end_size > size || head.pages > size / PAGE ||
        size_of(&head) != size)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "an adjoint of %zu bytes has a wrong length", size);
    if (!verso__native_log_has(head.world, head.chain))
        return verso__native_log_report_missing(error);
    verso_status status = verso__native_posts_return(head.posts, head.posts_chain, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__native_ranks_continue();
    bytes += sizeof head;
    verso__native_adjoint_clear();
    memcpy(verso__native_frames(), bytes, head.frames_size);
    verso__native_now.frame = verso__native_frames() + head.frames_size;
    bytes += head.frames_size;
    verso__native_parts_read(bytes, head.parts_size);
    bytes += head.parts_size;
    status = read_end(end, bytes, head.end_size, error);
    if (status != VERSO_STATUS_OK)
        return status;
    bytes += head.end_size;
    verso__native_arena_reach(head.heap_size);
    verso__native_stack_note_depth(head.stack_size);
    for (uint64_t i = 0; i < head.pages; i++, bytes += sizeof(char *) + PAGE) {
        char *page;
        memcpy(&page, bytes, sizeof page);
        if (!verso__native_has_cells(page, PAGE))
            return verso__fail(error, VERSO_STATUS_CORRUPT,
                               "an adjoint has a page of cells at %p, where there is no shadow memory", (void *)page);
        memcpy(page, bytes + sizeof page, PAGE);
    }
    return VERSO_STATUS_OK;
}
