/* Makes one copy of a function's code both record and advance, where the two copies of dual.h would be too large: after
 * each call, the advancing copy may continue in the recording one, so a value that is used after a call may come from
 * either, and a function with many calls would consist mostly of code that brings values from one copy to the other.
 *
 * The one copy is the recording code. While the run only advances, its stores of records go to a small buffer
 * (verso__native_state.record_mask), and the code before a call gets no call site for the code after it. The end of the
 * tape is in state.tape all the time, so calls need not store and load it. */
#ifndef CC_SINGLE_H
#define CC_SINGLE_H

#include "cc/plan/body.h"

/* Returns, for each loop, whether it contains no call that is followed. */
bool *cc_find_plain_loops(const cc_body *body);
/* Sets body->quick. Quick functions call others or have no loops, and hardly compute with numbers. */
void cc_find_quick(cc_body *body);
/* Sets body->single. Quick functions without loops free of calls have one copy, and so do functions with many calls,
 * if little of them is in such loops, where stores to the buffer would take time. Requires the layout of records. */
void cc_choose_copies(cc_body *body);
/* Builds the code around a followed call with a site, in a function with one copy: before the call, the address of the
 * reverse function and the resume number go to the tape. */
void cc_build_single_call(cc_body *body, LLVMValueRef call, LLVMValueRef site, uint64_t resume);
/* Makes the code of a recording function, with all its safepoints, work in both modes. */
void cc_make_single(cc_body *body);

#endif
