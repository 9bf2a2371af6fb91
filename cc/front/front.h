/* Room `front`: reads the program, finds the functions to differentiate, and reports what cannot be differentiated.
 *
 *   module.c               reads and links bitcode, runs LLVM's passes
 *   threads.c              recognises parallel regions; thread-local variables (threads.h)
 *   tidy.c                 makes calls uniform that front ends write in different ways
 *   library.c              links functions of native/lib
 *   heap.c                 redirects malloc and similar functions to the arena
 *   declared.c, marked.c   read what the program declares about its functions and marks at its calls
 *   inlined.c              finds functions that clang has inlined
 *   reach.c                finds all differentiated functions
 *   taken.c, symbols.c     finds roots, and functions whose address is taken; makes results of dlsym differentiable
 *   certain.c              finds blocks that run whenever their function runs
 *   refuse.c               explains why an instruction is refused (refuse.h)
 *   known*.c               describe the functions of the C library, and the resources that they hold
 *   areas.c, scan_format.c find the memory that calls of the C library write
 *   assembly.c             parses inline assembly
 *   machine.c              describes the processor's intrinsics
 *   rules.c                routines of BLAS and LAPACK whose derivatives are known
 *   plans.c                plans of FFTW
 *   wrap.c, externals.c    wraps external functions whose address is taken; lists them for --verso-externals
 *   marks.c                recognises names that later rooms lower; closures.c, fortran.c: what flang's code needs
 *
 * Requires: bitcode (cc_request). Leaves: program->module, program->members, declarations and diagnostics.
 * Owns: program->members, ->inactive, ->pure, ->marked, ->adjoints. */
#ifndef CC_FRONT_FRONT_H
#define CC_FRONT_FRONT_H

#include "cc/ir/program.h"

/* ---- module.c ---- */

/* Reads all inputs and links them into one module, program->module. Gives up when they do not fit together. */
void cc_merge(cc_unit *unit);
/* Makes `module` the current module: sets unit->module and unit->layout. */
void cc_use_module(cc_unit *unit, LLVMModuleRef module);
/* Links `source` into `destination`, which consumes `source`. `what` names it in messages. */
void cc_link(cc_unit *unit, LLVMModuleRef destination, LLVMModuleRef source, const char *what);
/* Runs LLVM's passes over the current module. `passes` is a pipeline in LLVM's textual form. */
void cc_run_passes(cc_unit *unit, const char *passes);
/* Gives up if the current module is not well formed. That is an internal error in `pass`, the pass that ran last. */
void cc_verify(cc_unit *unit, const char *pass);

/* ---- tidy.c ---- */

/* Makes calls uniform that front ends write in different ways. Call it after cc_merge. */
void cc_tidy(cc_unit *unit);
/* Replaces trampolines: code that a program makes to pass on a function with its frame. */
void cc_make_closures(cc_unit *unit);
/* Gives a program that calls flang's run-time library the functions of native/lib/fortran. */
void cc_link_fortran(cc_unit *unit);
/* Marks input and output in functions that are declared inactive. Call it after cc_read_declarations. */
void cc_mark_inactive_statements(cc_unit *unit);

/* ---- library.c ---- */

/* Links the functions of native/lib that the program may need into it. */
void cc_link_library(cc_unit *unit);
/* Returns the function of native/lib in program->module that replaces the C library function `name`; NULL if none
 * was linked. */
LLVMValueRef cc_library_version(cc_unit *unit, const char *name);

/* ---- heap.c ---- */

/* Replaces all uses of malloc and similar functions in the program by the functions of the arena. */
void cc_redirect_heap(cc_unit *unit);

/* ---- declared.c, marked.c: what the program declares about its functions ---- */

/* Reads annotations, options and custom adjoints into program->inactive, ->pure, ->marked and ->adjoints; diagnoses
 * contradictions. */
void cc_read_declarations(cc_unit *unit);
/* Return whether the program's function with the name of `function`, which may be of any module, is declared
 * inactive (pure). Pure functions are inactive, too. */
bool cc_is_inactive(cc_unit *unit, LLVMValueRef function);
bool cc_is_pure(cc_unit *unit, LLVMValueRef function);
/* Returns whether calls of this function are never or always checkpointed: a VERSO_NATIVE_MARK_... */
int cc_mark_of(cc_unit *unit, const char *function);
/* Turns calls that the source marks (VERSO_CHECKPOINT_CALL, VERSO_NOCHECKPOINT_CALL) into direct calls with an
 * attribute. */
void cc_mark_calls(cc_unit *unit);
/* Returns the mark of a single call: a VERSO_NATIVE_MARK_... */
int cc_mark_of_call(LLVMValueRef call);
/* Returns the custom adjoint of the function with this name; NULL if it has none. */
const cc_adjoint *cc_adjoint_of(cc_unit *unit, const char *name);

/* Returns the type result (verso_call *, A...) for a function with the parameters A... */
LLVMTypeRef cc_type_with_call(cc_unit *unit, LLVMValueRef function, LLVMTypeRef result);

/* ---- inlined.c ---- */

/* Diagnoses functions that have a custom adjoint, or that an option declares inactive, and that clang has inlined
 * into differentiated code. Call it after cc_reach. */
void cc_check_inlined(cc_unit *unit);

/* ---- reach.c ---- */

/* Fills program->members; diagnoses what cannot be differentiated. */
void cc_reach(cc_unit *unit);
/* Returns the member for `function`, a function of program->module with a body; adds it if it is missing. */
cc_member *cc_add_member(cc_unit *unit, LLVMValueRef function);
/* Adds and returns a member for a function that a lowering has made: `base`, called NAME.base. */
cc_member *cc_add_made_member(cc_unit *unit, LLVMValueRef base, const char *name);
/* Returns the member that a direct call of `callee` goes to: the function itself, its replacement in native/lib,
 * or, if it is external and has a custom adjoint, its wrapper. NULL if there is none. `callee` may be of any copy
 * that still has the program's names. */
cc_member *cc_member_of(cc_unit *unit, LLVMValueRef callee);
/* Returns whether a call through a pointer, of type `call` with these argument types, may call a function of type
 * `function`. */
bool cc_fits(cc_unit *unit, LLVMTypeRef call, const LLVMTypeRef *arguments, unsigned count, LLVMTypeRef function);

/* ---- symbols.c ---- */

/* Adds code after calls of dlsym that replaces the result by the program's own version of that function, if there
 * is one. */
void cc_find_symbols(cc_unit *unit);

/* ---- certain.c ---- */

/* Returns the set (block -> 1) of blocks of a function that run whenever it runs and returns. */
cc_map cc_certain_blocks(cc_unit *unit, LLVMValueRef function);

/* ---- externals.c ---- */

/* Lists, as notes, the functions that `verso cc` did not compile and that differentiated code calls. */
void cc_list_externals(cc_unit *unit);

/* ---- wrap.c ---- */

/* Returns a function of program->module that only calls the external function `external`; makes it if it is missing.
 */
LLVMValueRef cc_wrap(cc_unit *unit, LLVMValueRef external);
/* Replaces the address of `external` by that of its wrapper in the whole program; direct calls stay. */
void cc_wrap_addresses(cc_unit *unit, LLVMValueRef external, LLVMValueRef wrapper);

/* ---- taken.c ---- */

/* Returns whether the program uses the address of a function other than to call it with its own type. */
bool cc_address_taken(cc_unit *unit, LLVMValueRef function);
/* Calls `found` for each root: a function whose address is the first argument of verso_gradient or a similar
 * function. `call` is that call, or NULL. `certain` is false if `function` is only one of those that may be meant.
 * Also sets program->wants_record, ->wants_tangent and ->wants_steps. */
void cc_find_roots(cc_unit *unit, void (*found)(cc_unit *unit, LLVMValueRef call, LLVMValueRef function, bool certain));
/* Returns whether `call` calls verso_gradient or a similar function. */
bool cc_is_root_call(LLVMValueRef call);

#endif
