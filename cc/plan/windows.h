/* Loads whose addresses, as stencil.h takes them apart, show which bytes they read together, again, or soon again. */
#ifndef CC_WINDOWS_H
#define CC_WINDOWS_H

#include "cc/plan/body.h"

/* Returns whether the addresses of the loads differ by constants. */
bool cc_move_together(const cc_body *body, int nest, LLVMValueRef *loads, size_t count);
/* Returns whether the load is in a loop whose next run reads most of the bytes again, because a loop around it moves
 * the address by a few elements only, as filters and convolutions do. */
bool cc_reads_window(const cc_body *body, int nest, LLVMValueRef load);
/* Returns whether an innermost loop has active loads of a few neighbours, so that each iteration adds to some cells
 * that the next iteration adds to again. */
bool cc_has_close_neighbours(const cc_body *body);

#endif
