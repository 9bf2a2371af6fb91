/* Walking through a run in steps: the program's side of every schedule. See native.h.
 *
 * The run goes on in mode ADVANCE or RECORD from where it stands, and is suspended at the safepoint that ends a step.
 * Steps have equal bytes of tape: each ends at the first safepoint whose tape has reached `boundary`. The tape's end
 * moves alike in both modes, so the steps are the same however often and in whichever mode they are taken; advancing
 * throws the tape away at each boundary, recording goes on behind it. Loops that record nothing lower state.tape_limit
 * instead, by a byte an iteration, which counts like tape.
 *
 * A reverse function that has come to the safepoint where the recording began stops and leaves its frame; the sweep of
 * the recording before goes on there. That safepoint is recognised by three things: the tape is at its start, the
 * safepoint is the same one, and so is the iteration of its loop. While nothing has been recorded yet, a later
 * safepoint can look the same; those are counted while recording and passed over when reversing. */
#include "native/native.h"

#include "base/system.h"

#include <string.h>

/* ---- At safepoints ---- */

static void set_limit(void) {
    char *limit = verso_native_runtime.walk.boundary - verso_native_runtime.walk.spent;
    if (verso_native_runtime.walk.watching)
        limit = verso_native_tape();
    if (verso_native_runtime.walk.recording && verso_native_runtime.tape.look < limit)
        limit = verso_native_runtime.tape.look;
    verso_native_runtime.walk.limit = verso_native_now.tape_limit = limit;
}

/* Loops that record nothing have lowered it. */
static void settle_limit(void) {
    verso_native_runtime.walk.spent += (uint64_t)(verso_native_runtime.walk.limit - verso_native_now.tape_limit);
    verso_native_runtime.walk.limit = verso_native_now.tape_limit;
}

void verso_native_walk_move(ptrdiff_t bytes) {
    if (!verso_native_runtime.walk.on || verso_native_runtime.calls.again)
        return;
    settle_limit();
    verso_native_runtime.walk.boundary += bytes;
    set_limit();
}

void verso_native_walk_again(void) {
    set_limit();
}

static void begin_step(char *tape) {
    verso_native_runtime.walk.boundary = tape + verso_native_runtime.walk.leaf;
    verso_native_runtime.walk.spent = 0;
    set_limit();
}

/* About: the flow is here, and somewhat deeper when it is suspended. */
static void measure(void) {
    verso_native_range heap = verso_native_arena_used();
    size_t stack = (size_t)(verso_native_stack_top() - (char *)__builtin_frame_address(0));
    size_t size = stack + (size_t)(heap.end - heap.begin);
    if (size > verso_native_runtime.walk.memory_most)
        verso_native_runtime.walk.memory_most = size;
    if (stack > verso_native_runtime.walk.stack_most)
        verso_native_runtime.walk.stack_most = stack;
}

static bool looks_like_start(uint64_t count, const verso_native_site *site) {
    const verso_native_place *start = &verso_native_runtime.walk.start;
    return site == start->site && count == start->count;
}

static void watch(const char *tape, uint64_t count, const verso_native_site *site) {
    if (tape == verso_native_now.tape_stop)
        verso_native_runtime.walk.repeats += looks_like_start(count, site);
    else
        verso_native_runtime.walk.watching = false;
}

static void measure_step(const char *tape) {
    size_t size = (size_t)(tape - (verso_native_runtime.walk.boundary - verso_native_runtime.walk.leaf));
    if (size > verso_native_runtime.walk.step_most)
        verso_native_runtime.walk.step_most = size;
}

/* The step that ends here is done. */
static char *pass_boundary(char *tape, uint64_t count, const verso_native_site *site) {
    measure();
    measure_step(tape);
    verso_native_runtime.walk.forward++;
    if (++verso_native_runtime.walk.step == verso_native_runtime.walk.target) {
        verso_native_runtime.walk.at =
            (verso_native_place){.step = verso_native_runtime.walk.step, .count = count, .site = site};
        verso_native_now.tape = tape;
        verso_native_stack_suspend();
        return verso_native_tape(); /* whoever resumes it begins a new tape, whatever for */
    }
    if (!verso_native_runtime.walk.recording)
        tape = verso_native_tape();
    else if (verso_native_runtime.walk.watching)
        watch(tape, count, site);
    begin_step(tape);
    return tape;
}

char *verso_native_walk_pass(char *tape, uint64_t count, const verso_native_site *site) {
    settle_limit();
    if (verso_native_runtime.walk.recording && tape >= verso_native_runtime.tape.look)
        verso_native_tape_look(tape);
    if (tape >= verso_native_runtime.walk.boundary - verso_native_runtime.walk.spent)
        return pass_boundary(tape, count, site);
    if (verso_native_runtime.walk.watching)
        watch(tape, count, site);
    set_limit();
    return tape;
}

int verso_native_walk_stop(uint64_t count, const verso_native_site *site) {
    if (!looks_like_start(count, site))
        return 0;
    if (verso_native_runtime.walk.repeats == 0)
        return 1;
    verso_native_runtime.walk.repeats--;
    return 0;
}

/* ---- Going ---- */

void verso_native_walk_begin(uint64_t leaf) {
    memset(&verso_native_runtime.walk, 0, sizeof verso_native_runtime.walk);
    verso_native_runtime.walk.on = true;
    verso_native_runtime.walk.leaf = leaf < VERSO_NATIVE_TAPE_SIZE ? leaf : VERSO_NATIVE_TAPE_SIZE;
    verso_native_tape_at(0);
}

void verso_native_walk_end(void) {
    verso_native_runtime.walk.on = false;
    verso_native_runtime.walk.at = (verso_native_place){0};
}

verso_status verso_native_another_course(verso_error *error) {
    return verso_fail(
        error, VERSO_INVALID,
        "the run took another course when it was repeated: it depends on something that cannot be restored, "
        "as memory of other libraries; differentiate it at one go.");
}

static void prepare(uint64_t step, bool recording) {
    const verso_native_place *at = &verso_native_runtime.walk.at;
    verso_native_runtime.walk.start = *at;
    verso_native_runtime.walk.step = at->step;
    verso_native_runtime.walk.target = step;
    verso_native_runtime.walk.recording = recording;
    verso_native_runtime.walk.watching = recording && at->step > 0;
    verso_native_runtime.walk.repeats = 0;
    verso_native_now.tape_stop = at->step > 0 ? verso_native_tape() : NULL;
    begin_step(verso_native_tape());
}

verso_status verso_native_walk_to(uint64_t step, bool recording, verso_error *error) {
    verso_native_place *at = &verso_native_runtime.walk.at;
    if (at->ended || at->step >= step)
        return VERSO_OK;
    verso_native_mode mode = recording ? VERSO_NATIVE_RECORD : VERSO_NATIVE_ADVANCE;
    prepare(step, recording);
    if (at->step == 0)
        verso_native_start(mode);
    double began = verso_now();
    verso_native_outcome outcome = verso_native_go(mode);
    while (outcome == VERSO_NATIVE_SUSPENDED && verso_native_calls_straighten())
        outcome = verso_native_go(mode);
    verso_native_runtime.walk.seconds_forward += verso_now() - began;
    if (outcome == VERSO_NATIVE_FAILED)
        return verso_native_failure(error);
    if (outcome == VERSO_NATIVE_ENDED) {
        measure_step(verso_native_now.tape);
        *at = (verso_native_place){.step = verso_native_runtime.walk.step + 1, .ended = true};
        verso_native_runtime.walk.forward++;
    }
    return VERSO_OK;
}

static void note_most(size_t used) {
    if (used > verso_native_runtime.walk.tape_most)
        verso_native_runtime.walk.tape_most = used;
}

verso_status verso_native_walk_back(verso_error *error) {
    const verso_native_place *at = &verso_native_runtime.walk.at;
    note_most((size_t)(verso_native_now.tape - verso_native_tape()));
    if (at->ended)
        verso_native_seed(verso_native_runtime.job);
    double began = verso_now();
    verso_status status = verso_native_reverse_tape(at->site, error);
    verso_native_runtime.walk.seconds_reverse += verso_now() - began;
    note_most(verso_native_runtime.calls.peak); /* with what was recorded on the way */
    return status;
}

verso_native_recording verso_native_walk_keep(void) {
    return (verso_native_recording){.start = verso_native_runtime.walk.start,
                                    .at = verso_native_runtime.walk.at,
                                    .repeats = verso_native_runtime.walk.repeats,
                                    .begin = verso_native_tape(),
                                    .end = verso_native_now.tape};
}

void verso_native_walk_take(const verso_native_recording *kept) {
    verso_native_runtime.walk.start = kept->start;
    verso_native_runtime.walk.at = kept->at;
    verso_native_runtime.walk.repeats = kept->repeats;
    verso_native_tape_at((uint64_t)(kept->begin - verso_native_address(VERSO_NATIVE_TAPE_AT)));
    verso_native_now.tape_stop = kept->start.step > 0 ? kept->begin : NULL;
    verso_native_now.tape = kept->end;
}
