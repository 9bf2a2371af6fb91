/* The C library's random number generators, whose states are part of capsules. */
#ifndef NATIVE_RUN_GENERATORS_H
#define NATIVE_RUN_GENERATORS_H

#include "native/memory/memory.h"

/* The states of all generators. */
typedef struct verso__native_generators {
    uint64_t taken;     /* 0: no generator was used yet, and the other fields are not set */
    char *array;        /* address of the state of random() */
    uint32_t words[64]; /* the state of random() */
    uint32_t home[64];  /* contents of the array that random() had when it was first used */
    uint16_t rand48[7]; /* parameters of drand48() as lcong48() takes them: x, a, c */
} verso__native_generators;

/* Marks all generators as not used yet. */
void verso__native_generators_forget(void);
/* Returns the states when one of the generators was first used. */
const verso__native_generators *verso__native_generators_first(void);
/* Stores the current states in *to. */
void verso__native_generators_take(verso__native_generators *to);
/* Moves random() to an array of Verso's own. To be called before the program's memory is put back to the state that
 * `next` belongs to. */
void verso__native_generators_leave(const verso__native_generators *next);
/* Sets the generators to the states in `next`. To be called after the program's memory was put back. */
void verso__native_generators_put(const verso__native_generators *next);

#endif
