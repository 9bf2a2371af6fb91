/* A second simulator, written from the words of include/verso/schedule.h alone, so that the library's own can be
 * doubted. It takes actions one at a time, from anywhere: a whole walk, the first actions of 10^12 steps, or an online
 * schedule whose end is told late. Slots are remembered by number in a hash table, whatever the numbers are. */
#ifndef VERSO_TESTS_CHECKER_H
#define VERSO_TESTS_CHECKER_H

#include <verso/schedule.h>

typedef struct checker_slot {
    uint64_t slot, from, to; /* to: of a record; equal to `from` for a state */
    uint32_t tier;
    bool known, full;
} checker_slot;

typedef struct checker {
    verso_schedule_spec spec;
    verso_cost counted; /* but for makespan, least_makespan, free_distance and period, which are 0 */
    uint64_t end;       /* steps [0, end) are to be reversed */
    uint64_t at;        /* the working state, if there is one */
    bool working;
    bool over; /* DONE was met */
    uint64_t in_use[VERSO_TIERS_MAX];
    uint64_t *passes; /* over each step; NULL beyond 65,536 steps */
    checker_slot *slots;
    size_t slots_size, slots_known;
    const char *wrong; /* what the last action broke, or NULL */
} checker;

/* `steps` are the true ones, also of an online schedule that has still to be told. */
void checker_open(checker *check, const verso_schedule_spec *spec, uint64_t steps);
/* False, with `wrong` set, when the action breaks a rule. */
bool checker_play(checker *check, const verso_action *action);
void checker_close(checker *check);

#endif
