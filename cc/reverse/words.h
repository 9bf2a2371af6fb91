/* Adjoints of integers and pointers in quick functions (single.h).
 *
 * An integer or pointer that may be the bits of a number has an adjoint for each kind of number that it may be, and
 * nearly always all of them are zero. In quick functions these adjoints lie in the frame side by side, and one call of
 * a small function (ir/small.h) handles all of them, instead of five instructions for each. Interpreters and databases
 * consist mostly of such code. */
#ifndef CC_WORDS_H
#define CC_WORDS_H

#include "cc/reverse/inside.h"

/* Returns whether the adjoints of an item, which may be -1, are in the frame in this way. */
bool cc_words_together(const cc_body *body, int item);
/* Builds: the adjoints of item `from` are added to those of item `to`, and set to zero. If `to` is -1, or has no
 * adjoints, only that. */
void cc_words_move(cc_sweep *sweep, int to, int from);
/* Builds: the adjoints of an item are stored at `offset` in the state of the run time, and set to zero. */
void cc_words_give(cc_sweep *sweep, int item, size_t offset);
/* Builds: the adjoints at `offset` in the state of the run time are added to those of an item. */
void cc_words_receive(cc_sweep *sweep, int item, size_t offset);
/* Builds the addresses of the adjoints of an item. */
LLVMValueRef cc_words_at(cc_sweep *sweep, int item);

#endif
