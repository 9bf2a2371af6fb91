/* The capsule machine: reverses an interval by splitting it again and again, a stack of capsules being all it
 * remembers.
 *
 * Every schedule whose capsules are freed in the reverse order of storing is this machine with a rule of its own:
 * revolve, treeverse, the resilient kinds, and what disk schedules do between two disk capsules. The rule says when an
 * interval is short enough to be recorded at once, and where to split one that is not.
 *
 * Invariants, at every action
 *  1. Steps [floor, end) are what is left; the frames' positions increase strictly and lie in [floor, end). The
 *     first is x_floor's, as soon as that is stored.
 *  2. The frame at depth i holds the capsule in slot `slot_of(i)`; the slots of deeper frames are free.
 *  3. The phase says whether x_at is the working state and whether it is the top frame's. */
#ifndef VERSO_SCHEDULE_MACHINE_H
#define VERSO_SCHEDULE_MACHINE_H

#include "schedule/kind.h"

/* An interval to be reversed. `a` and `b` belong to the rule; they travel with the capsule at the interval's start. */
typedef struct verso_node {
    uint64_t length;
    uint64_t slots; /* that may be used for it, the one of its own start included */
    uint64_t a, b;
} verso_node;

typedef struct verso_machine {
    const void *plan; /* given back to the rule */
    bool (*leaf)(const void *plan, const verso_node *node);
    /* How far to advance from the node's start, 1 … length - 1. Sets the right part's a and b, and changes the node's
     * own to what holds for the left part that remains. */
    uint64_t (*split)(const void *plan, verso_node *node, verso_node *right);
    uint64_t slots;
    uint64_t base; /* words at the bottom of the stack that are not frames */
    bool slot_ids; /* the first of them are the slots of each depth; else the slot is the depth itself */
} verso_machine;

enum verso_machine_phase {
    VERSO_MACHINE_FRESH,   /* working state x_at, not stored */
    VERSO_MACHINE_STORED,  /* working state x_at, and the top frame holds it */
    VERSO_MACHINE_RESTORE, /* no working state */
    VERSO_MACHINE_LAST,    /* working state x_at from the top frame, which is not needed any more */
    VERSO_MACHINE_REVERSE, /* working state x_at: [at, end) is a leaf */
    VERSO_MACHINE_PHASES
};

enum verso_machine_words { VERSO_MACHINE_FLOOR, VERSO_MACHINE_A, VERSO_MACHINE_B, VERSO_MACHINE_WORDS };
enum { VERSO_FRAME_WORDS = 3 }; /* position, a, b */

/* Starts on [at, end) with the working state x_at and no frame. */
void verso_machine_start(verso_schedule *schedule, uint64_t at, uint64_t end, uint64_t a, uint64_t b);

/* The next action, or DONE when [floor, end) is empty and no frame is left. */
verso_status verso_machine_next(verso_schedule *schedule, const verso_machine *machine, verso_action *action,
                                verso_error *error);

uint64_t verso_machine_depth(const verso_schedule *schedule, const verso_machine *machine);

/* Invariants 1 and 3, for words that were read back. */
bool verso_machine_valid(const verso_schedule *schedule, const verso_machine *machine);

#endif
