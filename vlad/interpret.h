/* What evaluators and operators know of each other: frames, capsules, and how an operator goes on. */
#ifndef VLAD_INTERPRET_H
#define VLAD_INTERPRET_H

#include "vlad/machine.h"
#include "vlad/shape.h"

#include "base/status.h"

/* The fields of a frame. WHAT is the address of an expression and which of its parts is being evaluated, or one of
 * vlad_frame_kind. */
enum { VLAD_FRAME_WHAT, VLAD_FRAME_NEXT, VLAD_FRAME_SELF, VLAD_FRAME_KEPT };

/* Frames that no expression has pushed, but an operator that applies functions. */
typedef enum vlad_frame_kind {
    VLAD_FRAME_FORWARD,
    VLAD_FRAME_REVERSE,
    VLAD_FRAME_CHECKPOINT, /* the innermost player waits for the value */
    VLAD_FRAME_VECTOR_MAP,
    VLAD_FRAMES
} vlad_frame_kind;

/* What they keep. FORWARD has the first two of REVERSE's. */
enum { VLAD_AD_PLACE = VLAD_FRAME_KEPT, VLAD_AD_TAG, VLAD_AD_X, VLAD_AD_COTANGENT, VLAD_AD_END };
/* MAP_LIST: of the elements that are done, the last first. */
enum { VLAD_MAP_FUNCTION = VLAD_FRAME_KEPT, VLAD_MAP_VECTOR, VLAD_MAP_DONE, VLAD_MAP_LIST, VLAD_MAP_END };

/* The fields of a capsule; behind them levels, players, and what the evaluator keeps. */
enum {
    VLAD_CAPSULE_AT, /* raw: where the evaluator goes on; it knows */
    VLAD_CAPSULE_PHASE,
    VLAD_CAPSULE_EFFECTS,
    VLAD_CAPSULE_CONTINUATION,
    VLAD_CAPSULE_SELF,
    VLAD_CAPSULE_RESULT,
    VLAD_CAPSULE_TAGS, /* raw: given so far */
    VLAD_CAPSULE_LEVELS,
    VLAD_CAPSULE_PLAYERS,
    VLAD_CAPSULE_FIELDS
};
/* Of each level. FILLED is the number of entries, twice, and whether it is recording. */
enum {
    VLAD_CAPSULE_LEVEL_TAG,
    VLAD_CAPSULE_LEVEL_BORN,
    VLAD_CAPSULE_LEVEL_FIRST,
    VLAD_CAPSULE_LEVEL_FILLED,
    VLAD_CAPSULE_LEVEL_TAPE,
    VLAD_CAPSULE_LEVEL_FIELDS
};
/* Of each player: steps that it has done, where it stops (plus one; 0: nowhere), which of the levels is its own. */
enum {
    VLAD_CAPSULE_PLAYER_DONE,
    VLAD_CAPSULE_PLAYER_STOP,
    VLAD_CAPSULE_PLAYER_LEVEL,
    VLAD_CAPSULE_PLAYER_PLAY,
    VLAD_CAPSULE_PLAYER_FIELDS
};

/* A part of a value that waits to be bound. */
typedef struct vlad_pending {
    const vlad_pattern *pattern;
    vlad_value value;
} vlad_pending;

/* The machine fails for lack of memory. Returns false. */
bool vlad_exhausted(vlad_machine *machine);
/* A frame on top, which keeps locals, and `more` fields to be filled in behind them. NULL: the machine has failed. */
static inline vlad_object *vlad_push_frame(vlad_machine *machine, uint64_t what, const uint32_t *kept, uint32_t count,
                                           uint32_t more) {
    vlad_object *frame = vlad_make(&machine->heap, VLAD_FRAME, VLAD_FRAME_KEPT + (uint64_t)count + more);
    if (frame == NULL) {
        (void)vlad_exhausted(machine);
        return NULL;
    }
    frame->field[VLAD_FRAME_WHAT] = what;
    frame->field[VLAD_FRAME_NEXT] = machine->registers[VLAD_CONTINUATION];
    frame->field[VLAD_FRAME_SELF] = machine->registers[VLAD_SELF];
    for (uint32_t i = 0; i < count; i++)
        frame->field[VLAD_FRAME_KEPT + i] = machine->registers[VLAD_FIRST_LOCAL + (size_t)kept[i]];
    machine->registers[VLAD_CONTINUATION] = vlad_value_of(frame);
    return frame;
}
/* The value is handed to the continuation. False (VLAD_NOTHING): the machine has failed. */
static inline bool vlad_give(vlad_machine *machine, vlad_value value) {
    if (value == VLAD_NOTHING)
        return vlad_exhausted(machine);
    machine->registers[VLAD_RESULT] = value;
    machine->at = NULL;
    machine->phase = 0; /* whoever drives the machine may have left it within a LET */
    return true;
}
/* Whether it is to end, asked for from outside. True: the machine has failed. */
static inline bool vlad_is_interrupted(vlad_machine *machine) {
    enum { EVERY = 256 }; /* steps */
    if (machine->steps % EVERY != 0 || machine->interrupt == NULL || *machine->interrupt == 0)
        return false;
    verso_fail(machine->error, VERSO_USER, "interrupted");
    return true;
}
/* `e` is where it is written; NULL: nowhere. */
bool vlad_apply(vlad_machine *machine, const vlad_expression *e, vlad_value function, vlad_value argument);
/* interpret.c: at a safe point. */
verso_status vlad_machine_collect(vlad_machine *machine);
/* operate.c: the operator of `e`, applied. */
bool vlad_operate(vlad_machine *machine, const vlad_expression *e, const vlad_value *values);
/* A frame of a kind above gets its value. */
bool vlad_finish(vlad_machine *machine, vlad_frame_kind kind, const vlad_object *frame, vlad_value value);

/* interpret_ad.c: the message gets the place of `e`. Returns false. */
bool vlad_fail_here(vlad_machine *machine, const vlad_expression *e);
/* The AD operator of `e`, applied. */
bool vlad_differentiate(vlad_machine *machine, const vlad_expression *e, const vlad_value *values);
bool vlad_finish_forward(vlad_machine *machine, const vlad_object *frame, vlad_value value);
bool vlad_finish_reverse(vlad_machine *machine, const vlad_object *frame, vlad_value value);

#endif
