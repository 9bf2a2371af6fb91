/* Exhaustive search as a shortest path (A*). Three choices are fixed, because no alternative is better: a step is
 * reversed as soon as its state is the working state; states after the next step to reverse are discarded; any other
 * stored state is discarded only if its slot is needed. Everything else is tried.
 * The remaining cost is estimated by one forward step for each state that is neither stored nor the working state. The
 * estimate never exceeds the true cost and never decreases by more than an action costs, so that the first end found is
 * optimal. */
#include "brute.h"

#include <stdlib.h>
#include <string.h>

/* ---- States, and a queue of them by cost ---- */

enum { LOST = 31 };

typedef struct state {
    uint32_t working;               /* LOST: none */
    uint32_t todo;                  /* steps still to reverse */
    uint32_t held[BRUTE_TIERS_MAX]; /* bit i: x_i. (Mixed: [0] states, [1] records of steps.) */
} state;

typedef struct entry {
    uint64_t key, cost;
    size_t next;
} entry;

typedef struct search {
    const brute_problem *problem;
    uint64_t *keys, *costs; /* hash table of the smallest known cost of each state; key 0: a free entry */
    size_t used, size;
    entry *entries; /* linked lists, one for each estimated total cost */
    size_t entry_count, entry_size;
    size_t *heads; /* index + 1 */
    size_t head_count;
    uint64_t (*estimate)(const struct search *, const state *);
} search;

static void *grown(void *memory, size_t bytes) {
    memory = realloc(memory, bytes);
    if (memory == NULL)
        abort();
    return memory;
}

static uint64_t pack(const state *at) {
    uint64_t key = 1 | (uint64_t)at->working << 1 | (uint64_t)at->todo << 6;
    for (int k = 0; k < BRUTE_TIERS_MAX; k++)
        key |= (uint64_t)at->held[k] << (12 + 16 * k);
    return key;
}

static state unpack(uint64_t key) {
    state at = {(uint32_t)(key >> 1) & 31, (uint32_t)(key >> 6) & 31, {0}};
    for (int k = 0; k < BRUTE_TIERS_MAX; k++)
        at.held[k] = (uint32_t)(key >> (12 + 16 * k)) & 0xffff;
    return at;
}

static size_t place(const search *s, uint64_t key) {
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & (s->size - 1);
    while (s->keys[at] != 0 && s->keys[at] != key)
        at = (at + 1) & (s->size - 1);
    return at;
}

static void rehash(search *s) {
    search old = *s;
    s->size = old.size == 0 ? 1024 : old.size * 2;
    s->keys = calloc(s->size, sizeof *s->keys);
    s->costs = grown(NULL, s->size * sizeof *s->costs);
    if (s->keys == NULL)
        abort();
    for (size_t i = 0; i < old.size; i++)
        if (old.keys[i] != 0) {
            size_t at = place(s, old.keys[i]);
            s->keys[at] = old.keys[i];
            s->costs[at] = old.costs[i];
        }
    free(old.keys);
    free(old.costs);
}

static void enqueue(search *s, uint64_t key, uint64_t cost, uint64_t total) {
    if (total >= s->head_count) {
        size_t count = (size_t)total * 2 + 64;
        s->heads = grown(s->heads, count * sizeof *s->heads);
        memset(s->heads + s->head_count, 0, (count - s->head_count) * sizeof *s->heads);
        s->head_count = count;
    }
    if (s->entry_count == s->entry_size) {
        s->entry_size = s->entry_size * 2 + 1024;
        s->entries = grown(s->entries, s->entry_size * sizeof *s->entries);
    }
    s->entries[s->entry_count] = (entry){key, cost, s->heads[total]};
    s->heads[total] = ++s->entry_count;
}

/* Records that a state can be reached at this cost. */
static void reach(search *s, const state *at, uint64_t cost) {
    if (s->used * 2 >= s->size)
        rehash(s);
    uint64_t key = pack(at);
    size_t found = place(s, key);
    if (s->keys[found] == key && s->costs[found] <= cost)
        return;
    s->used += s->keys[found] == 0;
    s->keys[found] = key;
    s->costs[found] = cost;
    enqueue(s, key, cost, cost + s->estimate(s, at));
}

/* Returns the smallest cost from `start` to a state in which all steps are reversed. */
static uint64_t shortest(search *s, const state *start, void (*expand)(search *, const state *, uint64_t)) {
    uint64_t result = BRUTE_INF;
    reach(s, start, 0);
    for (size_t total = 0; total < s->head_count && result == BRUTE_INF; total++)
        while (s->heads[total] != 0 && result == BRUTE_INF) {
            entry top = s->entries[s->heads[total] - 1];
            s->heads[total] = top.next;
            if (s->costs[place(s, top.key)] < top.cost)
                continue;
            state at = unpack(top.key);
            if (at.todo == 0)
                result = top.cost;
            else
                expand(s, &at, top.cost);
        }
    free(s->keys);
    free(s->costs);
    free(s->entries);
    free(s->heads);
    return result;
}

/* ---- States in tiers ---- */

static uint32_t bit(uint32_t position) {
    return position == LOST ? 0 : UINT32_C(1) << position;
}
static uint32_t below(uint32_t position) {
    return (UINT32_C(1) << position) - 1;
}
static uint64_t count_of(uint32_t set) {
    return (uint64_t)__builtin_popcount(set);
}
static uint32_t lowest(uint32_t set) {
    return (uint32_t)__builtin_ctz(set);
}
static uint32_t highest(uint32_t set) {
    return 31 - (uint32_t)__builtin_clz(set);
}

/* Reverses all steps that can be reversed at once, and discards states that are no longer needed. */
static state settled(state at) {
    if (at.todo > 0 && at.working == at.todo - 1)
        at.todo--;
    if (at.working >= at.todo)
        at.working = LOST;
    for (int k = 0; k < BRUTE_TIERS_MAX; k++)
        at.held[k] &= below(at.todo);
    return at;
}

static uint64_t missing_states(const search *s, const state *at) {
    uint32_t there = bit(at->working);
    for (size_t k = 0; k < s->problem->tier_count; k++)
        there |= at->held[k];
    return s->problem->forward_cost * count_of(below(at->todo) & ~there);
}

static bool may_advance(const brute_problem *problem, const state *at) {
    uint32_t earlier = 0;
    for (size_t k = 0; k < problem->tier_count; k++)
        earlier |= at->held[k];
    earlier &= below(at->working + 2);
    return problem->distance == BRUTE_UNLIMITED ||
           (earlier != 0 && at->working + 1 - highest(earlier) <= problem->distance);
}

static void try_reads(search *s, const state *at, uint64_t cost, size_t tier) {
    for (uint32_t left = at->held[tier] & ~bit(at->working); left != 0; left &= left - 1) {
        state next = *at;
        next.working = lowest(left);
        next = settled(next);
        reach(s, &next, cost + s->problem->tiers[tier].read_cost);
    }
}

static void try_writes(search *s, const state *at, uint64_t cost, size_t tier) {
    const brute_tier *to = &s->problem->tiers[tier];
    uint32_t held = at->held[tier], new = bit(at->working);
    if (at->working == LOST || (held & new) != 0 || to->write_cost == BRUTE_NO_WRITES || to->capacity == 0)
        return;
    state next = *at;
    next.held[tier] = held | new;
    if (count_of(held) < to->capacity) {
        reach(s, &next, cost + to->write_cost);
        return;
    }
    for (uint32_t left = s->problem->never_evicts ? 0 : held; left != 0; left &= left - 1) {
        next.held[tier] = (held | new) & ~bit(lowest(left));
        reach(s, &next, cost + to->write_cost);
    }
}

static void expand(search *s, const state *at, uint64_t cost) {
    if (at->working != LOST && may_advance(s->problem, at)) {
        state next = *at;
        next.working++;
        next = settled(next);
        reach(s, &next, cost + s->problem->forward_cost);
    }
    for (size_t k = 0; k < s->problem->tier_count; k++) {
        try_reads(s, at, cost, k);
        try_writes(s, at, cost, k);
    }
}

uint64_t brute_makespan(const brute_problem *problem) {
    search s = {.problem = problem, .estimate = missing_states};
    state start = {problem->working_is_lost ? LOST : (uint32_t)problem->working, (uint32_t)problem->steps, {0}};
    if (problem->steps > BRUTE_STEPS_MAX || problem->tier_count > BRUTE_TIERS_MAX)
        abort();
    for (size_t k = 0; k < problem->tier_count; k++)
        start.held[k] = problem->tiers[k].held;
    start = settled(start);
    uint64_t cost = shortest(&s, &start, expand);
    return cost == BRUTE_INF ? BRUTE_INF : cost + problem->steps * problem->backward_cost;
}

/* ---- Ready-made problems ---- */

uint64_t brute_forward(uint64_t n, uint64_t c, uint64_t distance, bool may_evict) {
    brute_problem problem = {.steps = n,
                             .forward_cost = 1,
                             .distance = distance,
                             .never_evicts = !may_evict,
                             .tier_count = 1,
                             .tiers = {{.capacity = c}}};
    return brute_makespan(&problem);
}

uint64_t brute_online(uint64_t n, uint64_t c, uint32_t held, bool working_is_lost) {
    brute_problem problem = {.steps = n,
                             .forward_cost = 1,
                             .distance = BRUTE_UNLIMITED,
                             .working_is_lost = working_is_lost,
                             .working = n == 0 ? 0 : n - 1,
                             .tier_count = 1,
                             .tiers = {{.capacity = c, .held = held}}};
    return brute_makespan(&problem);
}

uint64_t brute_disk(uint64_t l, uint64_t c_m, uint64_t w_d, uint64_t r_d, uint64_t u_f, uint64_t u_b) {
    brute_problem problem = {.steps = l + 1,
                             .forward_cost = u_f,
                             .backward_cost = u_b,
                             .distance = BRUTE_UNLIMITED,
                             .tier_count = 2,
                             .tiers = {{.capacity = c_m}, {BRUTE_UNLIMITED, w_d, r_d, 0}}};
    return brute_makespan(&problem);
}

uint64_t brute_disk_no_writes(uint64_t l, uint64_t c_m, uint64_t r_d, uint64_t u_f, uint64_t u_b) {
    brute_problem problem = {.steps = l + 1,
                             .forward_cost = u_f,
                             .backward_cost = u_b,
                             .distance = BRUTE_UNLIMITED,
                             .tier_count = 2,
                             .tiers = {{.capacity = c_m}, {BRUTE_UNLIMITED, BRUTE_NO_WRITES, r_d, 1}}};
    return brute_makespan(&problem);
}

/* ---- States and records in the same slots ---- */

enum { STATES, RECORDS };

/* A step whose record is stored is reversed from it at once, at no cost. */
static state swept(state at) {
    while (at.todo > 0 && (at.held[RECORDS] & bit(at.todo - 1)) != 0) {
        at.todo--;
        at.held[RECORDS] &= below(at.todo);
        at.held[STATES] &= below(at.todo);
    }
    if (at.working >= at.todo)
        at.working = LOST;
    return at;
}

static uint64_t missing_records(const search *s, const state *at) {
    (void)s;
    return count_of(below(at->todo) & ~at->held[RECORDS]);
}

/* Goes to `next` with one more state or record in the slots: in a free one, or replacing each stored one in turn. */
static void try_keeping(search *s, const state *before, state next, uint64_t cost) {
    uint64_t slots = s->problem->tiers[0].capacity;
    uint32_t used[2] = {before->held[STATES], before->held[RECORDS]};
    if (count_of(used[STATES]) + count_of(used[RECORDS]) < slots) {
        next = swept(next);
        reach(s, &next, cost);
        return;
    }
    for (int kind = STATES; slots > 0 && kind <= RECORDS; kind++)
        for (uint32_t left = used[kind]; left != 0; left &= left - 1) {
            state other = next;
            other.held[kind] &= ~bit(lowest(left));
            other = swept(other);
            reach(s, &other, cost);
        }
}

static void expand_mixed(search *s, const state *at, uint64_t cost) {
    state next = *at;
    for (uint32_t left = at->held[STATES] & ~bit(at->working); left != 0; left &= left - 1) {
        next.working = lowest(left);
        reach(s, &next, cost);
    }
    if (at->working == LOST)
        return;
    next = *at;
    if (at->working == at->todo - 1) { /* recorded and reversed without a slot */
        next = settled(next);
        next = swept(next);
        reach(s, &next, cost + 1);
        return;
    }
    next.working++;
    reach(s, &next, cost + 1);
    if ((at->held[RECORDS] & bit(at->working)) == 0) {
        next.held[RECORDS] |= bit(at->working);
        try_keeping(s, at, next, cost + 1);
    }
    next = *at;
    if ((at->held[STATES] & bit(at->working)) == 0) {
        next.held[STATES] |= bit(at->working);
        try_keeping(s, at, next, cost);
    }
}

uint64_t brute_mixed(uint64_t n, uint64_t slots) {
    brute_problem problem = {.steps = n, .tiers = {{.capacity = slots}}};
    search s = {.problem = &problem, .estimate = missing_records};
    state start = {n == 0 ? LOST : 0, (uint32_t)n, {0}};
    return shortest(&s, &start, expand_mixed);
}
