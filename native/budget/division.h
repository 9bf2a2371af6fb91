/* The division of a memory budget between capsules, recordings and everything else. All sizes are in bytes. */
#ifndef NATIVE_BUDGET_DIVISION_H
#define NATIVE_BUDGET_DIVISION_H

#include "native/sweep/sweep.h"
#include "profile/plan.h"

#include <verso/program.h>

enum {
    VERSO_NATIVE_LEAST_LEAF = 4096, /* the shortest step */
    VERSO_NATIVE_LONGER = 96 << 10, /* minimum by which a division assumes that a recording exceeds its steps' length */
};

typedef struct verso__native_division {
    uint64_t memory;   /* the whole budget; 0: none */
    uint64_t start;    /* copy of the program's memory at its beginning */
    uint64_t cells;    /* shadow memory and frames */
    uint64_t capsule;  /* largest state capsule that is expected */
    uint64_t end;      /* copy of the program's memory at its end; 0: the end is computed again when all is done */
    uint64_t recorded; /* recording of the run's beginning that is reversed last; 0: none */
    uint64_t log;      /* log of the outside world */
    uint64_t first;    /* capsule of the first state, if one slot of the schedule holds it all the time; 0: none does */
    uint64_t longer;   /* by how much a recording may exceed the length of its steps */
    uint64_t spare;   /* by how much single capsules may exceed `capsule`; stores ensure that their sum does not grow */
    uint64_t adjoint; /* largest adjoint capsule of a durable run that is expected */
    uint64_t in_files; /* largest capsule that goes to files, for which the driver needs one to four buffers; 0: none */
    uint64_t leaf;     /* length of a step: bytes that a recording without checkpointed calls takes */
    uint64_t tape;     /* bytes that recording a step takes if calls in it are checkpointed; 0: see `growth` */
    double growth;     /* by which factor recording a step exceeds its length, because snapshots of checkpointed calls
                        * exceed recordings of these calls; 0: it does not */
} verso__native_division;

/* Returns the bytes that recording a step of length `leaf` takes. */
uint64_t verso__native_step_tape(const verso__native_division *division, uint64_t leaf);
/* Estimates verso__native_count_other_bytes when only this is known: the program's memory at its beginning, the largest
 * capsule, and the size of the inputs. It assumes the minimum for `longer`; verso__plan_longer gives more. */
uint64_t verso__native_estimate_other_bytes(uint64_t start, uint64_t largest, uint64_t inputs);
/* Returns by how much the cells of some memory can exceed its size, as a factor: 1 if all numbers of the program are
 * doubles; otherwise two planes for each type, because copied bytes may be of any of them. */
uint64_t verso__native_cells_factor(void);
/* Returns the bytes that `slots` slots of the schedule take. */
uint64_t verso__native_count_slot_bytes(const verso__native_division *division, uint64_t slots);
/* Returns how many slots of the schedule fit into `bytes` bytes. */
uint64_t verso__native_slots_within(const verso__native_division *division, uint64_t bytes);
/* Returns the bytes of everything except capsules of the schedule, the recording of a step, and buffers. */
uint64_t verso__native_count_other_bytes(const verso__native_division *division);
/* Returns what the budget leaves for capsules and the recording of a step; 0: nothing. */
uint64_t verso__native_room(const verso__native_division *division);
/* Returns the smallest budget for `slots` capsules and steps that take `tape` bytes (0: the shortest worthwhile
 * steps). */
uint64_t verso__native_least_memory(const verso__native_division *division, uint64_t slots, uint64_t tape);
/* Chooses the length of a step for `slots` capsules, or for as many as fit (0). Requires a budget of at least
 * verso__native_least_memory. */
uint64_t verso__native_choose_leaf(const verso__native_division *division, uint64_t slots);
/* Returns the cost of this many forward steps and copies of capsules. Only ratios of costs are meaningful. */
double verso__native_price(double steps, double copies, const verso__native_division *division, uint64_t leaf);
/* Sets the costs of a disk in `spec`, unless they are set, from the sizes of capsules and steps. */
void verso__native_price_disk(const verso__native_division *division, verso_schedule_spec *spec);

#endif
