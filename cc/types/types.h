/* Room `types`: follows numbers that a program treats as bits, or writes in parts.
 *
 *   classes.c, classes_walk.c     find which memory holds numbers, and which only integers (with places.c, multiples.c,
 *                                 outside.c)
 *   bits_origin.c                 follows the bits of integers back to the numbers that they come from
 *   bits_leaves.c, bits_linear.c  decide the derivatives of integers from these bits
 *   carried.c, lower_carried*.c   turn parameters and results that carry bits into integers
 *   lower_moves.c                 turns numbers that are only moved, within functions, into integers
 *   restore.c                     makes numbers of them again where classes.c finds nothing else
 *   parts.c                       handles stores that may write a part of a number
 *
 * Requires: a normalised base copy. Leaves: a base copy in which the type of a number says what its bits are, or
 * code that asks the run time. Owns: program->kinds, ->packs, ->doubts. */
#ifndef CC_TYPES_TYPES_H
#define CC_TYPES_TYPES_H

#include "cc/ir/program.h"

/* Call these after the lowerings and cc_find_kinds. */
void cc_lower_carried(cc_unit *unit); /* turns parameters and results that are only moved into integers */
void cc_lower_moves(cc_unit *unit);   /* turns numbers that are only moved within a function into integers */

#endif
