/* Checkpointed calls. While recording, a call whose site is on is not recorded: a snapshot of the program goes
 * to the tape instead, and the call is run without recording. When the reverse sweep comes to it, the program
 * is put back, and the call is recorded and reversed. So the tape holds snapshots and records in the order in
 * which they are needed, and its peak is the memory that a gradient takes. See sweep.h.
 *
 *   tape, after the call:    ... records | caller's reverse function, resume number | snapshot | note
 *   while it is reversed:    ... records | caller's reverse function, resume number | records of the callee
 *
 * The recording of a fixed point's step is reversed repeatedly, so a call in it must not be recorded over it. It is
 * recorded above, each time that the sweep comes to it:
 *
 *   ... records | caller's ... | snapshot | note | records ... | head | records of the callee
 *
 * The note says what precedes it: a snapshot, or none, if the callee was recorded nevertheless because its end
 * or its beginning was not in this recording. Recording code calls `enter` and `leave` around the call
 * (cc/reverse/callsite.c); reverse code runs verso__native_sweep_call instead of the callee's reverse function.
 * Snapshots are written and put back on the host's stack, because they contain the private stack. The sweep runs there,
 * too; its part of the stack is kept aside meanwhile.
 *
 * The size of a snapshot depends on the state of the program only, not on which other sites are on. So peaks
 * can be predicted to the byte. */
#include "native/sweep/inside.h"
#include "native/sweep/snapshot.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

verso__native_calls_state verso__native_calls_now;

/* The linker defines the bounds of the section with all call sites; NULL: there are none. */
extern verso__native_callsite __start_verso_callsites[] __attribute__((weak));
extern verso__native_callsite __stop_verso_callsites[] __attribute__((weak));

verso__native_callsite *verso__native_callsites(size_t *count) {
    *count = __start_verso_callsites != NULL ? (size_t)(__stop_verso_callsites - __start_verso_callsites) : 0;
    return __start_verso_callsites;
}

static bool any_is_on(void) {
    size_t count;
    const verso__native_callsite *sites = verso__native_callsites(&count);
    for (size_t i = 0; i < count; i++)
        if (sites[i].on)
            return true;
    return false;
}

void verso__native_calls_hold(void) {
    size_t count;
    verso__native_callsite *sites = verso__native_callsites(&count);
    for (size_t i = 0; i < count; i++)
        if (sites[i].on && sites[i].kind != VERSO_NATIVE_SITE_ALWAYS)
            sites[i].on = 0, sites[i].held = 1;
}

void verso__native_calls_release(void) {
    size_t count;
    verso__native_callsite *sites = verso__native_callsites(&count);
    for (size_t i = 0; i < count; i++)
        if (sites[i].held)
            sites[i].on = 1, sites[i].held = 0;
}

/* On the tape, after a call whose site is on. */
typedef struct note {
    void (*reverse)(void); /* the callee's reverse function */
    uint64_t size;         /* bytes of the snapshot before the note; 0: there is none, and the callee is recorded */
} note;

/* The part of the private stack on which the sweep is suspended, while a call is recorded there. */
static struct {
    char *bytes, *stack;
    size_t room;
} sweep_aside;

/* ---- The peak ---- */

static void note_peak(void) {
    size_t size = (size_t)(verso__native_now.tape - verso__native_tape());
    if (size > verso__native_calls_now.peak)
        verso__native_calls_now.peak = size;
}

/* ---- Recording: on the private stack ---- */

/* Returns when the private stack is resumed: once to run the call without recording, and once more to record it. */
static void suspend_before_call(const verso__native_callsite *site) {
    verso__native_calls_now.request = VERSO_NATIVE_CALL_ENTERED;
    verso__native_stack_suspend();
    verso__native_profile_resumed();
    verso__native_calls_now.entered = site->kind != VERSO_NATIVE_SITE_CALL;
}

void *verso__native_call_enter(verso__native_callsite *site, void *callee) {
    if (verso__native_calls_now.watch.cut.counting) {
        verso__native_calls_now.entered = site->kind != VERSO_NATIVE_SITE_CALL;
        return callee;
    }
    verso__native_profile_begin(site);
    verso__native_calls_now.site = site;
    verso__native_calls_now.callee = callee;
    verso__native_calls_now.depth++;
    if (site->effects != NULL && site->kind == VERSO_NATIVE_SITE_CALL)
        return (void *)(uintptr_t)verso__native_call_through;
    suspend_before_call(site);
    return callee;
}

/* Ends a call that was run without recording: the tape continues after its snapshot. Returns the snapshot's
 * size. */
static uint64_t end_advance(void) {
    verso__native_calls_now.watch.advanced += (uint64_t)(verso__native_now.tape - verso__native_calls_now.tape);
    verso__native_walk_move(verso__native_calls_now.tape - verso__native_now.tape);
    verso__native_calls_now.advancing = false;
    verso__native_set_mode(VERSO_NATIVE_RECORD);
    verso__native_now.tape = verso__native_calls_now.tape;
    if (verso__native_fixed_is_recorded())
        verso__native_now.tape_limit = verso__native_now.tape; /* the next safepoint sets it */
    return verso__native_calls_now.size;
}

/* Never resumed: the code after the call was reversed before. */
static void end_recording(void) {
    verso__native_calls_now.request = VERSO_NATIVE_CALL_RECORDED;
    verso__native_profile_recorded();
    verso__native_stack_suspend();
}

_Noreturn void verso__native_call_returned(void) {
    verso__native_calls_now.depth--;
    end_recording();
    abort();
}

void verso__native_call_leave(verso__native_callsite *site) {
    note after = {.reverse = verso__native_now.last};
    if (verso__native_calls_now.watch.cut.counting)
        return;
    if (verso__native_calls_now.advancing)
        after.size = end_advance();
    if (--verso__native_calls_now.depth == 0 && verso__native_calls_now.again)
        end_recording();
    memcpy(verso__native_now.tape, &after, sizeof after);
    verso__native_now.tape += sizeof after;
    verso__native_walk_move(sizeof after);
    verso__native_now.last = verso__native_sweep_call;
    note_peak();
    if (!verso__native_fixed_is_recorded())
        verso__native_offload_pass_if_due();
    verso__native_profile_leave(site);
}

char *verso__native_call_pass(char *tape) {
    if (verso__native_calls_now.tree != NULL)
        return verso__native_profile_pass(tape);
    if (verso__native_calls_now.advancing)
        return verso__native_calls_now.tape; /* the bytes are not used */
    verso__native_tape_pass(tape);
    return tape;
}

/* ---- Recording: on the host's stack ---- */

/* Returns true if the tape has room for a snapshot. */
static bool has_room(size_t size) {
    return size < (size_t)(verso__native_tape_end() - verso__native_now.tape);
}

static void fail_full(size_t size, verso_error *error) {
    verso__fail(error, VERSO_STATUS_NO_MEMORY,
                "the snapshot of a checkpointed call does not fit on the tape, which may take %llu bytes; raise "
                "tape_limit, or switch sites off",
                (unsigned long long)verso__native_tape_limit());
    verso__native_tape_set_full(true);
    verso__native_calls_now.missing = size;
}

static void remember_walk(void) {
    verso__native_calls_now.walk.at = *verso__native_place_now();
    verso__native_calls_now.walk.step = verso__native_walk_now.step;
    verso__native_calls_now.walk.forward = verso__native_walk_now.forward;
    verso__native_calls_now.walk.spent = verso__native_walk_now.spent;
    verso__native_calls_now.walk.boundary = verso__native_walk_now.boundary;
}

/* Writes a snapshot to the tape. Sets the place meanwhile, because capsules contain it. Returns its size; 0: it
 * failed. */
static size_t write_snapshot(verso_error *error) {
    verso__native_place at = *verso__native_place_now();
    *verso__native_place_now() = (verso__native_place){.step = 1};
    size_t size = (verso__native_capsule_size() + 15) / 16 * 16;
    bool fits = has_room(size + sizeof(note));
    if (!fits)
        fail_full(size, error);
    else if (verso__native_offload_snapshot(size, error) == VERSO_STATUS_OK)
        verso__native_capsule_write(verso__native_now.tape);
    else
        fits = false;
    *verso__native_place_now() = at;
    return fits ? size : 0;
}

static void read_snapshot(const char *bytes) {
    verso__native_place at = *verso__native_place_now();
    verso__native_capsule_read(bytes);
    *verso__native_place_now() = at;
}

/* From here on, the call is run without recording. Its snapshot of this size is on the tape. */
static void begin_advance(size_t size, bool small) {
    verso__native_profile_meet(verso__native_calls_now.site, size, small);
    verso__native_now.tape += size;
    verso__native_walk_move((ptrdiff_t)size);
    note_peak();
    verso__native_calls_now.snapshots++;
    verso__native_calls_now.size = size;
    verso__native_calls_now.tape = verso__native_now.tape;
    verso__native_calls_now.advancing = true;
    verso__native_set_mode(VERSO_NATIVE_ADVANCE);
}

/* Returns true if the recording must end at the call. A recording never ends within the step of a fixed point. */
static bool is_cut_here(void) {
    return !verso__native_fixed_is_recorded() && verso__native_profile_has_reached_limit(verso__native_now.tape);
}

/* Writes a snapshot and runs the call without recording. The program is suspended at the call. */
static verso__native_outcome advance_over_call(void) {
    if (is_cut_here()) {
        verso__native_calls_now.request = VERSO_NATIVE_CALL_CUT;
        return VERSO_NATIVE_SUSPENDED;
    }
    verso__native_walk_move(0);
    remember_walk();
    size_t size = write_snapshot(verso__native_failure_now());
    if (size == 0)
        return VERSO_NATIVE_FAILED;
    begin_advance(size, false);
    return verso__native_run_go();
}

/* ---- Recording: small snapshots, on the private stack ---- */

static void write_small_snapshot(size_t size) {
    verso_error *error = verso__native_failure_now();
    bool fits = has_room(size + sizeof(note));
    if (!fits)
        fail_full(size, error);
    if (!fits || verso__native_offload_snapshot(size, error) != VERSO_STATUS_OK) {
        verso_error failure = *error;
        verso__native_give_up(failure.status, "%s", failure.message);
    }
    verso__native_snapshot_write(verso__native_now.tape);
}

void *verso__native_call_reached(const verso__native_registers *registers, char *stack) {
    const verso__native_callsite *site = verso__native_calls_now.site;
    void *callee = verso__native_calls_now.callee;
    int before = errno;
    if (is_cut_here()) {
        verso__native_calls_now.request = VERSO_NATIVE_CALL_CUT;
        verso__native_stack_suspend();
        errno = before;
        return callee;
    }
    size_t size = verso__native_snapshot_size(site->effects, registers, stack, callee);
    if (size == 0) {
        suspend_before_call(site);
    } else {
        verso__native_calls_now.entered = false;
        verso__native_walk_move(0);
        remember_walk();
        write_small_snapshot(size);
        begin_advance(size, true);
    }
    errno = before;
    return callee;
}

bool verso__native_calls_rewind_partial(void) {
    if (!verso__native_calls_now.advancing)
        return false;
    verso__native_calls_now.advancing = false;
    verso__native_now.tape = verso__native_calls_now.tape - verso__native_calls_now.size;
    if (!verso__native_snapshot_is_small(verso__native_now.tape))
        verso__native_capsule_read(verso__native_now.tape);
    else if (verso__native_snapshot_enter(verso__native_now.tape, false, NULL) != VERSO_STATUS_OK)
        return false; /* cannot happen: only a call that is recorded again needs memory */
    *verso__native_place_now() = verso__native_calls_now.walk.at;
    verso__native_walk_now.step = verso__native_calls_now.walk.step;
    verso__native_walk_now.forward = verso__native_calls_now.walk.forward;
    verso__native_walk_now.spent = verso__native_calls_now.walk.spent;
    verso__native_walk_now.boundary = verso__native_calls_now.walk.boundary;
    verso__native_walk_reset_limit();
    return true;
}

verso__native_outcome verso__native_calls_go(verso__native_outcome outcome) {
    while (outcome == VERSO_NATIVE_SUSPENDED && verso__native_calls_now.request == VERSO_NATIVE_CALL_ENTERED) {
        verso__native_calls_now.request = VERSO_NATIVE_CALL_NONE;
        outcome = advance_over_call();
    }
    return outcome;
}

/* ---- Reversing ---- */

void verso__native_sweep_call(void) {
    note after;
    if (verso__native_offload_is_on() && verso__native_now.tape == verso__native_now.tape_stop)
        verso__native_offload_stop();
    verso__native_now.tape -= sizeof after;
    memcpy(&after, verso__native_now.tape, sizeof after);
    verso__native_now.next = after.reverse;
    verso__native_now.entry = 0;
    if (after.size == 0)
        return;
    verso__native_now.tape -= after.size;
    verso__native_profile_reverse();
    verso__native_calls_now.request = VERSO_NATIVE_CALL_REVERSED;
    verso__native_stack_suspend();
    verso__native_profile_sweep_resumed();
}

void verso__native_calls_cut(void) {
    /* the recording ends before the call that is run without recording, so the snapshot of that does not count as a
     * record of its caller */
    if (verso__native_calls_now.advancing)
        verso__native_calls_now.last = verso__native_now.tape;
    verso__native_calls_now.advancing = false;
    verso__native_calls_now.request = VERSO_NATIVE_CALL_NONE;
    note_peak();
    verso__native_profile_end();
}

/* Before the records of a call that is recorded above a protected recording. */
typedef struct above {
    char *snapshot, *unused;
    void (*reverse)(void); /* go_down, in the place of the caller's reverse function */
    uint64_t resume;
} above;
_Static_assert(sizeof(above) == VERSO_CALLTREE_ABOVE, "as predictions count it");

/* The reverse function after the first record of such a call: continues below, in the call's caller. */
static void go_down(void) {
    above head;
    memcpy(&head, verso__native_now.tape - offsetof(above, reverse), offsetof(above, reverse));
    verso__native_now.tape = head.snapshot - 2 * sizeof(uint64_t);
    memcpy(&verso__native_now.next, verso__native_now.tape, sizeof verso__native_now.next);
    memcpy(&verso__native_now.entry, verso__native_now.tape + sizeof(uint64_t), sizeof verso__native_now.entry);
}

/* Moves the tape to where the call is recorded whose snapshot it has reached. */
static verso_status choose_place(verso_error *error) {
    above head = {.snapshot = verso__native_now.tape, .reverse = go_down};
    if (head.snapshot >= verso__native_calls_now.protected)
        return VERSO_STATUS_OK;
    verso__native_now.tape = verso__native_calls_now.protected;
    if (!has_room(sizeof head)) {
        fail_full(sizeof head, error);
        return VERSO_STATUS_NO_MEMORY;
    }
    memcpy(verso__native_now.tape, &head, sizeof head);
    verso__native_now.tape += sizeof head;
    return VERSO_STATUS_OK;
}

/* Keeps aside the part of the private stack on which the sweep is suspended. */
static verso_status keep_sweep(verso_error *error) {
    char *stack = verso__native_stack_pointer();
    size_t size = (size_t)(verso__native_stack_top() - stack);
    if (size > sweep_aside.room) {
        char *bytes = verso__realloc(sweep_aside.bytes, size, 1);
        if (bytes == NULL)
            return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to run a checkpointed call again");
        sweep_aside.bytes = bytes;
        sweep_aside.room = size;
    }
    sweep_aside.stack = stack;
    memcpy(sweep_aside.bytes, stack, size);
    return VERSO_STATUS_OK;
}

static void resume_sweep(void) {
    memcpy(sweep_aside.stack, sweep_aside.bytes, (size_t)(verso__native_stack_top() - sweep_aside.stack));
    verso__native_stack_set_pointer(sweep_aside.stack);
}

void verso__native_calls_forget(void) {
    verso__dealloc(sweep_aside.bytes);
    memset(&sweep_aside, 0, sizeof sweep_aside);
}

/* Puts the program back to the beginning of the call whose snapshot the sweep has reached. */
static verso_status put_program_back(verso_error *error) {
    verso_status status = keep_sweep(error);
    if (status == VERSO_STATUS_OK && verso__native_snapshot_is_small(verso__native_now.tape))
        status = verso__native_snapshot_enter(verso__native_now.tape, true, error);
    else if (status == VERSO_STATUS_OK)
        read_snapshot(verso__native_now.tape);
    if (status != VERSO_STATUS_OK)
        return status;
    status = choose_place(error);
    if (status != VERSO_STATUS_OK)
        verso__native_snapshot_leave();
    return status;
}

/* Keeps the adjoints of the call's result while the call is recorded. */
verso_status verso__native_call_record(verso_error *error) {
    double result[VERSO_NATIVE_LEAVES];
    memcpy(result, verso__native_now.result, sizeof result);
    verso_status status = put_program_back(error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__native_calls_now.result = result;
    verso__native_calls_now.request = VERSO_NATIVE_CALL_NONE;
    verso__native_calls_now.again = true;
    verso__native_calls_now.depth = 1;
    verso__native_offload_prepare_recording();
    verso__native_now.tape_limit = verso__native_tape_next_check();
    verso__native_profile_put_back();
    verso__native_outcome outcome = verso__native_go(VERSO_NATIVE_RECORD);
    verso__native_snapshot_leave();
    bool cut = outcome == VERSO_NATIVE_SUSPENDED && verso__native_calls_now.request == VERSO_NATIVE_CALL_CUT;
    if (cut)
        verso__native_calls_cut();
    verso__native_calls_now.again = false;
    verso__native_calls_now.again_failed = outcome == VERSO_NATIVE_FAILED;
    verso__native_calls_now.result = NULL;
    if (cut)
        return VERSO_STATUS_SUSPENDED;
    if (outcome == VERSO_NATIVE_FAILED)
        return verso__native_failure(error);
    if (outcome == VERSO_NATIVE_ENDED || verso__native_calls_now.request != VERSO_NATIVE_CALL_RECORDED)
        return verso__native_report_divergence(error);
    verso__native_calls_now.request = VERSO_NATIVE_CALL_NONE;
    note_peak();
    verso__native_profile_end();
    memcpy(verso__native_now.result, result, sizeof result);
    verso__native_now.jump = 0; /* the call may have ended in a long jump that continues in its caller */
    resume_sweep();
    verso__native_now.next = verso__native_now.last;
    verso__native_now.entry = 0;
    return VERSO_STATUS_OK;
}

/* ---- A sweep with checkpointed calls ---- */

bool verso__native_calls_begin(void) {
    memset(&verso__native_calls_now, 0, sizeof verso__native_calls_now);
    verso__native_calls_now.on = any_is_on();
    return verso__native_calls_now.on;
}

/* The heap is tidied, so that it does not depend on earlier runs: snapshots leave out what is equal at the
 * beginning, and must have the same size in every run. (A walk takes its own capsules.) */
verso_status verso__native_calls_start(verso__native_calls *calls, verso_error *error) {
    verso__native_arena_tidy();
    verso_status status = verso__native_capsule_take(&calls->start, error);
    if (status == VERSO_STATUS_OK)
        verso__native_capsule_base(&calls->start, true);
    verso__native_calls_now.watch.image = calls->start.room;
    return status;
}

verso_status verso__native_calls_turn(verso__native_calls *calls, verso_error *error) {
    note_peak();
    verso__native_profile_end();
    if (verso__native_calls_now.snapshots == 0)
        return VERSO_STATUS_OK;
    *verso__native_place_now() = (verso__native_place){.step = 1, .ended = true};
    return verso__native_capsule_take(&calls->end, error);
}

void verso__native_calls_end(verso__native_calls *calls, verso_native_report *report) {
    if (calls->end.bytes != NULL)
        verso__native_capsule_restore(&calls->end);
    *verso__native_place_now() = (verso__native_place){0};
    verso__native_capsule_base(NULL, false);
    report->tape_bytes = verso__native_calls_now.peak;
    report->capsules = verso__native_calls_now.snapshots;
    report->peak_bytes += calls->start.room + calls->end.room;
    verso__native_capsule_free(&calls->start);
    verso__native_capsule_free(&calls->end);
}

bool verso__native_calls_are_on(void) {
    return verso__native_calls_now.on;
}

void verso__native_calls_watch(verso__calltree *tree) {
    verso__native_calls_now.on = true;
    verso__native_calls_now.tree = tree;
    verso__native_calls_now.last = verso__native_tape();
}
