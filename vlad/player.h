/* checkpoint-*j inside a function that can itself be interrupted: by an outer checkpoint-*j, or by a caller that
 * takes single steps.
 *
 * The driver cannot be used there, because it would have to be interrupted, too. A player plays the same
 * schedules, but its state is part of the machine: the cursor of the schedule, the capsules and the cotangents.
 * All of it consists of values. So a capsule of the outer evaluation includes it, and split points may lie
 * anywhere inside. (The paper leaves open whether that is possible: section 7.4.) */
#ifndef VLAD_PLAYER_H
#define VLAD_PLAYER_H

#include "vlad/interpret.h"

/* The fields of an object of the kind VLAD_PLAY, the state of one player. A raw field is a plain machine word; the
 * others are values (value.h). */
enum {
    VLAD_PLAY_PLACE,    /* raw: the expression */
    VLAD_PLAY_OUTER,    /* the continuation of the whole operator */
    VLAD_PLAY_TAG,      /* raw: the tag of the operator's reverse-mode numbers */
    VLAD_PLAY_INPUTS,   /* raw: number of reals in x */
    VLAD_PLAY_X,        /* the point of differentiation */
    VLAD_PLAY_SEED,     /* the cotangent of the result */
    VLAD_PLAY_Y,        /* the result */
    VLAD_PLAY_START,    /* a capsule before the first step */
    VLAD_PLAY_STEPS,    /* raw: number of steps of the schedule; 0 while they are counted */
    VLAD_PLAY_EFFECTS,  /* raw: number of effects at the end */
    VLAD_PLAY_SCHEDULE, /* its cursor */
    VLAD_PLAY_ACTION,   /* raw: the current action */
    VLAD_PLAY_SLOTS,    /* a list of (slot . capsule) */
    VLAD_PLAY_TABLE,    /* cotangents by number: number, cotangent, ... */
    VLAD_PLAY_FIELDS
};

/* Begins the operator of `e`: makes a new innermost player. These functions return false if the machine has
 * failed. */
bool vlad_player_begin(vlad_machine *machine, const vlad_expression *e, const vlad_value *values);
/* Continue the innermost player when the function has returned `value`, and player i when it has reached its stop. */
bool vlad_player_value(vlad_machine *machine, vlad_value value);
bool vlad_player_stop(vlad_machine *machine, uint32_t i);

#endif
