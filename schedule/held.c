/* See held.h. Moving a state: let p be the last held state, e the end, s the slots for the last interval, and mf
 * the least forward steps. Keeping p costs mf(e - p, s) for [p, e). Giving p up frees its slot for [p, e). Moving
 * it to q in between costs q - p forward steps once, then mf(e - q, s), and [.., q) is reversed with p's slot; q =
 * p is keeping. No other use of p is better: splitting [p, e) before moving p costs no less than moving first and
 * splitting [q, e). */
#include "schedule/held.h"

#include "base/alloc.h"
#include "base/wide.h"

enum {
    LET_GO_MAX = 12,     /* given up between two kept ones, in large sets */
    LET_GO_ALL_MAX = 63, /* given up in all */
    STORES_PER_WAY = 32,
    TABLE_REPETITIONS_MAX = 500,
};
static const uint64_t exact_work_max = 4000000;

bool verso__held_table_init(verso__beta_table *table, uint64_t slots, uint64_t steps) {
    uint64_t c = verso__max_u64(1, verso__min_u64(slots, steps));
    return verso__beta_table_init(table, c + 1, verso__min_u64(verso__repetition(steps, c) + 8, TABLE_REPETITIONS_MAX));
}

uint64_t verso__held_gap(uint64_t count, uint64_t slots, uint64_t way) {
    return count < slots ? 1 : verso__max_u64(1, way / STORES_PER_WAY);
}

static uint64_t position(const uint64_t *held, uint64_t i) {
    return held[i * VERSO_HELD_WORDS + VERSO_HELD_POSITION];
}

/* Returns the least forward steps for an interval whose start is stored. *guess is a guess of the repetition number
 * and is corrected. */
static verso__wide interval_cost(const verso__beta_table *table, uint64_t length, uint64_t slots, uint64_t *guess) {
    if (length <= 1)
        return 0;
    uint64_t c = verso__min_u64(slots, length);
    uint64_t r = *guess = verso__repetition_near(table, length, c, *guess);
    if (c == 1)
        return (verso__wide)length * (length - 1) / 2;
    return (verso__wide)length * r - verso__beta_wide_at(table, (int64_t)c + 1, (int64_t)r - 1);
}

uint64_t verso__held_victim(const verso__beta_table *table, verso__held_guesses *guesses, const uint64_t *held,
                            uint64_t count, uint64_t at, uint64_t gap) {
    /* From the right: `shifted` is the cost of all intervals after entry j, including that of x_at, each with one
     * slot more; `best` is the least cost of everything from entry j on. Both omit the same intervals further left. */
    uint64_t none = 0;
    uint64_t victim = count;
    uint64_t right = at;
    verso__wide shifted = interval_cost(table, gap, 1, &none);
    verso__wide best = interval_cost(table, at + gap - position(held, count - 1), 1, &none);
    for (uint64_t j = count - 1; j > 0; j--) {
        uint64_t here = position(held, j);
        uint64_t left = position(held, j - 1);
        uint64_t slots = count - j + 1;
        verso__wide without = shifted + interval_cost(table, right - left, slots, &guesses->merged[j]);
        best += interval_cost(table, here - left, slots, &guesses->as_it_is[j]);
        if (without < best) {
            best = without;
            victim = j;
        }
        shifted += interval_cost(table, right - here, slots, &guesses->shifted[j]);
        right = here;
    }
    return victim;
}

/* ---- Exact planning, for small sets ---- */

/* least[u][i][e] is the least cost of reversing the first e steps if entry i is the last one kept and the u-th
 * (from 0). */
typedef struct exact_plan {
    uint64_t count, span;
    verso__wide *least;
    uint32_t *moved;    /* target as an offset from entry 0 */
    uint32_t *previous; /* for (u, i, q): the entry before i that is kept when i is done and q steps are left */
} exact_plan;

static size_t cell(const exact_plan *plan, uint64_t u, uint64_t i, uint64_t e) {
    return (size_t)((u * plan->count + i) * (plan->span + 1) + e);
}

/* Finds the best entry before i to be the (u-1)-th kept, if the first q steps are left. */
static verso__wide best_previous(const exact_plan *plan, uint64_t u, uint64_t i, uint64_t q, uint32_t *which) {
    verso__wide best = VERSO_WIDE_MAX;
    for (uint64_t j = 0; j < i; j++) {
        verso__wide cost = plan->least[cell(plan, u - 1, j, q)];
        if (cost < best) {
            best = cost;
            *which = (uint32_t)j;
        }
    }
    return best;
}

static void fill_exact(exact_plan *plan, const uint64_t *held, uint64_t slots, const verso__wide *costs) {
    uint64_t width = plan->span + 1;
    for (size_t i = 0; i < (size_t)(plan->count * plan->count * width); i++)
        plan->least[i] = VERSO_WIDE_MAX;
    for (uint64_t e = 0; e <= plan->span; e++)
        plan->least[cell(plan, 0, 0, e)] = costs[e];
    for (uint64_t u = 1; u < plan->count && u < slots; u++) {
        const verso__wide *last = costs + u * width; /* costs of intervals on slots - u slots */
        for (uint64_t i = u; i < plan->count; i++) {
            uint64_t p = position(held, i) - position(held, 0);
            for (uint64_t q = p; q <= plan->span; q++) {
                uint32_t which = 0;
                verso__wide rest = best_previous(plan, u, i, q, &which);
                plan->previous[cell(plan, u, i, q)] = which;
                for (uint64_t e = q + 1; rest != VERSO_WIDE_MAX && e <= plan->span; e++) {
                    verso__wide cost = (q - p) + last[e - q] + rest;
                    if (cost < plan->least[cell(plan, u, i, e)]) {
                        plan->least[cell(plan, u, i, e)] = cost;
                        plan->moved[cell(plan, u, i, e)] = (uint32_t)q;
                    }
                }
            }
        }
    }
}

static verso__wide read_exact(const exact_plan *plan, uint64_t *held) {
    uint64_t e = plan->span;
    uint64_t u = 0;
    uint64_t i = 0;
    verso__wide best = VERSO_WIDE_MAX;
    for (uint64_t v = 0; v < plan->count; v++)
        for (uint64_t j = v; j < plan->count; j++)
            if (plan->least[cell(plan, v, j, e)] < best) {
                best = plan->least[cell(plan, v, j, e)];
                u = v;
                i = j;
            }
    for (uint64_t j = 1; j < plan->count; j++)
        held[j * VERSO_HELD_WORDS + VERSO_HELD_TARGET] = VERSO_HELD_EVICT;
    while (u > 0) {
        uint64_t q = plan->moved[cell(plan, u, i, e)];
        uint64_t target = position(held, 0) + q;
        held[i * VERSO_HELD_WORDS + VERSO_HELD_TARGET] = target > position(held, i) ? target : 0;
        i = plan->previous[cell(plan, u, i, q)];
        e = q;
        u--;
    }
    held[VERSO_HELD_TARGET] = 0;
    return best;
}

static bool plan_exactly(uint64_t *held, uint64_t count, uint64_t slots, uint64_t end, verso__wide *forward_steps) {
    exact_plan plan = {.count = count, .span = end - position(held, 0)};
    size_t width = (size_t)plan.span + 1;
    size_t cells = (size_t)(count * count) * width;
    verso__beta_table none = {.slots = -1, .repetitions = -1};
    verso__wide *costs = verso__alloc(count * width, sizeof *costs);
    plan.least = verso__alloc(cells, sizeof *plan.least);
    plan.moved = verso__alloc(cells, sizeof *plan.moved);
    plan.previous = verso__alloc(cells, sizeof *plan.previous);
    bool memory = costs != NULL && plan.least != NULL && plan.moved != NULL && plan.previous != NULL;
    for (uint64_t u = 0; memory && u < count && u < slots; u++) {
        uint64_t guess = 1;
        for (uint64_t n = 0; n < width; n++)
            costs[u * width + n] = interval_cost(&none, n, slots - u, &guess);
    }
    if (memory) {
        fill_exact(&plan, held, slots, costs);
        *forward_steps = read_exact(&plan, held);
    }
    verso__dealloc(costs);
    verso__dealloc(plan.least);
    verso__dealloc(plan.moved);
    verso__dealloc(plan.previous);
    return memory;
}

/* ---- Planning for large sets ---- */

/* choices[i * (LET_GO_ALL_MAX + 1) + x].least is the least cost of reversing what is left of entry i, which is
 * kept, if x entries before it are given up. */
typedef struct choice {
    verso__wide least;
    uint32_t previous;
} choice;

static void choose_kept(const verso__beta_table *table, uint64_t *held, uint64_t count, uint64_t slots, uint64_t end,
                        choice *choices) {
    enum { WIDTH = LET_GO_ALL_MAX + 1 };
    uint64_t guess = 1;
    for (uint64_t i = 0; i <= count; i++) { /* entry `count` represents the end */
        uint64_t here = i < count ? position(held, i) : end;
        for (uint64_t x = 0; x < WIDTH; x++) {
            choice *best = &choices[i * WIDTH + x];
            *best = (choice){.least = i == 0 && x == 0 ? 0 : VERSO_WIDE_MAX};
            for (uint64_t gone = 0; gone <= x && gone < i && gone <= LET_GO_MAX; gone++) {
                uint64_t j = i - 1 - gone;
                verso__wide before = choices[j * WIDTH + x - gone].least;
                uint64_t kept_before = j + gone - x; /* number of entries kept before j */
                if (before == VERSO_WIDE_MAX || x - gone > j)
                    continue;
                verso__wide cost = before + interval_cost(table, here - position(held, j), slots - kept_before, &guess);
                if (cost < best->least)
                    *best = (choice){.least = cost, .previous = (uint32_t)j};
            }
        }
    }
    uint64_t x = 0;
    for (uint64_t y = 1; y < WIDTH; y++)
        if (choices[count * WIDTH + y].least < choices[count * WIDTH + x].least)
            x = y;
    for (uint64_t j = 1; j < count; j++)
        held[j * VERSO_HELD_WORDS + VERSO_HELD_TARGET] = VERSO_HELD_EVICT;
    for (uint64_t i = count; i > 0;) {
        uint64_t j = choices[i * WIDTH + x].previous;
        x -= i - 1 - j;
        i = j;
        held[i * VERSO_HELD_WORDS + VERSO_HELD_TARGET] = 0;
    }
}

/* Returns how often the last step of an interval is repeated: what one step less would save. */
static uint64_t marginal(uint64_t length, uint64_t slots) {
    return length > 1 ? verso__repetition(length, verso__min_u64(slots, length)) : 0;
}

/* Returns where to move an entry at p so that [left, q) on one slot more and [q, right) on `slots` cost least. */
static uint64_t best_move(uint64_t left, uint64_t p, uint64_t right, uint64_t slots) {
    uint64_t low = p;
    uint64_t high = right - 1;
    for (uint64_t q = p; low < high; q = low + (high - low) / 2) { /* try p first: usually it stays */
        if (marginal(right - q, slots) > 1 + marginal(q + 1 - left, slots + 1))
            low = q + 1;
        else
            high = q;
    }
    return low;
}

static verso__wide move_kept(uint64_t *held, uint64_t count, uint64_t slots, uint64_t end) {
    verso__wide total = 0;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++)
        kept += held[i * VERSO_HELD_WORDS + VERSO_HELD_TARGET] != VERSO_HELD_EVICT;
    uint64_t right = end;
    for (uint64_t i = count; i-- > 0;) {
        uint64_t *entry = held + i * VERSO_HELD_WORDS;
        if (entry[VERSO_HELD_TARGET] == VERSO_HELD_EVICT)
            continue;
        uint64_t start = entry[VERSO_HELD_POSITION];
        kept--;
        if (i > 0) {
            uint64_t j = i - 1;
            while (held[j * VERSO_HELD_WORDS + VERSO_HELD_TARGET] == VERSO_HELD_EVICT)
                j--;
            uint64_t q = best_move(position(held, j), start, right, slots - kept);
            total += q - start;
            entry[VERSO_HELD_TARGET] = q > start ? q : 0;
            start = q;
        }
        total += verso__min_forward(right - start, slots - kept);
        right = start;
    }
    return total;
}

bool verso__held_plan(uint64_t *held, uint64_t count, uint64_t slots, uint64_t end, verso__wide *forward_steps) {
    uint64_t useful = count;
    while (useful > 1 && position(held, useful - 1) >= end)
        held[--useful * VERSO_HELD_WORDS + VERSO_HELD_TARGET] = VERSO_HELD_EVICT;
    held[VERSO_HELD_TARGET] = 0;
    *forward_steps = 0;
    if (end <= position(held, 0)) {
        held[VERSO_HELD_TARGET] = VERSO_HELD_EVICT;
        return true;
    }
    verso__wide span = end - position(held, 0);
    if (span * span * useful * useful <= exact_work_max)
        return plan_exactly(held, useful, slots, end, forward_steps);
    verso__beta_table table;
    choice *choices = verso__alloc((useful + 1) * (LET_GO_ALL_MAX + 1), sizeof *choices);
    bool memory = verso__held_table_init(&table, slots, end) && choices != NULL;
    if (memory) {
        choose_kept(&table, held, useful, slots, end, choices);
        *forward_steps = move_kept(held, useful, slots, end);
    }
    verso__beta_table_clear(&table);
    verso__dealloc(choices);
    return memory;
}
