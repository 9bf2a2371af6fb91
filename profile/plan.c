/* See plan.h. */
#include "profile/plan.h"

#include "base/alloc.h"
#include "base/wide.h"
#include "profile/profile.h"

#include <math.h>
#include <string.h>
#include <verso/schedule.h>

/* Steps are not shorter than this, nor are there more of them; lengths that are tried differ by a third. */
enum { LEAST_LEAF = 32 << 10, STEPS_MOST = 20000, STACK_SPARE = 4096 };
/* Cells of the tree that are looked at, about: a second's worth. */
static const uint64_t effort_most = 200000000;

/* A call that is being recorded, and what of it comes next. */
typedef struct recorded {
    uint32_t node, at;
} recorded;

typedef struct planner {
    const verso_profile *profile;
    const verso_calltree_node *nodes;
    const verso_calltree_cell *cells;
    size_t count;
    uint64_t memory, largest, capsule, beside;
    verso_calltree_level *full;   /* with all sites off */
    verso_calltree_level *levels; /* with those of the choice at hand on */
    recorded *stack;
    uint64_t effort;
} planner;

/* ---- What recording a step takes ---- */

typedef struct walk {
    uint64_t leaf, position; /* in the step */
    uint64_t height, most;   /* of the stack */
} walk;

static void rise(walk *w, uint64_t peak) {
    w->most = verso_max_u64(w->most, verso_add_u64(w->height, peak));
}

/* Own records, in which steps may end. */
static void record_own(walk *w, uint64_t bytes) {
    while (bytes >= w->leaf - w->position) {
        rise(w, w->leaf - w->position);
        bytes -= w->leaf - w->position;
        w->height = w->position = 0;
    }
    w->position += bytes;
    rise(w, bytes);
    w->height += bytes;
}

/* A call that begins and ends in one step. */
static void record_whole(const planner *p, walk *w, const bool *on, uint32_t number) {
    const verso_calltree_node *node = &p->nodes[number];
    rise(w, p->levels[number].peak);
    w->position += p->full[number].height;
    w->height += node->always || on[node->site] ? node->snapshot + VERSO_CALLTREE_NOTE : p->levels[number].height;
    rise(w, 0);
}

/* The most that a step of this length takes. p->levels are those of the choice. */
static uint64_t tape_of(planner *p, const bool *on, uint64_t leaf) {
    walk w = {.leaf = leaf};
    size_t depth = 1;
    uint32_t root = (uint32_t)p->count - 1;
    p->stack[0] = (recorded){root, p->nodes[root].first};
    while (depth > 0) {
        recorded *top = &p->stack[depth - 1];
        p->effort++;
        if (top->at == VERSO_CALLTREE_NONE) {
            record_own(&w, p->nodes[top->node].behind);
            depth--;
            continue;
        }
        const verso_calltree_cell *cell = &p->cells[top->at];
        record_own(&w, cell->before);
        top->at = cell->next;
        if (p->full[cell->node].height < leaf - w.position)
            record_whole(p, &w, on, cell->node);
        else
            p->stack[depth++] = (recorded){cell->node, p->nodes[cell->node].first};
    }
    return w.most;
}

/* ---- What a schedule takes ---- */

/* Forward steps, and copies of capsules. */
static bool count_steps(uint64_t steps, uint64_t slots, double *forward, double *copies) {
    verso_schedule_spec spec;
    verso_schedule *schedule = NULL;
    verso_cost cost;
    verso_schedule_spec_init(&spec, VERSO_KIND_ONLINE);
    spec.steps = steps;
    spec.slots = verso_min_u64(slots, steps);
    bool possible = verso_schedule_new(&spec, &schedule, NULL) == VERSO_OK &&
                    verso_schedule_cost(schedule, &cost, NULL) == VERSO_OK;
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

/* `seconds`: of the choice at one go, without fresh memory. */
static void try_length(planner *p, const bool *on, double seconds, uint64_t leaf, verso_planned *best) {
    uint64_t total = p->full[p->count - 1].height, steps = total / leaf + 1;
    bool any_on = is_any_on(p, on);
    uint64_t tape = any_on ? tape_of(p, on, leaf) : leaf, spared = any_on ? tape + tape / 16 : tape;
    uint64_t least = verso_add_u64(verso_add_u64(p->beside, spared), p->capsule);
    double forward, copies;
    best->least = verso_min_u64(best->least, least);
    if (least > p->memory)
        return;
    uint64_t slots = (p->memory - p->beside - spared) / p->capsule;
    if (!count_steps(steps, slots, &forward, &copies))
        return;
    const verso_profile_run *run = &p->profile->run;
    slots = verso_min_u64(slots, steps);
    seconds += run->forward * forward / (double)steps + run->copy * copies * (double)p->capsule +
               run->touch * ((double)tape + (double)slots * (double)p->capsule);
    if (best->fits && best->seconds <= seconds)
        return;
    memcpy(best->on, on, p->profile->count * sizeof *on);
    *best = (verso_planned){.fits = true,
                            .on = best->on,
                            .plan = {p->memory, leaf, spared, p->largest},
                            .steps = steps,
                            .slots = slots,
                            .tape = tape,
                            .bytes = p->beside + spared + slots * p->capsule,
                            .seconds = seconds,
                            .least = best->least};
}

/* With no site on: recorded at one go but for a beginning that does not fit, and is run and recorded again (native/
 * pieces.c). */
static void try_most_at_one_go(planner *p, const bool *off, verso_planned *best) {
    const verso_profile_run *run = &p->profile->run;
    uint64_t total = p->full[p->count - 1].height, room = p->memory > p->beside ? p->memory - p->beside : 0;
    if (total <= room || total > room + room / 2)
        return;
    double again = (double)(total - room) / (double)total;
    double seconds = verso_profile_seconds(p->profile, again * (run->forward + run->seconds / 2), room);
    if (best->fits && best->seconds <= seconds)
        return;
    memcpy(best->on, off, p->profile->count * sizeof *off);
    *best = (verso_planned){.fits = true,
                            .on = best->on,
                            .plan = {.memory = p->memory},
                            .steps = 1,
                            .tape = room,
                            .bytes = p->memory,
                            .seconds = seconds,
                            .least = best->least};
}

static void try_choice(planner *p, const bool *on, verso_planned *best) {
    uint64_t total = p->full[p->count - 1].height;
    double seconds =
        verso_profile_seconds(p->profile, verso_calltree_predict(p->profile->tree, on, p->levels).seconds, 0);
    uint64_t shortest = verso_max_u64(LEAST_LEAF, total / STEPS_MOST + 1);
    for (uint64_t leaf = shortest; leaf <= total && p->effort < effort_most; leaf += leaf / 3)
        try_length(p, on, seconds, leaf, best);
}

static void improve(planner *p, bool *on, verso_planned *best) {
    for (double before = INFINITY; best->fits && best->seconds < before && p->effort < effort_most;) {
        before = best->seconds;
        for (size_t i = 0; i < p->profile->count; i++) {
            memcpy(on, best->on, p->profile->count * sizeof *on);
            on[i] = !on[i];
            try_choice(p, on, best);
        }
    }
}

/* ---- All of it ---- */

static uint64_t largest_snapshot(const planner *p) {
    uint64_t largest = 0;
    for (size_t i = 0; i < p->count; i++)
        largest = verso_max_u64(largest, p->nodes[i].snapshot);
    return largest;
}

static bool open_planner(planner *p, const bool *off) {
    const verso_calltree *tree = p->profile->tree;
    size_t cells;
    p->count = verso_calltree_count(tree);
    p->nodes = verso_calltree_nodes(tree);
    p->cells = verso_calltree_cells(tree, &cells);
    p->full = verso_alloc(p->count, sizeof *p->full);
    p->levels = verso_alloc(p->count, sizeof *p->levels);
    p->stack = verso_alloc(p->count + 1, sizeof *p->stack);
    if (p->full == NULL || p->levels == NULL || p->stack == NULL)
        return false;
    verso_calltree_predict(tree, off, p->full);
    p->largest = largest_snapshot(p) + STACK_SPARE; /* other places may be deeper in the stack */
    p->capsule = verso_plan_capsule(p->largest);
    p->beside = p->profile->run.divided + verso_plan_longer(p->memory);
    return true;
}

verso_status verso_plan_find(const verso_profile *profile, uint64_t memory, const verso_front *const *fronts,
                             size_t count, verso_planned *best) {
    planner p = {.profile = profile, .memory = memory};
    bool *on = verso_alloc(profile->count + 1, sizeof *on);
    *best = (verso_planned){.on = verso_alloc(profile->count + 1, sizeof *on), .least = UINT64_MAX};
    bool opened = on != NULL && best->on != NULL && open_planner(&p, on);
    if (opened) {
        if (!is_any_on(&p, on))
            try_most_at_one_go(&p, on, best);
        try_choice(&p, on, best); /* none, first of all: it takes the least effort */
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < fronts[i]->count; k++)
                try_choice(&p, fronts[i]->points[k].on, best);
        improve(&p, on, best);
    }
    verso_dealloc(on);
    verso_dealloc(p.full);
    verso_dealloc(p.levels);
    verso_dealloc(p.stack);
    return opened ? VERSO_OK : VERSO_NO_MEMORY;
}

void verso_plan_close(verso_planned *planned) {
    verso_dealloc(planned->on);
}
