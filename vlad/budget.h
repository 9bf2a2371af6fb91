/* checkpoint-*j within a budget of bytes: nothing else needs to be chosen. While the steps of its function are counted
 * they are recorded, too, for as long as that fits; if all of it does, that is the derivative. Else the function has
 * been watched: how many numbers are born where, what each leaves on a tape, what one more state costs beside others
 * with which it shares most. From that a leaf and a number of states are chosen together.
 *
 * What is measured depends on when memory was collected. A durable run that is taken up again keeps to its journal. */
#ifndef VLAD_BUDGET_H
#define VLAD_BUDGET_H

#include "vlad/bytes.h"
#include "vlad/machine.h"

#include <verso/schedule.h>

enum { VLAD_SAMPLES = 256, VLAD_STATES = 16, VLAD_RANKS = 5 };

typedef struct vlad_budget {
    vlad_machine *machine;
    uint32_t level, player; /* of the function's numbers; the first one within it */
    const vlad_index
        *index;      /* states become bytes outside of the heap, and nothing is reversed on the way. NULL: not */
    bool log;        /* a tree has as many states as it has repetitions; else as many as fit */
    bool recorded;   /* all of it: the tape of the level is there */
    uint64_t steps;  /* of the function */
    uint64_t stride; /* steps from one sample to the next */
    size_t samples;
    uint64_t born[VLAD_SAMPLES + 2]; /* numbers up to each sample, and in all */
    vlad_value states[VLAD_STATES];  /* at some of them; VLAD_NULL: none */
    vlad_roots roots;
    uint64_t collections, most, most_states; /* seen so far; bytes alive without a tape, and states among them */
    uint64_t entry;                          /* bytes that a birth leaves while it is recorded */
    uint64_t state[VLAD_RANKS];              /* bytes of one more state: of the first, second, up to 4, 8, more */
    uint64_t base;                           /* bytes that are alive beside states and tape */
} vlad_budget;

/* Who closes it is done with all that was rooted since. */
void vlad_budget_open(vlad_budget *budget, vlad_machine *machine, uint32_t level, uint32_t player,
                      const vlad_index *index);
void vlad_budget_close(vlad_budget *budget);
/* From where the machine stands, in front of the first step, to the end. */
vlad_outcome vlad_budget_count(vlad_budget *budget);
/* Afterwards, when not all was recorded, or that does not help; the machine is at *start then, which is
 * rooted. False: memory does not suffice for looking. */
bool vlad_budget_measure(vlad_budget *budget, const vlad_value *start);

typedef struct vlad_choice {
    verso_schedule_spec spec;
    uint64_t leaf;
    uint64_t beside; /* bytes that states in files take in memory */
} vlad_choice;

/* The quickest way within `memory` bytes; what `asked` says, and a leaf that is not 0, is kept. False: there is none.
 */
bool vlad_budget_choose(const vlad_budget *budget, uint64_t memory, const verso_schedule_spec *asked, uint64_t leaf,
                        vlad_choice *choice);
/* For a run that goes on with states in files: bytes that so many take in memory, if they are like the one at hand. */
uint64_t vlad_budget_beside(vlad_budget *budget, uint64_t states);
/* The least memory for which there is one that is not slow; 0: there is none. */
uint64_t vlad_budget_least(const vlad_budget *budget, const verso_schedule_spec *asked, uint64_t leaf);

#endif
