/* Mixed checkpointing (Maddison): each slot holds either a state or the record of one step.
 *
 * Up to s + 1 steps are recorded one by one into the slots, which costs nothing extra: a chain. Longer computations are
 * split as revolve splits them. Write n = beta(s, t) + e with beta(s, t) < n <= beta(s, t + 1). At n = beta(s, t) all
 * ends of the tree are chains, each on its t-th repetition. The e further steps cost t + 1 each, and room for them is
 * made by splitting chains: splitting one of d + 1 steps makes room for d and moves one step a level up, which costs 1;
 * its right part is a chain of d steps that can be split again. There are beta(s - d, t - 1) splits that make room for
 * d. The fewest splits are wanted, so the largest come first:
 *
 *   n (t + 1) - beta(s, t) - beta(s + 1, t - 2) + (number of splits)
 *
 * tests/test_mixed.c compares this with the dynamic program for every small n and s. */
#include "schedule/mixed.h"

#include "base/alloc.h"
#include "base/search.h"
#include "base/status.h"
#include "base/wide.h"
#include "schedule/kind.h"

/* Room that all splits of size x and larger make in the tree of beta(s, t) steps. */
static uint64_t room(const verso_beta_table *table, uint64_t s, uint64_t t, uint64_t x) {
    int64_t above = (int64_t)s - (int64_t)x;
    return verso_add_u64(verso_mul_u64(x, verso_beta_at(table, above, (int64_t)t)),
                         verso_beta_at(table, above - 1, (int64_t)t + 1));
}

/* n = beta(s, t) + extra; all splits larger than `size` are made, and of those of `size` enough to take `rest` steps.
 */
typedef struct fill {
    uint64_t t;
    uint64_t size;
    uint64_t rest;
} fill;

static fill fill_of(const verso_beta_table *table, uint64_t n, uint64_t s, uint64_t repetition) {
    fill f = {.t = repetition - 1};
    uint64_t extra = n - verso_beta_at(table, (int64_t)s, (int64_t)f.t);
    uint64_t low = 1; /* room(low) suffices, room(high) does not */
    uint64_t high = s + 1;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (room(table, s, f.t, middle) >= extra)
            low = middle;
        else
            high = middle;
    }
    f.size = low;
    f.rest = extra - (low < s ? room(table, s, f.t, low + 1) : 0);
    return f;
}

static uint64_t rounds_up(uint64_t a, uint64_t b) {
    return (a + b - 1) / b;
}

/* Splits of chains, all sizes together. */
static uint64_t splits(const fill *f, uint64_t s) {
    return verso_beta((int64_t)s - (int64_t)f->size - 1, (int64_t)f->t) + rounds_up(f->rest, f->size);
}

static const verso_beta_table no_table = {.slots = -1, .repetitions = -1};

verso_wide verso_mixed_steps(uint64_t n, uint64_t s) {
    if (n <= s + 1)
        return n;
    uint64_t r = verso_repetition(n, s);
    fill f = fill_of(&no_table, n, s, r);
    return (verso_wide)n * r - verso_beta((int64_t)s, (int64_t)f.t) -
           verso_beta_wide((int64_t)s + 1, (int64_t)f.t - 2) + splits(&f, s);
}

uint64_t verso_mixed_split(const verso_beta_table *table, uint64_t n, uint64_t s, uint64_t *guess) {
    *guess = verso_repetition_near(table, n, s, *guess);
    if (s == 1)
        return n - 1;
    if (*guess == 2) /* a single chain is split: its right part stays a chain of s steps for as long as it can */
        return verso_min_u64(n - s, s + 1);
    fill f = fill_of(table, n, s, *guess);
    uint64_t larger = f.size < s ? room(table, s, f.t - 1, f.size + 1) : 0;
    uint64_t same = verso_mul_u64(f.size, verso_beta_at(table, (int64_t)(s - f.size), (int64_t)f.t - 2));
    return verso_beta_at(table, (int64_t)s, (int64_t)f.t - 1) + larger + verso_min_u64(f.rest, same);
}

/* Left parts of beta(y, t - 2), beta(y - 1, t - 2), … splits. */
typedef struct left_parts {
    int64_t y, t;
    uint64_t wanted;
} left_parts;

static bool more_than_wanted(const void *context, uint64_t count) {
    const left_parts *of = context;
    int64_t last = of->y - (int64_t)count + 1;
    return last < 0 || verso_beta_sum(last, of->y, of->t - 2) > of->wanted;
}

/* Of the splits of `f->size` that are made, those whose chain begins at a state that is stored already. The left part
 * is served first (see verso_mixed_split), so one path through the tree decides: it goes left while the left part alone
 * has more than is wanted, then right past as many left parts as are wanted whole. */
static uint64_t splits_of_stored(const fill *f, uint64_t s) {
    left_parts of = {.y = (int64_t)(s - f->size), .t = (int64_t)f->t, .wanted = rounds_up(f->rest, f->size)};
    uint64_t stored = 0;
    while (of.wanted > 0 && of.y >= 0 && of.t > 1) {
        if (of.y > 0)
            of.t = (int64_t)verso_min_u64((uint64_t)of.t, verso_repetition(of.wanted + 1, (uint64_t)of.y) + 1);
        int64_t count = (int64_t)verso_least_above(0, more_than_wanted, &of) - 1;
        int64_t last = of.y - count + 1;
        stored += of.t == 2 ? last == 0 : (uint64_t)verso_beta_sum(last, of.y, of.t - 3);
        of.wanted -= (uint64_t)verso_beta_sum(last, of.y, of.t - 2);
        of.y -= count;
    }
    return stored;
}

/* ---- The kind ---- */

enum phase { FRESH, STORED, NEXT, DISCARD, PHASES };
enum { FRAME_WORDS = 3 }; /* position, whether it is a record, guess of the repetition number */
enum words { GUESS };

static uint64_t depth_of(const verso_schedule *schedule) {
    return schedule->walk.used / FRAME_WORDS;
}

static verso_status plan(verso_schedule *schedule, verso_error *error) {
    const verso_schedule_spec *spec = &schedule->spec;
    if (spec->steps > 1) {
        verso_status status = verso_need_slots(schedule, 1, error);
        if (status != VERSO_OK)
            return status;
    }
    verso_beta_table *table = schedule->plan = verso_alloc(1, sizeof *table);
    uint64_t slots = verso_min_u64(spec->slots, spec->steps);
    uint64_t repetition = slots > 0 ? verso_repetition(spec->steps, slots) : 0;
    if (table == NULL || !verso_beta_table_init(table, slots, verso_add_u64(repetition, 2)))
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a schedule of %llu slots",
                          (unsigned long long)spec->slots);
    schedule->walk.phase = spec->steps > 0 ? FRESH : NEXT;
    return VERSO_OK;
}

static void plan_free(void *plan) {
    verso_beta_table_clear(plan);
}

static verso_status push(verso_schedule *schedule, bool record, verso_error *error) {
    verso_walk *walk = &schedule->walk;
    verso_status status = verso_stack_reserve(schedule, FRAME_WORDS, error);
    if (status != VERSO_OK)
        return status;
    uint64_t *frame = schedule->stack + walk->used;
    frame[0] = walk->at;
    frame[1] = record;
    frame[2] = walk->extra[GUESS];
    walk->used += FRAME_WORDS;
    return VERSO_OK;
}

/* From a working state that is not stored: reverse, record one step of a chain, or store to split. */
static verso_status begin(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso_walk *walk = &schedule->walk;
    uint64_t length = walk->end - walk->at;
    uint64_t slot = depth_of(schedule);
    if (length == 1) {
        *action = verso_make_action(VERSO_REVERSE, walk->end, walk->at);
        walk->end = walk->at;
        walk->phase = NEXT;
        return VERSO_OK;
    }
    bool chain = length - 1 <= schedule->spec.slots - slot;
    verso_status status = push(schedule, chain, error);
    if (status != VERSO_OK)
        return status;
    if (chain) {
        *action = (verso_action){.kind = VERSO_RECORD, .from = walk->at, .to = walk->at + 1, .slot = slot};
        walk->at++;
    } else {
        *action = verso_make_slot_action(VERSO_STORE, walk->at, 0, slot);
        walk->phase = STORED;
    }
    return VERSO_OK;
}

static verso_action split(verso_schedule *schedule) {
    verso_walk *walk = &schedule->walk;
    uint64_t *top = schedule->stack + walk->used - FRAME_WORDS;
    uint64_t slots = schedule->spec.slots - depth_of(schedule) + 1;
    uint64_t advance = verso_mixed_split(schedule->plan, walk->end - walk->at, slots, &top[2]);
    walk->extra[GUESS] = top[2];
    walk->phase = FRESH;
    walk->at += advance;
    return verso_make_action(VERSO_ADVANCE, walk->at - advance, walk->at);
}

static verso_action take_top(verso_schedule *schedule) {
    verso_walk *walk = &schedule->walk;
    if (walk->used == 0)
        return verso_make_action(VERSO_DONE, 0, 0);
    const uint64_t *top = schedule->stack + walk->used - FRAME_WORDS;
    uint64_t slot = depth_of(schedule) - 1;
    if (top[1]) {
        verso_action action = {.kind = VERSO_SWEEP, .from = walk->end, .to = top[0], .slot = slot};
        walk->end = top[0];
        walk->used -= FRAME_WORDS;
        return action;
    }
    walk->at = top[0];
    walk->extra[GUESS] = top[2];
    bool chain = walk->end - walk->at - 1 <= schedule->spec.slots - slot;
    walk->phase = chain ? DISCARD : STORED;
    return verso_make_slot_action(VERSO_RESTORE, walk->at, 0, slot);
}

static verso_status next(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso_walk *walk = &schedule->walk;
    switch ((enum phase)walk->phase) {
    case FRESH: return begin(schedule, action, error);
    case STORED: *action = split(schedule); break;
    case NEXT: *action = take_top(schedule); break;
    case DISCARD:
    case PHASES:
        walk->used -= FRAME_WORDS;
        walk->phase = FRESH;
        *action = verso_make_slot_action(VERSO_DISCARD, walk->at, 0, depth_of(schedule));
        break;
    }
    return VERSO_OK;
}

static uint64_t count_stores(const fill *f, uint64_t s) {
    uint64_t made = splits(f, s);
    if (f->t == 1)
        return made;
    uint64_t of_stored = verso_beta((int64_t)s - (int64_t)f->size - 1, (int64_t)f->t - 1) + splits_of_stored(f, s);
    return verso_beta((int64_t)s - 1, (int64_t)f->t - 1) + made - of_stored;
}

static verso_status cost(const verso_schedule *schedule, verso_cost *cost, verso_error *error) {
    (void)error;
    uint64_t n = cost->steps = schedule->spec.steps;
    uint64_t s = verso_min_u64(schedule->spec.slots, n > 0 ? n - 1 : 0);
    if (n > 0) {
        cost->forward_steps = verso_mixed_steps(n, s) - n;
        cost->writes[0] = cost->reads[0] = n - 1; /* a chain of n, until it has to be split */
        cost->peak_slots[0] = s;
        cost->longest_recording = 1;
    }
    if (n > s + 1) {
        cost->repetition = verso_repetition(n, s) - 1;
        fill f = fill_of(&no_table, n, s, cost->repetition + 1);
        uint64_t chains = verso_beta((int64_t)s, (int64_t)f.t - 1) + splits(&f, s);
        cost->writes[0] = (n - chains) + count_stores(&f, s);
    }
    verso_cost_total(schedule, cost);
    cost->least_makespan = cost->makespan;
    return VERSO_OK;
}

static bool valid(const verso_schedule *schedule) {
    const verso_walk *walk = &schedule->walk;
    uint64_t low = 0;
    if (walk->phase >= PHASES || walk->used % FRAME_WORDS != 0 || walk->end > schedule->spec.steps ||
        depth_of(schedule) > schedule->spec.slots)
        return false;
    for (uint64_t i = 0; i < walk->used; i += FRAME_WORDS) {
        const uint64_t *frame = schedule->stack + i;
        if (frame[0] < low || frame[0] >= walk->end || frame[1] > 1)
            return false;
        low = frame[0] + 1;
    }
    const uint64_t *top = walk->used > 0 ? schedule->stack + walk->used - FRAME_WORDS : NULL;
    uint64_t slots = schedule->spec.slots - depth_of(schedule) + 1;
    switch ((enum phase)walk->phase) {
    case FRESH: return walk->at >= low && walk->at < walk->end && (slots > 1 || walk->end - walk->at == 1);
    case STORED: return top != NULL && !top[1] && top[0] == walk->at && walk->end - walk->at > slots + 1;
    case DISCARD: return top != NULL && !top[1] && top[0] == walk->at;
    case NEXT: return top != NULL ? !top[1] || top[0] + 1 == walk->end : walk->end == 0;
    case PHASES: break;
    }
    return false;
}

const verso_kind verso_kind_mixed = {.plan = plan, .plan_free = plan_free, .next = next, .cost = cost, .valid = valid};
