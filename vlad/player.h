/* checkpoint-*j within a function that is itself interrupted: by a checkpoint-*j around it, or by whoever takes steps.
 *
 * There the driver cannot play, for it would have to be interrupted, too. A player does the same with the same
 * schedules, but all of it is state of the machine: what the schedule has done so far, the capsules that it keeps, the
 * cotangents. It is made of values like everything else, so a capsule of the evaluation around holds it, and split
 * points may fall anywhere within. (The paper leaves open whether that can be: section 7.4.) */
#ifndef VLAD_PLAYER_H
#define VLAD_PLAYER_H

#include "vlad/interpret.h"

/* The fields of a VLAD_PLAY. */
enum {
    VLAD_PLAY_PLACE,    /* raw: the expression */
    VLAD_PLAY_OUTER,    /* the continuation of it all */
    VLAD_PLAY_TAG,      /* raw */
    VLAD_PLAY_INPUTS,   /* raw: numbers that x has */
    VLAD_PLAY_X,        /* what is differentiated by */
    VLAD_PLAY_SEED,     /* the cotangent of the value */
    VLAD_PLAY_Y,        /* the value */
    VLAD_PLAY_START,    /* a capsule in front of the first step */
    VLAD_PLAY_STEPS,    /* raw: of the schedule; 0 while they are counted */
    VLAD_PLAY_EFFECTS,  /* raw: at the end */
    VLAD_PLAY_SCHEDULE, /* its cursor */
    VLAD_PLAY_ACTION,   /* raw: what is being done */
    VLAD_PLAY_SLOTS,    /* a list of (slot . capsule) */
    VLAD_PLAY_TABLE,    /* cotangents of numbers: number, cotangent, ... */
    VLAD_PLAY_FIELDS
};

/* The operator, applied: the player is the machine's innermost from now on. */
bool vlad_player_begin(vlad_machine *machine, const vlad_expression *e, const vlad_value *values);
/* The value of the function is there, or player number i has come to where it wanted to stop. */
bool vlad_player_value(vlad_machine *machine, vlad_value value);
bool vlad_player_stop(vlad_machine *machine, uint32_t i);

#endif
