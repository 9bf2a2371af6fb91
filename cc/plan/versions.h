/* Makes two versions of a loop nest: one that copies what it reads to the tape once (ranges.h), and one as it was.
 *
 *     before:  before -> header ... -> exit
 *     after:   before -> test -> front -> header ... -> exit        the version with copies, in blocks of iterations
 *                         |        ^                |
 *                         |        +---- again <----+
 *                         +----> the copy of the nest -> exit       the version without
 *
 * A block of iterations has no safepoint inside. So it has as many iterations as certainly write no more tape than a
 * strip does (strips.h). */
#ifndef CC_VERSIONS_H
#define CC_VERSIONS_H

#include "cc/plan/body.h"

typedef struct cc_versions {
    /* From cc_begin_versions: */
    LLVMBasicBlockRef test;  /* runs before the nest; without terminator */
    LLVMBasicBlockRef front; /* runs before each block of iterations; without terminator */
    LLVMValueRef done;       /* in `front`: number of iterations before this block (i64) */
    LLVMValueRef *starts;    /* for each item that is a phi of the header: its value in `front` */
    /* For cc_make_versions, built in `test`: */
    LLVMValueRef wanted; /* i1: enter the version with copies */
    LLVMValueRef length; /* i64: number of iterations of a block */
    /* From cc_make_versions: */
    LLVMBasicBlockRef plain; /* header of the version without copies */
} cc_versions;

/* Returns whether cc_make_versions can change this loop. */
bool cc_can_have_versions(const cc_body *body, int loop);
/* Makes `test` and `front`, still outside the program's flow. The caller adds code to them, and then calls one of the
 * other two functions. */
cc_versions cc_begin_versions(cc_body *body, int loop);
/* Changes the function; `body` then describes the code that it was. */
void cc_make_versions(cc_body *body, int loop, cc_versions *versions);
/* Leaves the function as it was. */
void cc_drop_versions(cc_versions *versions);

#endif
