/* Room `plan`: decides what is recorded: for each segment, which values its adjoint code needs, and how the reverse
 * function obtains each of them.
 *
 *   induction variables        are stepped back with their loop
 *   values constant in a loop  are recorded once, where the loop is left
 *   cheap operations           are computed again from values that are available
 *   all other values           are in the segment's record
 *
 *   inert.c                 finds functions that do not concern derivatives
 *   effects.c               finds what calls may access
 *   graph.c                 finds blocks, predecessors, dominators, loops; divides blocks into segments
 *   ranges.c, versions.c    make versions of loop nests that copy what they read repeatedly; range_costs.c: their cost;
 *                           groups.c: what they access; rewritten.c: copies of what they also write; inside.c: nests
 *                           that leave copies to the loops inside;
 *                           tables.c: rows of matrices that they find by pointers; apart.c, skipped.c: tests whether
 *                           what they read and write overlaps
 *   inductions.c, steps.c   make induction variables of phis that run beside one, or grow by what is no constant
 *   extent.c, overlap.c     bound the addresses of a loop nest; find accesses that never overlap
 *   hoist.c                 moves loads of pointers and indices to before loops that do not change them
 *   narrow.c                finds indices that are computed in 32 bits, and uses their sums in versions of nests
 *   sink.c, distance.c      move stores to after loops that certainly do not access what they write
 *   stencil.c, windows.c    find loads that read neighbouring numbers, or the same ones again
 *   rolling.c               finds cells to which neighbouring iterations add
 *   counts.c                finds counts of loops that follow from bounds
 *   strips.c                divides innermost loops into strips
 *   active.c                finds values that carry derivatives
 *   doubts.c                finds values whose adjoints may be doubts, and builds doubts
 *   lasting.c               finds ranges of which several nests probably need the same copy
 *   shortcuts.c             finds blocks that the reversal need not pass
 *   plan.c                  makes the plan of a function; live.c: liveness of slots; idle.c: loops that record nothing
 *   sources.c               chooses how the reverse function obtains values; recurrences.c: those that step back
 *   records.c               lays out the records
 *
 * Requires: lowered and normalised functions (rooms `lower` and `types`). Leaves: for each function a cc_body with the
 * plan; in the code, only loads of hoist.c, stores of sink.c, phis of inductions.c, and loops that versions.c and
 * strips.c divide have changed. Owns: cc_body and what it points to. */
#ifndef CC_PLAN_H
#define CC_PLAN_H

#include "cc/plan/body.h"

/* Makes the plan of one function. Requires that cc_find_active has made `body`. Sets in it (body.h, segment.h):
 *
 *   items     `local`, and the slots of adjoints, induction variables and loop invariants
 *   blocks    which of them have a safepoint
 *   segments  needs: the values that the adjoint code uses, and how it obtains each; fields and size of the record
 *   loops     the values to record where the loop is left
 */
void cc_plan(cc_body *body);
/* Returns whether entering `block` leaves `loop`. */
bool cc_leaves_loop(const cc_body *body, const cc_loop *loop, int block);
/* Returns the value that an induction variable has in the first iteration. */
LLVMValueRef cc_induction_start(const cc_body *body, const cc_item *item);
/* Returns the need of the segment for this item; NULL if the segment does not need it. */
cc_need *cc_need_find(const cc_segment *segment, int item);

/* Return, as an array with one bool per slot, the slots whose values must be preserved at a point of the reverse
 * function: after the call that ends `segment`, or after the phis of `block`. */
bool *cc_live_after_call(cc_body *body, int segment);
bool *cc_live_at_block(cc_body *body, int block);
/* Return the slots of adjoints, *count of them, that must be set to zero because no adjoint code has been executed
 * since they were used last: where the reversal of a segment begins, or on the edge on which the reversal goes from
 * block `to` to its predecessor `from`, after the adjoints of phis have been taken. Valid until the next call. */
const int *cc_born_in_segment(cc_body *body, int segment, size_t *count);
const int *cc_born_on_edge(cc_body *body, int from, int to, size_t *count);
/* The same for the way from the end of block `to` back to the end of `from`, if it is a shortcut. */
const int *cc_born_on_shortcut(cc_body *body, int from, int to, size_t *count);

/* shortcuts.c: sets `reversal` of all blocks. Requires safepoints and slots of adjoints. */
void cc_find_shortcuts(cc_body *body);
/* Returns whether it matters to the reverse function from which predecessor the block was entered. */
bool cc_has_ways(const cc_body *body, int block);

/* Returns whether control can come from `block` back to it without recording anything. Requires that the fields of
 * all segments have been laid out. */
bool cc_is_idle(cc_body *body, int block);

#endif
