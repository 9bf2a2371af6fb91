/* Doubts: what happens to a derivative that reaches integer arithmetic which types/bits.h does not understand.
 *
 * Programs compute numbers from integers that never were the bits of a number: random bits, powers of two, hashes.
 * Such numbers have no derivative. But when the program is compiled, this is unknown: an integer in memory may be
 * the bits of a number. So the reverse function does not refuse such a derivative. Instead it gives the values that
 * the integers came from an adjoint that is a doubt: a NaN that contains the address of a message (native/state.h).
 * A doubt is propagated like an adjoint, through memory and calls and from one integer operation to the next. If
 * the integers did not come from a number, the doubt has no effect. If they were the bits of a number, the doubt
 * becomes that number's adjoint, and if it reaches the gradient, the run time refuses with the message.
 *
 * A doubt concerns a word of 4 bytes, or some of its bytes, and is in a cell of its own kind. Stores of numbers find
 * doubts because they check which other numbers they overwrite. In programs without doubts, a doubt is only made where
 * half a number is computed and stored, and is refused at once. */
#ifndef CC_DOUBTS_H
#define CC_DOUBTS_H

#include "cc/plan/body.h"

/* Decides from the base copy whether the program needs doubts: sets program->doubts, and adds doubts to
 * program->kinds if so. Call it after cc_find_kinds. Without doubts, a derivative that reaches such arithmetic is
 * refused there. */
void cc_find_doubts(cc_unit *unit);
/* Returns whether all values that the operation goes back to can take a doubt. Fills in item->roots. */
bool cc_doubts_go_on(const cc_body *body, cc_item *item);
/* Marks the values that the operation goes back to as useful. Returns whether one of them was not before. */
bool cc_doubts_use(const cc_body *body, cc_item *item);
/* Returns whether leaf `leaf` of `root`, a value that an operation goes back to, takes the doubt. */
bool cc_doubts_leaf(cc_unit *unit, LLVMValueRef root, unsigned leaf);
/* Builds a doubt with this message, as a double. */
LLVMValueRef cc_doubt(cc_unit *unit, const char *message);

#endif
