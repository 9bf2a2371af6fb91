/* Shadow memory as pages: finds and clears what a differentiation touched. See memory.h; cells.c operates on
 * single cells.
 *
 * Generated code writes cells wherever the program has memory, without a trace, so that after a run any part of
 * 36 TiB may have been touched. The system knows which pages are in memory, but querying or dropping all of
 * them costs more than the gradient of a small function. Hence this invariant between differentiations:
 *
 *     all cells are zero, and every page of the planes that has memory of its own lies in one of the `kept` ranges.
 *
 * A page without memory cannot be written without a page fault of this thread. (A page that was only read
 * shares the system's page of zeros; writing it causes a fault, too.) So a run without page faults has touched
 * kept pages only, and clearing those suffices; that is the usual case from the second run on. After a run with
 * page faults, all planes are examined: pages of places that are likely to be used again (heap, stack, program,
 * inputs) are cleared and kept, all others are dropped. The planes exclude huge pages (space.c), which would
 * bring in neighbours of kept pages without a fault, and would take much memory for a few cells.
 *
 * A page that was swapped out does not count as "in memory" and is dropped with the rest, which is correct in
 * either case. */
#include "base/system.h"
#include "native/memory/memory.h"

#include <string.h>

enum { KEPT_RANGES = 64 };

static struct {
    verso__native_range kept[KEPT_RANGES]; /* the only pages of the planes that have memory, if `known` */
    size_t kept_count;
    bool known;  /* the list `kept` is complete */
    size_t room; /* bytes of pages that may still be added to `kept` */
    uint64_t faults;
    double began;
} shadow_state;

enum {
    PAGE = VERSO_NATIVE_PAGE,
    ASKED = 1024,            /* pages of one query */
    GAP = 16,                /* pages without memory that are read rather than dropped by a system call of their own */
    LARGE_CLEAR = 256 << 10, /* bytes from which on querying the system about pages pays */
    KEPT_ALWAYS = 1 << 20,
};

/* Approximate bytes of kept pages that are cleared in one second. Keeping more pages makes short runs slow. */
#define CLEARED_PER_SECOND 8e9

/* ---- Clearing ---- */

/* Reads before it writes, because most cells are zero and a page that was never written must stay without
 * memory. */
static void clear_bytes(char *begin, char *end) {
    for (; end - begin >= VERSO_NATIVE_BLOCK; begin += VERSO_NATIVE_BLOCK)
        if (!verso__native_block_zero(begin))
            memset(begin, 0, VERSO_NATIVE_BLOCK);
    for (; end - begin >= 8; begin += 8) {
        uint64_t word;
        memcpy(&word, begin, 8);
        if (word != 0)
            memset(begin, 0, 8);
    }
    for (; begin < end; begin++) /* the cell of a last float */
        if (*begin != 0)
            *begin = 0;
}

static char *page_down(char *address) {
    return address - (uintptr_t)address % PAGE;
}

static char *page_up(char *address) {
    return page_down(address + PAGE - 1);
}

/* A pass over pages in ascending order. */
typedef struct pass {
    char *drop;   /* pages from here to the current one are to be dropped */
    size_t found; /* bytes of pages that had memory of their own */
    /* returns false if the pages must be dropped; NULL: all pages in memory stay */
    bool (*stays)(char *begin, char *end);
} pass;

/* Clears a page that is in memory, and drops the pages before it that are not. */
static void clear_page(pass *pass, char *page) {
    if (page - pass->drop > (ptrdiff_t)GAP * PAGE) {
        verso__native_drop(pass->drop, page);
        pass->drop = page;
    }
    if (pass->stays != NULL && !pass->stays(pass->drop, page + PAGE))
        return;
    clear_bytes(pass->drop, page + PAGE);
    pass->drop = page + PAGE;
}

/* Clears the pages of [begin, end) that are in memory. The others remain to be dropped. */
static void clear_pages(pass *pass, char *begin, char *end) {
    unsigned char resident[ASKED];
    bool owned[ASKED];
    for (char *chunk = begin; chunk < end; chunk += (size_t)ASKED * PAGE) {
        size_t pages = (size_t)(end - chunk) / PAGE;
        pages = pages < ASKED ? pages : ASKED;
        if (verso__native_resident(chunk, pages, resident) == 0)
            continue;
        verso__native_find_owned(chunk, pages, owned);
        for (size_t i = 0; i < pages; i++)
            if ((resident[i] & 1) != 0) {
                pass->found += owned[i] ? PAGE : 0;
                clear_page(pass, chunk + i * PAGE);
            }
    }
}

void verso__native_shadow_clear(char *begin, char *end) {
    if (end - begin < LARGE_CLEAR) {
        clear_bytes(begin, end);
        return;
    }
    /* A cell may straddle two pages, so this clears bytes, not cells. */
    char *first = page_up(begin), *last = page_down(end);
    memset(begin, 0, (size_t)(first - begin));
    memset(last, 0, (size_t)(end - last));
    pass pass = {first, 0, NULL};
    clear_pages(&pass, first, last);
    verso__native_drop(pass.drop, last);
}

/* ---- Between differentiations ---- */

void verso__native_shadow_begin(void) {
    shadow_state.faults = verso__native_faults();
    shadow_state.began = verso__now();
}

void verso__native_shadow_forget(void) {
    shadow_state.known = false;
    shadow_state.kept_count = 0;
}

/* Adds a range to `kept` if there is room. Ranges come in ascending order within a plane, so that adjacent ones
 * can be joined. */
static bool keep(char *begin, char *end) {
    verso__native_range *kept = shadow_state.kept;
    size_t count = shadow_state.kept_count, size = (size_t)(end - begin);
    bool joined = count > 0 && kept[count - 1].end == begin;
    if (shadow_state.room < size || (!joined && count == KEPT_RANGES))
        return false;
    shadow_state.room -= size;
    if (joined)
        kept[count - 1].end = end;
    else
        kept[shadow_state.kept_count++] = (verso__native_range){begin, end};
    return true;
}

/* Returns the pages of the plane that hold the cells of `memory`, as far as the plane covers it. */
static verso__native_range in_plane(const verso__native_range *memory, const verso__native_plane *plane) {
    verso__native_range part = plane->covered;
    part.begin = memory->begin > part.begin ? memory->begin : part.begin;
    part.end = memory->end < part.end ? memory->end : part.end;
    if (part.begin >= part.end)
        return (verso__native_range){NULL, NULL};
    return (verso__native_range){page_down(verso__native_address((uintptr_t)part.begin + plane->shift)),
                                 page_up(verso__native_address((uintptr_t)part.end + plane->shift))};
}

/* Clears and keeps the cells of `nearby`, which is in ascending order, and drops the rest of the plane. Returns
 * the bytes of pages with memory. */
static size_t clean_plane(const verso__native_plane *plane, const verso__native_range *nearby, size_t count) {
    verso__native_range whole = in_plane(&plane->covered, plane);
    pass pass = {whole.begin, 0, keep};
    for (size_t i = 0; i < count; i++) {
        verso__native_range part = in_plane(&nearby[i], plane);
        part.begin = part.begin > pass.drop ? part.begin : pass.drop;
        if (part.begin < part.end)
            clear_pages(&pass, part.begin, part.end);
    }
    verso__native_drop(pass.drop, whole.end);
    return pass.found;
}

static void clear_kept(void) {
    for (size_t i = 0; i < shadow_state.kept_count; i++)
        clear_bytes(shadow_state.kept[i].begin, shadow_state.kept[i].end);
}

static size_t kept_size(void) {
    size_t bytes = 0;
    for (size_t i = 0; i < shadow_state.kept_count; i++)
        bytes += (size_t)(shadow_state.kept[i].end - shadow_state.kept[i].begin);
    return bytes;
}

uint64_t verso__native_shadow_kept(void) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < shadow_state.kept_count; i++)
        bytes += verso__native_owned_bytes(shadow_state.kept[i].begin, shadow_state.kept[i].end);
    return bytes;
}

void verso__native_shadow_drop(void) {
    for (size_t i = 0; i < shadow_state.kept_count; i++)
        verso__native_drop(shadow_state.kept[i].begin, shadow_state.kept[i].end);
    shadow_state.kept_count = 0;
}

uint64_t verso__native_owned_bytes(const char *begin, const char *end) {
    bool owned[ASKED];
    uint64_t bytes = 0;
    begin -= (uintptr_t)begin % PAGE;
    while (begin < end) {
        size_t pages = (size_t)(end - begin + PAGE - 1) / PAGE;
        pages = pages < ASKED ? pages : ASKED;
        verso__native_find_owned(begin, pages, owned);
        for (size_t i = 0; i < pages; i++)
            bytes += owned[i] ? PAGE : 0;
        begin += pages * PAGE;
    }
    return bytes;
}

/* Returns the maximum bytes of kept pages: what can be cleared in the time of a run of `seconds` seconds. */
static size_t room_for(double seconds) {
    double room = seconds * CLEARED_PER_SECOND, most = (double)verso__native_kept_most();
    room = room < most ? room : most;
    return room > KEPT_ALWAYS ? (size_t)room : KEPT_ALWAYS;
}

size_t verso__native_shadow_end(const verso__native_range *nearby, size_t count) {
    size_t room = room_for(verso__now() - shadow_state.began), kept = kept_size();
    bool unchanged = verso__native_faults() == shadow_state.faults;
    if (unchanged && shadow_state.known && kept <= room) {
        clear_kept();
        return kept;
    }
    size_t found = 0;
    shadow_state.kept_count = 0;
    shadow_state.room = room;
    for (size_t i = 0; i < VERSO_NATIVE_PLANES; i++) {
        verso__native_plane plane = verso__native_plane_at(i);
        if (verso__native_uses(plane.kind))
            found += clean_plane(&plane, nearby, count);
    }
    shadow_state.known = true;
    return found;
}

void verso__native_shadow_add_faults(uint64_t faults) {
    shadow_state.faults -= faults;
}

bool verso__native_shadow_touched(void) {
    return verso__native_faults() != shadow_state.faults;
}
