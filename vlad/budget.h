/* checkpoint-*j within a budget of bytes: chooses the schedule, the leaf and the number of stored states.
 *
 * While the machine counts the steps of the function, it also records them for as long as the recording fits into
 * the budget. If all of it fits, one reverse sweep yields the derivative. If not, the count has measured what a
 * choice needs: how many reverse numbers are created in each part of the run, how many bytes each of them takes on
 * the tape, and how many bytes one more state takes next to others with which it shares most objects.
 *
 * The measurements depend on when the heap was collected, so two processes may choose differently. A durable run
 * that is continued therefore uses the choice in its journal. */
#ifndef VLAD_BUDGET_H
#define VLAD_BUDGET_H

#include "vlad/bytes.h"
#include "vlad/machine.h"
#include "vlad/watch.h"

#include <verso/schedule.h>

enum { VLAD_SAMPLES = 256, VLAD_STATES = 16, VLAD_RANKS = 5 };

typedef struct vlad_budget {
    vlad_machine *machine;
    /* level of the function's reverse numbers; number of the first player within the function */
    uint32_t level, player;
    const vlad_index
        /* NULL: states stay in the heap. Else: a durable run; states are written as bytes outside of the heap, and
         * the count records nothing */
        *index;
    bool log;        /* give a tree as many states as repetitions; false: as many states as fit */
    bool recorded;   /* the whole run is on the tape of the level */
    uint64_t steps;  /* steps of the function */
    uint64_t stride; /* steps between two samples */
    size_t samples;
    /* number of reverse numbers created before each sample; the last entry: in the whole run */
    uint64_t born[VLAD_SAMPLES + 2];
    vlad_value states[VLAD_STATES]; /* states at some of the samples; VLAD_NULL: none */
    vlad_roots roots;
    uint64_t most;        /* largest number of bytes in use without a tape, so far */
    uint64_t most_states; /* number of states at that moment */
    uint64_t collections; /* number of the heap's collections at the last sample */
    uint64_t entry;       /* bytes on the tape for each reverse number */
    /* bytes of one more state: of the first, the second, the third and fourth, the fifth to eighth, and any
     * further one */
    uint64_t state[VLAD_RANKS];
    uint64_t base; /* bytes in use besides states and tape */
} vlad_budget;

/* Opens a budget for the function that the machine is about to run, and registers its roots. All roots registered
 * later must be removed before vlad_budget_close. */
void vlad_budget_open(vlad_budget *budget, vlad_machine *machine, uint32_t level, uint32_t player,
                      const vlad_index *index);
void vlad_budget_close(vlad_budget *budget);
/* Discards all measurements. */
void vlad_budget_clear(vlad_budget *budget);
/* Save the measurements of a durable run as numbers, and load them in another process. vlad_budget_load returns
 * false if the numbers cannot come from vlad_budget_save. */
enum { VLAD_BUDGET_WORDS = 4 + VLAD_SAMPLES + 2 + VLAD_RANKS + 2 };
void vlad_budget_save(const vlad_budget *budget, uint64_t *words);
bool vlad_budget_load(vlad_budget *budget, const uint64_t *words);
/* Runs the function from the machine's current state to its end: counts the steps, and records and measures them.
 * `done` is the number of steps before the current state, 0 at the beginning. */
vlad_outcome vlad_budget_count(vlad_budget *budget, uint64_t done, vlad_watch *watch, const vlad_keeper *keeper);
/* Completes the measurements after vlad_budget_count, if the run is not recorded as a whole or the recording
 * cannot be used. Leaves the machine at *start, a rooted capsule. Returns false if there is too little memory to
 * measure. */
bool vlad_budget_measure(vlad_budget *budget, const vlad_value *start);

typedef struct vlad_choice {
    verso_schedule_spec spec;
    uint64_t leaf;
    uint64_t beside; /* bytes of memory that states in files take */
} vlad_choice;

/* Sets *choice to the fastest schedule within `memory` bytes. Keeps the fields that are set in `asked`, and `leaf`
 * unless it is 0. Returns false if no schedule fits. */
bool vlad_budget_choose(const vlad_budget *budget, uint64_t memory, const verso_schedule_spec *asked, uint64_t leaf,
                        vlad_choice *choice);
/* Estimates the bytes of memory that `states` states in files take, from the size of the current state. For a
 * durable run that is continued. */
uint64_t vlad_budget_beside(vlad_budget *budget, uint64_t states);
/* Returns the least memory for which vlad_budget_choose finds a schedule that is not slow; 0 if there is none. */
uint64_t vlad_budget_least(const vlad_budget *budget, const verso_schedule_spec *asked, uint64_t leaf);

#endif
