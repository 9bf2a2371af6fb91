/* Small functions of a module of generated code, each in two: one that LLVM puts wherever it is called, for loops and
 * functions that call themselves, and one that is called, for all other places.
 *
 * The latter keeps all registers but those of floating-point numbers, so that nobody has to save any. A call of it
 * costs a nanosecond; a branch and two blocks more cost LLVM so much time that linking a large program took a quarter
 * longer. LLVM's C interface cannot split a block, either, so this is also how to have a branch in the middle of one.
 */
#ifndef CC_SMALL_H
#define CC_SMALL_H

#include "cc/cc.h"

/* LLVM's attribute "memory": what it does besides that of the run time, which is its own. */
typedef enum cc_small_memory {
    CC_SMALL_READS = 1 << 4,                  /* reads the program's memory, or the run time's */
    CC_SMALL_TELLS = 3 << 2 | CC_SMALL_READS, /* and may call the run time, which changes nothing that others see */
    CC_SMALL_CHANGES = 3 << 4 | 3 << 2 | 3,
} cc_small_memory;

/* Builds the body; the builder is in the function's first block. */
typedef void cc_build_small(cc_unit *unit, LLVMValueRef function, const void *context);

/* Makes it, unless the module has it. It has CC_SMALL_PARAMETERS parameters at most. */
enum { CC_SMALL_PARAMETERS = 8 };
void cc_small(cc_unit *unit, const char *name, LLVMTypeRef type, cc_small_memory memory, cc_build_small *build,
              const void *context);
/* Where the builder is; `apart`: the one that is called. */
LLVMValueRef cc_call_small(cc_unit *unit, const char *name, bool apart, LLVMValueRef *arguments, unsigned count);
/* What returns so many doubles returns. */
LLVMTypeRef cc_small_numbers(cc_unit *unit, unsigned count);
/* Calls a function of the run time if `there`, a bit, is set. */
void cc_call_if(cc_unit *unit, LLVMValueRef there, const char *name, bool apart, LLVMValueRef *arguments,
                unsigned count);

#endif
