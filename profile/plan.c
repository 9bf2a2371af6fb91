/* See plan.h. */
#include "profile/plan.h"

#include "base/alloc.h"
#include "base/wide.h"
#include "profile/profile.h"
#include "schedule/cost.h"

#include <math.h>
#include <string.h>
#include <verso/schedule.h>

/* The shortest step in bytes, the maximum number of steps, and bytes to add to the largest snapshot. Step lengths
 * are tried in ratios of 4/3. */
enum { LEAST_LEAF = 32 << 10, STEPS_MOST = 20000, STACK_SPARE = 4096 };
/* Maximum number of visited cells: about a second. */
static const uint64_t effort_most = 200000000;

/* A call that is being recorded, and its next cell. */
typedef struct recorded {
    uint32_t node, at;
} recorded;

typedef struct planner {
    const verso_profile *profile;
    const verso__calltree_node *nodes;
    const verso__calltree_cell *cells;
    size_t count;
    uint64_t total;                            /* bytes of recording of the whole run, with all sites off */
    uint64_t memory, largest, capsule, beside; /* bytes: budget; largest snapshot; for one capsule; for the rest */
    verso__calltree_level *full;               /* with all sites off */
    verso__calltree_level *levels;             /* with the current choice */
    recorded *stack;
    uint64_t effort;
} planner;

/* ---- What recording a step takes ---- */

typedef struct walk {
    uint64_t leaf, position; /* length of a step; position in the current step */
    uint64_t height, most;   /* current height of the stack, and its maximum */
    uint64_t fixed;          /* number of nested fixed points' steps at hand, in which no step of the schedule ends */
    uint64_t above;          /* maximum of what is recorded above the outermost of them */
} walk;

static void raise_peak(walk *w, uint64_t peak) {
    w->most = verso__max_u64(w->most, verso__add_u64(w->height, peak));
}

/* Records own records of a call; steps may end in them. */
static void record_own(walk *w, uint64_t bytes) {
    while (w->fixed == 0 && bytes >= w->leaf - w->position) {
        raise_peak(w, w->leaf - w->position);
        bytes -= w->leaf - w->position;
        w->height = w->position = 0;
    }
    w->position += bytes;
    raise_peak(w, bytes);
    w->height += bytes;
}

/* Records a call that begins and ends in the same step. */
static void record_whole(const planner *p, walk *w, const bool *on, uint32_t number) {
    const verso__calltree_node *node = &p->nodes[number];
    bool is_on = node->always || on[node->site];
    if (w->fixed == 0)
        raise_peak(w, p->levels[number].peak);
    else
        w->above = verso__max_u64(w->above, verso__calltree_above(&p->levels[number], is_on));
    w->position += p->full[number].height;
    w->height += is_on ? node->snapshot + VERSO_CALLTREE_NOTE : p->levels[number].height;
    raise_peak(w, 0);
}

/* Begins or ends a fixed point's step. A step of the schedule that would have ended there ends afterwards. */
static void pass_mark(walk *w, uint32_t mark) {
    w->fixed += mark == VERSO_CALLTREE_FIXED ? 1 : (uint64_t)-1;
    if (w->fixed > 0)
        return;
    raise_peak(w, w->above);
    w->above = 0;
    if (w->position >= w->leaf)
        w->height = w->position = 0;
}

/* Returns the maximum memory for recording a step of length `leaf`. p->levels must be those of the choice. */
static uint64_t tape_of(planner *p, const bool *on, uint64_t leaf) {
    walk w = {.leaf = leaf};
    size_t depth = 1;
    uint32_t root = (uint32_t)p->count - 1;
    p->stack[0] = (recorded){root, p->nodes[root].first};
    while (depth > 0) {
        recorded *top = &p->stack[depth - 1];
        p->effort++;
        if (top->at == VERSO_CALLTREE_NONE) {
            record_own(&w, p->nodes[top->node].after_on);
            depth--;
            continue;
        }
        const verso__calltree_cell *cell = &p->cells[top->at];
        record_own(&w, cell->before);
        top->at = cell->next;
        if (verso__calltree_is_mark(cell->node))
            pass_mark(&w, cell->node);
        else if (w.fixed > 0 || p->full[cell->node].height < leaf - w.position)
            record_whole(p, &w, on, cell->node);
        else
            p->stack[depth++] = (recorded){cell->node, p->nodes[cell->node].first};
    }
    return w.most;
}

/* ---- What a schedule takes ---- */

/* Predicts forward steps and capsule copies of an online schedule. Returns false if it is impossible. */
static bool count_steps(uint64_t steps, uint64_t slots, double *forward, double *copies) {
    verso_schedule_spec spec;
    verso_schedule *schedule = NULL;
    verso__cost cost;
    verso_schedule_spec_init(&spec, VERSO_KIND_ONLINE);
    spec.steps = steps;
    spec.slots = verso__min_u64(slots, steps);
    bool possible = verso_schedule_new(&spec, &schedule, NULL) == VERSO_STATUS_OK &&
                    verso__schedule_cost(schedule, &cost, NULL) == VERSO_STATUS_OK;
    verso_schedule_free(schedule);
    *forward = possible ? (double)cost.forward_steps : 0;
    *copies = possible ? (double)cost.writes[0] + (double)cost.reads[0] : 0;
    return possible;
}

static bool is_any_on(const planner *p, const bool *on) {
    for (size_t i = 0; i + 1 < p->count; i++)
        if (p->nodes[i].always || on[p->nodes[i].site])
            return true;
    return false;
}

/* Predicts the plan with steps of length `leaf` and keeps it in `best` if it is the fastest so far. `seconds` is
 * the duration of the choice in a single pass without fresh memory. */
static void try_length(planner *p, const bool *on, double seconds, uint64_t leaf, verso__planned *best) {
    uint64_t steps = p->total / leaf + 1;
    bool any_on = is_any_on(p, on);
    uint64_t tape = any_on ? tape_of(p, on, leaf) : leaf, spared = any_on ? tape + tape / 16 : tape;
    uint64_t least = verso__add_u64(verso__add_u64(p->beside, spared), p->capsule);
    double forward, copies;
    best->least = verso__min_u64(best->least, least);
    if (least > p->memory)
        return;
    uint64_t slots = (p->memory - p->beside - spared) / p->capsule;
    if (!count_steps(steps, slots, &forward, &copies))
        return;
    const verso__profile_run *run = &p->profile->run;
    slots = verso__min_u64(slots, steps);
    seconds += (1 + run->beyond) * run->forward * forward / (double)steps + run->copy * copies * (double)p->capsule +
               run->touch * ((double)tape + (double)slots * (double)p->capsule);
    if (best->fits && best->seconds <= seconds)
        return;
    memcpy(best->on, on, p->profile->count * sizeof *on);
    *best = (verso__planned){.fits = true,
                             .on = best->on,
                             .plan = {p->memory, leaf, spared, p->largest},
                             .steps = steps,
                             .slots = slots,
                             .tape = tape,
                             .bytes = p->beside + spared + slots * p->capsule,
                             .seconds = seconds,
                             .least = best->least};
}

/* Predicts a run without sites on that records in a single pass, except for a beginning that does not fit and is
 * run and recorded again (native/budget/pieces.c). */
static void try_mostly_single_pass(planner *p, const bool *off, verso__planned *best) {
    const verso__profile_run *run = &p->profile->run;
    uint64_t total = p->total, room = p->memory > p->beside ? p->memory - p->beside : 0;
    if (total <= room || total > room + room / 2)
        return;
    double again = (double)(total - room) / (double)total;
    double seconds =
        verso__profile_seconds(p->profile, again * (run->forward + run->seconds / 2), 0) + run->touch * (double)room;
    if (best->fits && best->seconds <= seconds)
        return;
    memcpy(best->on, off, p->profile->count * sizeof *off);
    *best = (verso__planned){.fits = true,
                             .on = best->on,
                             .plan = {.memory = p->memory},
                             .steps = 1,
                             .tape = room,
                             .bytes = p->memory,
                             .seconds = seconds,
                             .least = best->least};
}

static void try_choice(planner *p, const bool *on, verso__planned *best) {
    uint64_t total = p->full[p->count - 1].height;
    double seconds =
        verso__profile_seconds(p->profile, verso__calltree_predict(p->profile->tree, on, p->levels).seconds, 0);
    uint64_t shortest = verso__max_u64(LEAST_LEAF, p->total / STEPS_MOST + 1);
    for (uint64_t leaf = shortest; leaf <= total && p->effort < effort_most; leaf += leaf / 3)
        try_length(p, on, seconds, leaf, best);
}

static void improve(planner *p, bool *on, verso__planned *best) {
    for (double before = INFINITY; best->fits && best->seconds < before && p->effort < effort_most;) {
        before = best->seconds;
        for (size_t i = 0; i < p->profile->count; i++) {
            memcpy(on, best->on, p->profile->count * sizeof *on);
            on[i] = !on[i];
            try_choice(p, on, best);
        }
    }
}

/* ---- Finding the plan ---- */

/* Snapshots of calls may be smaller than capsules. */
static uint64_t largest_capsule(const planner *p) {
    uint64_t largest = p->profile->run.capsule;
    for (size_t i = 0; i < p->count; i++)
        largest = verso__max_u64(largest, p->nodes[i].snapshot);
    return largest;
}

static bool open_planner(planner *p, const bool *off) {
    const verso__calltree *tree = p->profile->tree;
    size_t cells;
    p->count = verso__calltree_count(tree);
    p->nodes = verso__calltree_nodes(tree);
    p->cells = verso__calltree_cells(tree, &cells);
    p->full = verso__alloc(p->count, sizeof *p->full);
    p->levels = verso__alloc(p->count, sizeof *p->levels);
    p->stack = verso__alloc(p->count + 1, sizeof *p->stack);
    if (p->full == NULL || p->levels == NULL || p->stack == NULL)
        return false;
    verso__calltree_predict(tree, off, p->full);
    p->total = p->full[p->count - 1].height;
    p->largest = largest_capsule(p) + STACK_SPARE; /* elsewhere the stack may be deeper */
    p->capsule = verso__plan_capsule(p->largest);
    p->beside = p->profile->run.divided + verso__plan_longer(p->memory);
    return true;
}

verso_status verso__plan_find(const verso_profile *profile, uint64_t memory, const verso__front *const *fronts,
                              size_t count, verso__planned *best) {
    planner p = {.profile = profile, .memory = memory};
    bool *on = verso__alloc(profile->count + 1, sizeof *on);
    *best = (verso__planned){.on = verso__alloc(profile->count + 1, sizeof *on), .least = UINT64_MAX};
    bool opened = on != NULL && best->on != NULL && open_planner(&p, on);
    if (opened) {
        if (!is_any_on(&p, on))
            try_mostly_single_pass(&p, on, best);
        try_choice(&p, on, best); /* no site on comes first: it takes the least effort */
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < fronts[i]->count; k++)
                try_choice(&p, fronts[i]->points[k].on, best);
        improve(&p, on, best);
    }
    verso__dealloc(on);
    verso__dealloc(p.full);
    verso__dealloc(p.levels);
    verso__dealloc(p.stack);
    return opened ? VERSO_STATUS_OK : VERSO_STATUS_NO_MEMORY;
}

void verso__plan_close(verso__planned *planned) {
    verso__dealloc(planned->on);
}
