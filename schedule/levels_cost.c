/* The cost of a multi-level schedule without walking it. The chain of nodes that are not full is followed; the
 * others are counted by class, from the top tier and its most slots downwards, so that a class is complete when it
 * is processed. Forward steps are counted at their end: a step is run as often as it is passed over on the way to a
 * part of the lowest tier, plus as often as revolve repeats it in that part. */
#include "base/alloc.h"
#include "base/status.h"
#include "schedule/cost.h"
#include "schedule/levels_full.h"
#include "schedule/revolve.h"

/* A class of equal nodes: their number, how often all of them together were passed over, and the maximum of one
 * node. */
typedef struct tally {
    verso__wide count;
    verso__wide passed;
    uint64_t passes;
} tally;

typedef struct exact_tally {
    tally nodes;
    uint64_t slots; /* the fewest slots that one of them has left */
} exact_tally;

typedef struct counting {
    const verso__levels *levels;
    verso__cost *cost;
    tally *below; /* full nodes below tier k, by tier and price */
    tally *fresh; /* full fresh nodes with the current tier and slots, by price */
    tally *fewer; /* full fresh nodes with one slot less */
    /* full stored nodes with the current slots; for a tier of many slots: capsules with any number of slots */
    tally *stored;
    tally *passed;           /* stored nodes left of these, with all parts of the price */
    exact_tally *exact;      /* by row of the exact tables and steps */
    verso__level_node chain; /* current node of the chain */
    tally chain_tally;
    bool continues; /* the chain continues */
} counting;

static void add(tally *class, const tally *more) {
    if (more->count == 0)
        return;
    class->count += more->count;
    class->passed += more->passed;
    class->passes = verso__max_u64(class->passes, more->passes);
}

/* Returns the class of `parts` parts of each node, all passed over `passes` times more than the node. */
static tally parts_of(const tally *nodes, verso__wide parts, uint64_t passes) {
    return (tally){.count = nodes->count * parts,
                   .passed = nodes->passed * parts + nodes->count * passes * parts,
                   .passes = nodes->passes + passes};
}

static void note_kept(counting *work, uint64_t tier, uint64_t slots, const tally *nodes) {
    uint32_t id = work->levels->id[tier];
    uint64_t in_use = work->levels->tier[tier].capacity - slots + 1;
    work->cost->writes[id] += nodes->count;
    work->cost->peak_slots[id] = verso__max_u64(work->cost->peak_slots[id], in_use);
}

static void note_read(counting *work, uint64_t tier, const tally *nodes) {
    work->cost->reads[work->levels->id[tier]] += nodes->count;
}

/* Counts nodes that are kept in no tier that costs something. */
static void reverse_base(counting *work, uint64_t length, const tally *nodes) {
    verso__cost one = {0};
    uint64_t repetition = 0;
    if (length > 1) {
        uint64_t slots = work->levels->tier[0].capacity;
        uint32_t id = work->levels->id[0];
        verso__revolve_cost(&one, 1, length, slots);
        repetition = verso__repetition(length, slots);
        work->cost->writes[id] += nodes->count * one.writes[0];
        work->cost->reads[id] += nodes->count * one.reads[0];
        work->cost->peak_slots[id] = verso__max_u64(work->cost->peak_slots[id], one.peak_slots[0]);
    }
    work->cost->forward_steps += nodes->count * one.forward_steps + nodes->passed * length;
    work->cost->repetition = verso__max_u64(work->cost->repetition, nodes->passes + repetition);
}

static tally *below_at(counting *work, uint64_t tier, uint64_t t) {
    return &work->below[tier * work->levels->full.prices + t];
}

/* ---- Full nodes of a tier of many slots (levels_full.c) ---- */

/* Adds the capsules of a fresh node of m slots, minus those of one of `fewer` slots, at its own price and at lower
 * ones. */
static void add_capsules(counting *work, uint64_t k, uint64_t m, uint64_t fewer, uint64_t t, const tally *nodes) {
    const verso__levels *levels = work->levels;
    verso__wide count = m - fewer;
    verso__wide of_m = (verso__wide)m - 1;
    verso__wide of_fewer = (verso__wide)fewer - 1; /* wraps around for 0, which the multiplication undoes */
    for (uint64_t i = 0; count > 0; i++) {
        tally capsules = parts_of(nodes, count, i);
        add(&work->stored[t], &capsules);
        if (t < levels->full.series || !verso__full_pays(levels, k, m, t - levels->full.series))
            break;
        t -= levels->full.series;
        of_m = of_m * (m + i) / (i + 2);
        of_fewer = of_fewer * (fewer + i) / (i + 2);
        count = of_m - of_fewer;
    }
}

static void note_used(counting *work, uint64_t tier, uint64_t slots) {
    tally none = {0};
    note_kept(work, tier, slots, &none);
}

/* Adds fresh nodes: what lies below them, and capsules. */
static void add_many(counting *work, uint64_t k, uint64_t m, uint64_t t, const tally *nodes) {
    add(below_at(work, k, t), nodes);
    if (m == 0 || !verso__full_pays(work->levels, k, m, t))
        return;
    note_used(work, k, 1);
    add_capsules(work, k, m, 0, t, nodes);
}

/* Adds nodes that are already stored: their capsules are not counted again. */
static void add_many_stored(counting *work, uint64_t k, uint64_t m, uint64_t t, const tally *nodes) {
    work->cost->writes[work->levels->id[k]] -= nodes->count;
    if (verso__full_pays(work->levels, k, m, t)) {
        add_many(work, k, m, t, nodes);
        return;
    }
    add(below_at(work, k, t), nodes);
    add(&work->stored[t], nodes);
}

/* Counts reads: each capsule is read for a part at each lower price at which that pays. */
static void count_many(counting *work, uint64_t k) {
    const verso__levels *levels = work->levels;
    tally passing[VERSO_SERIES_MAX] = {{0}};
    for (uint64_t t = levels->full.prices; t-- > 0;) {
        tally *left = &passing[t % levels->full.series];
        *left = parts_of(left, 1, left->count > 0);
        if (left->count > 0 && verso__full_read_pays(levels, k, 1, t)) {
            note_read(work, k, left);
            add(below_at(work, k, t), left);
        }
        work->cost->writes[levels->id[k]] += work->stored[t].count;
        add(left, &work->stored[t]);
    }
}

/* ---- Full nodes of a tier of few slots ---- */

/* Adds stored nodes of which `parts` parts have this price; what is left of these has the previous price. */
static void add_parts(counting *work, uint64_t k, uint64_t m, uint64_t t, uint64_t parts, tally *nodes) {
    const verso__levels *levels = work->levels;
    if (nodes->count == 0)
        return;
    tally rights = parts_of(nodes, parts, 0);
    tally left = parts_of(nodes, 1, parts);
    rights.passed += nodes->count * ((verso__wide)parts * (parts - 1) / 2);
    rights.passes += parts - 1;
    add(&work->fewer[t], &rights);
    work->cost->reads[levels->id[k]] += nodes->count * (parts - 1);
    *nodes = (tally){0};
    if (t < levels->full.series || !verso__full_read_pays(levels, k, m, t - levels->full.series))
        return;
    note_read(work, k, &left);
    add(&work->passed[t - levels->full.series], &left);
}

static void add_stored(counting *work, uint64_t k, uint64_t m, uint64_t word, tally nodes) {
    uint64_t t = word / work->levels->full.stride;
    if (verso__full_has_many(work->levels, k))
        add_many_stored(work, k, m, t, &nodes);
    else
        add_parts(work, k, m, t, word % work->levels->full.stride + 1, &nodes);
}

/* Decides which fresh nodes are kept and which are left to the lower tiers, then divides those that are kept. */
static void count_row(counting *work, uint64_t k, uint64_t m) {
    const verso__levels *levels = work->levels;
    for (uint64_t t = levels->full.prices; t-- > 0;) {
        tally *fresh = &work->fresh[t];
        if (fresh->count > 0 && verso__full_pays(levels, k, m, t)) {
            note_kept(work, k, m, fresh);
            add(&work->stored[t], fresh);
        } else {
            add(below_at(work, k, t), fresh);
        }
        *fresh = (tally){0};
        add_parts(work, k, m, t, 1, &work->stored[t]);
        add_parts(work, k, m, t, levels->full.stride, &work->passed[t]);
    }
    tally *empty = work->fresh;
    work->fresh = work->fewer;
    work->fewer = empty;
}

/* ---- Nodes that are not full ---- */

/* Adds fresh nodes up to where they are stored. */
static void add_fresh(counting *work, const verso__level_node *fresh, const tally *nodes) {
    const verso__levels *levels = work->levels;
    verso__level_node stored;
    if (fresh->length == 1 || !verso__levels_place(levels, fresh, &stored)) {
        reverse_base(work, fresh->length, nodes);
        return;
    }
    note_kept(work, stored.tier, stored.slots, nodes);
    work->continues = true;
    work->chain = stored;
    work->chain_tally = *nodes;
}

/* Counts the last n steps of a node, each recomputed from its capsule: n advances, each one step shorter than the
 * previous one. */
static void recompute_last(counting *work, uint64_t tier, uint64_t n, const tally *nodes) {
    if (n == 0)
        return;
    work->cost->reads[work->levels->id[tier]] += nodes->count * n;
    work->cost->forward_steps += nodes->count * ((verso__wide)n * (n - 1) / 2) + nodes->passed * n;
    work->cost->repetition = verso__max_u64(work->cost->repetition, nodes->passes + n - 1);
}

/* Counts all n steps of a node; the first needs no advance and no read. */
static void recompute_all(counting *work, uint64_t tier, uint64_t n, const tally *nodes) {
    recompute_last(work, tier, n, nodes);
    work->cost->reads[work->levels->id[tier]] -= nodes->count;
}

/* Follows the chain to the last node of a run, and counts what a full node of the run's price has left of it. */
static void follow_run(counting *work) {
    const verso__levels *levels = work->levels;
    const verso__level_node node = work->chain;
    uint64_t t = verso__levels_run(levels, &node, &work->chain);
    if (t == 0)
        return;
    add_capsules(work, node.tier, node.slots, work->chain.slots, t, &work->chain_tally);
    bool lefts_keep = verso__full_pays(levels, node.tier, 1, t - levels->full.series);
    note_used(work, node.tier, lefts_keep ? 1 : work->chain.slots);
}

/* Divides the chain's node of the current tier and slots: one part is full, the chain continues with the other. */
static void follow(counting *work) {
    const verso__levels *levels = work->levels;
    const verso__level_node node = work->chain;
    const tally nodes = work->chain_tally;
    work->continues = false;
    if (verso__levels_is_last(levels, &node)) {
        recompute_all(work, node.tier, node.length, &nodes);
        return;
    }
    if (verso__levels_goes_singly(levels, &node)) {
        uint64_t last = node.length - levels->table_steps;
        recompute_last(work, node.tier, last, &nodes);
        work->continues = true;
        work->chain.length = levels->table_steps;
        work->chain_tally = parts_of(&nodes, 1, last);
        return;
    }
    verso__level_split split = verso__levels_split(levels, &node);
    uint64_t t = split.right.price / levels->full.stride;
    if (split.right.price == 0)
        add_fresh(work, &split.right, &nodes);
    else if (verso__full_has_many(levels, node.tier))
        add_many(work, node.tier, split.right.slots, t, &nodes);
    else
        add(&work->fewer[t], &nodes);
    if (split.left == 0)
        return;
    note_read(work, node.tier, &nodes);
    tally left = parts_of(&nodes, 1, 1);
    if (split.left_price > 0) {
        add_stored(work, node.tier, node.slots, split.left_price, left);
        return;
    }
    if (split.left == 1) {
        reverse_base(work, 1, &left);
        return;
    }
    work->continues = true;
    work->chain = (verso__level_node){.tier = node.tier, .slots = node.slots, .length = split.left};
    work->chain_tally = left;
}

static void follow_while_at(counting *work, uint64_t tier, uint64_t least_slots) {
    while (work->continues && work->chain.length > work->levels->table_steps && work->chain.tier == tier &&
           work->chain.slots >= least_slots) {
        follow_run(work);
        follow(work);
    }
}

static void count_full(counting *work) {
    const verso__levels *levels = work->levels;
    uint64_t prices = levels->full.prices;
    for (uint64_t k = levels->tiers; k-- > levels->free_base;) {
        uint64_t slots = levels->tier[k].capacity;
        bool many = verso__full_has_many(levels, k);
        for (uint64_t t = 0; t < prices; t++) {
            work->stored[t] = work->passed[t] = work->fresh[t] = work->fewer[t] = (tally){0};
            if (k + 1 == levels->tiers)
                continue;
            work->fresh[t] = *below_at(work, k + 1, t);
            if (many && work->fresh[t].count > 0)
                add_many(work, k, slots, t, &work->fresh[t]);
        }
        for (uint64_t m = many ? 0 : slots; m > 0; m--) {
            follow_while_at(work, k, m);
            count_row(work, k, m);
        }
        for (uint64_t t = 0; t < prices && !many; t++)
            add(below_at(work, k, t), &work->fresh[t]);
        if (many) {
            follow_while_at(work, k, 1);
            count_many(work, k);
        }
    }
    for (uint64_t t = 0; t < prices; t++) {
        const tally *nodes = below_at(work, levels->free_base, t);
        if (nodes->count > 0)
            reverse_base(work, verso__full_below(levels, levels->free_base, t).steps, nodes);
    }
}

/* ---- Nodes of the exact tables ---- */

static void add_exact(counting *work, const verso__level_node *stored, const tally *nodes) {
    uint64_t row = verso__levels_row(work->levels, stored->tier, stored->slots);
    exact_tally *class = &work->exact[row * (work->levels->table_steps + 1) + stored->length];
    if (class->nodes.count == 0 || stored->slots < class->slots)
        class->slots = stored->slots;
    add(&class->nodes, nodes);
}

static void add_exact_fresh(counting *work, const verso__level_node *fresh, const tally *nodes) {
    verso__level_node stored;
    if (fresh->length == 1 || !verso__levels_place(work->levels, fresh, &stored)) {
        reverse_base(work, fresh->length, nodes);
        return;
    }
    note_kept(work, stored.tier, stored.slots, nodes);
    add_exact(work, &stored, nodes);
}

static void divide_exact(counting *work, uint64_t tier, uint64_t length, const exact_tally *class) {
    verso__level_node node = {.tier = tier, .slots = class->slots, .length = length};
    verso__level_split split = verso__levels_split(work->levels, &node);
    add_exact_fresh(work, &split.right, &class->nodes);
    if (split.left == 0)
        return;
    note_read(work, tier, &class->nodes);
    tally left = parts_of(&class->nodes, 1, 1);
    node.length = split.left;
    add_exact(work, &node, &left);
}

static void count_exact(counting *work) {
    const verso__levels *levels = work->levels;
    for (uint64_t k = levels->tiers; k-- > levels->free_base;)
        for (uint64_t m = levels->table_slots[k]; m > 0; m--)
            for (uint64_t n = levels->table_steps; n > 0; n--) {
                exact_tally class = work->exact[verso__levels_row(levels, k, m) * (levels->table_steps + 1) + n];
                if (class.nodes.count > 0)
                    divide_exact(work, k, n, &class);
            }
}

/* ---- The whole schedule ---- */

static void count_all(counting *work, uint64_t steps) {
    verso__level_node root = verso__levels_root(work->levels, steps);
    tally one = {.count = 1};
    add_fresh(work, &root, &one);
    count_full(work);
    if (!work->continues)
        return;
    add_exact(work, &work->chain, &work->chain_tally);
    count_exact(work);
}

verso_status verso__levels_cost(const verso__levels *levels, uint64_t steps, verso__cost *cost, verso_error *error) {
    if (steps <= 1)
        return VERSO_STATUS_OK;
    counting work = {.levels = levels, .cost = cost};
    tally one = {.count = 1};
    if (levels->single) {
        note_kept(&work, 0, levels->tier[0].capacity, &one);
        recompute_all(&work, 0, steps, &one);
        return VERSO_STATUS_OK;
    }
    uint64_t prices = levels->full.prices + 1;
    tally *classes = verso__alloc((levels->tiers + 3 + (levels->full.stride > 1)) * prices, sizeof *classes);
    work.exact = verso__alloc(levels->rows * (levels->table_steps + 1) + 1, sizeof *work.exact);
    bool memory = classes != NULL && work.exact != NULL;
    if (memory) {
        work.below = classes;
        work.fresh = classes + levels->tiers * prices;
        work.fewer = work.fresh + prices;
        work.stored = work.fewer + prices;
        work.passed = levels->full.stride > 1 ? work.stored + prices : work.stored;
        count_all(&work, steps);
    }
    verso__dealloc(classes);
    verso__dealloc(work.exact);
    if (!memory)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to predict the cost of levels");
    return VERSO_STATUS_OK;
}
