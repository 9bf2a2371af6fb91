/* The memory that a checkpointed call may access: whole heap blocks, variables and regions, and variables of frames. */
#ifndef NATIVE_SWEEP_REACH_H
#define NATIVE_SWEEP_REACH_H

#include "native/run/run.h"

/* Maximum number of objects of a call with a small snapshot. */
enum { VERSO_NATIVE_REACH_MOST = 1024 };

/* An object that a call may access, or a part of one. */
typedef struct verso__native_reached {
    char *begin, *end;
    bool follows; /* it may also access all objects that can be reached through pointers in this one */
    bool part;    /* a part of an object */
    bool near;    /* it may be accessed only if a pointer to the end of another object is meant, or to its beginning */
    bool extent;  /* it is not accessed: a neighbour in the heap or in a frame, of which only the extent is needed */
} verso__native_reached;

/* The arguments of the current call, as the callee finds them. */
typedef struct verso__native_passed {
    const uint64_t *general; /* the six registers of integers and pointers */
    char *stack;             /* address of the first argument on the stack */
} verso__native_passed;

/* Finds all objects that a call with these effects may access, and its arguments on the stack. Returns false if some
 * memory is not known, if the C library's heap or another library may be involved, or if there are too many. Must be
 * called on the private stack. The list is valid until the next call. */
bool verso__native_reach(const verso__native_effects *effects, const verso__native_passed *passed,
                         const verso__native_reached **list, size_t *count);
/* The current call is recorded again, and of the heap and of outer frames, memory holds only these objects as they were
 * before the call: from now on, they are found in this list, sorted by address, and not by what the allocator says.
 * `stack` is where the call's frame begins. NULL: memory is all there. */
void verso__native_reach_within(const verso__native_range *list, size_t count, const char *stack);
/* Returns the object in the heap, in a frame or among the program's variables that contains `pointer`; empty if none is
 * known. It is the same when the call is recorded again. Must be called on the private stack. */
verso__native_range verso__native_reach_object(const char *pointer);
/* Frees all memory. */
void verso__native_reach_forget(void);

#endif
