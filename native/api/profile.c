/* Profiles: a gradient with every site on, whose calls are measured. See api.h, verso/profile.h, and
 * profile/tree.h for what is computed from it. */
#include "native/api/api.h"

#include "base/alloc.h"
#include "base/system.h"
#include "profile/plan.h"
#include "profile/profile.h"

#include <math.h>
#include <string.h>

/* ---- Making one ---- */

/* Replaces indices of verso__native_callsites in the tree by those of verso_site_get. */
static verso_status renumber(verso__calltree *tree, size_t count) {
    uint32_t *indices = verso__alloc(count + 1, sizeof *indices);
    if (indices == NULL)
        return VERSO_STATUS_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        indices[verso__native_site_number(i)] = (uint32_t)i;
    verso__calltree_renumber(tree, indices);
    verso__dealloc(indices);
    return VERSO_STATUS_OK;
}

static uint64_t input_bytes(const verso__native_job *job) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < job->wrt_count; i++)
        bytes += job->wrt[i].count * sizeof(double);
    return bytes;
}

/* Recording and reversing take at least LEAST_TIMES the time of running, and usually USUAL_TIMES. */
enum { LEAST_TIMES = 2, USUAL_TIMES = 4 };

/* Estimates the times of a profile that was cut: running was measured as far as the run has come, reversing was
 * not. */
static void settle_part(verso_profile *profile) {
    const verso__native_watch *watch = verso__native_watch_now();
    uint64_t own = verso__calltree_own_bytes(profile->tree), total = own > watch->total ? own : watch->total;
    profile->run.cut = true;
    profile->run.open = !watch->total_known;
    profile->run.beyond = own > 0 ? fmin((double)(total - own) / (double)own, VERSO_CALLTREE_MISSING) : 0;
    profile->run.forward /= 1 + profile->run.beyond;
    profile->run.seconds = USUAL_TIMES * profile->run.forward;
}

/* Computes the time without checkpointed calls: the measured time less the cost of all sites, of measuring and
 * of fresh memory. On a busy machine, the calls may seem to take longer than the whole gradient. */
static verso_status settle(verso_profile *profile, bool cut, double seconds, double tick,
                           const verso_native_report *report, verso_error *error) {
    const verso__native_watch *watch = verso__native_watch_now();
    bool *on = verso__alloc(profile->count + 1, sizeof *on);
    if (on == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the profile");
    memset(on, true, profile->count * sizeof *on);
    verso_profile_cost all = verso_profile_predict(profile, on);
    verso__dealloc(on);
    uint64_t fresh = report->tape_bytes > watch->resident ? report->tape_bytes - watch->resident : 0;
    profile->run.touch = tick * watch->touch;
    profile->run.copy = watch->bytes > 0 ? tick * watch->copied / watch->bytes : 0;
    profile->run.capsule = watch->largest;
    profile->run.divided =
        verso__native_estimate_other_bytes(watch->image, watch->largest, input_bytes(verso__native_job_now()));
    profile->run.forward = fmax(watch->forward - tick * watch->snapshots, 0);
    if (cut) {
        settle_part(profile);
        return VERSO_STATUS_OK;
    }
    double own = fmax(seconds - tick * watch->watched - profile->run.touch * (double)fresh, 0);
    double least = fmin(LEAST_TIMES * profile->run.forward, own / 2);
    if (own - all.seconds < least)
        verso__calltree_scale(profile->tree, (own - least) / all.seconds);
    profile->run.seconds = fmax(own - all.seconds, least);
    if (all.peak_bytes != report->tape_bytes)
        return verso__fail(error, VERSO_STATUS_CORRUPT,
                           "the profile of the calls is not that of the gradient: internal error (please report it)");
    return VERSO_STATUS_OK;
}

void verso__native_profile_settle(const verso_native_options *options, const verso_native_report *report) {
    if (options->profile == NULL || *options->profile == NULL)
        return;
    verso__profile_run *run = &(*options->profile)->run;
    run->beside = report->peak_bytes - report->tape_bytes;
    if (run->cut) /* the program's memory at its end, which was not reached */
        run->beside += verso__native_watch_now()->image;
}

/* Makes the profile; takes ownership of the tree. `seconds`: time of this thread; `tick`: seconds per tick. */
static verso_status finish(verso__calltree *tree, bool cut, double seconds, double tick, const verso_site *sites,
                           size_t count, const verso_native_report *report, verso_profile **profile,
                           verso_error *error) {
    verso_status status = verso__calltree_finish(tree);
    if (status == VERSO_STATUS_OK)
        status = renumber(tree, count);
    verso__calltree_scale(tree, tick);
    if (status == VERSO_STATUS_OK)
        *profile = verso__profile_new(tree, sites, count, &(verso__profile_run){0});
    else
        verso__calltree_free(tree);
    if (status == VERSO_STATUS_STATE)
        return verso__fail(error, VERSO_STATUS_CORRUPT,
                           "the profile of the calls is not that of the gradient: internal error (please report it)");
    if (*profile == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the profile");
    status = settle(*profile, cut, seconds, tick, report, error);
    if (status != VERSO_STATUS_OK) {
        verso_profile_free(*profile);
        *profile = NULL;
    }
    return status;
}

/* Bytes of the tape that are touched to measure the cost of fresh memory. */
enum { TOUCHED = 8 << 20 };

/* Measures the cost of fresh memory, after the memory that an earlier gradient has left. */
static void measure_memory(verso__native_watch *watch) {
    char *tape = verso__native_tape(), *end = verso__native_tape_end();
    watch->resident = verso__native_tape_resident();
    watch->top = tape + watch->resident;
    if (end < watch->top || end - watch->top < TOUCHED)
        return;
    double now = verso__now(), thread = verso__thread_seconds();
    uint64_t began = verso__native_ticks();
    for (size_t at = 0; at < TOUCHED; at += VERSO_NATIVE_PAGE)
        watch->top[at] = 0;
    double ticks = (double)(verso__native_ticks() - began);
    /* share of the time in which this thread had the processor */
    double share = (verso__thread_seconds() - thread) / (verso__now() - now);
    watch->touch = ticks * fmin(share, 1) / TOUCHED;
    verso__native_drop(watch->top, watch->top + TOUCHED);
}

/* Computes a gradient with every site on, and restores the sites. *seconds: time of this thread; *tick: seconds
 * per tick. */
static verso_status sweep(verso__native_job *job, const verso_native_options *options, verso__calltree *tree,
                          const verso_site *sites, size_t count, double *seconds, double *tick,
                          verso_native_report *report, verso_error *error) {
    verso__native_watch *watch = verso__native_watch_now();
    for (size_t i = 0; i < count; i++)
        verso_site_set(i, true);
    measure_memory(watch);
    watch->start.now = verso__now();
    watch->start.thread = verso__thread_seconds();
    watch->start.ticks = verso__native_ticks();
    verso__native_profile_limit();
    verso_status status = verso__native_calls_sweep(job, options, tree, report, error);
    uint64_t ticks = verso__native_ticks() - watch->start.ticks;
    verso__native_profile_unlimit();
    *seconds = verso__thread_seconds() - watch->start.thread;
    *tick = ticks > 0 ? (verso__now() - watch->start.now) / (double)ticks : 0;
    for (size_t i = 0; i < count; i++)
        verso_site_set(i, sites[i].on);
    return status;
}

verso_status verso__native_profile_sweep(verso__native_job *job, const verso_native_options *options,
                                         verso_native_report *report, verso_error *error) {
    size_t count;
    verso_site *sites = verso__native_sites_list(&count);
    verso__calltree *tree = verso__calltree_new();
    verso_profile *profile = NULL;
    uint32_t *seen = verso__alloc(count + 1, sizeof *seen);
    double seconds = 0, tick = 0;
    verso_status status = VERSO_STATUS_OK;
    verso__native_watch_now()->seen = seen;
    if (sites == NULL || tree == NULL || seen == NULL)
        status = verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the profile");
    else
        status = sweep(job, options, tree, sites, count, &seconds, &tick, report, error);
    bool cut = status == VERSO_STATUS_SUSPENDED;
    if (status == VERSO_STATUS_OK || cut)
        status = finish(tree, cut, seconds, tick, sites, count, report, &profile, error);
    else
        verso__calltree_free(tree);
    verso__native_watch_now()->seen = NULL;
    verso__dealloc(seen);
    verso__dealloc(sites);
    if (status != VERSO_STATUS_OK)
        return status;
    *options->profile = profile;
    return cut ? verso__fail(error, VERSO_STATUS_SUSPENDED, "the profile was cut: there is no gradient")
               : VERSO_STATUS_OK;
}
