/* The capsule machine: reverses an interval by splitting it recursively. All that it remembers is a stack of
 * capsules.
 *
 * Every schedule that frees its capsules in the reverse order of storing is this machine with its own rule:
 * revolve, treeverse, the resilient kinds, and disk schedules between two disk capsules. The rule says when an
 * interval is short enough to be recorded at once (a leaf), and where to split a longer one.
 *
 * Invariants, at every action
 *  1. Steps [floor, end) are left to reverse. The positions of the frames increase strictly and are in [floor,
 *     end). The first frame, if any, is that of x_floor.
 *  2. The frame at depth i holds the capsule in slot `slot_of(i)`; the slots of deeper frames are free.
 *  3. The phase says whether x_at is the working state and whether the top frame holds it. */
#ifndef VERSO_SCHEDULE_MACHINE_H
#define VERSO_SCHEDULE_MACHINE_H

#include "schedule/kind.h"

/* An interval to be reversed. `a` and `b` belong to the rule; they are kept with the capsule at the interval's
 * start. */
typedef struct verso__node {
    uint64_t length;
    uint64_t slots; /* slots that may be used for it, including that of its own start */
    uint64_t a, b;
} verso__node;

typedef struct verso__machine {
    const void *plan; /* passed to the rule's functions */
    /* Returns whether the node is recorded at once. */
    bool (*leaf)(const void *plan, const verso__node *node);
    /* Returns how far to advance from the node's start, 1 to length - 1. Sets a and b of the right part, and
     * changes those of the node to the values for the remaining left part. */
    uint64_t (*split)(const void *plan, verso__node *node, verso__node *right);
    uint64_t slots; /* number of slots of the machine */
    uint64_t base;  /* number of words at the bottom of the stack that are not frames */
    bool slot_ids;  /* the first of these words are the slots of each depth; if false, the slot is the depth itself */
} verso__machine;

enum verso__machine_phase {
    VERSO_MACHINE_FRESH,   /* the working state is x_at, not stored */
    VERSO_MACHINE_STORED,  /* the working state is x_at, and the top frame holds it */
    VERSO_MACHINE_RESTORE, /* there is no working state */
    VERSO_MACHINE_LAST,    /* the working state is x_at, restored from the top frame, which is no longer needed */
    VERSO_MACHINE_REVERSE, /* the working state is x_at, and [at, end) is a leaf */
    VERSO_MACHINE_PHASES
};

enum verso__machine_words { VERSO_MACHINE_FLOOR, VERSO_MACHINE_A, VERSO_MACHINE_B, VERSO_MACHINE_WORDS };
enum { VERSO_FRAME_WORDS = 3 }; /* position, a, b */

/* Starts reversing [at, end) with the working state x_at and no frame. */
void verso__machine_start(verso_schedule *schedule, uint64_t at, uint64_t end, uint64_t a, uint64_t b);

/* Sets *action to the next action, or to DONE if [floor, end) is empty and no frame is left. */
verso_status verso__machine_next(verso_schedule *schedule, const verso__machine *machine, verso_action *action,
                                 verso_error *error);

/* Returns the number of frames. */
uint64_t verso__machine_depth(const verso_schedule *schedule, const verso__machine *machine);

/* Checks invariants 1 and 3 for a walk read from a cursor. */
bool verso__machine_valid(const verso_schedule *schedule, const verso__machine *machine);

#endif
