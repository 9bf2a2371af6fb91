/* checkpoint-*j within a function that is itself interrupted: by a checkpoint-*j around it, or by whoever takes steps.
 *
 * There the driver cannot play, for it would have to be interrupted, too. A player does the same with the same
 * schedules, but all of it is state of the machine: what the schedule has done so far, the capsules that it keeps, the
 * cotangents. It is made of values like everything else, so a capsule of the evaluation around holds it, and split
 * points may fall anywhere within. (The paper leaves open whether that can be: section 7.4.) */
#ifndef VLAD_PLAYER_H
#define VLAD_PLAYER_H

#include "vlad/interpret.h"

/* The field of a VLAD_PLAY that is an address: of the expression. */
enum { VLAD_PLAY_PLACE };

/* The operator, applied: the player is the machine's innermost from now on. */
bool vlad_player_begin(vlad_machine *machine, const vlad_expression *e, const vlad_value *values);
/* The value of the function is there, or player number i has come to where it wanted to stop. */
bool vlad_player_value(vlad_machine *machine, vlad_value value);
bool vlad_player_stop(vlad_machine *machine, uint32_t i);

#endif
