/* What the parts of the interpreter know of each other: frames, and what operators do. */
#ifndef VLAD_INTERPRET_H
#define VLAD_INTERPRET_H

#include "vlad/machine.h"
#include "vlad/shape.h"

/* The fields of a frame. WHAT is the address of an expression and which of its parts is being evaluated, or one of
 * vlad_frame_kind. */
enum { VLAD_FRAME_WHAT, VLAD_FRAME_NEXT, VLAD_FRAME_SELF, VLAD_FRAME_KEPT };

/* Frames that no expression has pushed, but an operator that applies functions. */
typedef enum vlad_frame_kind {
    VLAD_FRAME_FORWARD,    /* tag */
    VLAD_FRAME_REVERSE,    /* tag, x, the cotangent of y */
    VLAD_FRAME_CHECKPOINT, /* the innermost player waits for the value */
    VLAD_FRAME_VECTOR_MAP, /* function, vector, elements done, the list of them */
    VLAD_FRAMES
} vlad_frame_kind;

/* A frame on top, which keeps locals, and `more` fields to be filled in behind them. NULL: the machine has failed. */
vlad_object *vlad_push_frame(vlad_machine *machine, uint64_t what, const uint32_t *kept, uint32_t count, uint32_t more);
/* The value is handed to the continuation. False (VLAD_NOTHING): the machine has failed. */
bool vlad_give(vlad_machine *machine, vlad_value value);
/* `e` is where it is written; NULL: nowhere. */
bool vlad_apply(vlad_machine *machine, const vlad_expression *e, vlad_value function, vlad_value argument);
/* Whether a constant pattern takes a value. */
bool vlad_matches(vlad_value value, vlad_value constant);
/* The message of a pattern that does not. Returns false. */
bool vlad_refuse_match(vlad_machine *machine, const vlad_pattern *pattern, vlad_value value);
/* At a safe point. */
verso_status vlad_machine_collect(vlad_machine *machine);
/* operate.c: the operator of `e`, applied. */
bool vlad_operate(vlad_machine *machine, const vlad_expression *e, const vlad_value *values);
/* A frame of a kind above gets its value. */
bool vlad_finish(vlad_machine *machine, vlad_frame_kind kind, const vlad_object *frame, vlad_value value);

/* interpret_ad.c: the message gets the place of `e`. Returns false. */
bool vlad_fail_here(vlad_machine *machine, const vlad_expression *e);
/* The AD operators. */
bool vlad_forward(vlad_machine *machine, const vlad_expression *e, const vlad_value *values);
bool vlad_finish_forward(vlad_machine *machine, const vlad_object *frame, vlad_value value);
bool vlad_reverse(vlad_machine *machine, const vlad_expression *e, const vlad_value *values);
bool vlad_finish_reverse(vlad_machine *machine, const vlad_object *frame, vlad_value value);

#endif
