/* Chooses the call sites to checkpoint within a budget, from one profile and without running the program. */
#ifndef PROFILE_TUNE_H
#define PROFILE_TUNE_H

#include "profile/plan.h"

#include <verso/profile.h>

typedef enum verso__tune_strategy {
    VERSO_TUNE_TIME_FIRST = VERSO_STRATEGY_TIME_FIRST,
    VERSO_TUNE_MEMORY_CAREFUL = VERSO_STRATEGY_MEMORY_CAREFUL,
    VERSO_TUNE_BEST, /* the best choice of all, also with a schedule */
    VERSO_TUNE_STRATEGIES,
} verso__tune_strategy;
const char *verso__tune_word(verso__tune_strategy strategy); /* returns "time-first", ... */

enum { VERSO_TUNE_RANDOM = 250 }; /* number of random choices, as in the paper's figures */

/* The result of measuring the choice, compared with `plain`: the budget alone, without any site on, which the run
 * time divides as with VERSO_MEMORY. `plain` was predicted like all other choices, but predictions can be wrong. */
typedef struct verso__tune_verdict {
    bool late;     /* the choice takes at least 1.5 times the predicted duration */
    bool compared; /* `plain` was measured */
    /* `plain` is within the budget, and the choice exceeds the budget or is slower than `plain` by more than a
     * tenth: `plain` is used */
    bool plain_better;
    verso_profile_cost plain;
} verso__tune_verdict;

typedef struct verso__tuning {
    const verso_profile *profile; /* owned by the caller */
    uint64_t memory;              /* budget in bytes for everything that the gradient takes */
    verso__tune_strategy strategy;
    verso__front front;
    verso__front paths[2];                        /* of the two strategies of the paper, indexed by verso__strategy */
    verso_profile_cost random[VERSO_TUNE_RANDOM]; /* random choices, for comparison */
    verso__planned planned;                       /* the best choice with a schedule; only for `best` */
    const bool *chosen;                           /* the fastest choice within the budget, by site */
    verso__plan plan;                             /* plan of the choice; memory = 0: a single pass */
    /* predicted cost of the choice; with a schedule, peak_bytes is that of one step and memory_bytes the maximum */
    verso_profile_cost cost;
    verso__tune_verdict verdict;
} verso__tuning;

/* Finds the fastest choice within the budget. `best` compares a single pass with the steps of a schedule; the other
 * strategies only consider a single pass. Returns VERSO_STATUS_IMPOSSIBLE if nothing fits (the message names the
 * least budget), or VERSO_STATUS_NO_MEMORY. The caller calls verso__tuning_close even then. The same profile and
 * arguments give the same choice. */
verso_status verso__tuning_open(const verso_profile *profile, uint64_t memory, verso__tune_strategy strategy,
                                verso__tuning *tuning, verso_error *error);
/* Returns whether the choice is `plain` itself, so that there is nothing to compare. */
bool verso__tuning_is_plain(const verso__tuning *tuning);
/* Sets the verdict. `plain` is NULL if it was not measured. */
void verso__tuning_judge(verso__tuning *tuning, const verso_profile_cost *measured, const verso_profile_cost *plain);
void verso__tuning_close(verso__tuning *tuning);

#endif
