/* Refusals: what cannot be differentiated, why, and how a pass reports it. */
#ifndef CC_FRONT_REFUSE_H
#define CC_FRONT_REFUSE_H

#include "cc/ir/program.h"

/* Returns a message that says why this instruction cannot be differentiated and what to do; NULL if it can. The
 * instruction is in program->module or in a copy that has its names. */
const char *cc_refusal(cc_unit *unit, const cc_member *member, LLVMValueRef instruction);
/* As cc_refusal, for a function as a whole. */
const char *cc_refusal_of_function(cc_unit *unit, const cc_member *member);
/* Returns whether a function of this type has a number or a pointer among its parameters and result, or is variadic.
 */
bool cc_has_number_or_pointer(cc_unit *unit, LLVMTypeRef type);
/* Returns the message "HOW NAME, which was not compiled by ...", with the remedies. */
const char *cc_say_unknown(cc_unit *unit, const char *name, const char *how);
/* Builds a call of the run time that ends the differentiation with this place and message, before `instruction`.
 * The instruction and the rest of its block become unreachable. */
void cc_refuse_here(cc_unit *unit, LLVMValueRef instruction, const char *message);
/* Reports an instruction that a lowering cannot handle: as an error if it certainly runs; otherwise the run time
 * refuses it when the program reaches it. */
void cc_reject(cc_unit *unit, const cc_member *member, LLVMValueRef instruction, const char *message);

#endif
