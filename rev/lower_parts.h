/* Parts of lowering that have files of their own. */
#ifndef REV_LOWER_PARTS_H
#define REV_LOWER_PARTS_H

#include "rev/passes.h"

void rev_emit_check(rev_lowering *l, const char *macro, rev_expr *found, rev_expr *expected, const char *told);
void rev_lower_anc(rev_lowering *l, const rev_statement *s); /* lower_ancilla.c */
void rev_lower_drop(rev_lowering *l, const rev_statement *s);
void rev_lower_call(rev_lowering *l, const rev_statement *s); /* lower_call.c */

#endif
