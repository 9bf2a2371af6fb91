/* The reverse sweep in stretches that are cut at chosen safepoints, with which Verso checks itself. See
 * sweep.h.
 *
 * It is a walk whose steps are single safepoints (walk.c). A first run counts them. The beginning and the
 * chosen safepoints are points 0, 1, 2, ...; stretch i is from point i to the next, the last one to the end.
 * From the last stretch to the first: the program is brought to the stretch's point, recorded from there to the
 * next point, and the recording is reversed.
 *
 * Points are reached from capsules. There may be too many points for a capsule each, so capsules form a tree:
 * from the capsule at the beginning of a range of stretches, the run advances over the range once and leaves
 * capsules at a few points in between; then each part is treated in the same way, the last one first. A range
 * of n stretches with b parts per level takes log_b n runs, and b - 1 capsules for each level. */
#include "native/sweep/inside.h"

#include "base/alloc.h"
#include "base/system.h"

enum { LEVELS_MOST = 64, CAPSULES_MOST = 1 << 16 };
#define CAPSULE_BYTES_MOST (UINT64_C(1) << 30)

typedef struct plan {
    uint64_t *cuts; /* ordinals of the safepoints that are points 1, 2, ...; NULL: all safepoints are points */
    uint64_t stretches;
    uint64_t parts, levels;          /* parts of a range, and levels of the tree */
    verso__native_capsule *capsules; /* levels * (parts - 1) capsules */
    verso__native_capsule start, end;
    uint64_t safepoints;
    verso_native_report *report;
    verso_error *error;
} plan;

/* ---- Stretches ---- */

/* Returns the step after which the point is reached. The point after the last stretch is the run's end. */
static uint64_t step_of(const plan *plan, uint64_t point) {
    return point == plan->stretches          ? plan->safepoints + 1
           : plan->cuts != NULL && point > 0 ? plan->cuts[point - 1]
                                             : point;
}

static verso_status go_to(plan *plan, uint64_t point, bool recording) {
    uint64_t step = step_of(plan, point);
    bool ends = point == plan->stretches;
    verso_status status = verso__native_walk_to(ends ? VERSO_NATIVE_END : step, recording, plan->error);
    const verso__native_place *at = verso__native_place_now();
    if (status == VERSO_STATUS_OK && (at->step != step || at->ended != ends))
        return verso__native_report_divergence(plan->error);
    return status;
}

/* Reverses the stretches first ... first + count - 1. `from` is the capsule at point `first`. */
static verso_status range(plan *plan, uint64_t level, uint64_t first, uint64_t count,
                          const verso__native_capsule *from) {
    verso__native_capsule_restore(from);
    verso_status status = VERSO_STATUS_OK;
    if (count == 1) {
        status = go_to(plan, first + 1, true);
        return status == VERSO_STATUS_OK ? verso__native_walk_back(plan->error) : status;
    }
    verso__native_capsule *inner = plan->capsules + level * (plan->parts - 1);
    uint64_t step = (count + plan->parts - 1) / plan->parts, parts = (count + step - 1) / step;
    for (uint64_t i = 1; status == VERSO_STATUS_OK && i < parts; i++) {
        status = go_to(plan, first + i * step, false);
        if (status == VERSO_STATUS_OK)
            status = verso__native_capsule_take(&inner[i - 1], plan->error);
    }
    for (uint64_t i = parts; status == VERSO_STATUS_OK && i-- > 0;) {
        uint64_t begin = i * step, left = count - begin;
        status = range(plan, level + 1, first + begin, left < step ? left : step, i > 0 ? &inner[i - 1] : from);
    }
    return status;
}

/* ---- The plan ---- */

static uint64_t random_next(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Chooses job->cuts safepoints; each set of that size is equally likely. */
static verso_status choose_cuts(plan *plan, const verso__native_job *job) {
    uint64_t left = job->cuts < plan->safepoints ? job->cuts : plan->safepoints, state = job->seed;
    plan->stretches = left + 1;
    if (left == plan->safepoints)
        return VERSO_STATUS_OK;
    plan->cuts = verso__alloc(left, sizeof *plan->cuts);
    if (plan->cuts == NULL)
        return verso__fail(plan->error, VERSO_STATUS_NO_MEMORY, "no memory for %llu cuts", (unsigned long long)left);
    size_t chosen = 0;
    for (uint64_t ordinal = 1; left > 0; ordinal++) {
        if (random_next(&state) % (plan->safepoints - ordinal + 1) < left) {
            plan->cuts[chosen++] = ordinal;
            left--;
        }
    }
    return VERSO_STATUS_OK;
}

static bool reaches(uint64_t parts, uint64_t levels, uint64_t stretches) {
    uint64_t reached = 1;
    while (levels-- > 0 && reached < stretches)
        if (__builtin_mul_overflow(reached, parts, &reached))
            return true;
    return reached >= stretches;
}

/* Chooses the smallest number of levels whose capsules are affordable. Two parts per level reach any number of
 * stretches. */
static verso_status make_tree(plan *plan) {
    uint64_t size = verso__native_walk_now.measures.memory_most + verso__native_capsule_size();
    uint64_t budget = verso__machine_memory() / 8;
    budget = budget < CAPSULE_BYTES_MOST ? budget : CAPSULE_BYTES_MOST;
    uint64_t affordable = budget / (size + 1) < CAPSULES_MOST ? budget / (size + 1) : CAPSULES_MOST;
    do {
        plan->levels++;
        plan->parts = affordable / plan->levels + 1;
        plan->parts = plan->parts < 2 ? 2 : plan->parts > plan->stretches ? plan->stretches : plan->parts;
    } while (!reaches(plan->parts, plan->levels, plan->stretches) && plan->levels < LEVELS_MOST);
    if (plan->stretches < 2)
        return VERSO_STATUS_OK;
    plan->capsules = verso__alloc(plan->levels * (plan->parts - 1), sizeof *plan->capsules);
    if (plan->capsules == NULL)
        return verso__fail(plan->error, VERSO_STATUS_NO_MEMORY, "no memory for the list of capsules");
    return VERSO_STATUS_OK;
}

/* Runs from the beginning to the end, and counts the safepoints. Takes capsules at both: the first one to go
 * back to, the last one to leave the program's memory as the run leaves it. */
static verso_status first_run(plan *plan) {
    verso_status status = verso__native_capsule_take(&plan->start, plan->error);
    if (status == VERSO_STATUS_OK)
        status = verso__native_walk_to(VERSO_NATIVE_END, false, plan->error);
    if (status == VERSO_STATUS_OK)
        status = verso__native_require_recording(plan->error);
    if (status != VERSO_STATUS_OK)
        return status;
    plan->safepoints = plan->report->safepoints = verso__native_place_now()->step - 1;
    return verso__native_capsule_take(&plan->end, plan->error);
}

static size_t close_plan(plan *plan) {
    size_t bytes = plan->start.room + plan->end.room;
    uint64_t count = plan->capsules != NULL ? plan->levels * (plan->parts - 1) : 0;
    for (uint64_t i = 0; i < count; i++) {
        bytes += plan->capsules[i].room;
        verso__native_capsule_free(&plan->capsules[i]);
    }
    verso__native_capsule_free(&plan->start);
    verso__native_capsule_free(&plan->end);
    verso__dealloc(plan->capsules);
    verso__dealloc(plan->cuts);
    return bytes;
}

verso_status verso__native_cut_sweep(verso__native_job *job, verso_native_report *report, verso_error *error) {
    (void)job;
    plan plan = {.report = report, .error = error};
    verso__native_walk_begin(0);
    verso_status status = first_run(&plan);
    if (status == VERSO_STATUS_OK)
        status = choose_cuts(&plan, job);
    if (status == VERSO_STATUS_OK)
        status = make_tree(&plan);
    if (status == VERSO_STATUS_OK)
        status = range(&plan, 0, 0, plan.stretches, &plan.start);
    if (plan.end.bytes != NULL)
        verso__native_capsule_restore(&plan.end);
    report->steps = plan.safepoints + 1;
    report->recordings = plan.stretches;
    report->forward_steps = verso__native_walk_now.forward - report->steps;
    report->tape_bytes = verso__native_walk_now.measures.tape_most;
    report->seconds_forward = verso__native_walk_now.measures.seconds_forward;
    report->seconds_reverse = verso__native_walk_now.measures.seconds_reverse;
    report->peak_bytes += close_plan(&plan);
    verso__native_walk_end();
    return status;
}
