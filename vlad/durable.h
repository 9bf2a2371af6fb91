/* The capsules of a durable checkpoint-*j: states and adjoints as bytes (bytes.h). */
#ifndef VLAD_DURABLE_H
#define VLAD_DURABLE_H

#include "vlad/bytes.h"
#include "vlad/cotangents.h"
#include "vlad/machine.h"

#include <verso/capsule.h>
#include <verso/identity.h>

typedef struct vlad_durable {
    vlad_machine *machine;
    const vlad_index *index;
    vlad_cotangents *cotangents;
    vlad_value *y; /* the value of the function; VLAD_NULL: not known yet */
    /* steps of the whole computation; number of effects at its end */
    uint64_t *steps, *effects_after;
    uint32_t level, player;
    char *bytes; /* the capsule whose size was asked for last */
    size_t size;
    verso_error error; /* why `bytes` is NULL */
} vlad_durable;

/* Frees the bytes of the last capsule. */
void vlad_durable_close(vlad_durable *durable);
/* The capsule operations of a verso_program (verso/program.h). */
size_t vlad_durable_size(vlad_durable *durable, verso_capsule_kind kind);
verso_status vlad_durable_capture(vlad_durable *durable, verso_capsule_kind kind, void *bytes, size_t size,
                                  verso_error *error);
verso_status vlad_durable_resume(vlad_durable *durable, verso_capsule_kind kind, const void *bytes, size_t size,
                                 verso_error *error);
/* Computes the identity of a computation from the texts of the program, the way it is evaluated, the leaf, the
 * state and another value. */
verso_status vlad_durable_identity(vlad_durable *durable, vlad_value state, vlad_value other, uint64_t leaf,
                                   verso_identity *identity, verso_error *error);

#endif
