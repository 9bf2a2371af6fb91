/* Measures the calls of a gradient in which every site is on: how many bytes each records, and how long it
 * takes. See watch.h.
 *
 * The own records of a call are what the tape has grown by between two events: the beginning of its recording,
 * checkpointed calls in it, its end.
 *
 * Measuring must not cost more than what is measured. Times are ticks of the processor, which are converted to
 * seconds at the end from the duration of the whole profile. Of a site that is called very often, some calls
 * are measured, each for several. The cost of measuring is itself measured now and then and subtracted; so are
 * the time that other processes had the processor, and the cost of using fresh memory, which depends on the
 * choice of sites in another way. */
#include "native/sweep/inside.h"

#include "base/system.h"

#include <math.h>

/* The first calls of each site, and the first returns of the sweep to any call, are all measured; of the later
 * ones, one in MEASURED_ONE_IN, a prime, so that loops of any length are sampled evenly. The cost of one event
 * in EVENTS is measured. */
enum { MEASURED_ALL = 512, REVERSED_ALL = 8192, MEASURED_ONE_IN = 17, EVENTS = 16 };
/* Ticks, a fraction of a millisecond. During a longer interval, another process may have had the processor. */
enum { LONG = 1 << 20 };

/* ---- Watching ---- */

/* Returns the bytes that the tape has grown by since the previous event. */
static uint64_t grown(void) {
    verso__native_watch *watch = &verso__native_calls_now.watch;
    uint64_t bytes = (uint64_t)(verso__native_now.tape - verso__native_calls_now.last);
    verso__native_calls_now.last = verso__native_now.tape;
    if (!verso__calltree_repeats(verso__native_calls_now.tree))
        watch->recorded += bytes;
    if (!watch->turned)
        watch->total += bytes;
    return bytes;
}

static size_t number_of(const verso__native_callsite *site) {
    size_t count;
    return (size_t)(site - verso__native_callsites(&count));
}

/* Begins an event. Returns the ticks now; 0 if its cost is not measured. */
static uint64_t event_begins(void) {
    return verso__native_calls_now.watch.events++ % EVENTS == 0 ? verso__native_ticks() : 0;
}

static void event_ends(uint64_t began) {
    uint64_t ticks = began != 0 ? verso__native_ticks() - began : 0;
    if (ticks < LONG)
        verso__native_calls_now.watch.watched += EVENTS * (double)ticks;
}

/* Returns the ticks since `began`, without those of other processes, which are determined only for long
 * intervals. */
static uint64_t since_began(verso__native_watch *watch, uint64_t now) {
    uint64_t ticks = now - watch->began;
    if (ticks < LONG)
        return ticks;
    double clock = verso__now() - watch->start.now, all = (double)(verso__native_ticks() - watch->start.ticks);
    double stolen = clock - (verso__thread_seconds() - watch->start.thread);
    double lost = fmax(stolen - watch->stolen, 0) / clock * all;
    watch->stolen = stolen;
    return lost < (double)ticks ? ticks - (uint64_t)lost : 0;
}

/* Returns the number of calls that call `number` is measured for; 0: it is not measured. The first `all` calls
 * are measured for themselves. */
static uint64_t weight_of(uint64_t number, uint64_t all) {
    return number < all ? 1 : number % MEASURED_ONE_IN == 0 ? MEASURED_ONE_IN : 0;
}

void verso__native_profile_begin(const verso__native_callsite *site) {
    verso__native_watch *watch = &verso__native_calls_now.watch;
    if (verso__native_calls_now.tree == NULL)
        return;
    uint32_t *seen = &watch->seen[number_of(site)];
    watch->weight = weight_of(*seen, MEASURED_ALL);
    *seen = *seen < UINT32_MAX ? *seen + 1 : MEASURED_ALL;
    watch->began = watch->weight > 0 ? verso__native_ticks() : 0;
}

/* Returns the bytes of a snapshot that were written to memory which was not used before. */
static uint64_t fresh_bytes(verso__native_watch *watch, uint64_t size) {
    char *begin = verso__native_now.tape > watch->top ? verso__native_now.tape : watch->top;
    char *end = verso__native_now.tape + size;
    watch->top = end > begin ? end : begin;
    return end > begin ? (uint64_t)(end - begin) : 0;
}

/* Adds the cost of writing a snapshot. */
static void measure_snapshot(verso__native_watch *watch, uint64_t now, uint64_t size, bool small) {
    double ticks = (double)(watch->weight * (now - watch->began));
    watch->copied += small ? 0 : ticks;
    watch->bytes += small ? 0 : (double)(watch->weight * size);
    if (!verso__native_calls_now.again)
        watch->snapshots += ticks;
}

/* Determines what a capsule takes at a call with a small snapshot, because a schedule keeps such capsules (plan.h).
 * This is done less and less often, since it takes as long as copying the whole state. */
static void measure_whole(verso__native_watch *watch) {
    enum { ALWAYS_ONE_IN = 4096 };
    uint64_t number = watch->small++;
    if ((number & (number - 1)) != 0 && number % ALWAYS_ONE_IN != 0)
        return;
    verso__native_place at = *verso__native_place_now();
    *verso__native_place_now() = (verso__native_place){.step = 1, .ended = true}; /* without the stack, which runs */
    uint64_t began = verso__native_ticks(), size = verso__native_capsule_size();
    *verso__native_place_now() = at;
    uint64_t ticks = verso__native_ticks() - began;
    size += (uint64_t)(verso__native_stack_top() - (char *)__builtin_frame_address(0));
    watch->copied += ticks < LONG ? (double)ticks : 0;
    watch->bytes += ticks < LONG ? (double)size : 0;
    watch->largest = size > watch->largest ? size : watch->largest;
}

/* Ignores failures of the tree for lack of memory, which are reported at the end. */
void verso__native_profile_meet(const verso__native_callsite *site, uint64_t snapshot, bool small) {
    verso__native_watch *watch = &verso__native_calls_now.watch;
    verso__calltree *tree = verso__native_calls_now.tree;
    if (tree == NULL)
        return;
    uint64_t now = watch->weight > 0 ? verso__native_ticks() : 0, fresh = fresh_bytes(watch, snapshot);
    if (now != 0) {
        watch->began = now - since_began(watch, now);
        uint64_t touching = (uint64_t)(watch->touch * (double)fresh);
        touching = touching < now - watch->began ? touching : now - watch->began;
        watch->began += touching;
        if (!verso__native_calls_now.again)
            watch->snapshots += (double)(watch->weight * touching);
        measure_snapshot(watch, now, snapshot, small);
    }
    uint64_t whole = verso__native_ticks();
    if (small)
        measure_whole(watch);
    else
        watch->largest = snapshot > watch->largest ? snapshot : watch->largest;
    whole = verso__native_ticks() - whole;
    watch->watched += (double)whole;
    watch->advanced = 0;
    (void)verso__calltree_meet(tree, (uint32_t)number_of(site), grown(), snapshot);
    verso__calltree_set_place(tree, (uint64_t)(verso__native_now.tape - verso__native_tape()));
    if (now != 0) {
        uint64_t took = verso__native_ticks() - now;
        watch->watched += took - whole < LONG ? (double)(watch->weight * (took - whole)) : 0;
        watch->began += took;
    }
}

void verso__native_profile_leave(const verso__native_callsite *site) {
    verso__native_watch *watch = &verso__native_calls_now.watch;
    if (verso__native_calls_now.tree == NULL)
        return;
    if (watch->weight > 0)
        verso__calltree_add_seconds(verso__native_calls_now.tree,
                                    (double)(watch->weight * since_began(watch, verso__native_ticks())));
    if (!watch->turned)
        watch->total += watch->advanced;
    verso__calltree_set_whole(verso__native_calls_now.tree, watch->advanced);
    if (site->kind == VERSO_NATIVE_SITE_EITHER)
        verso__calltree_set_off_bytes(verso__native_calls_now.tree, verso__native_calls_now.instead);
    verso__native_calls_now.last = verso__native_now.tape;
}

void verso__native_profile_end(void) {
    if (verso__native_calls_now.tree == NULL)
        return;
    verso__native_watch *watch = &verso__native_calls_now.watch;
    if (!watch->turned)
        watch->forward = verso__thread_seconds() - watch->start.thread;
    uint64_t began = event_begins();
    (void)verso__calltree_end(verso__native_calls_now.tree, grown());
    watch->turned = true;
    event_ends(began);
}

void verso__native_profile_reverse(void) {
    verso__native_watch *watch = &verso__native_calls_now.watch;
    if (verso__native_calls_now.tree == NULL)
        return;
    watch->reverse_weight = weight_of(watch->reversed++, REVERSED_ALL);
    watch->began = watch->reverse_weight > 0 ? verso__native_ticks() : 0;
}

/* Adds the ticks since `began` to the call that is being recorded or was. */
static void add_ticks(uint64_t now) {
    verso__native_watch *watch = &verso__native_calls_now.watch;
    verso__calltree_add_restore_seconds(verso__native_calls_now.tree,
                                        (double)(watch->reverse_weight * since_began(watch, now)));
}

void verso__native_profile_put_back(void) {
    verso__native_watch *watch = &verso__native_calls_now.watch;
    verso__calltree *tree = verso__native_calls_now.tree;
    verso__native_calls_now.last = verso__native_now.tape;
    if (tree == NULL)
        return;
    uint64_t now = watch->reverse_weight > 0 ? verso__native_ticks() : 0, began = event_begins();
    (void)verso__calltree_descend(tree);
    event_ends(began);
    watch->awaits_program = now != 0;
    watch->recording = 0;
    if (now != 0)
        watch->began += verso__native_ticks() - now;
}

/* What it took to put the program back, and to switch stacks, is part of the cost of the site. */
void verso__native_profile_resumed(void) {
    verso__native_watch *watch = &verso__native_calls_now.watch;
    if (!watch->awaits_program)
        return;
    watch->awaits_program = false;
    watch->recording = verso__native_ticks();
    add_ticks(watch->recording);
}

void verso__native_profile_recorded(void) {
    verso__native_watch *watch = &verso__native_calls_now.watch;
    watch->awaits_sweep = verso__native_calls_now.tree != NULL && watch->reverse_weight > 0;
    if (!watch->awaits_sweep)
        return;
    uint64_t now = verso__native_ticks();
    watch->began = watch->recording;
    if (watch->recording != 0 && verso__calltree_repeats_call(verso__native_calls_now.tree))
        add_ticks(now); /* without the site, the call would not be recorded again */
    watch->began = now;
}

void verso__native_profile_sweep_resumed(void) {
    verso__native_watch *watch = &verso__native_calls_now.watch;
    if (watch->awaits_sweep)
        add_ticks(verso__native_ticks());
    watch->awaits_sweep = false;
}

void verso__native_profile_fixed_begin(void) {
    if (verso__native_calls_now.tree != NULL)
        (void)verso__calltree_mark(verso__native_calls_now.tree, VERSO_CALLTREE_FIXED, grown());
}

void verso__native_profile_fixed_end(void) {
    if (verso__native_calls_now.tree != NULL)
        (void)verso__calltree_mark(verso__native_calls_now.tree, VERSO_CALLTREE_FIXED_END, grown());
}

void verso__native_profile_fixed_sweep(uint64_t n) {
    if (verso__native_calls_now.tree != NULL)
        (void)verso__calltree_sweep(verso__native_calls_now.tree, n > 1);
}

void verso__native_profile_fixed_swept(void) {
    if (verso__native_calls_now.tree != NULL)
        (void)verso__calltree_swept(verso__native_calls_now.tree);
}

/* Bytes of tape after which a safepoint checks the limits. */
enum { CHECK_LIMITS = 1 << 20 };

/* Works alike while recording and while running without recording. After a profile was cut here, the run
 * continues, if at all, without recording. */
char *verso__native_profile_pass(char *tape) {
    verso__native_watch *watch = &verso__native_calls_now.watch;
    if (verso__native_calls_now.advancing) {
        watch->advanced += (uint64_t)(tape - verso__native_calls_now.tape);
        tape = verso__native_calls_now.tape;
    } else if (tape >= verso__native_tape_next_check())
        verso__native_tape_pass(tape);
    if (verso__native_profile_has_reached_limit(tape)) {
        verso__native_now.tape = tape;
        verso__native_calls_now.request = VERSO_NATIVE_CALL_CUT;
        verso__native_stack_suspend();
        tape = verso__native_calls_now.tape;
    }
    char *next = verso__native_tape_next_check();
    verso__native_now.tape_limit = watch->cut.on && next - tape > CHECK_LIMITS ? tape + CHECK_LIMITS : next;
    return tape;
}

verso__native_watch *verso__native_watch_now(void) {
    return &verso__native_calls_now.watch;
}
