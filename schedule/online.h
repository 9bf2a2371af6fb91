/* What the files of the kind `online` share: its plan, and the words of its walk. */
#ifndef VERSO_SCHEDULE_ONLINE_H
#define VERSO_SCHEDULE_ONLINE_H

#include "schedule/dominant.h"
#include "schedule/held.h"

typedef struct verso_online {
    verso_best_period best; /* steps 0: one tier */
    verso_sequence sequence;
    verso_beta_table placing;   /* for choosing what to let go */
    verso_held_guesses guesses; /* likewise; the only part that is ever written, and no action depends on it */
} verso_online;

/* Larger sets are reversed as they are: they are spaced so that hardly anything is gained by letting go of some. */
enum { VERSO_ONLINE_PLANNED_MAX = 64 };

/* Short names: nothing but online*.c includes this. */
enum verso_online_mode {
    ARRIVED,   /* at x_at: what is to be stored here? */
    LEAVE,     /* nothing more is to be stored here */
    LAST_STEP, /* the end is known and x_at is its last state: reverse one step at once */
    PLAN,      /* the reversal is planned */
    DROP_DISK, /* the disk capsule of the last period is not needed: memory holds that state */
    LET_GO,    /* held states that the plan does not keep are discarded */
    REVERSAL,
    MODES
};

/* The stack has, until the reversal begins, three words for each held state, in order of position, and behind them the
 * same for each slot that was used and is free; afterwards the slot of each depth, the targets, and the machine's
 * frames. */
enum verso_online_words {
    MODE = VERSO_OUTER_WORDS,
    STEPS,   /* VERSO_UNKNOWN until the end is known */
    FROM,    /* the last advance began here */
    MOVED,   /* the last action was an advance, or there was none yet */
    STOPPED, /* where the first sweep ended: x_steps or the state before … */
    VISITED, /* … and whether it was told only after that state had been considered for storing */
    DISK,    /* disk capsules written */
    /* Until the reversal begins: */
    HELD,         /* states */
    LEAVING,      /* the held state that is discarded next; every other one before it follows … */
    LEAVING_LEFT, /* … until so many are gone */
    /* In the reversal: */
    IDS = HELD, /* words at the bottom of the stack: slots by depth … */
    TARGETS,    /* … and above them: where the held state of each depth moves to, or 0 */
    MOVING,     /* what comes next in moving the top capsule */
};
enum verso_online_moving { NOT_MOVING, MOVE_DISCARD, MOVE_ADVANCE, MOVE_STORE };

/* The last period on disk is the one that is reversed from memory. */
uint64_t verso_online_residual(const verso_walk *walk);
/* No more slots than this are of use. */
uint64_t verso_online_longest_stretch(const verso_schedule *schedule);
verso_machine verso_online_machine(const verso_schedule *schedule);
/* The target of the top capsule, if it is a held one that has still to move. */
uint64_t *verso_online_top_target(const verso_schedule *schedule, const verso_machine *machine);

bool verso_online_valid(const verso_schedule *schedule);

/* The cost of cost->steps steps when the first sweep ends at x_stopped, the last of them or the one before; `visited`:
 * the end was told only after that state had been considered for storing. */
verso_status verso_online_cost(const verso_schedule *schedule, uint64_t stopped, bool visited, verso_cost *cost,
                               verso_error *error);

#endif
