/* What evaluators and operators share: the layout of frames and capsules, and how an operator continues. */
#ifndef VLAD_INTERPRET_H
#define VLAD_INTERPRET_H

#include "vlad/machine.h"
#include "vlad/shape.h"

#include "base/status.h"

/* The fields of a frame. WHAT is the address of an expression plus the index of the part that is being evaluated,
 * or a vlad_frame_kind. */
enum { VLAD_FRAME_WHAT, VLAD_FRAME_NEXT, VLAD_FRAME_SELF, VLAD_FRAME_KEPT };

/* Frames that operators push which apply functions. */
typedef enum vlad_frame_kind {
    VLAD_FRAME_FORWARD,
    VLAD_FRAME_REVERSE,
    VLAD_FRAME_CHECKPOINT, /* its value goes to the innermost player */
    VLAD_FRAME_VECTOR_MAP,
    VLAD_FRAMES
} vlad_frame_kind;

/* The fields of AD frames. A FORWARD frame has only the first two. */
enum { VLAD_AD_PLACE = VLAD_FRAME_KEPT, VLAD_AD_TAG, VLAD_AD_X, VLAD_AD_COTANGENT, VLAD_AD_END };
/* The fields of a VECTOR_MAP frame. LIST holds the finished elements, the last one first. */
enum { VLAD_MAP_FUNCTION = VLAD_FRAME_KEPT, VLAD_MAP_VECTOR, VLAD_MAP_DONE, VLAD_MAP_LIST, VLAD_MAP_END };

/* The fields of a capsule. They are followed by the levels, the players, and the evaluator's own values. */
enum {
    VLAD_CAPSULE_AT, /* raw: where to continue; only the evaluator knows its meaning */
    VLAD_CAPSULE_PHASE,
    VLAD_CAPSULE_EFFECTS,
    VLAD_CAPSULE_CONTINUATION,
    VLAD_CAPSULE_SELF,
    VLAD_CAPSULE_RESULT,
    VLAD_CAPSULE_TAGS, /* raw: number of tags in use */
    VLAD_CAPSULE_LEVELS,
    VLAD_CAPSULE_PLAYERS,
    VLAD_CAPSULE_FIELDS
};
/* The fields of each level in a capsule. FILLED is twice the number of entries, plus 1 if the level is recording. */
enum {
    VLAD_CAPSULE_LEVEL_TAG,
    VLAD_CAPSULE_LEVEL_BORN,
    VLAD_CAPSULE_LEVEL_FIRST,
    VLAD_CAPSULE_LEVEL_FILLED,
    VLAD_CAPSULE_LEVEL_TAPE,
    VLAD_CAPSULE_LEVEL_FIELDS
};
/* The fields of each player in a capsule. DONE: steps done; STOP: where it stops, plus 1 (0: nowhere); LEVEL: its
 * level. */
enum {
    VLAD_CAPSULE_PLAYER_DONE,
    VLAD_CAPSULE_PLAYER_STOP,
    VLAD_CAPSULE_PLAYER_LEVEL,
    VLAD_CAPSULE_PLAYER_PLAY,
    VLAD_CAPSULE_PLAYER_FIELDS
};

/* A part of a value that is still to be bound. */
typedef struct vlad_pending {
    const vlad_pattern *pattern;
    vlad_value value;
} vlad_pending;

/* Makes the machine fail for lack of memory. Returns false. */
bool vlad_exhausted(vlad_machine *machine);
/* Pushes a frame that keeps `count` locals and has `more` further fields, which the caller fills in. Returns NULL
 * if the machine has failed. */
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
/* Makes `value` the result that goes to the continuation. Returns false, and makes the machine fail, if it is
 * VLAD_NOTHING. */
static inline bool vlad_give(vlad_machine *machine, vlad_value value) {
    if (value == VLAD_NOTHING)
        return vlad_exhausted(machine);
    machine->registers[VLAD_RESULT] = value;
    machine->at = NULL;
    machine->phase = 0; /* the machine may have been left inside a LET */
    return true;
}
/* True if the user has asked to stop; the machine has then failed. Checks every 256 steps. */
static inline bool vlad_is_interrupted(vlad_machine *machine) {
    enum { EVERY = 256 };
    if (machine->steps % EVERY != 0 || machine->interrupt == NULL || *machine->interrupt == 0)
        return false;
    verso__fail(machine->error, VERSO_STATUS_USER, "interrupted");
    return true;
}
/* Applies a function. `e` is the application in the program; NULL: there is none. Returns false if the machine has
 * failed. */
bool vlad_apply(vlad_machine *machine, const vlad_expression *e, vlad_value function, vlad_value argument);
/* interpret.c: Collects the heap; call it only at a safe point. */
verso_status vlad_machine_collect(vlad_machine *machine);
/* operate.c: Applies the operator of `e`. Returns false if the machine has failed. */
bool vlad_operate(vlad_machine *machine, const vlad_expression *e, const vlad_value *values);
/* Passes a value to a frame of an operator. Returns false if the machine has failed. */
bool vlad_finish(vlad_machine *machine, vlad_frame_kind kind, const vlad_object *frame, vlad_value value);

/* interpret_ad.c: Adds the place of `e` to the machine's error message. Returns false. */
bool vlad_fail_here(vlad_machine *machine, const vlad_expression *e);
/* Applies the AD operator of `e`. This and the functions below return false if the machine has failed. */
bool vlad_differentiate(vlad_machine *machine, const vlad_expression *e, const vlad_value *values);
bool vlad_finish_forward(vlad_machine *machine, const vlad_object *frame, vlad_value value);
bool vlad_finish_reverse(vlad_machine *machine, const vlad_object *frame, vlad_value value);

#endif
