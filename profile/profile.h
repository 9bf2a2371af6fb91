/* A profile, inside: the sites of a program, and the call tree of a gradient in which all of them were on. The run time
 * makes one (native/profile.c), or it comes from a file (file.h); what is asked of it is the same. */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "profile/tree.h"

#include <verso/profile.h>

/* What is known of the gradient beside its tree. */
typedef struct verso_profile_run {
    double seconds;   /* of the gradient without what sites and fresh memory cost */
    double forward;   /* of running once without recording, about */
    double copy;      /* of writing or reading a byte of a snapshot */
    double touch;     /* of a byte of memory that is used for the first time */
    uint64_t beside;  /* bytes at one go that are no recordings and snapshots: cells, frames, the program's memory at
                       * its beginning and end */
    uint64_t divided; /* bytes within a budget that are neither a step nor a capsule of the schedule (profile/plan.h) */
} verso_profile_run;

struct verso_profile {
    verso_calltree *tree; /* its sites are indices of the list */
    size_t count;
    verso_site *sites;            /* their texts are theirs */
    verso_calltree_level *levels; /* for predictions */
    verso_profile_run run;
};

/* Of the gradient with a choice of sites, whose own seconds and peak the tree says: a process gets its memory page by
 * page, which takes time. */
double verso_profile_seconds(const verso_profile *profile, double seconds, uint64_t peak);
/* Takes over a finished tree, also when there is no memory: NULL. Sites and their texts are copied. */
verso_profile *verso_profile_new(verso_calltree *tree, const verso_site *sites, size_t count,
                                 const verso_profile_run *run);

#endif
