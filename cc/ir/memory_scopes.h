/* Alias scopes. The tape, the state of the run time, the program's memory and the planes of shadow memory never
 * overlap. LLVM cannot find that out itself, so generated loads and stores carry metadata that says it. */
#ifndef CC_MEMORY_SCOPES_H
#define CC_MEMORY_SCOPES_H

#include "cc/ir/unit.h"

/* The memory that a load or store accesses. */
typedef enum cc_scope {
    CC_SCOPE_TAPE,
    CC_SCOPE_COPY,    /* copies of ranges on the tape (cc/plan/ranges.h), in reverse functions */
    CC_SCOPE_STATE,   /* verso__native_now */
    CC_SCOPE_PROGRAM, /* the program's memory */
    CC_SCOPE_CELLS,   /* shadow memory, except that of floats */
    CC_SCOPE_FLOATS,  /* the shadow memory of floats */
    CC_SCOPES,        /* number of scopes */
} cc_scope;

/* Marks `access`, a load or store, as one that accesses only the memory of `scope`. It keeps the marks that it has from
 * the program (restrict). Returns `access`. */
LLVMValueRef cc_in_scope(cc_unit *unit, LLVMValueRef access, cc_scope scope);
/* Marks `store`, which is in CC_SCOPE_TAPE and writes field `field` of a record: no two fields of records overlap. A
 * loop writes a record in each iteration, and where LLVM compares all its addresses before it vectorises the loop,
 * those of different fields would always overlap. No-op for fields after the first ones. */
void cc_in_field(cc_unit *unit, LLVMValueRef store, size_t field);
/* Returns whether cc_in_scope has marked `access` with `scope`, and LLVM's passes have not removed the mark. */
bool cc_is_in_scope(cc_unit *unit, LLVMValueRef access, cc_scope scope);

#endif
