/* Doubts: derivatives that come to integer arithmetic which is not followed (bits.h).
 *
 * Random bits, powers of two that are put together, hashes: numbers are made of integers that never were a number's
 * bits, and have no derivative. When it is compiled nobody knows: an integer in memory may be the bits of a number. So
 * the reverse function does not refuse such a derivative but tells those whom the integers came from, by an adjoint
 * that is a doubt: a NaN that has the message (native/state.h). It goes back as a derivative would, through memory and
 * calls and from one integer operation to the next. Where integers come from nothing it is forgotten; where they were
 * the bits of a number it becomes that number's adjoint, and if it comes to the gradient, that is refused.
 *
 * A doubt is about a word of 4 bytes, and in the cell of the float that may be there; programs with doubts have such
 * cells even if they have no floats. Stores of numbers look at what other numbers they overwrite, and find it. Where a
 * program has no doubts, one is only made where half a number is computed and stored, and refused at once. */
#ifndef CC_DOUBTS_H
#define CC_DOUBTS_H

#include "cc/body.h"

/* Sets program->doubts, and adds to program->kinds, from the base copy, once these are known: whether it is worth it.
 * If not, such derivatives are refused where they come to integer arithmetic. */
void cc_find_doubts(cc_unit *unit);
/* Whether all that the operation goes back to can be told. */
bool cc_doubts_go_on(const cc_body *body, cc_item *item);
/* Those who are told are useful. True: one of them was not before. */
bool cc_doubts_use(const cc_body *body, cc_item *item);
/* Whether leaf `leaf` of something that is told gets the doubt. */
bool cc_doubts_leaf(cc_unit *unit, LLVMValueRef root, unsigned leaf);
/* Builds the doubt. */
LLVMValueRef cc_doubt(cc_unit *unit, const char *message);

#endif
