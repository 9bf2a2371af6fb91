/* Walks: a run in steps, as schedules need it. See sweep.h.
 *
 * The run continues in mode ADVANCE or RECORD, and is suspended at the safepoint that ends a step. Steps have
 * equal bytes of tape: each ends at the first safepoint whose tape has reached `boundary`. The tape pointer
 * moves alike in both modes, so the steps are the same however often and in whichever mode they are run;
 * advancing resets the tape at each boundary, recording continues. Loops that record nothing lower
 * state.tape_limit instead, by a byte per iteration, which counts like tape.
 *
 * A reverse function that reaches the safepoint where the recording began stops and leaves its frame; the sweep
 * of the preceding recording continues there. That safepoint is recognised by three things: the tape is at the
 * recording's beginning, the safepoint is the same one, and so is the iteration of its loop. While nothing has
 * been recorded yet, a later safepoint can look the same; such safepoints are counted while recording and
 * skipped when reversing. */
#include "native/sweep/inside.h"
#include "native/sweep/ranks.h"

#include "base/system.h"

#include <math.h>
#include <string.h>

/* A growth is not measured in less than one part in SHORTEST of a step. */
enum { SHORTEST = 16 };

verso__native_walk_state verso__native_walk_now;

/* ---- At safepoints ---- */

static void set_limit(void) {
    char *limit = verso__native_walk_now.boundary - verso__native_walk_now.spent;
    if (verso__native_walk_now.watching)
        limit = verso__native_tape();
    if (verso__native_walk_now.recording && verso__native_tape_next_check() < limit)
        limit = verso__native_tape_next_check();
    verso__native_walk_now.limit = verso__native_now.tape_limit = limit;
}

/* Adds to `spent` what loops that record nothing have subtracted from state.tape_limit. */
static void settle_limit(void) {
    verso__native_walk_now.spent += (uint64_t)(verso__native_walk_now.limit - verso__native_now.tape_limit);
    verso__native_walk_now.limit = verso__native_now.tape_limit;
}

void verso__native_walk_move(ptrdiff_t bytes) {
    if (!verso__native_walk_now.on || verso__native_calls_now.again)
        return;
    if (!verso__native_fixed_is_recorded()) /* there, fixpoint.c sets state.tape_limit */
        settle_limit();
    verso__native_walk_now.boundary += bytes;
    if (verso__native_fixed_is_recorded())
        return;
    set_limit();
}

void verso__native_walk_reset_limit(void) {
    if (verso__native_walk_now.on && !verso__native_calls_now.again)
        set_limit();
}

static void begin_step(char *tape) {
    verso__native_walk_now.boundary = tape + verso__native_walk_now.leaf;
    verso__native_walk_now.spent = 0;
    set_limit();
}

/* Measures approximately: the stack is somewhat deeper when the run is suspended. */
static void measure(void) {
    verso__native_range heap = verso__native_arena_used();
    size_t stack = (size_t)(verso__native_stack_top() - (char *)__builtin_frame_address(0));
    size_t size = stack + (size_t)(heap.end - heap.begin);
    if (size > verso__native_walk_now.measures.memory_most)
        verso__native_walk_now.measures.memory_most = size;
    verso__native_stack_note_depth(stack);
}

static bool looks_like_start(uint64_t count, const verso__native_site *site) {
    const verso__native_place *start = &verso__native_walk_now.start;
    return site == start->site && count == start->count;
}

static void watch(const char *tape, uint64_t count, const verso__native_site *site) {
    if (tape == verso__native_now.tape_stop)
        verso__native_walk_now.repeats += looks_like_start(count, site);
    else
        verso__native_walk_now.watching = false;
}

static size_t measure_step(const char *tape) {
    size_t size = (size_t)(tape - (verso__native_walk_now.boundary - verso__native_walk_now.leaf));
    verso__native_walk_now.measures.steps++;
    verso__native_walk_now.measures.length += size + verso__native_walk_now.spent;
    if (size > verso__native_walk_now.measures.step_most)
        verso__native_walk_now.measures.step_most = size;
    return size;
}

/* Ends a step at this safepoint. Suspends the run if it was the last step to run. */
static char *pass_boundary(char *tape, uint64_t count, const verso__native_site *site) {
    measure();
    (void)measure_step(tape);
    verso__native_walk_now.forward++;
    if (++verso__native_walk_now.step == verso__native_walk_now.target) {
        *verso__native_place_now() =
            (verso__native_place){.step = verso__native_walk_now.step, .count = count, .site = site};
        verso__native_now.tape = tape;
        verso__native_stack_suspend();
        return verso__native_tape(); /* a resumed run begins a new tape in any mode */
    }
    if (!verso__native_walk_now.recording)
        tape = verso__native_tape();
    else if (verso__native_walk_now.watching)
        watch(tape, count, site);
    begin_step(tape);
    return tape;
}

char *verso__native_walk_pass(char *tape, uint64_t count, const verso__native_site *site) {
    settle_limit();
    if (verso__native_walk_now.recording && tape >= verso__native_tape_next_check())
        verso__native_tape_pass(tape);
    if (tape >= verso__native_walk_now.boundary - verso__native_walk_now.spent)
        return pass_boundary(tape, count, site);
    if (verso__native_walk_now.watching)
        watch(tape, count, site);
    set_limit();
    return tape;
}

int verso__native_walk_stop(uint64_t count, const verso__native_site *site) {
    if (!looks_like_start(count, site))
        return 0;
    if (verso__native_walk_now.repeats == 0)
        return 1;
    verso__native_walk_now.repeats--;
    return 0;
}

/* ---- Going ---- */

void verso__native_walk_begin(uint64_t leaf) {
    memset(&verso__native_walk_now, 0, sizeof verso__native_walk_now);
    *verso__native_place_now() = (verso__native_place){0};
    verso__native_stack_forget_depth();
    verso__native_tape_set_paced(true);
    verso__native_walk_now.on = true;
    verso__native_walk_now.leaf = leaf < VERSO_NATIVE_TAPE_SIZE ? leaf : VERSO_NATIVE_TAPE_SIZE;
    verso__native_tape_at(0);
}

void verso__native_walk_end(void) {
    verso__native_walk_now.on = false;
    verso__native_tape_set_paced(false);
    *verso__native_place_now() = (verso__native_place){0};
}

static void prepare(uint64_t step, bool recording) {
    const verso__native_place *at = verso__native_place_now();
    verso__native_walk_now.start = *at;
    verso__native_walk_now.step = at->step;
    verso__native_walk_now.target = step;
    verso__native_walk_now.recording = recording;
    verso__native_walk_now.watching = recording && at->step > 0;
    verso__native_walk_now.repeats = 0;
    verso__native_now.tape_stop = at->step > 0 ? verso__native_tape() : NULL;
    begin_step(verso__native_tape());
}

verso_status verso__native_walk_to(uint64_t step, bool recording, verso_error *error) {
    verso__native_place *at = verso__native_place_now();
    if (at->ended || at->step >= step)
        return VERSO_STATUS_OK;
    verso__native_mode mode = recording ? VERSO_NATIVE_RECORD : VERSO_NATIVE_ADVANCE;
    prepare(step, recording);
    verso__native_calls_now.missing = 0;
    verso__native_calls_now.again_failed = false;
    if (at->step == 0)
        verso__native_start(mode);
    double began = verso__now();
    verso__native_outcome outcome = verso__native_go(mode);
    while (outcome == VERSO_NATIVE_SUSPENDED && verso__native_calls_rewind_partial())
        outcome = verso__native_go(mode);
    verso__native_walk_now.measures.seconds_forward += verso__now() - began;
    if (outcome == VERSO_NATIVE_FAILED)
        return verso__native_failure(error);
    if (outcome == VERSO_NATIVE_ENDED) {
        settle_limit();
        verso__native_walk_now.measures.tape_last = measure_step(verso__native_now.tape);
        *at = (verso__native_place){.step = verso__native_walk_now.step + 1, .ended = true};
        verso__native_walk_now.forward++;
    }
    return VERSO_STATUS_OK;
}

static void note_most(size_t used) {
    if (used > verso__native_walk_now.measures.tape_most)
        verso__native_walk_now.measures.tape_most = used;
}

verso_status verso__native_walk_back(verso_error *error) {
    const verso__native_place *at = verso__native_place_now();
    note_most((size_t)(verso__native_now.tape - verso__native_tape()));
    if (at->ended) {
        verso_status turned = verso__native_ranks_turn(verso__native_job_now(), error);
        if (turned != VERSO_STATUS_OK)
            return turned;
        verso__native_seed(verso__native_job_now());
    }
    double began = verso__now();
    verso_status status = verso__native_reverse_tape(at->site, error);
    verso__native_walk_now.measures.seconds_reverse += verso__now() - began;
    note_most(verso__native_calls_now.peak); /* with calls that were recorded during the sweep */
    return status;
}

verso__native_recording verso__native_walk_keep(void) {
    return (verso__native_recording){.start = verso__native_walk_now.start,
                                     .at = *verso__native_place_now(),
                                     .repeats = verso__native_walk_now.repeats,
                                     .begin = verso__native_tape(),
                                     .end = verso__native_now.tape};
}

void verso__native_walk_take(const verso__native_recording *kept) {
    verso__native_walk_now.start = kept->start;
    *verso__native_place_now() = kept->at;
    verso__native_walk_now.repeats = kept->repeats;
    verso__native_tape_at((uint64_t)(kept->begin - verso__native_tape_start()));
    verso__native_now.tape_stop = kept->start.step > 0 ? kept->begin : NULL;
    verso__native_now.tape = kept->end;
}

const verso__native_walk_measures *verso__native_walk_measured(void) {
    return &verso__native_walk_now.measures;
}

double verso__native_walk_growth(void) {
    const verso__native_walk_state *walk = &verso__native_walk_now;
    const verso__native_calls_state *calls = &verso__native_calls_now;
    double leaf = (double)walk->leaf, done = (double)(walk->step - walk->start.step) * leaf;
    double used = (double)(verso__native_now.tape - verso__native_tape()) + (double)calls->missing;
    ptrdiff_t begun = verso__native_now.tape - (walk->boundary - walk->leaf);
    if (!calls->on || walk->leaf == 0)
        return 0;
    if (calls->again_failed) /* all was recorded, and then a call of it again */
        return (double)verso__native_tape_limit() / fmax(done, leaf);
    done += begun > 0 ? (double)begun : 0;
    return used / fmax(done, leaf / SHORTEST);
}

uint64_t verso__native_walk_leaf(void) {
    return verso__native_walk_now.leaf;
}

void verso__native_walk_set_leaf(uint64_t leaf) {
    verso__native_walk_now.leaf = leaf;
}
