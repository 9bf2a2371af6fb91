/* Refuses writes to memory that no capsule holds, in runs that are repeated. */
#ifndef NATIVE_RUN_OUTSIDE_H
#define NATIVE_RUN_OUTSIDE_H

#include "native/memory/memory.h"

/* Starts the check of writes: before generated code writes to memory outside the heap and the private stack, it calls
 * verso__native_check_write (native/state.h), which ends the run with an error if no capsule holds that memory. */
void verso__native_outside_watch(void);
/* Ends the check of writes. */
void verso__native_outside_forget(void);
/* Returns true if capsules hold this memory. Must be called on the private stack (native/memory/stack.h). */
bool verso__native_is_own(const void *data);
/* Returns true if this is read-only memory of the program or of a library: constants or code. */
bool verso__native_is_constant(const void *data);

#endif
