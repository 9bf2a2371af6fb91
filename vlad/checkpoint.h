/* checkpoint-*j: the machine as a program that the driver plays a schedule on. */
#ifndef VLAD_CHECKPOINT_H
#define VLAD_CHECKPOINT_H

#include "vlad/interpret.h"

#include <verso/run.h>

/* How it is done, and what it took. */
typedef struct vlad_checkpointing {
    verso_run_options run;
    /* Steps of evaluation that are recorded at a time (alpha), at least 1; with a budget it may be 0: to be chosen, as
     * are slots that the spec does not say, or the space of a tree unless that is to be `log`. */
    uint64_t leaf;
    bool log;
    uint64_t leaf_within; /* of those within another one, which cannot wait until that is counted; 0: the same */
    uint64_t memory;      /* the budget, which is also the heap's limit; 0: none */
    /* With a directory in `run` each checkpoint-*j is durable, in a folder of its own there: the same program, run
     * again with the same input, goes on where it was. NULL: capsules stay in the heap. */
    const struct vlad_index *index;
    struct {
        uint64_t runs;     /* of checkpoint-*j */
        uint64_t steps;    /* of evaluation that they would have taken without */
        uint64_t repeated; /* that were run again, recording or not */
        uint64_t capsules; /* held at a time, at most */
        uint64_t at_once;  /* of the runs: recorded as a whole, for they fit into the budget */
        uint64_t leaf;     /* of the last one that was not */
        verso_run_report last;
    } told;
} vlad_checkpointing;

/* treeverse and binary know leaves: a step of their schedules is a step of evaluation. Of others it is a leaf. */
bool vlad_has_leaves(verso_schedule_kind kind);

/* The operator, applied. Within its function others are done by players (player.h). */
bool vlad_checkpoint(vlad_machine *machine, const vlad_expression *e, const vlad_value *values);

#endif
