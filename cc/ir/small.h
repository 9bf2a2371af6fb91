/* Small functions of a module of generated code. Each exists in two versions: NAME, which LLVM inlines wherever it
 * is called and which is used in loops and in recursive functions; and NAME.apart, which is never inlined and is
 * used everywhere else.
 *
 * NAME.apart preserves all registers except those of floating-point numbers, so its callers need not save any. A
 * call takes about a nanosecond. Inlining everywhere would add a branch and two blocks per use, and linking a large
 * program took a quarter longer that way. LLVM's C interface cannot split a block either, so a small function is
 * also the way to place a branch in the middle of a block. */
#ifndef CC_SMALL_H
#define CC_SMALL_H

#include "cc/ir/unit.h"

/* The value of LLVM's attribute "memory" for NAME.apart: its effects on memory. Memory that only the run time uses
 * does not count. */
typedef enum cc_small_memory {
    CC_SMALL_READS = 1 << 4,                    /* reads the program's memory, or the run time's */
    CC_SMALL_REPORTS = 3 << 2 | CC_SMALL_READS, /* also calls the run time, which changes only its own memory */
    CC_SMALL_CHANGES = 3 << 4 | 3 << 2 | 3,     /* reads and writes any memory */
} cc_small_memory;

/* Builds the body of a small function. On entry the builder is in the first block of `function`. */
typedef void cc_build_small(cc_unit *unit, LLVMValueRef function, const void *context);

/* The end of the names of functions that are not inlined. */
#define CC_APART ".apart"

enum { CC_SMALL_PARAMETERS = 8 }; /* maximum number of parameters of a small function */
/* Adds both versions of the small function `name` to the current module, unless it has them: calls
 * build(unit, function, context) for the body. Leaves the builder where it was. */
void cc_make_small(cc_unit *unit, const char *name, LLVMTypeRef type, cc_small_memory memory, cc_build_small *build,
                   const void *context);
/* Builds a call of the small function `name`, which cc_make_small has added; if `apart`, of the version that is not
 * inlined. Returns the call. */
LLVMValueRef cc_call_small(cc_unit *unit, const char *name, bool apart, LLVMValueRef *arguments, unsigned count);
/* Returns the return type of a small function that returns `count` doubles: a struct of them. */
LLVMTypeRef cc_small_numbers(cc_unit *unit, unsigned count);
/* Builds code that calls the run time's function `name` (which returns nothing) if `there`, an i1, is true. */
void cc_call_if(cc_unit *unit, LLVMValueRef there, const char *name, bool apart, LLVMValueRef *arguments,
                unsigned count);

#endif
