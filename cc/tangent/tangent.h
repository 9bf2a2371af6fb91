/* Room `tangent`: makes f.tangent, which computes the tangent of every number along with the number.
 *
 *   tangent.c   goes through the instructions of a function
 *   active.c    finds the values that have tangents
 *   calls.c     passes tangents across calls
 *   memory.c    reads and writes tangents in memory
 *
 * Requires: a normalised copy with functions named f.tangent. Leaves: these functions finished in the current
 * module. Owns: nothing that outlives the transformation of one function. */
#ifndef CC_TANGENT_TANGENT_H
#define CC_TANGENT_TANGENT_H

#include "cc/ir/unit.h"

/* Makes a function compute tangents: those of its arguments are passed in state.argument, that of its result in
 * state.result. */
void cc_tangent_function(cc_unit *unit, cc_function *function);

#endif
