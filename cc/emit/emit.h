/* Room `emit`: LLVM's optimiser, the table of the program's variables, and object files.
 *
 *   emit.c      optimises a module and writes its object file
 *   some.c      runs passes over some functions
 *   pack.c      combines scalar operations into vector operations
 *   divide.c    divides the functions of a module into parts
 *   own.c       divides the program's own module, which has variables
 *   part.c      makes a module of one part, in the form that its key is computed from
 *   keys.c      identifies in the cache (cc/driver/cache.h) parts and whole programs
 *   parallel.c  makes the object files of several parts at a time, each in a process of its own, or takes them from
 *               the cache
 *
 * Requires: finished modules. Leaves: the object file request->object. Owns: program->machine and ->jobs. */
#ifndef CC_EMIT_EMIT_H
#define CC_EMIT_EMIT_H

#include "cc/ir/program.h"

/* ---- emit.c ---- */

/* Sets program->machine to LLVM's target machine for the program. */
void cc_make_machine(cc_unit *unit);
/* Optimises the current module, which is generated code: if `adjoint`, reverse functions. */
void cc_optimise_generated(cc_unit *unit, bool adjoint);
/* Optimises the current module, which is quick functions (cc/reverse/single.h). */
void cc_optimise_quick(cc_unit *unit);
/* Optimises the program's own module, or part 0 of it, and adds the table of its variables. */
void cc_optimise_program(cc_unit *unit);
/* Optimises another part of the program's own module. */
void cc_optimise_own_part(cc_unit *unit);
/* Writes the current module to `path` as an object file. */
void cc_emit(cc_unit *unit, const char *path);

/* ---- some.c ---- */

/* Runs LLVM's passes, of which none works across functions, over the functions that have the attribute `mark`, if
 * `marked`, or over those that do not. Functions that are noinline anyway belong to both. */
void cc_run_passes_where(cc_unit *unit, const char *mark, bool marked, const char *passes);

/* ---- pack.c ---- */

/* Combines scalar operations into vector operations (SLP), except in functions with the attribute CC_UNPACKED. */
void cc_pack_scalars(cc_unit *unit);

/* ---- divide.c ---- */

/* Gives safepoint sites and call sites a linkage with which they exist only once, although several parts refer to
 * them. */
void cc_share_sites(cc_unit *unit);

/* Default of cc_request.part. With smaller parts, starting a process for each costs more than it saves. */
enum { CC_PART_INSTRUCTIONS = 40000 };
/* The code of a module, and the part that each of its functions belongs to. */
typedef struct cc_code {
    LLVMMemoryBufferRef bitcode;
    const size_t *part_of; /* for each function in order: its part; CC_EVERY_PART: in all parts that use it */
    size_t functions;      /* number of functions */
    size_t parts;          /* number of parts */
    size_t reverse;        /* of generated code: parts from this one on consist of reverse functions, */
    size_t quick;          /* ... and from this one on of quick functions, which record or reverse */
    bool own;              /* it is the program's own module, whose variables are in part 0 */
} cc_code;
enum { CC_EVERY_PART = -1 };
/* Divides the functions of a module of generated code into parts, and writes its bitcode. `version` says what the
 * module consists of. The module is not needed any more. */
cc_code *cc_divide(cc_unit *unit, LLVMModuleRef module, const char *version);
/* For divisions: makes code->part_of, with CC_EVERY_PART for all functions. */
size_t *cc_new_parts(cc_unit *unit, LLVMModuleRef module, cc_code *code);
/* Divides the functions for which `wanted` returns true into parts of about so many instructions. They are numbered
 * from `first`. Returns the number of the part that would follow. */
size_t cc_divide_some(cc_unit *unit, LLVMModuleRef module, bool (*wanted)(LLVMValueRef function), size_t instructions,
                      size_t first, size_t *part_of);
/* Writes the bitcode of the module. */
void cc_write_code(cc_unit *unit, LLVMModuleRef module, cc_code *code);

/* ---- own.c ---- */

/* Divides the program's own module, as cc_divide does. The program stays one part if a division could change what it
 * does, or what LLVM makes of it. Sets program->names_driver. */
cc_code *cc_divide_own(cc_unit *unit, LLVMModuleRef module);
/* Returns the name that a variable or function of the program had before. */
const char *cc_own_name(cc_unit *unit, LLVMValueRef value);
/* Returns whether clang has simplified all functions of a module: LLVM need not do so again. */
bool cc_is_simplified(LLVMModuleRef module);
/* Reduces variables of the current module, whose functions are those of a part other than part 0, to declarations, or
 * to constants that LLVM knows. */
void cc_reduce_own_variables(cc_unit *unit);

/* ---- part.c ---- */

/* Reads a module as far as all its parts need it, in a new LLVM context that replaces that of the unit. Child processes
 * then need not do so. Nothing else can use the unit's module and context until cc_close_code. */
void cc_open_code(cc_unit *unit, const cc_code *code);
void cc_close_code(cc_unit *unit);
/* Makes the current module one that has the functions of one part and what they use, in a new LLVM context that
 * replaces that of the unit. Returns its bitcode, which is equal whenever the part is. Names of types and of local
 * symbols that are not the program's do not occur in it. */
LLVMMemoryBufferRef cc_extract_part(cc_unit *unit, const cc_code *code, size_t part);
/* Makes the current module the one that cc_extract_part has written, again in a new context. So the object file follows
 * from these bytes alone. */
void cc_read_part(cc_unit *unit, LLVMMemoryBufferRef bitcode);

/* ---- parallel.c ---- */

/* What is made of a module. */
typedef struct cc_recipe {
    const char *name; /* is part of the key */
    void (*optimise)(cc_unit *unit);
} cc_recipe;
/* Returns the number of online processors, at least 1. */
size_t cc_processors(void);
/* Starts making the object file of a part in a child process, after waiting for a free processor. */
void cc_start_job(cc_unit *unit, const cc_code *code, size_t part, const cc_recipe *recipe);
/* Waits for all jobs and links their object files into request->object. Gives up if one of them has failed. */
void cc_finish_jobs(cc_unit *unit);
/* Kills the jobs that still run, and removes the object files of all jobs. */
void cc_forget_jobs(cc_program *program);

/* ---- keys.c ---- */

/* Opens the cache. */
void cc_open_cache(cc_unit *unit);
/* Returns the key of the object file that the recipe makes of a part with this bitcode. */
verso_identity cc_part_key(const cc_unit *unit, const cc_recipe *recipe, LLVMMemoryBufferRef bitcode);
/* Takes request->object from the cache if the same program was transformed before in the same way. Returns false if it
 * is not there. */
bool cc_take_program(cc_unit *unit);
/* Keeps request->object in the cache, and limits the size of the cache. */
void cc_keep_program(cc_unit *unit);

#endif
