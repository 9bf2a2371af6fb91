/* Parts of lowering that have files of their own. */
#ifndef REV_LOWER_PARTS_H
#define REV_LOWER_PARTS_H

#include "rev/passes.h"

void rev_emit_check(rev_lowering *l, const char *macro, rev_expr *found, rev_expr *expected, const char *told);
void rev_check_kept(rev_lowering *l, rev_expr *found, rev_expr *expected, const char *told); /* lower_ancilla.c */
void rev_lower_anc(rev_lowering *l, const rev_statement *s);
void rev_lower_drop(rev_lowering *l, const rev_statement *s);
void rev_lower_call(rev_lowering *l, const rev_statement *s); /* lower_call.c */

/* Elements of one array at indices that only the run knows: that `e` does not read `target`. */
void rev_check_apart(rev_lowering *l, const rev_expr *target, const rev_expr *e);

#endif
