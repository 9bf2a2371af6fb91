/* Shared by the files of the kind `online`: its plan and the words of its walk. */
#ifndef VERSO_SCHEDULE_ONLINE_H
#define VERSO_SCHEDULE_ONLINE_H

#include "schedule/cost.h"
#include "schedule/dominant.h"
#include "schedule/held.h"

typedef struct verso__online {
    verso__best_period best; /* the period of disk capsules; steps = 0: one tier */
    verso__sequence sequence;
    verso__beta_table placing;   /* for choosing the states to give up */
    verso__held_guesses guesses; /* likewise; the only field that changes, and no action depends on it */
} verso__online;

/* Sets of more states are reversed as they are: they are spaced so that giving some up hardly gains anything. */
enum { VERSO_ONLINE_PLANNED_MAX = 64 };

/* Names without a prefix: only online*.c includes this file. */
enum verso__online_mode {
    ARRIVED,   /* arrived at x_at: decide what to store here */
    LEAVE,     /* nothing more is stored here: advance */
    LAST_STEP, /* the end is known and x_at is the state before it: reverse one step at once */
    PLAN,      /* plan the reversal */
    DROP_DISK, /* discard the disk capsule of the last period, whose first state is in memory */
    LET_GO,    /* discard the held states that the plan does not keep */
    REVERSAL,  /* play the reversal */
    MODES
};

/* Until the reversal begins, the stack contains three words for each held state in order of position, then three
 * words for each slot that was used and is free. Afterwards it contains the slot of each depth, the targets, and
 * the machine's frames. */
enum verso__online_words {
    MODE = VERSO_OUTER_WORDS,
    STEPS,   /* number of steps; VERSO_UNKNOWN until the end is known */
    FROM,    /* start of the last advance */
    MOVED,   /* the last action was an advance, or there was none yet */
    STOPPED, /* where the first sweep ended: x_steps or the state before it */
    VISITED, /* whether the end was reported only after that state had been considered for storing */
    DISK,    /* number of disk capsules written */
    /* Until the reversal begins: */
    HELD,         /* number of held states */
    LEAVING,      /* the held state that is discarded next, followed by every other one before it */
    LEAVING_LEFT, /* number of held states still to be discarded */
    /* In the reversal: */
    IDS = HELD, /* number of words at the bottom of the stack with slots by depth */
    TARGETS,    /* number of words above them: where the held state of each depth moves to, or 0 */
    MOVING,     /* next action in moving the top capsule */
};
enum verso__online_moving { NOT_MOVING, MOVE_DISCARD, MOVE_ADVANCE, MOVE_STORE };

/* Returns the index of the period that is reversed from memory: the last one on disk. */
uint64_t verso__online_residual(const verso__walk *walk);
/* Returns the longest stretch that is reversed from memory; more slots than steps in it are useless. */
uint64_t verso__online_longest_stretch(const verso_schedule *schedule);
verso__machine verso__online_machine(const verso_schedule *schedule);
/* Returns a pointer to the target of the top capsule if it is a held state that still has to move, else NULL. */
uint64_t *verso__online_top_target(const verso_schedule *schedule, const verso__machine *machine);

bool verso__online_valid(const verso_schedule *schedule);

/* Fills in the cost of cost->steps steps if the first sweep ends at x_stopped, the last state or the one before.
 * `visited`: the end is reported only after that state was considered for storing. */
verso_status verso__online_cost(const verso_schedule *schedule, uint64_t stopped, bool visited, verso__cost *cost,
                                verso_error *error);

#endif
