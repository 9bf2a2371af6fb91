/* The reverse sweep in stretches that are cut at chosen safepoints, by which Verso checks itself. See native.h.
 *
 * A walk whose steps are single safepoints (walk.c). A first run counts them. The chosen ones and the beginning are
 * points 0, 1, 2, ...; stretch i goes from point i to the next, the last one to the end. From the last stretch to the
 * first: the program is brought to its point, recorded from there to the next point, and the recording is reversed.
 *
 * Points are reached from capsules. There may be too many points for a capsule each, so capsules form a tree: from the
 * capsule at the beginning of a range of stretches the run advances over it once and leaves capsules at a few points in
 * between; then each part is treated the same way, the last one first. A range of n stretches with b parts takes log_b
 * n runs and as many times b - 1 capsules. */
#include "native/native.h"

#include "base/alloc.h"
#include "base/system.h"

enum { LEVELS_MOST = 64, CAPSULES_MOST = 1 << 16 };
#define CAPSULE_BYTES_MOST (UINT64_C(1) << 30)

typedef struct plan {
    uint64_t *cuts; /* ordinals of points 1, 2, ...; NULL: all */
    uint64_t stretches;
    uint64_t parts, levels;         /* of the tree */
    verso_native_capsule *capsules; /* levels times parts - 1 */
    verso_native_capsule start, end;
    uint64_t safepoints;
    verso_native_report *report;
} plan;

/* ---- Stretches ---- */

/* The step after which point `point` is reached; the last point but one is the run's end. */
static uint64_t step_of(const plan *plan, uint64_t point) {
    return point == plan->stretches          ? plan->safepoints + 1
           : plan->cuts != NULL && point > 0 ? plan->cuts[point - 1]
                                             : point;
}

static verso_status go_to(plan *plan, uint64_t point, bool recording) {
    uint64_t step = step_of(plan, point);
    bool ends = point == plan->stretches;
    verso_status status = verso_native_walk_to(ends ? VERSO_NATIVE_END : step, recording, &plan->report->error);
    const verso_native_place *at = &verso_native_runtime.walk.at;
    if (status == VERSO_OK && (at->step != step || at->ended != ends))
        return verso_native_another_course(&plan->report->error);
    return status;
}

/* Stretches first ... first + count - 1; `from` is the capsule at point `first`. */
static verso_status range(plan *plan, uint64_t level, uint64_t first, uint64_t count,
                          const verso_native_capsule *from) {
    verso_native_capsule_restore(from);
    verso_status status = VERSO_OK;
    if (count == 1) {
        status = go_to(plan, first + 1, true);
        return status == VERSO_OK ? verso_native_walk_back(&plan->report->error) : status;
    }
    verso_native_capsule *inner = plan->capsules + level * (plan->parts - 1);
    uint64_t step = (count + plan->parts - 1) / plan->parts, parts = (count + step - 1) / step;
    for (uint64_t i = 1; status == VERSO_OK && i < parts; i++) {
        status = go_to(plan, first + i * step, false);
        if (status == VERSO_OK)
            status = verso_native_capsule_take(&inner[i - 1], &plan->report->error);
    }
    for (uint64_t i = parts; status == VERSO_OK && i-- > 0;) {
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

/* So many of the safepoints, each set of them as likely as any other. */
static verso_status choose_cuts(plan *plan, const verso_native_options *options) {
    uint64_t left = options->cuts < plan->safepoints ? options->cuts : plan->safepoints, state = options->seed;
    plan->stretches = left + 1;
    if (left == plan->safepoints)
        return VERSO_OK;
    plan->cuts = verso_alloc(left, sizeof *plan->cuts);
    if (plan->cuts == NULL)
        return verso_fail(&plan->report->error, VERSO_NO_MEMORY, "no memory for %llu cuts.", (unsigned long long)left);
    size_t chosen = 0;
    for (uint64_t ordinal = 1; left > 0; ordinal++) {
        if (random_next(&state) % (plan->safepoints - ordinal + 1) < left) {
            plan->cuts[chosen++] = ordinal;
            left--;
        }
    }
    return VERSO_OK;
}

static bool reaches(uint64_t parts, uint64_t levels, uint64_t stretches) {
    uint64_t reached = 1;
    while (levels-- > 0 && reached < stretches)
        if (__builtin_mul_overflow(reached, parts, &reached))
            return true;
    return reached >= stretches;
}

/* The fewest levels whose capsules are affordable; with two parts a level, every number is reached. */
static verso_status make_tree(plan *plan) {
    uint64_t size = verso_native_runtime.walk.memory_most + verso_native_capsule_size();
    uint64_t budget = verso_machine_memory() / 8;
    budget = budget < CAPSULE_BYTES_MOST ? budget : CAPSULE_BYTES_MOST;
    uint64_t affordable = budget / (size + 1) < CAPSULES_MOST ? budget / (size + 1) : CAPSULES_MOST;
    do {
        plan->levels++;
        plan->parts = affordable / plan->levels + 1;
        plan->parts = plan->parts < 2 ? 2 : plan->parts > plan->stretches ? plan->stretches : plan->parts;
    } while (!reaches(plan->parts, plan->levels, plan->stretches) && plan->levels < LEVELS_MOST);
    if (plan->stretches < 2)
        return VERSO_OK;
    plan->capsules = verso_alloc(plan->levels * (plan->parts - 1), sizeof *plan->capsules);
    if (plan->capsules == NULL)
        return verso_fail(&plan->report->error, VERSO_NO_MEMORY, "no memory for the list of capsules.");
    return VERSO_OK;
}

/* From the beginning to the end, counting. The capsules at both are for going back to the one and for leaving the
 * program's memory as the run leaves it. */
static verso_status first_run(plan *plan) {
    verso_status status = verso_native_capsule_take(&plan->start, &plan->report->error);
    if (status == VERSO_OK)
        status = verso_native_walk_to(VERSO_NATIVE_END, false, &plan->report->error);
    if (status == VERSO_OK)
        status = verso_native_recorded(&plan->report->error);
    if (status != VERSO_OK)
        return status;
    plan->safepoints = plan->report->safepoints = verso_native_runtime.walk.at.step - 1;
    return verso_native_capsule_take(&plan->end, &plan->report->error);
}

static size_t close_plan(plan *plan) {
    size_t bytes = plan->start.room + plan->end.room;
    uint64_t count = plan->capsules != NULL ? plan->levels * (plan->parts - 1) : 0;
    for (uint64_t i = 0; i < count; i++) {
        bytes += plan->capsules[i].room;
        verso_native_capsule_free(&plan->capsules[i]);
    }
    verso_native_capsule_free(&plan->start);
    verso_native_capsule_free(&plan->end);
    verso_dealloc(plan->capsules);
    verso_dealloc(plan->cuts);
    return bytes;
}

verso_status verso_native_cut_sweep(verso_native_job *job, const verso_native_options *options,
                                    verso_native_report *report) {
    (void)job;
    plan plan = {.report = report};
    verso_native_walk_begin(0);
    verso_status status = first_run(&plan);
    if (status == VERSO_OK)
        status = choose_cuts(&plan, options);
    if (status == VERSO_OK)
        status = make_tree(&plan);
    if (status == VERSO_OK)
        status = range(&plan, 0, 0, plan.stretches, &plan.start);
    if (plan.end.bytes != NULL)
        verso_native_capsule_restore(&plan.end);
    report->steps = plan.safepoints + 1;
    report->recordings = plan.stretches;
    report->forward_steps = verso_native_runtime.walk.forward - report->steps;
    report->tape_bytes = verso_native_runtime.walk.tape_most;
    report->seconds_forward = verso_native_runtime.walk.seconds_forward;
    report->seconds_reverse = verso_native_runtime.walk.seconds_reverse;
    report->peak_bytes += close_plan(&plan);
    verso_native_walk_end();
    return status;
}
