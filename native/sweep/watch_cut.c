/* Profiles within limits of time and memory, and profiles that a signal interrupts. See watch.h.
 *
 * When a limit is reached, the current recording ends. Calls that were met and not recorded yet have their
 * snapshots on the tape, from the first to the last. The remaining time is spent on recording them in the order
 * of the reverse sweep, from the last to the first and each before those within it, but nothing is reversed: a
 * call is recorded only to measure it. Each of these recordings may take half of the remaining time and tape,
 * so that something is left for the calls within it. Calls that are not reached are cut off: the profile
 * describes a part of the run, and is exact for that part. If the first recording is cut, the rest of the run
 * is run without recording, to determine how large that part is. */
#include "native/sweep/inside.h"

#include "base/system.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <verso/run.h>

static struct {
    verso__native_profile_limits limits;
    volatile sig_atomic_t signal; /* the signal that came during the profile; 0: none */
    double signalled;             /* when it came, in seconds of verso__now */
    struct sigaction handlers[2]; /* the program's handlers */
} cut_state;

void verso__native_profile_set_limits(verso__native_profile_limits limits) {
    cut_state.limits = limits;
}

/* Ticks after which the clock is read again: a millisecond or two. */
enum { CLOCK_TICKS = 1 << 22 };
/* Shares of the permitted seconds: until the first recording is cut, until counting the rest of the run ends,
 * and until reversing ends. And the share of the tape for the first recording. */
static const double record_share = 0.25, count_share = 0.5, reverse_share = 0.75, tape_share = 0.875;
/* Maximum seconds that the profile continues after a signal. */
static const double grace = 3;
/* Seconds within which two signals count as one. */
static const double one_signal = 0.5;
static const int signals[] = {SIGINT, SIGTERM};
static const double draw_every = 0.2;

/* ---- Limits ---- */

/* Notes a signal. A second one ends the process, unless it comes with the first: a signal to a group of
 * processes reaches the program directly, and again through `verso profile`. */
static void note_signal(int number) {
    double now = verso__now();
    if (cut_state.signal != 0 && now > cut_state.signalled + one_signal) {
        struct sigaction usual = {.sa_handler = SIG_DFL};
        sigemptyset(&usual.sa_mask);
        sigaction(number, &usual, NULL);
        raise(number); /* delivered when this handler returns */
    }
    if (cut_state.signal == 0)
        cut_state.signalled = now;
    cut_state.signal = number;
}

static void catch_signals(void) {
    struct sigaction action = {.sa_handler = note_signal};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&action.sa_mask, signals[i]);
    cut_state.signal = 0;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, &cut_state.handlers[i]);
}

static double share(double part) {
    const verso__native_watch *watch = &verso__native_calls_now.watch;
    return watch->start.now + part * (watch->cut.end - watch->start.now);
}

void verso__native_profile_limit(void) {
    const verso__native_profile_limits *limits = &cut_state.limits;
    verso__native_watch *watch = &verso__native_calls_now.watch;
    if (!limits->on || verso__native_offload_is_on())
        return;
    uint64_t available = verso__native_available();
    watch->cut.on = true;
    watch->cut.end = limits->seconds > 0 ? watch->start.now + limits->seconds : INFINITY;
    watch->cut.recording = share(record_share);
    watch->cut.room = limits->memory > 0                   ? limits->memory
                      : available < VERSO_NATIVE_TAPE_SIZE ? available / 4 * 3
                                                           : VERSO_NATIVE_TAPE_SIZE;
    watch->cut.tape = verso__native_tape() + (uint64_t)(tape_share * (double)watch->cut.room);
    watch->cut.drawn = watch->start.now;
    verso__native_now.tape_limit = verso__native_tape(); /* the first safepoint sets it */
    catch_signals();
}

/* Clears the line of the progress bar, so that the next output starts on an empty line. */
static void end_line(void) {
    if (cut_state.limits.progress && isatty(STDERR_FILENO) &&
        verso__native_calls_now.watch.cut.drawn > verso__native_calls_now.watch.start.now)
        fprintf(stderr, "\r\x1b[K");
}

void verso__native_profile_unlimit(void) {
    if (!verso__native_calls_now.watch.cut.on)
        return;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &cut_state.handlers[i], NULL);
    end_line();
    verso__native_calls_now.watch.cut.on = false;
}

/* ---- Progress ---- */

/* Progress counts bytes: every byte that the run would record with all sites off is recorded once. */
static void draw(verso__native_watch *watch, double now, const char *tape) {
    if (!cut_state.limits.progress || now - watch->cut.drawn < draw_every)
        return;
    watch->cut.drawn = now;
    bool forward = watch->forward == 0;
    double done = watch->total > 0 ? (double)watch->recorded / (double)watch->total : 0;
    verso_progress progress = {.phase = forward ? VERSO_PHASE_FORWARD : VERSO_PHASE_REVERSE,
                               .steps = forward ? VERSO_UNKNOWN : watch->total,
                               .reached = watch->recorded,
                               .adjoint = forward ? VERSO_UNKNOWN : watch->total - watch->recorded,
                               .work_done = forward ? 0 : watch->recorded,
                               .work_total = forward ? 0 : watch->total,
                               .seconds = now - watch->start.now,
                               .seconds_left = forward || done <= 0 ? -1 : (now - watch->start.now) * (1 - done) / done,
                               .memory = (uint64_t)(tape - verso__native_tape())};
    verso_progress_bar(stderr, &progress);
}

static void interrupt(verso__native_watch *watch, double now) {
    watch->cut.interrupted = true;
    watch->cut.end = fmin(watch->cut.end, now + fmin(grace, (now - watch->start.now) / 2));
    watch->cut.recording = now;
}

bool verso__native_profile_has_reached_limit(const char *tape) {
    verso__native_watch *watch = &verso__native_calls_now.watch;
    uint64_t ticks = verso__native_ticks();
    if (!watch->cut.on)
        return false;
    if (tape > watch->cut.tape)
        return true;
    bool signalled = cut_state.signal != 0 && !watch->cut.interrupted;
    if (!signalled && ticks - watch->cut.checked < CLOCK_TICKS)
        return false;
    double now = verso__now();
    watch->cut.checked = ticks;
    draw(watch, now, tape);
    if (signalled)
        interrupt(watch, now);
    if (watch->forward > 0 && !watch->cut.counting && watch->cut.recording == share(record_share))
        watch->cut.recording = share(reverse_share); /* the first recording was not cut */
    return now >= watch->cut.recording;
}

/* ---- The rest ---- */

/* Limits the next recording to this time and this tape address. */
static void allow(verso__native_watch *watch, double until, char *tape) {
    watch->cut.recording = until;
    watch->cut.tape = tape;
    watch->cut.checked = 0;
}

/* Runs the rest of the run without recording, from where the first recording was cut, to measure its length.
 * Nothing of it is kept: the snapshots on the tape are below. */
static verso_status count_on(verso__native_watch *watch, verso_error *error) {
    bool advancing = verso__native_calls_now.advancing;
    uint64_t within = advancing ? watch->advanced : 0;
    verso__native_calls_cut();
    if (watch->cut.interrupted)
        return VERSO_STATUS_OK;
    verso__native_calls_hold();
    watch->cut.counting = true;
    watch->advanced = within;
    verso__native_calls_now.tape = verso__native_now.tape;
    verso__native_calls_now.advancing = true;
    allow(watch, share(count_share), (char *)UINTPTR_MAX);
    verso__native_outcome outcome = verso__native_go(VERSO_NATIVE_ADVANCE);
    watch->advanced += (uint64_t)(verso__native_now.tape - verso__native_calls_now.tape);
    watch->total += watch->advanced;
    watch->total_known = outcome == VERSO_NATIVE_ENDED;
    watch->forward = verso__thread_seconds() - watch->start.thread;
    watch->cut.counting = false;
    verso__native_calls_now.advancing = false;
    verso__native_calls_now.request = VERSO_NATIVE_CALL_NONE;
    verso__native_calls_release();
    return outcome == VERSO_NATIVE_FAILED ? verso__native_failure(error) : VERSO_STATUS_OK;
}

verso_status verso__native_profile_record_rest(verso_error *error) {
    verso__native_watch *watch = &verso__native_calls_now.watch;
    verso__calltree *tree = verso__native_calls_now.tree;
    verso_status status = VERSO_STATUS_OK;
    uint64_t where;
    verso__native_calls_now.protected = NULL; /* nothing is reversed any more */
    verso__calltree_stop_repeating(tree);
    watch->total_known = true;
    if (verso__native_calls_now.request == VERSO_NATIVE_CALL_CUT) {
        watch->total_known = false;
        status = count_on(watch, error);
    }
    if (watch->total > 0)
        verso__calltree_allow_partial(tree, (double)(verso__native_ticks() - watch->start.ticks) / (double)watch->total,
                                      watch->total);
    for (double now = verso__now();
         status == VERSO_STATUS_OK && now < watch->cut.end && verso__calltree_next(tree, &where); now = verso__now()) {
        uint64_t left = watch->cut.room > where ? watch->cut.room - where : 0;
        verso__native_now.tape = verso__native_tape() + where;
        allow(watch, isinf(watch->cut.end) ? watch->cut.end : now + (watch->cut.end - now) / 2,
              verso__native_now.tape + left / 2);
        verso__native_profile_reverse();
        status = verso__native_call_record(error);
        watch->awaits_sweep = false; /* no sweep follows */
        status = status == VERSO_STATUS_SUSPENDED ? VERSO_STATUS_OK : status;
    }
    verso__calltree_cut(tree);
    return status == VERSO_STATUS_OK ? VERSO_STATUS_SUSPENDED : status;
}
