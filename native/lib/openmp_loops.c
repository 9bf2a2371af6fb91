/* Worksharing loops of OpenMP. The thread that is asked for gets its share of the iterations; which those are depends
 * on the loop and on the number of threads only, in dynamic schedules, too. A team of one thread gets all iterations as
 * one chunk. */
#include "native/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ident ident;

extern verso__native_team verso__lib_team;

/* Schedules, as clang numbers them; a schedule may also have bits that say whether its chunks may be reordered. */
enum { CHUNKED = 33, BALANCED_CHUNKED = 45, DYNAMIC = 35, ORDERED_DYNAMIC = 67, GUIDED = 36, ORDERED_GUIDED = 68 };
enum { SCHEDULE_BITS = 0x3ff };

/* Returns how many threads share a loop. */
static int32_t threads_now(void) {
    return verso__lib_team.threads > 1 ? verso__lib_team.threads : 1;
}

/* ---- Static schedules: the caller has stored the bounds of the loop ---- */

/* What a thread gets of `count` iterations, numbered from 0: those from `first` to before `end`, and then those that
 * come `stride` later, while there are any. */
typedef struct share {
    uint64_t first, end, stride;
    bool last; /* it gets the last iteration */
} share;

/* As even as possible; the first threads get one more. */
static share share_evenly(uint64_t count, uint64_t threads, uint64_t thread) {
    uint64_t each = count / threads, more = count % threads;
    uint64_t first = thread * each + (thread < more ? thread : more);
    uint64_t end = first + each + (thread < more);
    return (share){first, end, count, first < end && end == count};
}

static share share_chunks(uint64_t count, uint64_t threads, uint64_t thread, uint64_t chunk) {
    uint64_t first = thread * chunk < count ? thread * chunk : count;
    uint64_t end = first + chunk < count ? first + chunk : count;
    return (share){first, end, threads * chunk, (count - 1) / chunk % threads == thread};
}

static share share_of(uint64_t count, int32_t schedule, int64_t chunk, uint64_t threads, uint64_t thread) {
    uint64_t size = chunk > 0 ? (uint64_t)chunk : 1;
    schedule &= SCHEDULE_BITS;
    if (schedule == CHUNKED)
        return share_chunks(count, threads, thread, size);
    if (schedule != BALANCED_CHUNKED)
        return share_evenly(count, threads, thread);
    uint64_t each = (count + threads - 1) / threads;
    share all = share_chunks(count, threads, thread, (each + size - 1) / size * size);
    all.stride = count;
    return all;
}

/* A thread without iterations gets a range behind the last one, as the caller compares the bounds of its range. */
#define STATIC(SUFFIX, NUMBER, STEP) \
    void verso__lib___kmpc_for_static_init_##SUFFIX(ident *where, int32_t thread, int32_t schedule, int32_t *last, \
                                                    NUMBER *low, NUMBER *high, STEP *stride, STEP step, STEP chunk) { \
        (void)where; \
        int32_t threads = threads_now(); \
        bool some = step > 0 ? *low <= *high : *low >= *high; \
        if (threads == 1 || !some) { \
            if (last != NULL) \
                *last = some; \
            *stride = step > 0 ? (STEP)(*high - *low + 1) : (STEP)(*low - *high + 1); \
            return; \
        } \
        uint64_t size = step > 0 ? (uint64_t)step : -(uint64_t)step; \
        uint64_t count = (step > 0 ? (uint64_t)*high - (uint64_t)*low : (uint64_t)*low - (uint64_t)*high) / size + 1; \
        share own = share_of(count, schedule, chunk, (uint64_t)threads, (uint64_t)thread); \
        NUMBER from = *low; \
        if (last != NULL) \
            *last = own.last; \
        *stride = (STEP)(own.stride * (uint64_t)step); \
        *low = (NUMBER)((uint64_t)from + own.first * (uint64_t)step); \
        *high = (NUMBER)((uint64_t)from + (own.end - 1) * (uint64_t)step); \
    } \
    void verso__lib___kmpc_dist_for_static_init_##SUFFIX(ident *where, int32_t thread, int32_t schedule, \
                                                         int32_t *last, NUMBER *low, NUMBER *high, NUMBER *most, \
                                                         STEP *stride, STEP step, STEP chunk) { \
        verso__lib___kmpc_for_static_init_##SUFFIX(where, thread, schedule, last, low, high, stride, step, chunk); \
        *most = *high; \
    }

STATIC(4, int32_t, int32_t)
STATIC(4u, uint32_t, int32_t)
STATIC(8, int64_t, int64_t)
STATIC(8u, uint64_t, int64_t)

void verso__lib___kmpc_for_static_fini(ident *where, int32_t thread) {
    (void)where, (void)thread;
}

void verso__lib___kmpc_distribute_static_fini(ident *where, int32_t thread) {
    (void)where, (void)thread;
}

/* ---- Other schedules: `init` is followed by calls of `next`, which returns 0 when nothing is left ---- */

/* What is left for a thread: `size` iterations from number `next`, and those `stride` later. A loop within this one,
 * in a team of its own, begins after the chunk was taken. */
typedef struct dealt {
    int64_t low, step;
    uint64_t count, next, size, stride;
    char apart[16]; /* no two threads write to one line of the processor's cache */
} dealt;

static dealt loops[VERSO_NATIVE_THREADS];

/* Guided chunks become equal ones, a few for each thread. */
static dealt deal(int64_t low, uint64_t count, int64_t step, int32_t schedule, int64_t chunk, int32_t thread) {
    uint64_t threads = (uint64_t)threads_now(), size = chunk > 0 ? (uint64_t)chunk : 1;
    schedule &= SCHEDULE_BITS;
    bool chunks = schedule == CHUNKED || schedule == DYNAMIC || schedule == ORDERED_DYNAMIC;
    bool guided = schedule == GUIDED || schedule == ORDERED_GUIDED;
    enum { GUIDED_CHUNKS = 8 };
    uint64_t few = guided ? count / (threads * GUIDED_CHUNKS) : chunks ? size : (count + threads - 1) / threads;
    size = few > size ? few : size;
    if (threads == 1)
        size = count;
    return (dealt){.low = low,
                   .step = step,
                   .count = count,
                   .next = threads == 1 ? 0 : (uint64_t)thread * size,
                   .size = size,
                   .stride = threads * size};
}

#define DISPATCH(SUFFIX, NUMBER, STEP) \
    void verso__lib___kmpc_dispatch_init_##SUFFIX(ident *where, int32_t thread, int32_t schedule, NUMBER low, \
                                                  NUMBER high, STEP step, STEP chunk) { \
        (void)where; \
        uint64_t size = step > 0 ? (uint64_t)step : -(uint64_t)step, count = 0; \
        if (step > 0 ? low <= high : low >= high) \
            count = (step > 0 ? (uint64_t)high - (uint64_t)low : (uint64_t)low - (uint64_t)high) / size + 1; \
        loops[thread] = deal((int64_t)low, count, step, schedule, chunk, thread); \
    } \
    int32_t verso__lib___kmpc_dispatch_next_##SUFFIX(ident *where, int32_t thread, int32_t *last, NUMBER *low, \
                                                     NUMBER *high, STEP *step) { \
        (void)where; \
        dealt *loop = &loops[thread]; \
        uint64_t first = loop->next, end = first + loop->size < loop->count ? first + loop->size : loop->count; \
        if (first >= loop->count) \
            return 0; \
        loop->next = first + loop->stride; \
        *low = (NUMBER)((uint64_t)loop->low + first * (uint64_t)loop->step); \
        *high = (NUMBER)((uint64_t)loop->low + (end - 1) * (uint64_t)loop->step); \
        *step = (STEP)loop->step; \
        if (last != NULL) \
            *last = end == loop->count; \
        return 1; \
    } \
    void verso__lib___kmpc_dist_dispatch_init_##SUFFIX(ident *where, int32_t thread, int32_t schedule, int32_t *last, \
                                                       NUMBER low, NUMBER high, STEP step, STEP chunk) { \
        (void)last; \
        verso__lib___kmpc_dispatch_init_##SUFFIX(where, thread, schedule, low, high, step, chunk); \
    } \
    void verso__lib___kmpc_dispatch_fini_##SUFFIX(ident *where, int32_t thread) { \
        (void)where, (void)thread; \
    }

DISPATCH(4, int32_t, int32_t)
DISPATCH(4u, uint32_t, int32_t)
DISPATCH(8, int64_t, int64_t)
DISPATCH(8u, uint64_t, int64_t)

void verso__lib___kmpc_dispatch_deinit(ident *where, int32_t thread) {
    (void)where, (void)thread;
}
