/* How far a durable program has come outside of the checkpoint-*j that the driver plays: the current expression
 * and the state of its evaluation. Kept in the file `place` of the run's directory. */
#ifndef VLAD_PLACE_H
#define VLAD_PLACE_H

#include "vlad/checkpoint.h"

#include <verso/identity.h>

typedef struct vlad_whole {
    vlad_machine *machine;
    const vlad_program *program;
    vlad_checkpointing *checkpointing;
    const char *directory;
    verso_identity identity; /* of the program and the settings that affect its results */
    uint32_t number;         /* of the current expression; equal to their number: the program has ended */
    bool resumed;            /* the machine is in the middle of that expression */
} vlad_whole;

/* Continues from the place of an earlier process, if there is one; else sets the beginning. A damaged file is
 * reported as a notice, and the program starts from the beginning; durable runs in its folders are still used.
 * VERSO_STATUS_INVALID: the file belongs to another program. */
verso_status vlad_place_recall(vlad_whole *whole, verso_error *error);
/* Saves the current place; a keeper (watch.h) whose context is a vlad_whole. */
verso_status vlad_place_keep(void *whole, verso_error *error);

#endif
