/* The parts of the lowering pass (passes.h: rev_lower) that have their own files. */
#ifndef REV_LOWER_PARTS_H
#define REV_LOWER_PARTS_H

#include "rev/passes.h"

/* Emits a call of a rev_check_... macro. `text` is the condition as the fault message shows it. */
void rev_emit_check(rev_lowering *l, const char *macro, rev_expr *found, rev_expr *expected, const char *text);
void rev_check_kept(rev_lowering *l, rev_expr *found, rev_expr *expected, const char *text);
void rev_lower_anc(rev_lowering *l, const rev_statement *s);
void rev_lower_drop(rev_lowering *l, const rev_statement *s);
void rev_lower_call(rev_lowering *l, const rev_statement *s);

/* Emits checks at run time that `e` does not read `target`, where both are elements of one array and their indices
 * are known only at run time. */
void rev_check_apart(rev_lowering *l, const rev_expr *target, const rev_expr *e);
/* Emits the same checks for `written` and the index expressions of `place`. */
void rev_check_index(rev_lowering *l, const rev_expr *written, const rev_expr *place);

#endif
