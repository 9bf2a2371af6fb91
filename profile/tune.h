/* Which sites to switch on within a budget: from one profile, without running anything. */
#ifndef PROFILE_TUNE_H
#define PROFILE_TUNE_H

#include "profile/search.h"

#include <verso/profile.h>

typedef enum verso_tune_strategy {
    VERSO_TUNE_TIME_FIRST = VERSO_STRATEGY_TIME_FIRST,
    VERSO_TUNE_MEMORY_CAREFUL = VERSO_STRATEGY_MEMORY_CAREFUL,
    VERSO_TUNE_BEST, /* the front of time against peak */
    VERSO_TUNE_STRATEGIES,
} verso_tune_strategy;
const char *verso_tune_word(verso_tune_strategy strategy); /* "time-first" */

enum { VERSO_TUNE_RANDOM = 250 }; /* as many as in the paper's figures */

typedef struct verso_tuning {
    const verso_profile *profile; /* borrowed */
    uint64_t memory;              /* the budget, of the peak of recordings and snapshots */
    verso_tune_strategy strategy;
    verso_front front;
    verso_front paths[2];                         /* of the two ways of the paper, by verso_strategy */
    verso_profile_cost random[VERSO_TUNE_RANDOM]; /* choices at random, for comparison */
    const verso_choice *chosen;                   /* the fastest within the budget */
    verso_profile_cost cost;                      /* of it */
} verso_tuning;

/* VERSO_IMPOSSIBLE, with the least peak that would do, when no choice fits; VERSO_NO_MEMORY. To be closed, also then.
 * The same profile and arguments give the same choice. */
verso_status verso_tuning_open(const verso_profile *profile, uint64_t memory, verso_tune_strategy strategy,
                               verso_tuning *tuning, verso_error *error);
void verso_tuning_close(verso_tuning *tuning);

#endif
