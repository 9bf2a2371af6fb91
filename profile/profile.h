/* Internals of a profile: the call sites of a program and the call tree of a gradient in which all of them were on.
 * The run time makes profiles (native/api/profile.c), and file.h reads them from files. */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "profile/tree.h"

#include <verso/profile.h>

/* Measurements of the gradient besides its call tree. If the profile was cut, seconds here and in the tree are
 * those of the profiled part, and predictions scale them up. */
typedef struct verso__profile_run {
    double seconds; /* duration of the gradient without the cost of sites and of fresh memory */
    double forward; /* approximate duration of one run without recording */
    double copy;    /* seconds per byte of writing or reading a snapshot */
    double touch;   /* seconds per byte of memory that is used for the first time */
    uint64_t
        /* bytes in a single pass besides recordings and snapshots: cells, frames, the program's memory at its start
         * and end */
        beside;
    /* bytes within a budget that belong neither to a step nor to a capsule of the schedule (plan.h) */
    uint64_t divided;
    /* size of the part that was not profiled, relative to the profiled part, in bytes of recording; 0 unless cut */
    double beyond;
    bool cut;         /* the profile covers only a part of the run, so the duration of the gradient is estimated */
    bool open;        /* the length of the run is unknown: `beyond` covers only what was seen */
    uint64_t capsule; /* bytes of the largest capsule; 0: as the largest snapshot */
} verso__profile_run;

struct verso_profile {
    verso__calltree *tree;         /* its sites are indices of `sites` */
    size_t count;                  /* number of sites */
    verso_site *sites;             /* with their texts, owned */
    verso__calltree_level *levels; /* scratch memory for predictions */
    verso__profile_run run;
};

/* Returns the predicted duration of the gradient for a choice of sites, given the seconds and the peak that the
 * call tree predicts. Adds the time that the system takes to provide fresh memory. */
double verso__profile_seconds(const verso_profile *profile, double seconds, uint64_t peak);
/* Makes a profile. Takes ownership of a finished tree, even on failure; copies sites and their texts. NULL if there
 * is no memory. */
verso_profile *verso__profile_new(verso__calltree *tree, const verso_site *sites, size_t count,
                                  const verso__profile_run *run);

#endif
