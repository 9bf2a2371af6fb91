/* The cost of a multi-level schedule without walking it: the chain of nodes that are not full is followed, the others
 * are counted class by class, from the top tier and its most slots down, so that a class is complete when its turn
 * comes. */
#include "base/alloc.h"
#include "base/status.h"
#include "schedule/levels.h"
#include "schedule/revolve.h"

/* How many nodes of a class there are, and how often the most repeated of their steps was run before. */
typedef struct tally {
    verso_wide count;
    uint64_t passes;
} tally;

typedef struct counting {
    const verso_levels *levels;
    verso_cost *cost;
    tally *full;  /* stored nodes by row and price */
    tally *exact; /* by row and steps */
    bool any_exact;
} counting;

static void add(tally *class, const tally *more) {
    class->count += more->count;
    class->passes = verso_max_u64(class->passes, more->passes);
}

static void add_exact(counting *work, uint64_t row, uint64_t length, const tally *more) {
    add(&work->exact[row * (work->levels->table_steps + 1) + length], more);
    work->any_exact = true;
}

static void note_kept(counting *work, const verso_level_node *stored, const tally *how_many) {
    uint32_t id = work->levels->id[stored->tier];
    uint64_t in_use = work->levels->tier[stored->tier].capacity - stored->slots + 1;
    work->cost->writes[id] += how_many->count;
    work->cost->peak_slots[id] = verso_max_u64(work->cost->peak_slots[id], in_use);
}

static void revolve_base(counting *work, uint64_t length, const tally *how_many) {
    uint64_t slots = work->levels->tier[0].capacity;
    uint32_t id = work->levels->id[0];
    verso_cost one = {0};
    verso_revolve_cost(&one, 1, length, slots);
    work->cost->forward_steps += how_many->count * one.forward_steps;
    work->cost->writes[id] += how_many->count * one.writes[0];
    work->cost->reads[id] += how_many->count * one.reads[0];
    work->cost->peak_slots[id] = verso_max_u64(work->cost->peak_slots[id], one.peak_slots[0]);
    work->cost->repetition = verso_max_u64(work->cost->repetition, how_many->passes + verso_repetition(length, slots));
}

/* Counts fresh nodes up to where they are stored. True when that leaves one that is neither full nor in the exact
 * table. */
static bool add_fresh(counting *work, const verso_level_node *fresh, const tally *how_many, verso_level_node *stored) {
    const verso_levels *levels = work->levels;
    if (fresh->length == 1) {
        work->cost->repetition = verso_max_u64(work->cost->repetition, how_many->passes);
        return false;
    }
    if (!verso_levels_place(levels, fresh, stored)) {
        revolve_base(work, fresh->length, how_many);
        return false;
    }
    note_kept(work, stored, how_many);
    uint64_t row = levels->single ? 0 : verso_levels_row(levels, stored->tier, stored->slots);
    if (stored->price > 0)
        add(&work->full[row * levels->prices + stored->price], how_many);
    else if (stored->length <= levels->table_steps)
        add_exact(work, row, stored->length, how_many);
    else
        return true;
    return false;
}

/* The two parts of a stored node, or the one below it. True when one of them goes on the chain, as `next`. */
static bool add_parts(counting *work, const verso_level_node *node, const tally *how_many, verso_level_node *next,
                      tally *next_tally) {
    const verso_levels *levels = work->levels;
    verso_level_split split = {0};
    if (node->length > 1)
        split = verso_levels_split(levels, node);
    verso_level_node fresh = {.length = node->length - split.left, .price = split.right_price};
    *next_tally = *how_many;
    if (split.left == 0) {
        fresh.tier = node->tier > 0 ? node->tier - 1 : 0;
        fresh.slots = levels->tier[fresh.tier].capacity;
        return add_fresh(work, &fresh, how_many, next);
    }
    fresh.tier = node->tier;
    fresh.slots = node->slots - 1;
    work->cost->forward_steps += how_many->count * split.left;
    work->cost->reads[levels->id[node->tier]] += how_many->count;
    bool right_goes_on = add_fresh(work, &fresh, how_many, next);
    tally left_tally = {.count = how_many->count, .passes = how_many->passes + 1};
    uint64_t row = verso_levels_row(levels, node->tier, node->slots);
    if (split.left_price > 0) {
        add(&work->full[row * levels->prices + split.left_price], &left_tally);
    } else if (split.left <= levels->table_steps) {
        add_exact(work, row, split.left, &left_tally);
    } else {
        *next = (verso_level_node){.tier = node->tier, .slots = node->slots, .length = split.left};
        *next_tally = left_tally;
        return true;
    }
    return right_goes_on;
}

static void count_row(counting *work, uint64_t tier, uint64_t slots) {
    const verso_levels *levels = work->levels;
    uint64_t row = verso_levels_row(levels, tier, slots);
    verso_level_node unused;
    tally unused_tally;
    for (uint64_t t = levels->prices; t-- > 1;) {
        uint64_t cell = row * levels->prices + t;
        tally here = work->full[cell];
        verso_level_node node = {.tier = tier, .slots = slots, .length = levels->full_steps[cell], .price = t};
        if (here.count > 0)
            add_parts(work, &node, &here, &unused, &unused_tally);
    }
    for (uint64_t n = work->any_exact ? levels->table_steps : 0; n > 0; n--) {
        tally here = work->exact[row * (levels->table_steps + 1) + n];
        verso_level_node node = {.tier = tier, .slots = slots, .length = n};
        if (here.count > 0)
            add_parts(work, &node, &here, &unused, &unused_tally);
    }
}

static void count_all(counting *work, uint64_t steps) {
    const verso_levels *levels = work->levels;
    verso_level_node root = verso_levels_root(levels, steps);
    verso_level_node chain;
    tally here = {.count = 1};
    bool goes_on = add_fresh(work, &root, &here, &chain);
    while (goes_on) {
        verso_level_node next = {0};
        tally next_tally;
        goes_on = add_parts(work, &chain, &here, &next, &next_tally);
        chain = next;
        here = next_tally;
    }
    for (uint64_t k = levels->tiers; k-- > levels->free_base;)
        for (uint64_t m = levels->tier[k].capacity; m > 0; m--)
            count_row(work, k, m);
}

static void count_single(const verso_levels *levels, uint64_t steps, verso_cost *cost) {
    uint32_t id = levels->id[0];
    cost->forward_steps = (verso_wide)steps * (steps - 1) / 2;
    cost->writes[id] = 1;
    cost->reads[id] = steps - 1;
    cost->peak_slots[id] = 1;
    cost->repetition = steps - 1;
}

verso_status verso_levels_cost(const verso_levels *levels, uint64_t steps, verso_cost *cost, verso_error *error) {
    if (steps <= 1)
        return VERSO_OK;
    if (levels->single) {
        count_single(levels, steps, cost);
        return VERSO_OK;
    }
    counting work = {.levels = levels, .cost = cost};
    work.full = verso_alloc(levels->rows * (levels->prices + 1), sizeof *work.full);
    work.exact = verso_alloc(levels->rows * (levels->table_steps + 1), sizeof *work.exact);
    bool memory = work.full != NULL && work.exact != NULL;
    if (memory)
        count_all(&work, steps);
    verso_dealloc(work.full);
    verso_dealloc(work.exact);
    if (!memory)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory to predict the cost of levels");
    return VERSO_OK;
}
