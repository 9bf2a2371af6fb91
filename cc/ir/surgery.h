/* Operations on code that LLVM's C interface does not have. */
#ifndef CC_SURGERY_H
#define CC_SURGERY_H

#include "cc/ir/unit.h"

/* Moves the builder before `instruction`. What is built there gets the debug location of `instruction`. */
void cc_build_before(cc_unit *unit, LLVMValueRef instruction);
/* Moves the builder to the end of `block`. What is built there gets no debug location. */
void cc_build_at_end(cc_unit *unit, LLVMBasicBlockRef block);

/* Iterate over all instructions of a function in order: for (i = cc_first(f); i != NULL; i = cc_next(i)). A loop body
 * that moves or erases `i` must call cc_next(i) first. */
LLVMValueRef cc_first(LLVMValueRef function);
LLVMValueRef cc_next(LLVMValueRef instruction);

/* Returns the first instruction of a block that is not a phi. */
LLVMValueRef cc_first_after_phis(LLVMBasicBlockRef block);

/* Returns the set (block -> 1) of blocks that the function can reach without an exception being thrown. */
cc_map cc_live_blocks(cc_unit *unit, LLVMValueRef function);

/* Returns the users that `value` has now, *count of them; an instruction that uses it twice appears twice. */
LLVMValueRef *cc_users(cc_unit *unit, LLVMValueRef value, size_t *count);
/* Returns whether `value` is a call or invoke instruction. */
bool cc_is_call(LLVMValueRef value);
/* Returns whether `user` calls `function` with the function's own type and does not also pass it as an argument. */
bool cc_is_direct_call(LLVMValueRef user, LLVMValueRef function);
void cc_set_callee(LLVMValueRef call, LLVMValueRef callee);

/* Returns the number of edges from one block to another: a conditional branch may have two. */
unsigned cc_edges_between(LLVMBasicBlockRef from, LLVMBasicBlockRef to);
/* Makes all edges from block `from` to block `old` lead to `to`. */
void cc_redirect(LLVMBasicBlockRef from, LLVMBasicBlockRef old, LLVMBasicBlockRef to);

/* Splits a block: moves everything before `instruction` to a new block in front of it, and redirects all branches to
 * the new block. Returns the new block, which has no terminator: the caller must build it. */
LLVMBasicBlockRef cc_split_before(cc_unit *unit, LLVMValueRef instruction);
/* Moves the blocks of `from` to `to`, which has no body, with its debug information and personality function, and
 * replaces uses of parameters of `from` by those of `to`, which may have more. `from` is a declaration afterwards.
 * If a parameter has another type in `to`, its uses are left for the caller to replace. */
void cc_move_body(cc_unit *unit, LLVMValueRef from, LLVMValueRef to);
/* Replaces `function` by a declaration of the same name and type, and returns the declaration. */
LLVMValueRef cc_drop_body(cc_unit *unit, LLVMValueRef function);
/* Builds a call of `callee`, whose type is `type`, before `call`. It gets the debug location, the calling convention
 * and, for arguments that both have, the attributes of `call`. Returns the new call; `call` stays. */
LLVMValueRef cc_build_instead(cc_unit *unit, LLVMValueRef call, LLVMTypeRef type, LLVMValueRef callee,
                              LLVMValueRef *arguments, unsigned count);
/* As cc_build_instead, but also replaces all uses of `call` by the new call and erases `call`. */
LLVMValueRef cc_replace_call(cc_unit *unit, LLVMValueRef call, LLVMTypeRef type, LLVMValueRef callee,
                             LLVMValueRef *arguments, unsigned count);
/* Replaces an instruction that has fast-math flags by one that has only the flags in `keep`. (LLVM's own function can
 * add flags but not remove them.) */
void cc_clear_fast_math(cc_unit *unit, LLVMValueRef instruction, LLVMFastMathFlags keep);
/* Builds an alloca in the entry block of the function that contains `instruction`, and returns it. Moves the
 * builder. */
LLVMValueRef cc_entry_slot(cc_unit *unit, LLVMValueRef instruction, LLVMTypeRef type, unsigned alignment);

/* ---- Dispatchers ---- */

/* A dispatcher is a function that replaces calls through a pointer: it compares the pointer, which is its first
 * parameter, with the functions that it may point to. cc_build_case builds one of these comparisons at the end of
 * block `at`, with `address`. It leaves the builder in the new block for equality, and returns the new block for
 * the other cases. */
LLVMBasicBlockRef cc_build_case(cc_unit *unit, LLVMValueRef function, LLVMBasicBlockRef at, LLVMValueRef address);
/* Builds, before `call`, a call of the dispatcher `function` with the called pointer and the arguments of `call`, and
 * replaces the uses of `call` by it. Returns the new call. The caller erases `call`. */
LLVMValueRef cc_call_between(cc_unit *unit, LLVMValueRef call, LLVMValueRef function);

/* ---- Attributes ---- */

unsigned cc_attribute(const char *name); /* LLVM's number for the attribute */
void cc_add_attribute(cc_unit *unit, LLVMValueRef function, const char *name);
void cc_forbid_inlining(cc_unit *unit, LLVMValueRef function);
/* Copies the attributes of a function, of its result and of its first `parameters` parameters. */
void cc_copy_attributes(cc_unit *unit, LLVMValueRef from, LLVMValueRef to, unsigned parameters);
/* Copies the attributes of a call's result and arguments to the function `to`. The attributes of argument i go to
 * parameter i + shift. */
void cc_copy_call_attributes(cc_unit *unit, LLVMValueRef call, LLVMValueRef to, unsigned shift);
/* Removes all attributes except string attributes from the result (index 0) or parameter `index` (from 1) of a
 * function or call. Used when its type changes, since the attributes may be wrong for the new type. */
void cc_drop_attributes(cc_unit *unit, LLVMValueRef function_or_call, LLVMAttributeIndex index);
/* Copies target-cpu, target-features and tune-cpu, so that generated code may use the same instructions as the
 * program. */
void cc_copy_target(LLVMValueRef from, LLVMValueRef to);
/* Returns the type that a parameter of a function, or an argument of a call, passes by value in memory (attribute
 * byval); NULL if it does not. `index` counts from 0. */
LLVMTypeRef cc_byval(LLVMValueRef function_or_call, unsigned index);

#endif
