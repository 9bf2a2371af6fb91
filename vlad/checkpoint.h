/* checkpoint-*j on the driver: makes the machine a verso_program, on which verso_run plays a schedule. */
#ifndef VLAD_CHECKPOINT_H
#define VLAD_CHECKPOINT_H

#include "vlad/interpret.h"

#include <verso/run.h>

/* The settings of checkpoint-*j, and statistics of its runs. */
typedef struct vlad_checkpointing {
    verso_run_options run;
    /* Steps of evaluation that are recorded at a time (alpha), at least 1. With a budget 0 means that the leaf is
     * chosen. With a budget, slots missing in the spec are chosen too, and so is the space of a tree unless `log`
     * is set. */
    uint64_t leaf;
    bool log;
    /* the leaf of a checkpoint-*j inside another one, which must be known before the outer steps are counted; 0:
     * `leaf` */
    uint64_t leaf_within;
    uint64_t memory; /* the budget in bytes, which also limits the heap; 0: none */
    /* The budget is the default: a derivative that needs more gets more, and the heap is not limited otherwise. */
    bool by_default;
    /* Not NULL: each checkpoint-*j is durable, in its own folder in run.directory; the same program, run again
     * with the same input, continues there. NULL: capsules stay in the heap. */
    const struct vlad_index *index;
    struct vlad_watch *watch; /* of a durable program; else NULL */
    struct {
        uint64_t runs;     /* number of checkpoint-*j runs */
        uint64_t steps;    /* steps of evaluation that they take without checkpointing */
        uint64_t repeated; /* steps that were run again, recording or not */
        uint64_t capsules; /* maximum number of capsules held at the same time */
        uint64_t at_once;  /* number of runs that were recorded in a single pass, because they fit into the budget */
        uint64_t leaf;     /* leaf of the last run that was not */
        verso_run_report last;
    } statistics;
} vlad_checkpointing;

/* True for treeverse and binary, whose schedules contain leaves: their steps are steps of evaluation. A step of
 * any other schedule is a whole leaf. */
bool vlad_has_leaves(verso_schedule_kind kind);

/* Applies the checkpoint-*j of `e`. A checkpoint-*j inside its function is played by a player (player.h). Returns
 * false if the machine has failed. */
bool vlad_checkpoint(vlad_machine *machine, const vlad_expression *e, const vlad_value *values);

#endif
