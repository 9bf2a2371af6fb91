/* Which sites to switch on within a budget: from one profile, without running anything. */
#ifndef PROFILE_TUNE_H
#define PROFILE_TUNE_H

#include "profile/plan.h"

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
    uint64_t memory;              /* the budget, of all that the gradient takes */
    verso_tune_strategy strategy;
    verso_front front;
    verso_front paths[2];                         /* of the two ways of the paper, by verso_strategy */
    verso_profile_cost random[VERSO_TUNE_RANDOM]; /* choices at random, for comparison */
    verso_planned planned;                        /* within the steps of a schedule; `best` looks for it */
    const bool *chosen;                           /* the fastest within the budget */
    verso_plan plan;                              /* of it; memory 0: at one go */
    verso_profile_cost cost; /* of it. By a schedule: peak_bytes of one step, memory_bytes at most */
} verso_tuning;

/* `best` takes what is faster: sites at one go, or in the steps of a schedule; the others know nothing of schedules.
 * VERSO_IMPOSSIBLE, with the least budget that would do, when nothing fits; VERSO_NO_MEMORY. To be closed, also then.
 * The same profile and arguments give the same choice. */
verso_status verso_tuning_open(const verso_profile *profile, uint64_t memory, verso_tune_strategy strategy,
                               verso_tuning *tuning, verso_error *error);
void verso_tuning_close(verso_tuning *tuning);

#endif
