/* A second simulator of schedules, written from the documentation in include/verso/schedule.h alone, to check the
 * library's own. It takes one action at a time from any source: a whole schedule, the first actions of 10^12 steps,
 * or an online schedule whose number of steps becomes known late. Slots are in a hash table, so any slot numbers
 * work. */
#ifndef VERSO_TESTS_CHECKER_H
#define VERSO_TESTS_CHECKER_H

#include "schedule/cost.h"

#include <verso/schedule.h>

typedef struct checker_slot {
    uint64_t slot;     /* number of the slot */
    uint64_t from, to; /* the record of [from, to), or the state x_from if from == to */
    uint32_t tier;
    bool known; /* this entry of the hash table is used */
    bool full;  /* the slot holds something now */
} checker_slot;

typedef struct checker {
    verso_schedule_spec spec;
    verso__cost counted;              /* costs so far; makespan, least_makespan, free_distance and period are 0 */
    uint64_t end;                     /* steps [0, end) are not reversed yet */
    uint64_t at;                      /* index of the working state */
    bool working;                     /* there is a working state */
    bool over;                        /* the action DONE was played */
    uint64_t in_use[VERSO_TIERS_MAX]; /* slots in use, by tier */
    uint64_t *passes;                 /* how often each step was run; NULL if there are more than 65,536 steps */
    checker_slot *slots;              /* hash table */
    size_t slots_size, slots_known;   /* its size, and the number of entries in it */
    const char *wrong;                /* the rule that the last action broke; NULL: none */
} checker;

/* Begins. `steps` is the true number of steps, also for an online schedule that does not know it yet. */
void checker_open(checker *check, const verso_schedule_spec *spec, uint64_t steps);
/* Plays an action. Returns false, and sets `wrong`, if it breaks a rule. */
bool checker_play(checker *check, const verso_action *action);
void checker_close(checker *check);

#endif
