/* Mixed checkpointing (Maddison): each slot holds either a state or the record of one step.
 *
 * Up to s + 1 steps are recorded one by one into the slots without extra cost: a chain. Longer computations are
 * split as in revolve. Write n = beta(s, t) + e with beta(s, t) < n <= beta(s, t + 1). For n = beta(s, t) all ends
 * of the tree are chains, each on its t-th repetition. The e further steps cost t + 1 each. Room for them is made
 * by splitting chains: splitting a chain of d + 1 steps makes room for d steps and moves one step up a level, which
 * costs 1; its right part is a chain of d steps that can be split again. There are beta(s - d, t - 1) splits that
 * make room for d steps. To minimise the number of splits, the largest come first:
 *
 *   n (t + 1) - beta(s, t) - beta(s + 1, t - 2) + (number of splits)
 *
 * tests/schedule/test_mixed.c compares this with the dynamic program for all small n and s. */
#include "schedule/mixed.h"

#include "base/alloc.h"
#include "base/search.h"
#include "base/status.h"
#include "base/wide.h"
#include "schedule/cost.h"
#include "schedule/kind.h"

/* Returns the room that all splits of size x and larger make in the tree of beta(s, t) steps. */
static uint64_t room(const verso__beta_table *table, uint64_t s, uint64_t t, uint64_t x) {
    int64_t above = (int64_t)s - (int64_t)x;
    return verso__add_u64(verso__mul_u64(x, verso__beta_at(table, above, (int64_t)t)),
                          verso__beta_at(table, above - 1, (int64_t)t + 1));
}

/* The splits for n = beta(s, t) + extra steps: all splits larger than `size`, and enough splits of `size` to take
 * `rest` steps. */
typedef struct fill {
    uint64_t t;
    uint64_t size;
    uint64_t rest;
} fill;

static fill fill_of(const verso__beta_table *table, uint64_t n, uint64_t s, uint64_t repetition) {
    fill f = {.t = repetition - 1};
    uint64_t extra = n - verso__beta_at(table, (int64_t)s, (int64_t)f.t);
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

/* Returns the number of splits of all sizes. */
static uint64_t splits(const fill *f, uint64_t s) {
    return verso__beta((int64_t)s - (int64_t)f->size - 1, (int64_t)f->t) + rounds_up(f->rest, f->size);
}

static const verso__beta_table no_table = {.slots = -1, .repetitions = -1};

verso__wide verso__mixed_steps(uint64_t n, uint64_t s) {
    if (n <= s + 1)
        return n;
    uint64_t r = verso__repetition(n, s);
    fill f = fill_of(&no_table, n, s, r);
    return (verso__wide)n * r - verso__beta((int64_t)s, (int64_t)f.t) -
           verso__beta_wide((int64_t)s + 1, (int64_t)f.t - 2) + splits(&f, s);
}

uint64_t verso__mixed_split(const verso__beta_table *table, uint64_t n, uint64_t s, uint64_t *guess) {
    *guess = verso__repetition_near(table, n, s, *guess);
    if (s == 1)
        return n - 1;
    if (*guess == 2) /* a single chain is split: its right part stays a chain of s steps as long as possible */
        return verso__min_u64(n - s, s + 1);
    fill f = fill_of(table, n, s, *guess);
    uint64_t larger = f.size < s ? room(table, s, f.t - 1, f.size + 1) : 0;
    uint64_t same = verso__mul_u64(f.size, verso__beta_at(table, (int64_t)(s - f.size), (int64_t)f.t - 2));
    return verso__beta_at(table, (int64_t)s, (int64_t)f.t - 1) + larger + verso__min_u64(f.rest, same);
}

/* Left parts with beta(y, t - 2), beta(y - 1, t - 2), ... splits. */
typedef struct left_parts {
    int64_t y, t;
    uint64_t wanted;
} left_parts;

static bool is_more_than_wanted(const void *context, uint64_t count) {
    const left_parts *of = context;
    int64_t last = of->y - (int64_t)count + 1;
    return last < 0 || verso__beta_sum(last, of->y, of->t - 2) > of->wanted;
}

/* Returns how many of the splits of f->size begin at a state that is already stored. The left part is served first
 * (see verso__mixed_split), so one path through the tree decides: it goes left while the left part alone has more
 * splits than wanted, then right past as many left parts as are wanted completely. */
static uint64_t splits_of_stored(const fill *f, uint64_t s) {
    left_parts of = {.y = (int64_t)(s - f->size), .t = (int64_t)f->t, .wanted = rounds_up(f->rest, f->size)};
    uint64_t stored = 0;
    while (of.wanted > 0 && of.y >= 0 && of.t > 1) {
        if (of.y > 0)
            of.t = (int64_t)verso__min_u64((uint64_t)of.t, verso__repetition(of.wanted + 1, (uint64_t)of.y) + 1);
        int64_t count = (int64_t)verso__least_above(0, is_more_than_wanted, &of) - 1;
        int64_t last = of.y - count + 1;
        stored += of.t == 2 ? last == 0 : (uint64_t)verso__beta_sum(last, of.y, of.t - 3);
        of.wanted -= (uint64_t)verso__beta_sum(last, of.y, of.t - 2);
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
        verso_status status = verso__need_slots(schedule, 1, error);
        if (status != VERSO_STATUS_OK)
            return status;
    }
    verso__beta_table *table = schedule->plan = verso__alloc(1, sizeof *table);
    uint64_t slots = verso__min_u64(spec->slots, spec->steps);
    uint64_t repetition = slots > 0 ? verso__repetition(spec->steps, slots) : 0;
    if (table == NULL || !verso__beta_table_init(table, slots, verso__add_u64(repetition, 2)))
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a schedule of %llu slots",
                           (unsigned long long)spec->slots);
    schedule->walk.phase = spec->steps > 0 ? FRESH : NEXT;
    return VERSO_STATUS_OK;
}

static void plan_free(void *plan) {
    verso__beta_table_clear(plan);
}

static verso_status push(verso_schedule *schedule, bool record, verso_error *error) {
    verso__walk *walk = &schedule->walk;
    verso_status status = verso__stack_reserve(schedule, FRAME_WORDS, error);
    if (status != VERSO_STATUS_OK)
        return status;
    uint64_t *frame = schedule->stack + walk->used;
    frame[0] = walk->at;
    frame[1] = record;
    frame[2] = walk->extra[GUESS];
    walk->used += FRAME_WORDS;
    return VERSO_STATUS_OK;
}

/* From a working state that is not stored: reverses, records one step of a chain, or stores it before a split. */
static verso_status begin(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso__walk *walk = &schedule->walk;
    uint64_t length = walk->end - walk->at;
    uint64_t slot = depth_of(schedule);
    if (length == 1) {
        *action = verso__make_action(VERSO_ACTION_REVERSE, walk->end, walk->at);
        walk->end = walk->at;
        walk->phase = NEXT;
        return VERSO_STATUS_OK;
    }
    bool chain = length - 1 <= schedule->spec.slots - slot;
    verso_status status = push(schedule, chain, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (chain) {
        *action = (verso_action){.kind = VERSO_ACTION_RECORD, .from = walk->at, .to = walk->at + 1, .slot = slot};
        walk->at++;
    } else {
        *action = verso__make_slot_action(VERSO_ACTION_STORE, walk->at, 0, slot);
        walk->phase = STORED;
    }
    return VERSO_STATUS_OK;
}

static verso_action split(verso_schedule *schedule) {
    verso__walk *walk = &schedule->walk;
    uint64_t *top = schedule->stack + walk->used - FRAME_WORDS;
    uint64_t slots = schedule->spec.slots - depth_of(schedule) + 1;
    uint64_t advance = verso__mixed_split(schedule->plan, walk->end - walk->at, slots, &top[2]);
    walk->extra[GUESS] = top[2];
    walk->phase = FRESH;
    walk->at += advance;
    return verso__make_action(VERSO_ACTION_ADVANCE, walk->at - advance, walk->at);
}

static verso_action take_top(verso_schedule *schedule) {
    verso__walk *walk = &schedule->walk;
    if (walk->used == 0)
        return verso__make_action(VERSO_ACTION_DONE, 0, 0);
    const uint64_t *top = schedule->stack + walk->used - FRAME_WORDS;
    uint64_t slot = depth_of(schedule) - 1;
    if (top[1]) {
        verso_action action = {.kind = VERSO_ACTION_SWEEP, .from = walk->end, .to = top[0], .slot = slot};
        walk->end = top[0];
        walk->used -= FRAME_WORDS;
        return action;
    }
    walk->at = top[0];
    walk->extra[GUESS] = top[2];
    bool chain = walk->end - walk->at - 1 <= schedule->spec.slots - slot;
    walk->phase = chain ? DISCARD : STORED;
    return verso__make_slot_action(VERSO_ACTION_RESTORE, walk->at, 0, slot);
}

static verso_status next(verso_schedule *schedule, verso_action *action, verso_error *error) {
    verso__walk *walk = &schedule->walk;
    switch ((enum phase)walk->phase) {
    case FRESH: return begin(schedule, action, error);
    case STORED: *action = split(schedule); break;
    case NEXT: *action = take_top(schedule); break;
    case DISCARD:
    case PHASES:
        walk->used -= FRAME_WORDS;
        walk->phase = FRESH;
        *action = verso__make_slot_action(VERSO_ACTION_DISCARD, walk->at, 0, depth_of(schedule));
        break;
    }
    return VERSO_STATUS_OK;
}

static uint64_t count_stores(const fill *f, uint64_t s) {
    uint64_t made = splits(f, s);
    if (f->t == 1)
        return made;
    uint64_t of_stored = verso__beta((int64_t)s - (int64_t)f->size - 1, (int64_t)f->t - 1) + splits_of_stored(f, s);
    return verso__beta((int64_t)s - 1, (int64_t)f->t - 1) + made - of_stored;
}

static verso_status cost(const verso_schedule *schedule, verso__cost *cost, verso_error *error) {
    (void)error;
    uint64_t n = cost->steps = schedule->spec.steps;
    uint64_t s = verso__min_u64(schedule->spec.slots, n > 0 ? n - 1 : 0);
    if (n > 0) {
        cost->forward_steps = verso__mixed_steps(n, s) - n;
        cost->writes[0] = cost->reads[0] = n - 1; /* a chain of n steps; corrected below if it is split */
        cost->peak_slots[0] = s;
        cost->longest_recording = 1;
    }
    if (n > s + 1) {
        cost->repetition = verso__repetition(n, s) - 1;
        fill f = fill_of(&no_table, n, s, cost->repetition + 1);
        uint64_t chains = verso__beta((int64_t)s, (int64_t)f.t - 1) + splits(&f, s);
        cost->writes[0] = (n - chains) + count_stores(&f, s);
    }
    verso__cost_total(schedule, cost);
    cost->least_makespan = cost->makespan;
    return VERSO_STATUS_OK;
}

static bool valid(const verso_schedule *schedule) {
    const verso__walk *walk = &schedule->walk;
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

const verso__kind verso__kind_mixed = {
    .plan = plan, .plan_free = plan_free, .next = next, .cost = cost, .valid = valid};
