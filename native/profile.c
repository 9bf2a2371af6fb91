/* Profiles: a gradient with every site on, watched. See native.h, verso/profile.h, and profile/tree.h for what follows
 * from it.
 *
 * Own records of a call are what the tape has grown by between two events: the beginning of its recording, calls that
 * are checkpointed, its end. */
#include "native/native.h"

#include "base/alloc.h"
#include "base/system.h"
#include "profile/profile.h"

#include <string.h>

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

void verso_native_profile_left(const verso_native_callsite *site) {
    verso_calltree *tree = verso_native_runtime.calls.tree;
    if (tree == NULL)
        return;
    verso_calltree_time(tree, verso_now() - verso_native_runtime.calls.began);
    if (site->kind == VERSO_NATIVE_SITE_EITHER)
        verso_calltree_instead(tree, verso_native_runtime.calls.instead);
    verso_native_runtime.calls.last = verso_native_now.tape;
}

void verso_native_profile_end(void) {
    if (verso_native_runtime.calls.tree != NULL)
        (void)verso_calltree_end(verso_native_runtime.calls.tree, grown());
}

void verso_native_profile_again(void) {
    verso_calltree *tree = verso_native_runtime.calls.tree;
    verso_native_runtime.calls.last = verso_native_now.tape;
    if (tree != NULL && verso_calltree_descend(tree) == VERSO_OK)
        verso_calltree_put_back(tree, verso_now() - verso_native_runtime.calls.began);
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

/* With all on it is what was measured: what all sites cost is taken off that. */
static verso_status settle(verso_profile *profile, const verso_native_report *report, verso_error *error) {
    bool *on = verso_alloc(profile->count + 1, sizeof *on);
    if (on == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for the profile.");
    memset(on, true, profile->count * sizeof *on);
    verso_profile_cost all = verso_profile_predict(profile, on);
    verso_dealloc(on);
    profile->seconds = report->seconds_forward + report->seconds_reverse - all.seconds;
    if (all.peak_bytes != report->tape_bytes)
        return verso_fail(error, VERSO_CORRUPT,
                          "the profile of the calls is not that of the gradient: Verso has a bug.");
    return VERSO_OK;
}

/* Takes the tree over. */
static verso_status finish(verso_calltree *tree, const verso_site *sites, size_t count,
                           const verso_native_report *report, verso_profile **profile, verso_error *error) {
    verso_status status = verso_calltree_finish(tree);
    if (status == VERSO_OK)
        status = renumber(tree, count);
    if (status == VERSO_OK)
        *profile = verso_profile_new(tree, sites, count, 0);
    else
        verso_calltree_free(tree);
    if (status == VERSO_STATE)
        return verso_fail(error, VERSO_CORRUPT,
                          "the profile of the calls is not that of the gradient: Verso has a bug.");
    if (*profile == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for the profile.");
    status = settle(*profile, report, error);
    if (status != VERSO_OK) {
        verso_profile_free(*profile);
        *profile = NULL;
    }
    return status;
}

/* With every site on; then they are as they were. */
static verso_status sweep(verso_native_job *job, const verso_native_options *options, verso_calltree *tree,
                          const verso_site *sites, size_t count, verso_native_report *report) {
    for (size_t i = 0; i < count; i++)
        verso_site_set(i, true);
    verso_status status = verso_native_calls_sweep(job, options, tree, report);
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
    verso_status status = VERSO_OK;
    if (sites == NULL || tree == NULL)
        status = verso_fail(&report->error, VERSO_NO_MEMORY, "no memory for the profile.");
    else
        status = sweep(job, options, tree, sites, count, report);
    if (status == VERSO_OK)
        status = finish(tree, sites, count, report, &profile, &report->error);
    else
        verso_calltree_free(tree);
    verso_dealloc(sites);
    if (status == VERSO_OK)
        *options->profile = profile;
    return status;
}
