/* Checkpointed calls: while recording, a call whose site is on is not recorded. A snapshot of the program goes to the
 * tape instead, and the call is run without recording; when the reverse sweep comes to it, the program is put back, the
 * call is recorded then, and reversed. So the tape holds snapshots and records, in the order in which they are needed:
 * it is the one stack of paper 2, and its peak is what a gradient costs. See native.h.
 *
 *   tape, behind the call:   ... records | caller's reverse function, resume number | snapshot | note
 *   while it is reversed:    ... records | caller's reverse function, resume number | records of the callee
 *
 * The note says what is below it: a snapshot, or nothing, when the callee was recorded all the same because its end
 * was not in this recording or its beginning was not. Recording code calls `enter` and `leave` around the call
 * (cc/callsite.c), reverse code goes to verso_native_sweep_call instead of to the callee's reverse function. Snapshots
 * are written, and put back, from the host's stack, since they hold the private one.
 *
 * The size of a snapshot depends on where the program stands and on nothing else: not on which other sites are on. That
 * is what makes peaks predictable to the byte. */
#include "native/native.h"

#include <string.h>

/* Behind the sites of all object files, from the linker; NULL: there are none. */
extern verso_native_callsite __start_verso_callsites[] __attribute__((weak));
extern verso_native_callsite __stop_verso_callsites[] __attribute__((weak));

verso_native_callsite *verso_native_callsites(size_t *count) {
    *count = __start_verso_callsites != NULL ? (size_t)(__stop_verso_callsites - __start_verso_callsites) : 0;
    return __start_verso_callsites;
}

static bool any_is_on(void) {
    size_t count;
    const verso_native_callsite *sites = verso_native_callsites(&count);
    for (size_t i = 0; i < count; i++)
        if (sites[i].on)
            return true;
    return false;
}

void verso_native_calls_hold(void) {
    size_t count;
    verso_native_callsite *sites = verso_native_callsites(&count);
    for (size_t i = 0; i < count; i++)
        if (sites[i].on && sites[i].kind != VERSO_NATIVE_SITE_ALWAYS)
            sites[i].on = 0, sites[i].held = 1;
}

void verso_native_calls_release(void) {
    size_t count;
    verso_native_callsite *sites = verso_native_callsites(&count);
    for (size_t i = 0; i < count; i++)
        if (sites[i].held)
            sites[i].on = 1, sites[i].held = 0;
}

/* On the tape, behind a call whose site is on. */
typedef struct note {
    void (*reverse)(void); /* of the callee */
    uint64_t size;         /* of the snapshot below; 0: none, the callee is recorded */
} note;

/* ---- The peak ---- */

static void note_peak(void) {
    size_t size = (size_t)(verso_native_now.tape - verso_native_tape());
    if (size > verso_native_runtime.calls.peak)
        verso_native_runtime.calls.peak = size;
}

/* ---- Recording: on the private stack ---- */

void verso_native_call_enter(verso_native_callsite *site) {
    if (verso_native_runtime.fixed.depth != 0)
        verso_native_give_up(VERSO_INVALID,
                             "%s: the step of a fixed point calls %s, whose adjoint is in one piece and needs a "
                             "snapshot, but a step is reversed many times; give it an adjoint in two pieces "
                             "(VERSO_CUSTOM_ADJOINT).",
                             verso_native_runtime.fixed.where, site->callee);
    verso_native_profile_begin(site);
    verso_native_runtime.calls.site = site;
    verso_native_runtime.calls.depth++;
    verso_native_runtime.calls.request = VERSO_NATIVE_CALL_ENTERED;
    verso_native_stack_suspend(); /* once to go on without recording, and once more for recording */
    verso_native_runtime.calls.entered = site->kind != VERSO_NATIVE_SITE_CALL;
}

/* The call was run without being recorded: the tape goes on behind its snapshot. */
static uint64_t end_advance(void) {
    verso_native_walk_move(verso_native_runtime.calls.tape - verso_native_now.tape);
    verso_native_runtime.calls.advancing = false;
    verso_native_now.mode = VERSO_NATIVE_RECORD;
    verso_native_now.tape = verso_native_runtime.calls.tape;
    return verso_native_runtime.calls.size;
}

void verso_native_call_leave(verso_native_callsite *site) {
    note behind = {.reverse = verso_native_now.last};
    if (verso_native_runtime.calls.advancing)
        behind.size = end_advance();
    if (--verso_native_runtime.calls.depth == 0 && verso_native_runtime.calls.again) {
        verso_native_runtime.calls.request = VERSO_NATIVE_CALL_RECORDED;
        verso_native_profile_recorded();
        verso_native_stack_suspend(); /* for ever: what comes behind the call was reversed before */
    }
    memcpy(verso_native_now.tape, &behind, sizeof behind);
    verso_native_now.tape += sizeof behind;
    verso_native_walk_move(sizeof behind);
    verso_native_now.last = verso_native_sweep_call;
    note_peak();
    verso_native_offload_left();
    verso_native_profile_left(site);
}

char *verso_native_call_pass(char *tape) {
    if (verso_native_runtime.calls.advancing)
        return verso_native_runtime.calls.tape; /* nothing of it is used */
    verso_native_tape_look(tape);
    return tape;
}

/* ---- Recording: on the host's stack ---- */

/* Room for a snapshot, and for the next records until a safepoint looks. */
static bool has_room(size_t size) {
    return size < (size_t)(verso_native_runtime.tape.end - verso_native_now.tape);
}

static void fail_full(verso_error *error) {
    verso_fail(error, VERSO_NO_MEMORY,
               "the snapshot of a checkpointed call does not fit on the tape, which may take %llu bytes; raise "
               "tape_limit, or switch sites off.",
               (unsigned long long)verso_native_runtime.tape.limit);
    verso_native_runtime.tape.full = true;
}

static void remember_walk(void) {
    verso_native_runtime.calls.walk.at = verso_native_runtime.walk.at;
    verso_native_runtime.calls.walk.step = verso_native_runtime.walk.step;
    verso_native_runtime.calls.walk.forward = verso_native_runtime.walk.forward;
    verso_native_runtime.calls.walk.spent = verso_native_runtime.walk.spent;
    verso_native_runtime.calls.walk.boundary = verso_native_runtime.walk.boundary;
}

/* Capsules ask the walk where the program stands. 0: it cannot be written. */
static size_t write_snapshot(verso_error *error) {
    verso_native_place at = verso_native_runtime.walk.at;
    verso_native_runtime.walk.at = (verso_native_place){.step = 1};
    size_t size = (verso_native_capsule_size() + 15) / 16 * 16;
    bool fits = has_room(size + sizeof(note));
    if (!fits)
        fail_full(error);
    else if (verso_native_offload_snapshot(size, error) == VERSO_OK)
        verso_native_capsule_write(verso_native_now.tape);
    else
        fits = false;
    verso_native_runtime.walk.at = at;
    return fits ? size : 0;
}

static void read_snapshot(const char *bytes) {
    verso_native_place at = verso_native_runtime.walk.at;
    verso_native_capsule_read(bytes);
    verso_native_runtime.walk.at = at;
}

/* The program is suspended in front of a call. */
static verso_native_outcome advance_over_call(void) {
    verso_native_walk_move(0);
    remember_walk();
    size_t size = write_snapshot(&verso_native_runtime.failure);
    if (size == 0)
        return VERSO_NATIVE_FAILED;
    verso_native_profile_meet(verso_native_runtime.calls.site, size);
    verso_native_now.tape += size;
    verso_native_walk_move((ptrdiff_t)size);
    note_peak();
    verso_native_runtime.calls.snapshots++;
    verso_native_runtime.calls.size = size;
    verso_native_runtime.calls.tape = verso_native_now.tape;
    verso_native_runtime.calls.advancing = true;
    verso_native_now.mode = VERSO_NATIVE_ADVANCE;
    return verso_native_stack_go();
}

bool verso_native_calls_straighten(void) {
    if (!verso_native_runtime.calls.advancing)
        return false;
    verso_native_runtime.calls.advancing = false;
    verso_native_now.tape = verso_native_runtime.calls.tape - verso_native_runtime.calls.size;
    verso_native_capsule_read(verso_native_now.tape);
    verso_native_runtime.walk.at = verso_native_runtime.calls.walk.at;
    verso_native_runtime.walk.step = verso_native_runtime.calls.walk.step;
    verso_native_runtime.walk.forward = verso_native_runtime.calls.walk.forward;
    verso_native_runtime.walk.spent = verso_native_runtime.calls.walk.spent;
    verso_native_runtime.walk.boundary = verso_native_runtime.calls.walk.boundary;
    verso_native_walk_again();
    return true;
}

verso_native_outcome verso_native_calls_go(verso_native_outcome outcome) {
    while (outcome == VERSO_NATIVE_SUSPENDED && verso_native_runtime.calls.request == VERSO_NATIVE_CALL_ENTERED) {
        verso_native_runtime.calls.request = VERSO_NATIVE_CALL_NONE;
        outcome = advance_over_call();
    }
    return outcome;
}

/* ---- Reversing ---- */

void verso_native_sweep_call(void) {
    note behind;
    if (verso_native_runtime.offload != NULL && verso_native_now.tape == verso_native_now.tape_stop)
        verso_native_offload_stop();
    verso_native_now.tape -= sizeof behind;
    memcpy(&behind, verso_native_now.tape, sizeof behind);
    verso_native_now.next = behind.reverse;
    verso_native_now.entry = 0;
    if (behind.size == 0)
        return;
    verso_native_now.tape -= behind.size;
    verso_native_profile_reverse();
    verso_native_runtime.calls.request = VERSO_NATIVE_CALL_REVERSED;
    verso_native_stack_suspend(); /* for ever: whoever goes on begins anew */
}

/* The adjoints of the call's result wait in the state while it is recorded. */
verso_status verso_native_call_record(verso_error *error) {
    double result[VERSO_NATIVE_LEAVES];
    memcpy(result, verso_native_now.result, sizeof result);
    read_snapshot(verso_native_now.tape);
    verso_native_runtime.calls.result = result;
    verso_native_runtime.calls.request = VERSO_NATIVE_CALL_NONE;
    verso_native_runtime.calls.again = true;
    verso_native_runtime.calls.depth = 1;
    verso_native_offload_again();
    verso_native_now.tape_limit = verso_native_runtime.tape.look;
    verso_native_profile_again();
    verso_native_outcome outcome = verso_native_go(VERSO_NATIVE_RECORD);
    verso_native_runtime.calls.again = false;
    verso_native_runtime.calls.result = NULL;
    if (outcome == VERSO_NATIVE_FAILED)
        return verso_native_failure(error);
    if (outcome == VERSO_NATIVE_ENDED || verso_native_runtime.calls.request != VERSO_NATIVE_CALL_RECORDED)
        return verso_native_another_course(error);
    verso_native_runtime.calls.request = VERSO_NATIVE_CALL_NONE;
    note_peak();
    verso_native_profile_end();
    memcpy(verso_native_now.result, result, sizeof result);
    verso_native_now.jump = 0; /* it may have ended in one that goes on in its caller */
    verso_native_now.next = verso_native_now.last;
    verso_native_now.entry = 0;
    verso_native_profile_onwards();
    return VERSO_OK;
}

/* ---- A sweep with such calls ---- */

bool verso_native_calls_begin(void) {
    memset(&verso_native_runtime.calls, 0, sizeof verso_native_runtime.calls);
    verso_native_runtime.calls.on = any_is_on();
    return verso_native_runtime.calls.on;
}

/* At one go: a walk has its own. Snapshots leave out what is as it was here: so that they are as large in every run,
 * the heap must not remember the runs before. */
verso_status verso_native_calls_start(verso_native_calls *calls, verso_error *error) {
    verso_native_arena_tidy();
    verso_status status = verso_native_capsule_take(&calls->start, error);
    if (status == VERSO_OK)
        verso_native_capsule_base(&calls->start);
    verso_native_runtime.calls.watch.image = calls->start.room;
    return status;
}

verso_status verso_native_calls_turn(verso_native_calls *calls, verso_error *error) {
    note_peak();
    verso_native_profile_end();
    if (verso_native_runtime.calls.snapshots == 0)
        return VERSO_OK;
    verso_native_runtime.walk.at = (verso_native_place){.step = 1, .ended = true};
    return verso_native_capsule_take(&calls->end, error);
}

void verso_native_calls_end(verso_native_calls *calls, verso_native_report *report) {
    if (calls->end.bytes != NULL)
        verso_native_capsule_restore(&calls->end);
    verso_native_runtime.walk.at = (verso_native_place){0};
    verso_native_capsule_base(NULL);
    report->tape_bytes = verso_native_runtime.calls.peak;
    report->capsules = verso_native_runtime.calls.snapshots;
    report->peak_bytes += calls->start.room + calls->end.room;
    verso_native_capsule_free(&calls->start);
    verso_native_capsule_free(&calls->end);
}
