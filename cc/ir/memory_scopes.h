/* Alias scopes. The tape, the state of the run time, the program's memory and the planes of shadow memory never
 * overlap, nor do memories that types/classes.c tells apart. LLVM cannot find that out itself, so generated loads and
 * stores carry metadata that says it. */
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

/* The first memories (cc/ir/tags.h) that a function accesses. They never overlap, nor do their cells, and no other
 * access of the program meets them. */
enum { CC_MEMORIES_MOST = 12 };
typedef struct cc_memories {
    LLVMValueRef function;
    size_t number[CC_MEMORIES_MOST], count;
} cc_memories;
cc_memories cc_memories_of(cc_unit *unit, LLVMValueRef function);
/* Marks a load or store of a number, or of a cell if `cells`, with the memory of the program's access `of`. */
void cc_in_memory(cc_unit *unit, const cc_memories *all, LLVMValueRef access, LLVMValueRef of, bool cells);

#endif
