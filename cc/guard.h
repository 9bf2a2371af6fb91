/* Where recording code writes memory that no capsule may hold, it looks first: such a write would be lost when the run
 * is put back, and is reported with its place (native/outside.c). */
#ifndef CC_GUARD_H
#define CC_GUARD_H

#include "cc/body.h"

/* Adds calls of verso.inside(pointer, writes), which LLVM inlines in loops. The body's items stay what they are. */
void cc_guard_writes(cc_body *body);

#endif
