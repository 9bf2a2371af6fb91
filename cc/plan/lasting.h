/* Ranges of which the same copy would probably be made several times, because the pointer that their addresses are
 * computed from stays the same in a loop around the nest, or around calls of its function. The run time then compares
 * the bytes with what it has copied before (native/sweep/lasting.h), so a wrong guess costs time, and nothing else. */
#ifndef CC_LASTING_H
#define CC_LASTING_H

#include "cc/plan/stencil.h"

/* Sets parameter_written, parameter_lasting and repeated of all functions, and unit->rewritten. Requires their
 * bodies. */
void cc_find_lasting(cc_unit *unit);
/* Returns whether a nest that runs several times probably reads the same bytes each time by adding offsets to a
 * pointer. `place`: the address, if it must begin with the same value each time; NULL: it may be another one. */
bool cc_is_lasting(const cc_body *body, int nest, LLVMValueRef root, const cc_place *place);
/* Returns the pointer that an address is computed from by offsets, before all loops. */
LLVMValueRef cc_object_of(const cc_body *body, LLVMValueRef address);

#endif
