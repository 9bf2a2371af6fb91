/* Tables of pointers that a loop nest reads: a matrix whose rows are blocks of their own. The nest loads the pointer
 * to a row in each iteration of a loop, so its addresses are not computed from one pointer that is known before the
 * nest. But nothing in the nest may change the table, so code before the nest can ask the run time for the least and
 * the greatest of these pointers. Rows that are allocated one after the other lie close together, and the bytes from
 * the lowest to the highest are little more than the rows. */
#ifndef CC_TABLES_H
#define CC_TABLES_H

#include "cc/plan/groups.h"

/* Returns whether `root`, from cc_extent_root, is a pointer that the nest of s->reach loads from a table which s->nest
 * does not change. */
bool cc_is_in_table(cc_search *s, LLVMValueRef root);
/* Returns the pointer that the addresses of the table are computed from. */
LLVMValueRef cc_table_of(const cc_search *s, LLVMValueRef root);
/* Builds the least and the greatest pointer that the nest loads. They are not sound (cc_extent_is_sound) if the table
 * is too long or is not certainly there. Returns false if the addresses in the table are not understood. */
bool cc_extent_of_table(cc_search *s, LLVMValueRef root, cc_extent *rows);
/* Builds whether a store to rows of a table writes none of the bytes at the addresses in an extent, in the iterations
 * of s->reach. Looks at each row, so rows of one table may lie among each other. Returns NULL if the addresses are not
 * understood. */
LLVMValueRef cc_build_rows_apart(cc_search *s, LLVMValueRef store, cc_extent addresses);
/* Builds whether the bytes in the extent are in memory that is certainly there. The extent is one of offsets from
 * `root`, or of addresses if that is NULL. */
LLVMValueRef cc_build_readable(cc_unit *unit, LLVMValueRef root, cc_extent extent);

#endif
