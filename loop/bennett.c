/* Bennett's time-space trade-off over reversible steps.
 *
 * A sector of one step is one call. A longer one is k smaller ones forward, each from the state the one before has
 * made, and the first k - 1 undone again, last first. Its inverse is the same read backwards, so with bars the k - 1
 * forward runs have no bars yet: only the k undone sectors carry them. States between sectors of one depth have fixed
 * places in one block: k - 1 for each depth. */
#include "base/alloc.h"
#include "base/status.h"

#include <string.h>
#include <verso/reversible.h>

typedef struct bennett {
    const verso_reversible *chain;
    uint32_t k;
    unsigned char *states, *bars; /* k - 1 for each depth; bars is NULL where none are asked for */
    uint64_t held;
    verso_bennett_count count;
    verso_error *error;
} bennett;

/* A state in use with its bar, which may be NULL. */
typedef struct place {
    void *state, *bar;
} place;

/* ---- Sectors and places ---- */

static uint64_t sectors(const bennett *b, uint64_t steps) {
    return steps < b->k ? steps : b->k;
}

/* Where sector j of `count` begins, of `steps` in all; without overflow. */
static uint64_t boundary(uint64_t steps, uint64_t count, uint64_t j) {
    return steps / count * j + steps % count * j / count;
}

static uint64_t depth_of(uint64_t steps, uint32_t k) {
    uint64_t depth = 0;
    while (steps > 1) {
        steps = steps / k + (steps % k != 0);
        depth++;
    }
    return depth;
}

static place between(const bennett *b, uint64_t depth, uint64_t j) {
    uint64_t index = depth * (b->k - 1) + j;
    return (place){b->states + index * b->chain->size, b->bars ? b->bars + index * b->chain->bar_size : NULL};
}

static void hold(bennett *b) {
    b->held++;
    if (b->held > b->count.peak)
        b->count.peak = b->held;
}

/* Round-off is forgotten. */
static void release(bennett *b, place p) {
    b->held--;
    memset(p.state, 0, b->chain->size);
    if (p.bar)
        memset(p.bar, 0, b->chain->bar_size);
}

/* ---- One step ---- */

static verso_status answer(bennett *b, int code, const char *callback, uint64_t i) {
    b->count.calls++;
    if (code == 0)
        return VERSO_OK;
    return verso_fail(b->error, VERSO_USER, "the callback '%s' returned %d at step %llu", callback, code,
                      (unsigned long long)i);
}

static verso_status step(bennett *b, uint64_t i, place from, place to) {
    const verso_reversible *chain = b->chain;
    hold(b);
    b->count.steps++;
    return answer(b, chain->step(chain->context, i, to.state, from.state), "step", i);
}

static verso_status unstep(bennett *b, uint64_t i, place from, place to, int with_bars) {
    const verso_reversible *chain = b->chain;
    verso_status status;
    if (with_bars) {
        b->count.adjoints++;
        status = answer(b, chain->adjoint(chain->context, i, to.state, to.bar, from.state, from.bar), "adjoint", i);
    } else {
        b->count.unsteps++;
        status = answer(b, chain->unstep(chain->context, i, to.state, from.state), "unstep", i);
    }
    release(b, to);
    return status;
}

/* ---- Sectors ---- */

static verso_status undo_sector(bennett *b, uint64_t depth, uint64_t base, uint64_t steps, place from, place to,
                                int with_bars);

/* The state where sector j ends: one between, or the sector's own last. */
static place end_of(const bennett *b, uint64_t depth, uint64_t j, uint64_t count, place to) {
    return j + 1 < count ? between(b, depth, j) : to;
}

static place begin_of(const bennett *b, uint64_t depth, uint64_t j, place from) {
    return j > 0 ? between(b, depth, j - 1) : from;
}

static verso_status run_sector(bennett *b, uint64_t depth, uint64_t base, uint64_t steps, place from, place to) {
    if (steps == 1)
        return step(b, base, from, to);
    uint64_t count = sectors(b, steps);
    verso_status status = VERSO_OK;
    for (uint64_t j = 0; j < count && status == VERSO_OK; j++)
        status = run_sector(b, depth + 1, base + boundary(steps, count, j),
                            boundary(steps, count, j + 1) - boundary(steps, count, j), begin_of(b, depth, j, from),
                            end_of(b, depth, j, count, to));
    for (uint64_t j = count - 1; j-- > 0 && status == VERSO_OK;)
        status = undo_sector(b, depth + 1, base + boundary(steps, count, j),
                             boundary(steps, count, j + 1) - boundary(steps, count, j), begin_of(b, depth, j, from),
                             between(b, depth, j), 0);
    return status;
}

static verso_status undo_sector(bennett *b, uint64_t depth, uint64_t base, uint64_t steps, place from, place to,
                                int with_bars) {
    if (steps == 1)
        return unstep(b, base, from, to, with_bars);
    uint64_t count = sectors(b, steps);
    verso_status status = VERSO_OK;
    for (uint64_t j = 0; j + 1 < count && status == VERSO_OK; j++)
        status = run_sector(b, depth + 1, base + boundary(steps, count, j),
                            boundary(steps, count, j + 1) - boundary(steps, count, j), begin_of(b, depth, j, from),
                            between(b, depth, j));
    for (uint64_t j = count; j-- > 0 && status == VERSO_OK;)
        status = undo_sector(b, depth + 1, base + boundary(steps, count, j),
                             boundary(steps, count, j + 1) - boundary(steps, count, j), begin_of(b, depth, j, from),
                             end_of(b, depth, j, count, to), with_bars);
    return status;
}

/* ---- A run ---- */

static verso_status check(const verso_reversible *chain, uint32_t k, int with_bars, verso_error *error) {
    if (k < 2)
        return verso_fail(error, VERSO_INVALID, "Bennett's scheme needs at least 2 sectors, not %u", (unsigned)k);
    if (chain->steps == 0)
        return verso_fail(error, VERSO_INVALID, "a chain of reversible steps needs at least one step");
    if (chain->size == 0 || (with_bars && chain->bar_size == 0))
        return verso_fail(error, VERSO_INVALID, "the %s of a reversible step has no bytes",
                          chain->size == 0 ? "state" : "bar");
    if (!chain->step || !chain->unstep || (with_bars && !chain->adjoint))
        return verso_fail(error, VERSO_INVALID, "the callback '%s' of a reversible step is missing",
                          !chain->step     ? "step"
                          : !chain->unstep ? "unstep"
                                           : "adjoint");
    return VERSO_OK;
}

static verso_status begin(bennett *b, const verso_reversible *chain, uint32_t k, int with_bars, verso_error *error) {
    verso_status status = check(chain, k, with_bars, error);
    *b = (bennett){.chain = chain, .k = k, .error = error};
    if (status != VERSO_OK)
        return status;
    if (k > chain->steps) /* no more places than steps */
        b->k = chain->steps < 2 ? 2 : (uint32_t)chain->steps;
    size_t places = (size_t)(depth_of(chain->steps, b->k) * (b->k - 1)) + 1;
    b->states = verso_alloc(places, chain->size);
    b->bars = with_bars ? verso_alloc(places, chain->bar_size) : NULL;
    if (b->states && (b->bars || !with_bars))
        return VERSO_OK;
    return verso_fail(error, VERSO_NO_MEMORY, "out of memory for %zu states of %zu bytes", places, chain->size);
}

static void end(bennett *b, verso_bennett_count *count) {
    verso_dealloc(b->states);
    verso_dealloc(b->bars);
    if (count)
        *count = b->count;
}

verso_status verso_bennett(const verso_reversible *chain, uint32_t k, const void *first, void *last,
                           verso_bennett_count *count, verso_error *error) {
    bennett b;
    verso_status status = begin(&b, chain, k, 0, error);
    b.held = 1;
    if (status == VERSO_OK) /* a state that a sector begins with is only read */
        status = run_sector(&b, 0, 0, chain->steps, (place){(void *)first, NULL}, (place){last, NULL});
    end(&b, count);
    return status;
}

verso_status verso_bennett_undo(const verso_reversible *chain, uint32_t k, const void *first, void *last,
                                verso_bennett_count *count, verso_error *error) {
    bennett b;
    verso_status status = begin(&b, chain, k, 0, error);
    b.held = b.count.peak = 2;
    if (status == VERSO_OK)
        status = undo_sector(&b, 0, 0, chain->steps, (place){(void *)first, NULL}, (place){last, NULL}, 0);
    end(&b, count);
    return status;
}

verso_status verso_bennett_adjoint(const verso_reversible *chain, uint32_t k, const void *first, void *first_bar,
                                   void *last, void *last_bar, verso_bennett_count *count, verso_error *error) {
    bennett b;
    verso_status status = begin(&b, chain, k, 1, error);
    b.held = b.count.peak = 2;
    if (status == VERSO_OK)
        status = undo_sector(&b, 0, 0, chain->steps, (place){(void *)first, first_bar}, (place){last, last_bar}, 1);
    end(&b, count);
    return status;
}
