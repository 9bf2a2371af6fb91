/* What the files of checkpoint-*j on the driver share: a run of the operator (checkpoint.c). */
#ifndef VLAD_CHECKPOINT_INSIDE_H
#define VLAD_CHECKPOINT_INSIDE_H

#include "vlad/budget.h"
#include "vlad/checkpoint.h"
#include "vlad/differentiate.h"
#include "vlad/durable.h"
#include "vlad/held.h"

/* Rooted values of a run. */
enum { OUTER, START, X, COTANGENT, Y, VALUES };

enum { PATH_ROOM = 4096, TRIES = 4 };

typedef struct play {
    vlad_machine *machine;
    vlad_checkpointing *how;
    uint64_t tag, unit;
    uint32_t level, player;
    uint64_t inputs, effects_after;
    uint64_t steps;          /* steps of evaluation of the whole computation */
    uint64_t done;           /* steps of evaluation that were run, repetitions included */
    uint64_t memory;         /* the budget */
    bool failed;             /* the computation has failed; the message already has its place */
    verso_identity identity; /* durable run: identity of the computation */
    vlad_budget *budget;     /* measures while the steps are counted; NULL: none */
    bool counting;           /* the steps are being counted */
    bool counted;            /* all steps are counted */
    uint64_t base;           /* the machine's step count at the beginning of the computation */
    vlad_value values[VALUES];
    vlad_roots roots;
    vlad_cotangents cotangents;
    vlad_held held;
    vlad_durable durable;
} play;

/* Plays a schedule from the first step. `counted`: the number of steps is known. */
verso_status vlad_play_drive(play *play, const verso_schedule_spec *spec, uint64_t leaf, bool counted,
                             verso_error *error);
/* Makes the stretch recorded last the current one of the cotangents. Returns false if there is no memory. */
bool vlad_play_turn(play *play);
/* Sweeps over it. `last`: it ends with the computation, so the cotangents are seeded first. */
verso_status vlad_play_sweep(play *play, bool last, verso_error *error);
/* The file with the number of steps of a durable run: read it, write it (a vlad_keeper), complete it. */
verso_status vlad_play_recall(play *play, verso_error *error);
verso_status vlad_play_keep(void *self, verso_error *error);
verso_status vlad_play_count_ended(play *play, verso_error *error);
/* Writes the path of the folder of this run, in the directory of the program. */
verso_status vlad_play_folder(const play *play, char *path, size_t size, verso_error *error);

/* checkpoint_budget.c: Plays within play->memory. */
verso_status vlad_play_within(play *play, verso_error *error);
/* Plays within the default budget: more if what is in use already, or the computation, needs more, up to the limit of
 * the user. */
verso_status vlad_play_by_default(play *play, verso_error *error);

#endif
