/* The compiled program as the driver sees it: a verso_program whose steps are those of a walk. */
#ifndef NATIVE_BUDGET_PROGRAM_H
#define NATIVE_BUDGET_PROGRAM_H

#include "native/budget/division.h"

/* The `self` of the verso_program. Sizes are in bytes. */
typedef struct verso__native_program_state {
    verso__native_capsule end; /* the program's memory at the end of the run; empty until then */
    verso__native_division division;

    /* The largest sizes so far. */
    uint64_t capsule_largest; /* capsules */
    uint64_t longer_largest;  /* by how much a step exceeded its length */
    uint64_t whole_largest;   /* the program's memory, changed or not */
    uint64_t log_largest;     /* the log of the outside world */
    uint64_t recording;       /* steps of the longest recording */

    /* The process when the sweep began, for measuring the memory that the sweep takes. */
    uint64_t resident;   /* resident set, without memory of tape and cells that earlier runs left */
    uint64_t globals;    /* memory of the program's globals */
    const char *touched; /* end of the heap that was ever written */
    const char *highest; /* end of the highest heap block ever */
    uint64_t cells;      /* bytes of page faults in reversals since the resident set was last read */

    bool guarded;         /* recordings must not exceed what the budget was divided for */
    bool grown;           /* something exceeded what the budget was divided for: the sweep has failed */
    bool lost;            /* the state of the program is undefined after such a failure */
    bool reversed;        /* a step was reversed, so that there are adjoints */
    bool rest_reversed;   /* steps after the driver's last one were already reversed */
    uint64_t before;      /* number of steps before the driver's first one, which are recorded and reversed last */
    unsigned cells_share; /* division.cells is this many times the program's memory (scheduled_divide.c) */
    unsigned cells_grown; /* the smallest share that may suffice, after cells were larger; 0: not known */
} verso__native_program_state;

/* Does what verso__native_walk_to does. Sets `grown` and `lost` if the recording exceeds the division. */
verso_status verso__native_program_go(verso__native_program_state *state, uint64_t steps, bool recording,
                                      verso_error *error);
/* Does what verso__native_walk_back does. Sets `grown` and `lost` if the cells exceed the budget. */
verso_status verso__native_program_reverse(verso__native_program_state *state, verso_error *error);
/* Returns the size of a capsule of the current state. Updates all largest sizes, and sets `grown` if one of them
 * exceeds the division. */
size_t verso__native_program_measure_capsule(verso__native_program_state *state);
/* Updates the largest sizes of the program's memory and of the log only, which takes little time. */
void verso__native_program_measure_memory(verso__native_program_state *state);
/* The operations of the verso_program. They must be called between verso__native_walk_begin and
 * verso__native_walk_end. */
extern const verso_program_operations verso__native_operations;

/* Returns the memory of this process that a budget counts. */
uint64_t verso__native_program_resident(void);

#endif
