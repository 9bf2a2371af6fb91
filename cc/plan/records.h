/* Lays out the records of a function: which fields each segment has, where they are, and how long the record is.
 *
 * The tape is at a multiple of 8 at every safepoint and call, so most records are padded to a multiple of 8. Within
 * an innermost loop without calls that is not necessary: there a record is as long as its fields, rounded up to the
 * alignment of the widest field of the loop's narrowest record (cc_loop.grain). Where such a loop is left, the tape is
 * padded to a multiple of 8, and the number of these bytes is recorded with the loop's counter:
 * count << CC_PAD_BITS | pad, or pad alone if the counter follows from the loop's bound. */
#ifndef CC_RECORDS_H
#define CC_RECORDS_H

#include "cc/plan/body.h"

enum { CC_PAD_BITS = 3 };

/* Sets the fields and sizes of the records of all segments, and the grains of loops. Requires that the sources of all
 * needs are chosen, and that loops have their count_slot. */
void cc_lay_out_records(cc_body *body);
/* Returns the loop for which the record of a segment contains the size of a pad; NULL: it does not. */
const cc_loop *cc_padded_loop(const cc_body *body, const cc_segment *segment);
/* Returns the alignment of a field in bytes. */
unsigned cc_field_alignment(const cc_segment *segment, const cc_field *field);
/* Returns whether the record must say from which predecessor the block was entered, and the type of that field. */
bool cc_has_predecessor(const cc_body *body, int block);
LLVMTypeRef cc_predecessor_type(const cc_body *body, int block);
/* Returns whether the block is the header of a counted loop. */
bool cc_is_header(const cc_body *body, int block);

#endif
