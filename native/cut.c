/* The reverse sweep in stretches. See native.h.
 *
 * Safepoints have ordinals from 1 in the order in which the run passes them; while the sweep is cut each of them calls
 * verso_native_cut_pass. A first run counts them. The chosen ones and the beginning are points 0, 1, 2, ...; stretch i
 * goes from point i to the next, the last one to the end. From the last stretch to the first: the program is brought to
 * its point, recorded from there to the next point and suspended, and the recording is reversed. A reverse function
 * that has come to the safepoint where the stretch began stops and leaves its frame; the stretch before goes on there.
 *
 * Points are reached from capsules. There may be too many points for a capsule each, so capsules form a tree: from the
 * capsule at the beginning of a range of stretches the run advances over it once and leaves capsules at a few points in
 * between; then each part is treated the same way, the last one first. A range of n stretches with b parts takes log_b
 * n runs and as many times b - 1 capsules.
 *
 * While advancing, nothing is written to the tape, whose end goes back to its start at each safepoint.
 *
 * Where a stretch began is recognised by three things: the tape is at its start, the safepoint is the same one, and so
 * is the iteration of its loop. Where nothing is recorded in between, a later safepoint can look the same; those are
 * counted while recording and passed over when reversing. */
#include "native/native.h"

#include "base/alloc.h"
#include "base/system.h"

#include <string.h>

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

/* ---- At safepoints ---- */

/* About: the flow is here, and somewhat deeper when it is suspended. */
static void measure(void) {
    verso_native_range heap = verso_native_arena_used();
    size_t size =
        (size_t)(verso_native_stack_top() - (char *)__builtin_frame_address(0)) + (size_t)(heap.end - heap.begin);
    if (size > verso_native_runtime.cut.memory_most)
        verso_native_runtime.cut.memory_most = size;
}

char *verso_native_cut_pass(char *tape, uint64_t count, const verso_native_site *site) {
    verso_native_runtime.cut.forward++;
    if (++verso_native_runtime.cut.passed == verso_native_runtime.cut.target) {
        verso_native_runtime.cut.at_count = count;
        verso_native_runtime.cut.at_site = site;
        verso_native_now.tape = tape;
        verso_native_stack_suspend();
        return verso_native_tape(); /* whoever resumes it begins a new tape, whatever for */
    }
    if (!verso_native_runtime.cut.recording) {
        measure();
        return verso_native_tape();
    }
    if (tape >= verso_native_runtime.tape.look)
        verso_native_tape_look(tape);
    verso_native_runtime.cut.repeats += tape == verso_native_now.tape_stop &&
                                        site == verso_native_runtime.cut.start_site &&
                                        count == verso_native_runtime.cut.start_count;
    return tape;
}

int verso_native_cut_stop(uint64_t count, const verso_native_site *site) {
    if (site != verso_native_runtime.cut.start_site || count != verso_native_runtime.cut.start_count)
        return 0;
    if (verso_native_runtime.cut.repeats == 0)
        return 1;
    verso_native_runtime.cut.repeats--;
    return 0;
}

/* ---- Moving about in the run ---- */

static uint64_t ordinal_of(const plan *plan, uint64_t point) {
    return point == 0 ? 0 : plan->cuts != NULL ? plan->cuts[point - 1] : point;
}

static verso_status another_course(verso_error *error) {
    return verso_fail(
        error, VERSO_INVALID,
        "the run took another course when it was repeated: it depends on something that cannot be restored, "
        "as input, time, random numbers or memory of other libraries; differentiate it with cuts = 0.");
}

/* Lets the run go on to a safepoint (0: to its end). */
static verso_status go_to(plan *plan, uint64_t ordinal, bool recording) {
    verso_native_runtime.cut.recording = recording;
    verso_native_runtime.cut.target = ordinal;
    double began = verso_now();
    verso_native_outcome outcome = verso_native_go(recording ? VERSO_NATIVE_RECORD : VERSO_NATIVE_ADVANCE);
    plan->report->seconds_forward += verso_now() - began;
    if (outcome == VERSO_NATIVE_FAILED)
        return verso_native_failure(&plan->report->error);
    if (outcome != (ordinal == 0 ? VERSO_NATIVE_ENDED : VERSO_NATIVE_SUSPENDED))
        return another_course(&plan->report->error);
    return VERSO_OK;
}

/* At the beginning there is no stack yet. */
static verso_status take(plan *plan, verso_native_capsule *capsule) {
    capsule->ordinal = verso_native_runtime.cut.passed;
    capsule->count = verso_native_runtime.cut.at_count;
    capsule->site = verso_native_runtime.cut.at_site;
    return verso_native_capsule_take(capsule, capsule->ordinal > 0, &plan->report->error);
}

static void restore(const verso_native_capsule *capsule) {
    verso_native_capsule_restore(capsule);
    if (capsule->ordinal == 0)
        verso_native_start(VERSO_NATIVE_RECORD);
    verso_native_runtime.cut.passed = capsule->ordinal;
    verso_native_runtime.cut.at_count = capsule->count;
    verso_native_runtime.cut.at_site = capsule->site;
}

/* ---- Stretches ---- */

/* The run stands at the point where the stretch begins. */
static verso_status stretch(plan *plan, uint64_t point) {
    bool last = point + 1 == plan->stretches;
    verso_native_runtime.cut.start_count = verso_native_runtime.cut.at_count;
    verso_native_runtime.cut.start_site = verso_native_runtime.cut.at_site;
    verso_native_runtime.cut.repeats = 0;
    verso_native_now.tape_stop = point > 0 ? verso_native_tape() : NULL;
    verso_status status = go_to(plan, last ? 0 : ordinal_of(plan, point + 1), true);
    if (status != VERSO_OK)
        return status;
    if (last && verso_native_runtime.cut.passed != plan->safepoints)
        return another_course(&plan->report->error);
    size_t used = (size_t)(verso_native_now.tape - verso_native_tape());
    plan->report->tape_bytes = used > plan->report->tape_bytes ? used : plan->report->tape_bytes;
    if (last)
        verso_native_seed(verso_native_runtime.job);
    double began = verso_now();
    status = verso_native_reverse_tape(last ? NULL : verso_native_runtime.cut.at_site, &plan->report->error);
    plan->report->seconds_reverse += verso_now() - began;
    return status;
}

/* Stretches first ... first + count - 1; `from` is the capsule at point `first`. */
static verso_status range(plan *plan, uint64_t level, uint64_t first, uint64_t count,
                          const verso_native_capsule *from) {
    restore(from);
    if (count == 1)
        return stretch(plan, first);
    verso_native_capsule *inner = plan->capsules + level * (plan->parts - 1);
    uint64_t step = (count + plan->parts - 1) / plan->parts, parts = (count + step - 1) / step;
    verso_status status = VERSO_OK;
    for (uint64_t i = 1; status == VERSO_OK && i < parts; i++) {
        status = go_to(plan, ordinal_of(plan, first + i * step), false);
        if (status == VERSO_OK)
            status = take(plan, &inner[i - 1]);
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
    uint64_t size = verso_native_runtime.cut.memory_most + verso_native_capsule_size(false);
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
    verso_status status = take(plan, &plan->start);
    verso_native_start(VERSO_NATIVE_RECORD);
    if (status == VERSO_OK)
        status = go_to(plan, 0, false);
    if (status == VERSO_OK)
        status = verso_native_recorded(&plan->report->error);
    if (status == VERSO_OK)
        status = verso_native_capsule_take(&plan->end, false, &plan->report->error);
    plan->safepoints = plan->report->safepoints = verso_native_runtime.cut.passed;
    return status;
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
    memset(&verso_native_runtime.cut, 0, sizeof verso_native_runtime.cut);
    verso_native_runtime.cut.on = true;
    verso_native_now.tape_limit = NULL; /* every safepoint is beyond it */
    verso_status status = first_run(&plan);
    if (status == VERSO_OK)
        status = choose_cuts(&plan, options);
    if (status == VERSO_OK)
        status = make_tree(&plan);
    if (status == VERSO_OK)
        status = range(&plan, 0, 0, plan.stretches, &plan.start);
    if (plan.end.bytes != NULL)
        verso_native_capsule_restore(&plan.end);
    report->stretches = plan.stretches;
    report->forward_safepoints = verso_native_runtime.cut.forward;
    report->peak_bytes += close_plan(&plan);
    verso_native_runtime.cut.on = false;
    return status;
}
