/* Bennett's time-space trade-off over reversible steps.
 *
 * A sector of one step is one call of the user's step. A longer sector consists of k smaller ones: all k are run
 * forward, each from the state that the previous one made, and then the first k - 1 are undone, the last one first.
 * Its inverse is the same backwards. With bars (adjoints), the forward runs have no bars yet; only the k undone
 * sectors carry them. The k - 1 states between the sectors of one depth have fixed places in one block. */
#include "base/alloc.h"
#include "base/sized.h"
#include "base/status.h"

#include <string.h>
#include <verso/reversible.h>

typedef struct bennett {
    verso_reversible chain; /* a copy: the caller's may be shorter */
    uint32_t k;
    unsigned char *states, *bars; /* k - 1 places for each depth; bars is NULL if none are asked for */
    uint64_t held;                /* number of states in use */
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

/* Returns the step at which sector j of `count` begins, of `steps` steps in all. Cannot overflow. */
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

static place place_between(const bennett *b, uint64_t depth, uint64_t j) {
    uint64_t index = depth * (b->k - 1) + j;
    return (place){b->states + index * b->chain.state_size, b->bars ? b->bars + index * b->chain.bar_size : NULL};
}

static void hold(bennett *b) {
    b->held++;
    if (b->held > b->count.peak)
        b->count.peak = b->held;
}

/* Clears the state exactly: undoing a step leaves round-off errors instead of zeros. */
static void release(bennett *b, place p) {
    b->held--;
    memset(p.state, 0, b->chain.state_size);
    if (p.bar)
        memset(p.bar, 0, b->chain.bar_size);
}

/* ---- One step ---- */

static verso_status check_callback(bennett *b, int code, const char *callback, uint64_t i) {
    b->count.calls++;
    if (code == 0)
        return VERSO_STATUS_OK;
    return verso__fail(b->error, VERSO_STATUS_USER, "the callback '%s' returned %d at step %llu", callback, code,
                       (unsigned long long)i);
}

static verso_status step(bennett *b, uint64_t i, place from, place to) {
    const verso_reversible *chain = &b->chain;
    hold(b);
    b->count.steps++;
    return check_callback(b, chain->step(chain->context, i, to.state, from.state), "step", i);
}

static verso_status unstep(bennett *b, uint64_t i, place from, place to, int with_bars) {
    const verso_reversible *chain = &b->chain;
    verso_status status;
    if (with_bars) {
        b->count.adjoints++;
        status =
            check_callback(b, chain->adjoint(chain->context, i, to.state, to.bar, from.state, from.bar), "adjoint", i);
    } else {
        b->count.unsteps++;
        status = check_callback(b, chain->unstep(chain->context, i, to.state, from.state), "unstep", i);
    }
    release(b, to);
    return status;
}

/* ---- Sectors ---- */

static verso_status undo_sector(bennett *b, uint64_t depth, uint64_t base, uint64_t steps, place from, place to,
                                int with_bars);

/* Returns where sector j ends: at a place between sectors, or at the end of the sector around it. */
static place end_of(const bennett *b, uint64_t depth, uint64_t j, uint64_t count, place to) {
    return j + 1 < count ? place_between(b, depth, j) : to;
}

static place begin_of(const bennett *b, uint64_t depth, uint64_t j, place from) {
    return j > 0 ? place_between(b, depth, j - 1) : from;
}

static verso_status run_sector(bennett *b, uint64_t depth, uint64_t base, uint64_t steps, place from, place to) {
    if (steps == 1)
        return step(b, base, from, to);
    uint64_t count = sectors(b, steps);
    verso_status status = VERSO_STATUS_OK;
    for (uint64_t j = 0; j < count && status == VERSO_STATUS_OK; j++)
        status = run_sector(b, depth + 1, base + boundary(steps, count, j),
                            boundary(steps, count, j + 1) - boundary(steps, count, j), begin_of(b, depth, j, from),
                            end_of(b, depth, j, count, to));
    for (uint64_t j = count - 1; j-- > 0 && status == VERSO_STATUS_OK;)
        status = undo_sector(b, depth + 1, base + boundary(steps, count, j),
                             boundary(steps, count, j + 1) - boundary(steps, count, j), begin_of(b, depth, j, from),
                             place_between(b, depth, j), 0);
    return status;
}

static verso_status undo_sector(bennett *b, uint64_t depth, uint64_t base, uint64_t steps, place from, place to,
                                int with_bars) {
    if (steps == 1)
        return unstep(b, base, from, to, with_bars);
    uint64_t count = sectors(b, steps);
    verso_status status = VERSO_STATUS_OK;
    for (uint64_t j = 0; j + 1 < count && status == VERSO_STATUS_OK; j++)
        status = run_sector(b, depth + 1, base + boundary(steps, count, j),
                            boundary(steps, count, j + 1) - boundary(steps, count, j), begin_of(b, depth, j, from),
                            place_between(b, depth, j));
    for (uint64_t j = count; j-- > 0 && status == VERSO_STATUS_OK;)
        status = undo_sector(b, depth + 1, base + boundary(steps, count, j),
                             boundary(steps, count, j + 1) - boundary(steps, count, j), begin_of(b, depth, j, from),
                             end_of(b, depth, j, count, to), with_bars);
    return status;
}

/* ---- A run ---- */

static verso_status check(const verso_reversible *chain, uint32_t k, int with_bars, verso_error *error) {
    if (k < 2)
        return verso__fail(error, VERSO_STATUS_INVALID, "Bennett's scheme needs at least 2 sectors, not %u",
                           (unsigned)k);
    if (chain->steps == 0)
        return verso__fail(error, VERSO_STATUS_INVALID, "a chain of reversible steps needs at least one step");
    if (chain->state_size == 0 || (with_bars && chain->bar_size == 0))
        return verso__fail(error, VERSO_STATUS_INVALID, "the size of the %s of a reversible step is 0",
                           chain->state_size == 0 ? "state" : "bar");
    if (!chain->step || !chain->unstep || (with_bars && !chain->adjoint))
        return verso__fail(error, VERSO_STATUS_INVALID, "the callback '%s' of a reversible step is missing",
                           !chain->step     ? "step"
                           : !chain->unstep ? "unstep"
                                            : "adjoint");
    return VERSO_STATUS_OK;
}

static verso_status begin(bennett *b, const verso_reversible *given, uint32_t k, int with_bars, verso_error *error) {
    *b = (bennett){.k = k, .error = error};
    verso_status status = verso__sized_read(given, &b->chain, sizeof b->chain, "VERSO_REVERSIBLE_INIT", error);
    const verso_reversible *chain = &b->chain;
    if (status == VERSO_STATUS_OK)
        status = check(chain, k, with_bars, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (k > chain->steps) /* more sectors than steps are useless */
        b->k = chain->steps < 2 ? 2 : (uint32_t)chain->steps;
    size_t places = (size_t)(depth_of(chain->steps, b->k) * (b->k - 1)) + 1;
    b->states = verso__alloc(places, chain->state_size);
    b->bars = with_bars ? verso__alloc(places, chain->bar_size) : NULL;
    if (b->states && (b->bars || !with_bars))
        return VERSO_STATUS_OK;
    return verso__fail(error, VERSO_STATUS_NO_MEMORY, "out of memory for %zu states of %zu bytes", places,
                       chain->state_size);
}

static void end(bennett *b, verso_bennett_count *count) {
    verso__dealloc(b->states);
    verso__dealloc(b->bars);
    if (count)
        *count = b->count;
}

verso_status verso_bennett(const verso_reversible *chain, uint32_t k, const void *first, void *last,
                           verso_bennett_count *count, verso_error *error) {
    bennett b;
    verso_status status = begin(&b, chain, k, 0, error);
    b.held = 1;
    if (status == VERSO_STATUS_OK) /* the cast is safe: a sector only reads the state that it begins with */
        status = run_sector(&b, 0, 0, b.chain.steps, (place){(void *)first, NULL}, (place){last, NULL});
    end(&b, count);
    return status;
}

verso_status verso_bennett_undo(const verso_reversible *chain, uint32_t k, const void *first, void *last,
                                verso_bennett_count *count, verso_error *error) {
    bennett b;
    verso_status status = begin(&b, chain, k, 0, error);
    b.held = b.count.peak = 2;
    if (status == VERSO_STATUS_OK)
        status = undo_sector(&b, 0, 0, b.chain.steps, (place){(void *)first, NULL}, (place){last, NULL}, 0);
    end(&b, count);
    return status;
}

verso_status verso_bennett_adjoint(const verso_reversible *chain, uint32_t k, const void *first, void *first_bar,
                                   void *last, void *last_bar, verso_bennett_count *count, verso_error *error) {
    bennett b;
    verso_status status = begin(&b, chain, k, 1, error);
    b.held = b.count.peak = 2;
    if (status == VERSO_STATUS_OK)
        status = undo_sector(&b, 0, 0, b.chain.steps, (place){(void *)first, first_bar}, (place){last, last_bar}, 1);
    end(&b, count);
    return status;
}
