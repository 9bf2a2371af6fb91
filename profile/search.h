/* Searches for choices of call sites with little memory and little time: the Pareto front of time against peak,
 * from a call tree. */
#ifndef PROFILE_SEARCH_H
#define PROFILE_SEARCH_H

#include "profile/tree.h"

/* A choice of sites and its predicted cost. */
typedef struct verso__choice {
    bool *on;       /* by site */
    uint64_t peak;  /* bytes */
    double seconds; /* cost of the sites */
    bool tried;     /* used by the search */
} verso__choice;

/* Choices none of which is better than another in both respects, in order of ascending peak and descending time. */
typedef struct verso__front {
    verso__choice *points;
    size_t count, room;
    size_t sites; /* length of each `on` */
    bool exact;   /* no choice at all is better than one of these */
} verso__front;

/* Finds the front. `effort` is about the number of cells of the tree to visit. If that suffices, tries all choices.
 * Else improves the front by switching one or two sites at a time, until no improvement is found or the effort is
 * used up. Returns VERSO_STATUS_NO_MEMORY on failure. The caller frees the front even then. */
verso_status verso__front_find(const verso__calltree *tree, size_t sites, uint64_t effort, verso__front *front);
void verso__front_free(verso__front *front);
/* Returns the fastest choice with a peak of at most `bytes`; NULL if there is none. */
const verso__choice *verso__front_within(const verso__front *front, uint64_t bytes);

/* Manual strategies (paper 2, section 6): start with all sites on and switch one off at a time until none is on. */
typedef enum verso__strategy {
    VERSO_STRATEGY_TIME_FIRST,     /* next, the site that saves the most time; sites that raise the peak come last */
    VERSO_STRATEGY_MEMORY_CAREFUL, /* next, the site that raises the peak least */
} verso__strategy;
/* Records the choices of the strategy in `path`, from all on to all off: one more than there are sites. `path` is
 * in general not a front. The caller frees it, even after a failure. */
verso_status verso__strategy_path(const verso__calltree *tree, size_t sites, verso__strategy strategy,
                                  verso__front *path);

#endif
