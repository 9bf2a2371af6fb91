/* Room `lower`: makes the base copy, and replaces in it what later rooms do not handle. Each lowering is one file;
 * the list below has their order.
 *
 * Requires: room `front` has filled program->members. Leaves: the base copy in normal form (one return, simplified
 * loops, closed SSA), with f.base for each member f; stubs in the program's module. Owns: program->base, ->locals,
 * ->shared. */
#ifndef CC_LOWER_LOWER_H
#define CC_LOWER_LOWER_H

#include "cc/ir/program.h"

/* ---- custom_whole.c ---- */

/* For each custom adjoint in one piece, adds functions to program->module that serve as its two pieces, record and
 * sweep. If the adjoint is given in both forms, they call the user's record and sweep, too. Call it after
 * cc_read_declarations. */
void cc_make_wholes(cc_unit *unit);
/* In the base copy, makes each function with an adjoint in one piece call a function of its own (f.whole) whose
 * calls are checkpointed. */
void cc_lower_whole(cc_unit *unit);

/* ---- custom_world.c ---- */

/* For each VERSO_WORLD_ADJOINT, adds a function to program->module that serves as its `record`: it calls the user's
 * record once, and takes from the log what that did where a run is repeated. Call it after cc_read_declarations. */
void cc_make_worlds(cc_unit *unit);

/* ---- copy.c ---- */

/* Makes the static functions and variables of program->module external, with hidden visibility, so that code in other
 * modules (the base copy and its versions) can refer to them. Lists them in program->locals. */
void cc_publish_locals(cc_unit *unit);
/* Undoes cc_publish_locals for those symbols that none of the modules `others` (entries may be NULL) refers to. Makes
 * LLVM keep the inline definitions that one of them refers to. */
void cc_hide_locals(cc_unit *unit, const LLVMModuleRef *others, size_t count);
/* Does what cc_publish_locals does for one symbol of program->module. */
void cc_add_local(cc_unit *unit, LLVMValueRef value);
/* Makes the base copy, program->base, and makes it the current module. It has only the bodies of the members, still
 * under the names that they have in the program. */
void cc_copy_base(cc_unit *unit);
/* Renames f to f.base in the base copy. Direct calls of f become calls of f.base; other uses of f become uses of a
 * declaration of the program's f. */
void cc_rename_base(cc_unit *unit);
/* Returns the declaration in the current module of the program's function `name`, whose address pointers hold, and
 * adds it if it is missing. `like` is that function in any module. */
LLVMValueRef cc_pointed_function(cc_unit *unit, const char *name, LLVMValueRef like);
/* Copies the base copy, renames f.base to f.SUFFIX, makes the copy the current module and fills unit->functions.
 * Returns the copy. If it is the `last` version, it is the base copy itself. */
LLVMModuleRef cc_make_version(cc_unit *unit, const char *suffix, bool last);

/* ---- shared.c ---- */

/* Returns the declaration in the current module of a function that is defined in program->module. On the first
 * request, calls build(unit, function, context) to build its body there. Its name must begin with "verso.pass.", so
 * that the differentiating passes call it unchanged. */
LLVMValueRef cc_shared(cc_unit *unit, const char *name, LLVMTypeRef type, cc_build_shared *build, void *context);
LLVMValueRef cc_call_shared(cc_unit *unit, LLVMValueRef shared, LLVMValueRef *arguments, unsigned count);
/* Gives shared functions that were built without a context a body in the current module, so that LLVM can inline
 * them. Call it after the differentiating passes, which must not see these bodies. */
void cc_inline_shared(cc_unit *unit);

/* ---- The lowerings, in the order in which they run; each works on the base copy unless noted ---- */

void cc_lower_reductions(cc_unit *unit);         /* reductions of vectors; in program->module, before it is copied */
void cc_lower_labels(cc_unit *unit);             /* computed goto; before cc_rename_base */
void cc_lower_refused(cc_unit *unit);            /* what cannot be differentiated; before cc_rename_base */
void cc_lower_teams(cc_unit *unit);              /* parallel regions of OpenMP; before cc_rename_base */
void cc_strip_base(cc_unit *unit);               /* attributes and flags that do not hold for recording code */
void cc_strip_attributes(LLVMValueRef function); /* the same for one function */
void cc_strip_call(LLVMValueRef call);           /* the same for one call; no-op unless the callee has a body */
void cc_lower_assembly(cc_unit *unit);           /* inline assembly that front/assembly.c understands */
void cc_lower_atomics(cc_unit *unit);            /* atomic operations */
void cc_lower_masked(cc_unit *unit);             /* masked loads and stores of vectors */
void cc_lower_machine(cc_unit *unit);            /* the processor's intrinsics */
void cc_lower_fragments(cc_unit *unit);          /* turns marked fragments into functions */
void cc_lower_library(cc_unit *unit);            /* calls of the C library and of inactive functions */
void cc_lower_dispatch(cc_unit *unit);           /* calls through pointers that need one of the next two lowerings */
void cc_lower_byval(cc_unit *unit);              /* structs passed by value in memory */
void cc_lower_variadic(cc_unit *unit);           /* variadic functions */
void cc_lower_jumps(cc_unit *unit);              /* setjmp and longjmp */
/* The following lowerings run after cc_normalise. */
void cc_lower_aligned(cc_unit *unit);    /* accesses of which LLVM has forgotten that they are aligned */
void cc_lower_lanes(cc_unit *unit);      /* lanes of vectors that LLVM extracts as bits */
void cc_lower_apart(cc_unit *unit);      /* numbers that LLVM has taken apart */
void cc_lower_choices(cc_unit *unit);    /* numbers that are selected by the bits of a mask */
void cc_lower_rounding(cc_unit *unit);   /* rounding by adding and subtracting a large number */
void cc_lower_conditions(cc_unit *unit); /* numbers that are only needed where a condition holds that they decide */

/* ---- library.c ---- */

LLVMTypeRef cc_type_of_arguments(cc_unit *unit, LLVMTypeRef result, const LLVMValueRef *arguments, unsigned count);
/* In a shared function that replaces `call`, a call in the base copy: builds a call of the same callee with the
 * given arguments, and returns it. */
LLVMValueRef cc_pass_call(cc_unit *unit, LLVMValueRef call, LLVMValueRef *arguments);
/* Replaces `call` by a call of the shared function `passing`, whose type is `type`, and returns the new call. */
LLVMValueRef cc_replace_passed(cc_unit *unit, LLVMValueRef call, LLVMTypeRef type, LLVMValueRef passing,
                               LLVMValueRef *arguments, unsigned count);

/* written.c: adds markers after a call of a function of class CC_KNOWN_WRITES. Returns false if the call was
 * rejected because its format is not understood. */
bool cc_mark_written(cc_unit *unit, const cc_member *member, LLVMValueRef call, const char *writes);
/* world.c: lowers a call of a function whose world is not CC_WORLD_NOT. Call it after cc_mark_written. */
struct cc_known;
void cc_lower_world(cc_unit *unit, const cc_member *member, LLVMValueRef call, const struct cc_known *known);
/* Returns the number of a call with this description: a hash of 24 bits. */
uint64_t cc_outside_number(const char *text);
/* Sets `members` to the members of a verso__native_outside that describes `call`, a call in the base copy. */
void cc_outside_members(cc_unit *unit, LLVMValueRef call, LLVMValueRef members[2]);
LLVMValueRef cc_private_constant(cc_unit *unit, LLVMValueRef value, const char *name);

/* passing.c: replaces a call of a foreign function by a call of a shared function that makes it in primal mode. */
void cc_lower_passing(cc_unit *unit, LLVMValueRef call);
/* Builds, before the instruction `before`, the marker verso.changed(state.noted), from which the differentiating
 * passes learn what the preceding call has done to numbers. */
void cc_mark_noted(cc_unit *unit, LLVMValueRef before);

/* ---- stub.c ---- */

/* Makes stubs of all members that are called through pointers, in program->module. */
void cc_make_stubs(cc_unit *unit);

/* ---- normal.c ---- */

void cc_simplify(cc_unit *unit);  /* runs LLVM's passes before the lowerings */
void cc_normalise(cc_unit *unit); /* runs LLVM's passes after the lowerings, and checks the normal form */

#endif
