/* Adds checks before writes to memory that capsules may not contain. Such a write would not be undone when a run is
 * restored, so the run time refuses it and names the place (native/run/outside.c). */
#ifndef CC_GUARD_H
#define CC_GUARD_H

#include "cc/plan/body.h"

/* Adds calls of the small function verso.inside(pointer, writes), which LLVM inlines in loops. Changes no items of
 * the body. */
void cc_guard_writes(cc_body *body);

#endif
