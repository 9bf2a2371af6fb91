/* The caller's stack: variables of the function that asked for a derivative, and of its callers, to which a run may
 * have pointers. Capsules hold those words of it that the run has changed (caller.c). */
#ifndef NATIVE_RUN_CALLER_H
#define NATIVE_RUN_CALLER_H

#include "native/memory/memory.h"

/* The beginning of the caller's stack, for use in the function that was called: the address after the return address
 * and after `arguments` arguments that did not fit into registers. */
#define VERSO_NATIVE_CALLER(arguments) ((char *)__builtin_frame_address(0) + (2 + (arguments)) * sizeof(void *))

/* Returns the part of the caller's stack that a run may have pointers to; empty: not known. */
verso__native_range verso__native_caller(void);
/* Begins to observe the caller's stack: until the matching verso__native_caller_close, words that the run changes
 * belong to capsules. Calls nest; only the outermost pair has an effect. */
void verso__native_caller_open(void);
void verso__native_caller_close(void);
/* Closes all pairs at once, after a failure. */
void verso__native_caller_forget(void);
/* Excludes the stack below `begin`, for a run that is continued for another caller than it began for: there the frames
 * are no longer those of the first caller. */
void verso__native_caller_exclude_below(const char *begin);
/* Returns true if `address` is a word of the caller's stack that is observed. */
bool verso__native_caller_holds(const char *address);
/* Copies the observed words. To be called when the private stack is entered. */
void verso__native_caller_enter(void);
/* Compares the observed words with that copy and marks those that differ as changed by the run. To be called when the
 * private stack is left. */
void verso__native_caller_leave(void);

/* ---- The last part of a capsule ---- */

/* Returns the bytes that the changed words take, and decides which words verso__native_caller_write writes. */
size_t verso__native_caller_size(void);
/* Writes the changed words. Must follow verso__native_caller_size. */
void verso__native_caller_write(char *bytes);
/* Resets the words that the run has changed to their values at its beginning, then restores those in `bytes`. */
void verso__native_caller_read(const char *bytes);

#endif
