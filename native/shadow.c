/* Shadow memory as pages: finding and clearing what a differentiation touched. See native.h; cells.c has the
 * operations.
 *
 * Generated code writes cells wherever the program has memory and tells nobody, so after a run any of 36 TiB may have
 * been touched. The system knows which pages are in memory, but asking it about all of them, or telling it to drop all,
 * costs more than the gradient of a small function. Hence this invariant, which holds between differentiations:
 *
 *     all cells are zero, and every page of the planes that has memory of its own lies in one of the `kept` ranges.
 *
 * A page that has none cannot be written without a page fault of this thread (one that was only read shares a page of
 * zeros, and is copied by a fault). So a run without any fault has touched kept pages only, and clearing those is
 * enough; that is the usual case from the second run on. After a run with faults everything is looked at: of the places
 * that are likely to be needed again (heap, stack, program, inputs) pages that are in memory are cleared and kept, all
 * else is dropped. Large pages would bring in neighbours of kept pages without a fault, and much memory for a few
 * cells, so the planes are closed to them (space.c).
 *
 * A page that the system has swapped out is not "in memory" and is dropped with the rest: right either way. */
#include "base/system.h"
#include "native/native.h"

#include <string.h>

enum {
    PAGE = VERSO_NATIVE_PAGE,
    ASKED = 1024,            /* pages in one question */
    GAP = 16,                /* pages not in memory that are rather read than dropped by a call of their own */
    LARGE_CLEAR = 256 << 10, /* bytes from which on it is worth asking which pages are there */
    KEPT_ALWAYS = 1 << 20,
};

/* Bytes of kept pages that are read in one second, about: keeping more than that makes short runs slow. */
#define CLEARED_PER_SECOND 8e9

/* ---- Clearing ---- */

/* Reads first: most cells are zero already, and a page that was never written stays without memory. */
static void clear_bytes(char *begin, char *end) {
    for (; end - begin >= VERSO_NATIVE_BLOCK; begin += VERSO_NATIVE_BLOCK)
        if (!verso_native_block_zero(begin))
            memset(begin, 0, VERSO_NATIVE_BLOCK);
    for (; end - begin >= 8; begin += 8) {
        uint64_t word;
        memcpy(&word, begin, 8);
        if (word != 0)
            memset(begin, 0, 8);
    }
}

static char *page_down(char *address) {
    return address - (uintptr_t)address % PAGE;
}

static char *page_up(char *address) {
    return page_down(address + PAGE - 1);
}

/* A pass over pages in ascending order. */
typedef struct pass {
    char *drop;                            /* pages from here on are to be dropped, so far */
    size_t found;                          /* bytes of pages that had memory of their own */
    bool (*stays)(char *begin, char *end); /* NULL: all that is in memory stays */
} pass;

/* One page that is in memory: all before it that is not goes. */
static void clear_page(pass *pass, char *page) {
    if (page - pass->drop > (ptrdiff_t)GAP * PAGE) {
        verso_native_drop(pass->drop, page);
        pass->drop = page;
    }
    if (pass->stays != NULL && !pass->stays(pass->drop, page + PAGE))
        return;
    clear_bytes(pass->drop, page + PAGE);
    pass->drop = page + PAGE;
}

/* Pages of [begin, end) that are in memory are cleared, the others left to be dropped. */
static void clear_pages(pass *pass, char *begin, char *end) {
    unsigned char resident[ASKED];
    bool owned[ASKED];
    for (char *chunk = begin; chunk < end; chunk += (size_t)ASKED * PAGE) {
        size_t pages = (size_t)(end - chunk) / PAGE;
        pages = pages < ASKED ? pages : ASKED;
        if (verso_native_resident(chunk, pages, resident) == 0)
            continue;
        verso_native_owned(chunk, pages, owned);
        for (size_t i = 0; i < pages; i++)
            if ((resident[i] & 1) != 0) {
                pass->found += owned[i] ? PAGE : 0;
                clear_page(pass, chunk + i * PAGE);
            }
    }
}

void verso_native_shadow_clear(char *begin, char *end) {
    if (end - begin < LARGE_CLEAR) {
        clear_bytes(begin, end);
        return;
    }
    /* A cell may lie across the edge of a page: bytes are cleared, not cells. */
    char *first = page_up(begin), *last = page_down(end);
    memset(begin, 0, (size_t)(first - begin));
    memset(last, 0, (size_t)(end - last));
    pass pass = {first, 0, NULL};
    clear_pages(&pass, first, last);
    verso_native_drop(pass.drop, last);
}

/* ---- Between differentiations ---- */

void verso_native_shadow_begin(void) {
    verso_native_runtime.shadow.faults = verso_native_faults();
    verso_native_runtime.shadow.began = verso_now();
}

/* Runs come in ascending order within a plane, so one that continues the last is joined to it. */
static bool keep(char *begin, char *end) {
    verso_native_range *kept = verso_native_runtime.shadow.kept;
    size_t count = verso_native_runtime.shadow.kept_count, size = (size_t)(end - begin);
    bool joined = count > 0 && kept[count - 1].end == begin;
    if (verso_native_runtime.shadow.room < size || (!joined && count == VERSO_NATIVE_KEPT_RANGES))
        return false;
    verso_native_runtime.shadow.room -= size;
    if (joined)
        kept[count - 1].end = end;
    else
        kept[verso_native_runtime.shadow.kept_count++] = (verso_native_range){begin, end};
    return true;
}

/* Where a plane has the cells of some memory, or of that part of it that it covers. */
static verso_native_range in_plane(const verso_native_range *memory, const verso_native_plane *plane) {
    verso_native_range part = plane->covered;
    part.begin = memory->begin > part.begin ? memory->begin : part.begin;
    part.end = memory->end < part.end ? memory->end : part.end;
    if (part.begin >= part.end)
        return (verso_native_range){NULL, NULL};
    return (verso_native_range){page_down(verso_native_address((uintptr_t)part.begin + plane->shift)),
                                page_up(verso_native_address((uintptr_t)part.end + plane->shift))};
}

/* Clears and keeps what is near, drops the rest. `nearby` is in ascending order. */
static size_t clean_plane(const verso_native_plane *plane, const verso_native_range *nearby, size_t count) {
    verso_native_range whole = in_plane(&plane->covered, plane);
    pass pass = {whole.begin, 0, keep};
    for (size_t i = 0; i < count; i++) {
        verso_native_range part = in_plane(&nearby[i], plane);
        part.begin = part.begin > pass.drop ? part.begin : pass.drop;
        if (part.begin < part.end)
            clear_pages(&pass, part.begin, part.end);
    }
    verso_native_drop(pass.drop, whole.end);
    return pass.found;
}

static void clear_kept(void) {
    for (size_t i = 0; i < verso_native_runtime.shadow.kept_count; i++)
        clear_bytes(verso_native_runtime.shadow.kept[i].begin, verso_native_runtime.shadow.kept[i].end);
}

static size_t kept_size(void) {
    size_t bytes = 0;
    for (size_t i = 0; i < verso_native_runtime.shadow.kept_count; i++)
        bytes += (size_t)(verso_native_runtime.shadow.kept[i].end - verso_native_runtime.shadow.kept[i].begin);
    return bytes;
}

/* Of pages that are kept: no more than can be cleared in the time that such a run takes. */
static size_t room_for(double seconds) {
    double room = seconds * CLEARED_PER_SECOND, most = (double)verso_native_kept_most();
    room = room < most ? room : most;
    return room > KEPT_ALWAYS ? (size_t)room : KEPT_ALWAYS;
}

size_t verso_native_shadow_end(const verso_native_range *nearby, size_t count) {
    size_t room = room_for(verso_now() - verso_native_runtime.shadow.began), kept = kept_size();
    bool unchanged = verso_native_faults() == verso_native_runtime.shadow.faults;
    if (unchanged && verso_native_runtime.shadow.known && kept <= room) {
        clear_kept();
        return kept;
    }
    size_t found = 0;
    verso_native_runtime.shadow.kept_count = 0;
    verso_native_runtime.shadow.room = room;
    for (size_t i = 0; i < VERSO_NATIVE_PLANES; i++) {
        verso_native_plane plane = verso_native_plane_at(i);
        if (verso_native_uses(plane.kind))
            found += clean_plane(&plane, nearby, count);
    }
    verso_native_runtime.shadow.known = true;
    return found;
}
