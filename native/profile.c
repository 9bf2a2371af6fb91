/* Profiles: a gradient with every site on, watched. See native.h, verso/profile.h, and profile/tree.h for what follows
 * from it.
 *
 * Own records of a call are what the tape has grown by between two events: the beginning of its recording, calls that
 * are checkpointed, its end.
 *
 * Watching must not cost more than what is watched. Times are ticks of the processor, turned into seconds by what the
 * whole took in both. Of a site that is called very often some calls are measured, and each stands for several. What
 * watching itself takes is measured now and then, and taken off; so are the time that other processes had the processor
 * and what fresh memory takes, which depends on the choice in another way. */
#include "native/native.h"

#include "base/alloc.h"
#include "base/system.h"
#include "profile/plan.h"
#include "profile/profile.h"

#include <math.h>
#include <string.h>

/* Calls of a site that are all measured, and returns to calls of any; of those behind them one in so many, a prime, so
 * that loops of any length are gone through. And events of which one is measured. */
enum { MEASURED_ALL = 512, REVERSED_ALL = 8192, MEASURED_ONE_IN = 17, EVENTS = 16 };
/* Ticks, a fraction of a millisecond: longer ones may be because another process had the processor meanwhile. */
enum { LONG = 1 << 20 };

/* ---- Watching ---- */

/* Bytes of the tape since the event before. */
static uint64_t grown(void) {
    uint64_t bytes = (uint64_t)(verso_native_now.tape - verso_native_runtime.calls.last);
    verso_native_runtime.calls.last = verso_native_now.tape;
    return bytes;
}

static size_t number_of(const verso_native_callsite *site) {
    size_t count;
    return (size_t)(site - verso_native_callsites(&count));
}

/* Around what is done for an event: 0, when this one is not measured. */
static uint64_t event_begins(void) {
    return verso_native_runtime.calls.watch.events++ % EVENTS == 0 ? verso_native_ticks() : 0;
}

static void event_ends(uint64_t began) {
    uint64_t ticks = began != 0 ? verso_native_ticks() - began : 0;
    if (ticks < LONG)
        verso_native_runtime.calls.watch.watched += EVENTS * (double)ticks;
}

/* Ticks since `began`, without those of others. That is looked at when it may matter, which is seldom. */
static uint64_t since_began(verso_native_watch *watch, uint64_t now) {
    uint64_t ticks = now - watch->began;
    if (ticks < LONG)
        return ticks;
    double clock = verso_now() - watch->start.now, all = (double)(verso_native_ticks() - watch->start.ticks);
    double stolen = clock - (verso_thread_seconds() - watch->start.thread);
    double lost = fmax(stolen - watch->stolen, 0) / clock * all;
    watch->stolen = stolen;
    return lost < (double)ticks ? ticks - (uint64_t)lost : 0;
}

/* How many calls the one with this number stands for; 0: it is not measured. */
static uint64_t weight_of(uint64_t number, uint64_t all) {
    return number < all ? 1 : number % MEASURED_ONE_IN == 0 ? MEASURED_ONE_IN : 0;
}

void verso_native_profile_begin(const verso_native_callsite *site) {
    verso_native_watch *watch = &verso_native_runtime.calls.watch;
    if (verso_native_runtime.calls.tree == NULL)
        return;
    uint32_t *seen = &watch->seen[number_of(site)];
    watch->weight = weight_of(*seen, MEASURED_ALL);
    *seen = *seen < UINT32_MAX ? *seen + 1 : MEASURED_ALL;
    watch->began = watch->weight > 0 ? verso_native_ticks() : 0;
}

/* Bytes of a snapshot that were written to memory which was not used before. */
static uint64_t fresh_bytes(verso_native_watch *watch, uint64_t size) {
    char *begin = verso_native_now.tape > watch->top ? verso_native_now.tape : watch->top;
    char *end = verso_native_now.tape + size;
    watch->top = end > begin ? end : begin;
    return end > begin ? (uint64_t)(end - begin) : 0;
}

/* The snapshot is written. */
static void measure_snapshot(verso_native_watch *watch, uint64_t now, uint64_t size) {
    double ticks = (double)(watch->weight * (now - watch->began));
    watch->copied += ticks;
    watch->bytes += (double)(watch->weight * size);
    if (!verso_native_runtime.calls.again)
        watch->snapshots += ticks;
}

/* No memory for the tree is found out at the end. */
void verso_native_profile_meet(const verso_native_callsite *site, uint64_t snapshot) {
    verso_native_watch *watch = &verso_native_runtime.calls.watch;
    verso_calltree *tree = verso_native_runtime.calls.tree;
    if (tree == NULL)
        return;
    uint64_t now = watch->weight > 0 ? verso_native_ticks() : 0, fresh = fresh_bytes(watch, snapshot);
    if (now != 0) {
        watch->began = now - since_began(watch, now);
        uint64_t touching = (uint64_t)(watch->touch * (double)fresh);
        touching = touching < now - watch->began ? touching : now - watch->began;
        watch->began += touching;
        if (!verso_native_runtime.calls.again)
            watch->snapshots += (double)(watch->weight * touching);
        measure_snapshot(watch, now, snapshot);
    }
    watch->largest = snapshot > watch->largest ? snapshot : watch->largest;
    (void)verso_calltree_meet(tree, (uint32_t)number_of(site), grown(), snapshot);
    if (now != 0) {
        uint64_t took = verso_native_ticks() - now;
        watch->watched += took < LONG ? (double)(watch->weight * took) : 0;
        watch->began += took;
    }
}

void verso_native_profile_left(const verso_native_callsite *site) {
    verso_native_watch *watch = &verso_native_runtime.calls.watch;
    if (verso_native_runtime.calls.tree == NULL)
        return;
    if (watch->weight > 0)
        verso_calltree_time(verso_native_runtime.calls.tree,
                            (double)(watch->weight * since_began(watch, verso_native_ticks())));
    if (site->kind == VERSO_NATIVE_SITE_EITHER)
        verso_calltree_instead(verso_native_runtime.calls.tree, verso_native_runtime.calls.instead);
    verso_native_runtime.calls.last = verso_native_now.tape;
}

void verso_native_profile_end(void) {
    if (verso_native_runtime.calls.tree == NULL)
        return;
    if (!verso_native_runtime.calls.again && verso_native_runtime.calls.watch.forward == 0) /* the turn */
        verso_native_runtime.calls.watch.forward =
            verso_thread_seconds() - verso_native_runtime.calls.watch.start.thread;
    uint64_t began = event_begins();
    (void)verso_calltree_end(verso_native_runtime.calls.tree, grown());
    event_ends(began);
}

void verso_native_profile_reverse(void) {
    verso_native_watch *watch = &verso_native_runtime.calls.watch;
    if (verso_native_runtime.calls.tree == NULL)
        return;
    watch->reverse_weight = weight_of(watch->reversed++, REVERSED_ALL);
    watch->began = watch->reverse_weight > 0 ? verso_native_ticks() : 0;
}

/* Since `began`, to the call that is being recorded or was. */
static void add_ticks(uint64_t now) {
    verso_native_watch *watch = &verso_native_runtime.calls.watch;
    verso_calltree_put_back(verso_native_runtime.calls.tree, (double)(watch->reverse_weight * since_began(watch, now)));
}

void verso_native_profile_again(void) {
    verso_native_watch *watch = &verso_native_runtime.calls.watch;
    verso_calltree *tree = verso_native_runtime.calls.tree;
    verso_native_runtime.calls.last = verso_native_now.tape;
    if (tree == NULL)
        return;
    uint64_t now = watch->reverse_weight > 0 ? verso_native_ticks() : 0, began = event_begins();
    if (verso_calltree_descend(tree) == VERSO_OK && now != 0)
        add_ticks(now);
    event_ends(began);
}

void verso_native_profile_recorded(void) {
    verso_native_watch *watch = &verso_native_runtime.calls.watch;
    if (verso_native_runtime.calls.tree != NULL && watch->reverse_weight > 0)
        watch->began = verso_native_ticks();
}

void verso_native_profile_onwards(void) {
    const verso_native_watch *watch = &verso_native_runtime.calls.watch;
    if (verso_native_runtime.calls.tree != NULL && watch->reverse_weight > 0)
        add_ticks(verso_native_ticks());
}

/* ---- Making one ---- */

/* Indices of verso_site_get instead of numbers in the program. */
static verso_status renumber(verso_calltree *tree, size_t count) {
    uint32_t *indices = verso_alloc(count + 1, sizeof *indices);
    if (indices == NULL)
        return VERSO_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        indices[verso_native_site_number(i)] = (uint32_t)i;
    verso_calltree_renumber(tree, indices);
    verso_dealloc(indices);
    return VERSO_OK;
}

static uint64_t input_bytes(const verso_native_job *job) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < job->wrt_count; i++)
        bytes += job->wrt[i].count * sizeof(double);
    return bytes;
}

/* Recording and reversing takes at least as many times what running takes. */
enum { LEAST_TIMES = 2 };

/* With all on it is what was measured: what all sites cost, watching them and fresh memory, is taken off that. On a
 * machine that others use, too, the calls may seem to take longer than all of it. */
static verso_status settle(verso_profile *profile, double seconds, double tick, const verso_native_report *report,
                           verso_error *error) {
    const verso_native_watch *watch = &verso_native_runtime.calls.watch;
    bool *on = verso_alloc(profile->count + 1, sizeof *on);
    if (on == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for the profile.");
    memset(on, true, profile->count * sizeof *on);
    verso_profile_cost all = verso_profile_predict(profile, on);
    verso_dealloc(on);
    uint64_t fresh = report->tape_bytes > watch->resident ? report->tape_bytes - watch->resident : 0;
    profile->run.touch = tick * watch->touch;
    profile->run.forward = fmax(watch->forward - tick * watch->snapshots, 0);
    double own = fmax(seconds - tick * watch->watched - profile->run.touch * (double)fresh, 0);
    double least = fmin(LEAST_TIMES * profile->run.forward, own / 2);
    if (own - all.seconds < least)
        verso_calltree_scale(profile->tree, (own - least) / all.seconds);
    profile->run.seconds = fmax(own - all.seconds, least);
    profile->run.copy = watch->bytes > 0 ? tick * watch->copied / watch->bytes : 0;
    profile->run.divided = verso_native_divided(watch->image, watch->largest, input_bytes(verso_native_runtime.job));
    if (all.peak_bytes != report->tape_bytes)
        return verso_fail(error, VERSO_CORRUPT,
                          "the profile of the calls is not that of the gradient: Verso has a bug.");
    return VERSO_OK;
}

void verso_native_profile_settle(const verso_native_options *options, const verso_native_report *report) {
    if (options->profile != NULL && *options->profile != NULL)
        (*options->profile)->run.beside = report->peak_bytes - report->tape_bytes;
}

/* Takes the tree over. `seconds`: of this thread; `tick`: in seconds. */
static verso_status finish(verso_calltree *tree, double seconds, double tick, const verso_site *sites, size_t count,
                           const verso_native_report *report, verso_profile **profile, verso_error *error) {
    verso_status status = verso_calltree_finish(tree);
    if (status == VERSO_OK)
        status = renumber(tree, count);
    verso_calltree_scale(tree, tick);
    if (status == VERSO_OK)
        *profile = verso_profile_new(tree, sites, count, &(verso_profile_run){0});
    else
        verso_calltree_free(tree);
    if (status == VERSO_STATE)
        return verso_fail(error, VERSO_CORRUPT,
                          "the profile of the calls is not that of the gradient: Verso has a bug.");
    if (*profile == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for the profile.");
    status = settle(*profile, seconds, tick, report, error);
    if (status != VERSO_OK) {
        verso_profile_free(*profile);
        *profile = NULL;
    }
    return status;
}

/* Bytes of the tape that are touched to see what that takes. */
enum { TOUCHED = 8 << 20 };

/* Behind what an earlier gradient has left there. */
static void look_at_memory(verso_native_watch *watch) {
    char *tape = verso_native_tape(), *end = verso_native_runtime.tape.end;
    watch->resident = verso_native_tape_resident();
    watch->top = tape + watch->resident;
    if (end < watch->top || end - watch->top < TOUCHED)
        return;
    double now = verso_now(), thread = verso_thread_seconds();
    uint64_t began = verso_native_ticks();
    for (size_t at = 0; at < TOUCHED; at += VERSO_NATIVE_PAGE)
        watch->top[at] = 0;
    double ticks = (double)(verso_native_ticks() - began);
    double share = (verso_thread_seconds() - thread) / (verso_now() - now); /* that others have left us */
    watch->touch = ticks * fmin(share, 1) / TOUCHED;
    verso_native_drop(watch->top, watch->top + TOUCHED);
}

/* With every site on; then they are as they were. *seconds: of this thread meanwhile; *tick: what one took, in seconds.
 */
static verso_status sweep(verso_native_job *job, const verso_native_options *options, verso_calltree *tree,
                          const verso_site *sites, size_t count, double *seconds, double *tick,
                          verso_native_report *report) {
    verso_native_watch *watch = &verso_native_runtime.calls.watch;
    for (size_t i = 0; i < count; i++)
        verso_site_set(i, true);
    look_at_memory(watch);
    watch->start.now = verso_now();
    watch->start.thread = verso_thread_seconds();
    watch->start.ticks = verso_native_ticks();
    verso_status status = verso_native_calls_sweep(job, options, tree, report);
    uint64_t ticks = verso_native_ticks() - watch->start.ticks;
    *seconds = verso_thread_seconds() - watch->start.thread;
    *tick = ticks > 0 ? (verso_now() - watch->start.now) / (double)ticks : 0;
    for (size_t i = 0; i < count; i++)
        verso_site_set(i, sites[i].on);
    return status;
}

verso_status verso_native_profile_sweep(verso_native_job *job, const verso_native_options *options,
                                        verso_native_report *report) {
    size_t count;
    verso_site *sites = verso_native_sites_list(&count);
    verso_calltree *tree = verso_calltree_new();
    verso_profile *profile = NULL;
    uint32_t *seen = verso_alloc(count + 1, sizeof *seen);
    double seconds = 0, tick = 0;
    verso_status status = VERSO_OK;
    verso_native_runtime.calls.watch.seen = seen;
    if (sites == NULL || tree == NULL || seen == NULL)
        status = verso_fail(&report->error, VERSO_NO_MEMORY, "no memory for the profile.");
    else
        status = sweep(job, options, tree, sites, count, &seconds, &tick, report);
    if (status == VERSO_OK)
        status = finish(tree, seconds, tick, sites, count, report, &profile, &report->error);
    else
        verso_calltree_free(tree);
    verso_native_runtime.calls.watch.seen = NULL;
    verso_dealloc(seen);
    verso_dealloc(sites);
    if (status == VERSO_OK)
        *options->profile = profile;
    return status;
}
