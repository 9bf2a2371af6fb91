/* Which sites to switch on: the front of time against peak, from a call tree. */
#ifndef PROFILE_SEARCH_H
#define PROFILE_SEARCH_H

#include "profile/tree.h"

/* A choice of sites, and what it costs. */
typedef struct verso_choice {
    bool *on;
    uint64_t peak;
    double seconds;
    bool tried; /* the search's own */
} verso_choice;

/* Choices of which none is better than another in both: from the lowest peak to the shortest time. */
typedef struct verso_front {
    verso_choice *points;
    size_t count, room;
    size_t sites;
    bool exact; /* no choice at all is better than one of these */
} verso_front;

/* `effort`: cells of the tree that are looked at, about. All choices are tried if that takes no more; else the front is
 * improved by switching sites, one and two at a time, until that finds nothing or the effort is spent. VERSO_NO_MEMORY.
 * To be freed, also then. */
verso_status verso_front_find(const verso_calltree *tree, size_t sites, uint64_t effort, verso_front *front);
void verso_front_free(verso_front *front);
/* The fastest within so many bytes; NULL: there is none. */
const verso_choice *verso_front_within(const verso_front *front, uint64_t bytes);

/* What users did before (paper 2, section 6): from all on, one site off at a time, until none is on. */
typedef enum verso_strategy {
    VERSO_STRATEGY_TIME_FIRST,     /* the one that saves the most time; those that raise the peak last */
    VERSO_STRATEGY_MEMORY_CAREFUL, /* the one that raises the peak least */
} verso_strategy;
/* The choices on the way, from all on to all off: as many as there are sites, and one. Into a front that need not be
 * one. */
verso_status verso_strategy_path(const verso_calltree *tree, size_t sites, verso_strategy strategy, verso_front *path);

#endif
