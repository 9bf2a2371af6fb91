/* Calls with an adjoint that are made once (VERSO_WORLD_ADJOINT). See native/state.h; cc/lower/custom_world.c generates
 * the calls.
 *
 * What the user's `record` keeps and writes becomes items of one entry of the log of the outside world
 * (run/world.h), in the order of its calls of verso_keep and verso_wrote. Where a run is repeated, the items are
 * read again: kept bytes go to the tape, written bytes to their place. So `record` has no part in repetitions. */
#include "native/sweep/inside.h"

#include "native/sweep/once.h"

#include <string.h>

/* `count` pieces of `size` bytes, `stride` bytes apart, were written from `at` on; NULL: `size` bytes were kept, or, if
 * that is 0, this is the last item. NOTE in `stride`: a note of `size` bytes. */
typedef struct item {
    char *at;
    uint64_t size, stride, count;
} item;

#define NOTE UINT64_MAX

static struct {
    verso_call *call;
    bool logs;  /* the call is made now, in a run that may be repeated */
    bool reads; /* the call was made before */
} once_now;

/* All ranks of an MPI program continue a durable run together (include/verso/mpi/durable.h). */
static bool is_mpi(const verso__native_outside *outside) {
    return strncmp(outside->where, "MPI_", 4) == 0;
}

int verso__native_once_begin(verso_call *call, const verso__native_outside *outside) {
    if (verso__native_fixed_is_recorded())
        verso__native_give_up(VERSO_STATUS_INVALID,
                              "%s is called in the step of a fixed point, which is reversed repeatedly, but its "
                              "adjoint runs once; use a loop in place of verso_fixed_point",
                              outside->where);
    if (verso__native_log_is_open() && !is_mpi(outside))
        verso__native_give_up(VERSO_STATUS_INVALID,
                              "%s exchanges data with something outside the process, which another process that "
                              "continues this durable run could not take up; differentiate without a run directory",
                              outside->where);
    once_now.call = call;
    once_now.logs = once_now.reads = false;
    if (verso__native_now.world == 0)
        return 1;
    once_now.logs = verso__native_world_begin(outside) != 0;
    once_now.reads = !once_now.logs;
    if (once_now.logs)
        verso__native_world_has_items();
    return once_now.logs;
}

static void log_item(item new) {
    verso__native_world_keep(&new, sizeof new);
}

void verso__native_once_kept(const void *bytes, size_t size) {
    if (!once_now.logs)
        return;
    log_item((item){NULL, size, 0, 0});
    verso__native_world_keep((void *)(uintptr_t)bytes, size);
}

void verso__native_wrote_rows(void *data, size_t size, size_t stride, size_t count) {
    if (!once_now.logs || data == NULL || size == 0 || count == 0)
        return;
    log_item((item){data, size, stride, count});
    for (size_t i = 0; i < count; i++)
        verso__native_world_data((char *)data + i * stride, size);
}

void verso_wrote(verso_call *call, void *data, size_t size) {
    (void)call;
    verso__native_wrote_rows(data, size, size, 1);
}

/* Reads kept bytes, or a note, through a small buffer. */
static void read_kept(uint64_t size, bool keeps) {
    char piece[512];
    for (uint64_t done = 0; done < size;) {
        uint64_t bytes = size - done < sizeof piece ? size - done : sizeof piece;
        verso__native_world_keep(piece, bytes);
        if (keeps)
            verso_keep(once_now.call, piece, bytes);
        done += bytes;
    }
}

static void read_items(void) {
    for (item next;;) {
        verso__native_world_keep(&next, sizeof next);
        if (next.at == NULL && next.size == 0)
            return;
        if (next.at == NULL)
            read_kept(next.size, next.stride != NOTE);
        for (uint64_t i = 0; next.at != NULL && i < next.count; i++)
            verso__native_world_data(next.at + i * next.stride, next.size);
    }
}

void verso__native_once_end(void *result, uint64_t size) {
    if (once_now.logs)
        log_item((item){NULL, 0, 0, 0});
    else if (once_now.reads)
        read_items();
    else
        return;
    verso__native_world_data(result, size);
    once_now.logs = once_now.reads = false;
    verso__native_world_end();
}

/* ---- Notes ---- */

void verso__native_once_note(const void *bytes, size_t size) {
    if (!once_now.logs || !verso__native_log_is_open() || size == 0)
        return;
    log_item((item){NULL, size, NOTE, 0});
    verso__native_world_keep((void *)(uintptr_t)bytes, size);
}

typedef struct noting {
    verso__native_once_visit *visit;
    void *context;
} noting;

static void visit_items(void *context, uint64_t at, const char *items, uint64_t size) {
    const noting *noting = context;
    bool found = false;
    item next;
    for (uint64_t here = 0; size - here >= sizeof next;) {
        memcpy(&next, items + here, sizeof next);
        here += sizeof next;
        if (next.at == NULL && next.size == 0)
            break;
        uint64_t bytes = next.at == NULL ? next.size : next.size * next.count;
        if (bytes > size - here)
            break;
        if (next.at == NULL && next.stride == NOTE) {
            noting->visit(noting->context, at, items + here, bytes);
            found = true;
        }
        here += bytes;
    }
    if (!found)
        noting->visit(noting->context, at, items, 0);
}

void verso__native_once_notes(verso__native_once_visit *visit, void *context) {
    noting noting = {visit, context};
    verso__native_log_each(visit_items, &noting);
}
