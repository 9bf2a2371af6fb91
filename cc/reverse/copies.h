/* Copies of ranges (cc/plan/ranges.h): where their nest is left, recording code appends them to the tape, before the
 * record of the block that follows; reverse code reads them until it has reversed the nest. */
#ifndef CC_COPIES_H
#define CC_COPIES_H

#include "cc/reverse/inside.h"

/* Returns whether copies precede a segment's record. */
bool cc_has_ranges(const cc_body *body, const cc_segment *segment);
/* Builds the copies that precede a segment's record. Returns where the record begins. */
LLVMValueRef cc_record_ranges(cc_body *body, const cc_segment *segment, LLVMValueRef tape);
/* Builds, before a store, the load of what it overwrites. Returns the load. */
LLVMValueRef cc_load_old(cc_body *body, int store);
/* Returns whether an instruction is such a copy. */
bool cc_is_range_copy(cc_unit *unit, LLVMValueRef instruction);
/* Finds the copies that precede the current record: sets the slots of their ranges, and moves the tape before them. */
void cc_sweep_ranges(cc_sweep *sweep);
/* Takes the copies of written ranges back through the current segment: puts back what its stores have overwritten, and
 * reads the values of its loads between. */
void cc_sweep_rewritten(cc_sweep *sweep);
/* Builds the value of a load, which the current segment needs, from its copy. */
LLVMValueRef cc_sweep_from_range(cc_sweep *sweep, const cc_item *load, const cc_need *need);

#endif
