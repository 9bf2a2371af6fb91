/* Profiles: a gradient with every site on, watched. See native.h, verso/profile.h, and profile/tree.h for what follows
 * from it.
 *
 * Own records of a call are what the tape has grown by between two events: the beginning of its recording, calls that
 * are checkpointed, its end. */
#include "native/native.h"

#include "base/alloc.h"
#include "base/system.h"

struct verso_profile {
    verso_calltree *tree;
    size_t sites;
    bool *on;                     /* by number in the program: for a prediction, */
    verso_calltree_level *levels; /* when the tree is finished, likewise */
    uint32_t *order;              /* number in the program of the site with this index */
    double seconds;               /* of the gradient without what sites cost */
};

/* ---- Watching ---- */

/* Bytes of the tape since the event before. */
static uint64_t grown(void) {
    uint64_t bytes = (uint64_t)(verso_native_now.tape - verso_native_runtime.calls.last);
    verso_native_runtime.calls.last = verso_native_now.tape;
    return bytes;
}

/* No memory for the tree is found out at the end. */
void verso_native_profile_meet(const verso_native_callsite *site, uint64_t snapshot) {
    size_t count;
    verso_calltree *tree = verso_native_runtime.calls.tree;
    if (tree != NULL)
        (void)verso_calltree_meet(tree, (uint32_t)(site - verso_native_callsites(&count)), grown(), snapshot);
}

void verso_native_profile_left(void) {
    if (verso_native_runtime.calls.tree != NULL) {
        verso_calltree_time(verso_native_runtime.calls.tree, verso_now() - verso_native_runtime.calls.began);
        verso_native_runtime.calls.last = verso_native_now.tape;
    }
}

void verso_native_profile_end(void) {
    if (verso_native_runtime.calls.tree != NULL)
        (void)verso_calltree_end(verso_native_runtime.calls.tree, grown());
}

void verso_native_profile_again(void) {
    verso_native_runtime.calls.last = verso_native_now.tape;
    if (verso_native_runtime.calls.tree != NULL)
        (void)verso_calltree_descend(verso_native_runtime.calls.tree);
}

/* ---- A profile ---- */

void verso_profile_free(verso_profile *profile) {
    if (profile == NULL)
        return;
    verso_calltree_free(profile->tree);
    verso_dealloc(profile->on);
    verso_dealloc(profile->levels);
    verso_dealloc(profile->order);
    verso_dealloc(profile);
}

static verso_profile *new_profile(void) {
    verso_profile *profile = verso_alloc(1, sizeof *profile);
    if (profile == NULL)
        return NULL;
    profile->sites = verso_site_count();
    profile->tree = verso_calltree_new();
    profile->on = verso_alloc(profile->sites + 1, sizeof *profile->on);
    profile->order = verso_alloc(profile->sites + 1, sizeof *profile->order);
    if (profile->tree == NULL || profile->on == NULL || profile->order == NULL) {
        verso_profile_free(profile);
        return NULL;
    }
    return profile;
}

size_t verso_profile_sites(const verso_profile *profile) {
    return profile->sites;
}

verso_profile_cost verso_profile_predict(const verso_profile *profile, const bool *on) {
    for (size_t i = 0; i < profile->sites; i++)
        profile->on[profile->order[i]] = on[i] || verso_site_get(i).always;
    verso_calltree_cost cost = verso_calltree_predict(profile->tree, profile->on, profile->levels);
    return (verso_profile_cost){cost.peak, cost.height, profile->seconds + cost.seconds};
}

/* ---- Making one ---- */

/* What all sites cost is taken off what was measured. */
static verso_status finish(verso_profile *profile, const verso_native_report *report, verso_error *error) {
    verso_calltree_cost all = {0};
    verso_status status = verso_calltree_finish(profile->tree);
    if (status == VERSO_OK)
        profile->levels = verso_alloc(verso_calltree_count(profile->tree), sizeof *profile->levels);
    if (status == VERSO_NO_MEMORY || (status == VERSO_OK && profile->levels == NULL))
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for the profile.");
    for (size_t i = 0; i < profile->sites; i++)
        profile->on[i] = true;
    if (status == VERSO_OK)
        all = verso_calltree_predict(profile->tree, profile->on, profile->levels);
    if (status != VERSO_OK || all.peak != report->tape_bytes)
        return verso_fail(error, VERSO_CORRUPT,
                          "the profile of the calls is not that of the gradient: Verso has a bug.");
    profile->seconds = report->seconds_forward + report->seconds_reverse - all.seconds;
    return VERSO_OK;
}

verso_status verso_native_profile_sweep(verso_native_job *job, const verso_native_options *options,
                                        verso_native_report *report) {
    size_t count;
    verso_native_callsite *sites = verso_native_callsites(&count);
    verso_profile *profile = new_profile();
    uint64_t *before = verso_alloc(count + 1, sizeof *before);
    verso_status status = VERSO_OK;
    if (profile == NULL || before == NULL)
        status = verso_fail(&report->error, VERSO_NO_MEMORY, "no memory for the profile.");
    for (size_t i = 0; status == VERSO_OK && i < count; i++) {
        profile->order[i] = verso_native_site_number(i);
        before[i] = sites[i].on;
        sites[i].on = sites[i].on == VERSO_NATIVE_SITE_ALWAYS ? VERSO_NATIVE_SITE_ALWAYS : 1;
    }
    if (status == VERSO_OK) {
        status = verso_native_calls_sweep(job, options, profile->tree, report);
        for (size_t i = 0; i < count; i++)
            sites[i].on = before[i];
    }
    if (status == VERSO_OK)
        status = finish(profile, report, &report->error);
    if (status == VERSO_OK)
        *options->profile = profile;
    else
        verso_profile_free(profile);
    verso_dealloc(before);
    return status;
}
