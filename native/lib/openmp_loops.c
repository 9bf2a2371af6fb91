/* Worksharing loops of OpenMP for a team of one thread: it gets all iterations as one chunk, in every schedule. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ident ident;

/* ---- Static schedules: the caller has stored the bounds of the loop ---- */

#define STATIC(SUFFIX, NUMBER, STEP) \
    void verso__lib___kmpc_for_static_init_##SUFFIX(ident *where, int32_t thread, int32_t schedule, int32_t *last, \
                                                    NUMBER *low, NUMBER *high, STEP *stride, STEP step, STEP chunk) { \
        (void)where, (void)thread, (void)schedule, (void)chunk; \
        bool some = step > 0 ? *low <= *high : *low >= *high; \
        if (last != NULL) \
            *last = some; \
        *stride = step > 0 ? (STEP)(*high - *low + 1) : (STEP)(*low - *high + 1); \
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

/* The chunk that is left. A loop within this one, in a team of its own, begins after the chunk was taken. */
static struct {
    int64_t low, high, step;
    bool left;
} loop;

#define DISPATCH(SUFFIX, NUMBER, STEP) \
    void verso__lib___kmpc_dispatch_init_##SUFFIX(ident *where, int32_t thread, int32_t schedule, NUMBER low, \
                                                  NUMBER high, STEP step, STEP chunk) { \
        (void)where, (void)thread, (void)schedule, (void)chunk; \
        loop.low = (int64_t)low; \
        loop.high = (int64_t)high; \
        loop.step = step; \
        loop.left = step > 0 ? low <= high : low >= high; \
    } \
    int32_t verso__lib___kmpc_dispatch_next_##SUFFIX(ident *where, int32_t thread, int32_t *last, NUMBER *low, \
                                                     NUMBER *high, STEP *step) { \
        (void)where, (void)thread; \
        if (!loop.left) \
            return 0; \
        loop.left = false; \
        *low = (NUMBER)loop.low; \
        *high = (NUMBER)loop.high; \
        *step = (STEP)loop.step; \
        if (last != NULL) \
            *last = 1; \
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
