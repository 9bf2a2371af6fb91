/* Operations on code that LLVM's C interface does not have. */
#ifndef CC_SURGERY_H
#define CC_SURGERY_H

#include "cc/cc.h"

/* The builder goes before `instruction` and takes its line. */
void cc_build_before(cc_unit *unit, LLVMValueRef instruction);
/* The builder goes to the end of a block; what is built has no line. */
void cc_build_at_end(cc_unit *unit, LLVMBasicBlockRef block);

/* All instructions of a function in order: for (i = cc_first(f); i != NULL; i = cc_next(i)). The next one is best
 * fetched before the body of the loop changes the one at hand. */
LLVMValueRef cc_first(LLVMValueRef function);
LLVMValueRef cc_next(LLVMValueRef instruction);

/* The blocks of a function that control can reach when no exception is thrown -> 1. */
cc_map cc_live_blocks(cc_unit *unit, LLVMValueRef function);

/* The users of a value as they are now; whoever uses it twice is there twice. */
LLVMValueRef *cc_users(cc_unit *unit, LLVMValueRef value, size_t *count);
/* A call, also one that exceptions come back from. */
bool cc_is_call(LLVMValueRef value);
bool cc_is_direct_call(LLVMValueRef user, LLVMValueRef function); /* calls it by its own type, and no argument is it */
void cc_set_callee(LLVMValueRef call, LLVMValueRef callee);

/* Everything before `instruction` goes to a new block that precedes its own; who branched there branches to the new
 * one. The new block has no terminator: the caller builds it. */
LLVMBasicBlockRef cc_split_before(cc_unit *unit, LLVMValueRef instruction);
/* Blocks, parameters and what hangs on them go from one function with a body to one without; `to` may have more
 * parameters. `from` is a declaration afterwards. A parameter that has another type there is still used as it was: what
 * it becomes is up to the caller. */
void cc_move_body(cc_unit *unit, LLVMValueRef from, LLVMValueRef to);
/* Replaces a function by its own declaration. */
LLVMValueRef cc_drop_body(cc_unit *unit, LLVMValueRef function);
/* A call before another one, with its line and convention and, for the arguments that both have, attributes. */
LLVMValueRef cc_build_instead(cc_unit *unit, LLVMValueRef call, LLVMTypeRef type, LLVMValueRef callee,
                              LLVMValueRef *arguments, unsigned count);
/* A call in the place of another: same line, convention and, for the arguments that both have, attributes. Who used the
 * old one's result uses the new one's; the old one is gone. `callee` has the type `type`. */
LLVMValueRef cc_replace_call(cc_unit *unit, LLVMValueRef call, LLVMTypeRef type, LLVMValueRef callee,
                             LLVMValueRef *arguments, unsigned count);
/* A stack slot in the entry block of the function that `instruction` is in. */
LLVMValueRef cc_entry_slot(cc_unit *unit, LLVMValueRef instruction, LLVMTypeRef type, unsigned alignment);

/* ---- Attributes ---- */

unsigned cc_attribute(const char *name); /* its kind */

/* Functions that stand between a call through a pointer and those it can be meant for; the pointer is their first
 * parameter. In `function`, from the end of block `at`: goes on in a new block, where the builder is then, if the
 * pointer is `address`, and in the one that is given back if not. */
LLVMBasicBlockRef cc_build_case(cc_unit *unit, LLVMValueRef function, LLVMBasicBlockRef at, LLVMValueRef address);
/* In front of the call: one of such a function with the same arguments, which has its uses. The call is still there. */
LLVMValueRef cc_call_between(cc_unit *unit, LLVMValueRef call, LLVMValueRef function);
void cc_add_attribute(cc_unit *unit, LLVMValueRef function, const char *name);
void cc_forbid_inlining(cc_unit *unit, LLVMValueRef function);
/* Of a function, its result and its first `parameters` parameters. */
void cc_copy_attributes(cc_unit *unit, LLVMValueRef from, LLVMValueRef to, unsigned parameters);
/* As cc_copy_attributes, from a call. Parameters go to those `shift` further on. */
void cc_copy_call_attributes(cc_unit *unit, LLVMValueRef call, LLVMValueRef to, unsigned shift);
/* Of its result (index 0) or a parameter, but for strings: they are not true any more of what it is now. */
void cc_drop_attributes(cc_unit *unit, LLVMValueRef function_or_call, LLVMAttributeIndex index);
/* target-cpu, target-features, tune-cpu: so that generated code may use what the program's may. */
void cc_copy_target(LLVMValueRef from, LLVMValueRef to);
/* The type of a byval parameter (call == NULL) or argument; NULL: it is none. `index` counts from 0. */
LLVMTypeRef cc_byval(LLVMValueRef function_or_call, unsigned index);

#endif
