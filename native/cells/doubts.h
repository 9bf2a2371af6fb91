/* Doubts: adjoints that are NaNs with the address of a message. A doubt says that a derivative has reached the integer
 * in a word of 4 bytes by arithmetic that Verso does not follow (cc/plan/doubts.h). It is kept in the word's
 * cell of kind VERSO_NATIVE_DOUBTED, and can exclude single bytes of the word. `bits` below are the bits of a cell. */
#ifndef NATIVE_CELLS_DOUBTS_H
#define NATIVE_CELLS_DOUBTS_H

#include "native/memory/memory.h"

/* Returns true if the program's reverse functions can leave doubts. */
bool verso__native_has_doubts(void);
/* Returns true if the bits are a doubt. */
bool verso__native_is_doubt(uint64_t bits);
/* Returns the message of a doubt; NULL if the bits are a NaN of the program that looks like one. */
const char *verso__native_doubt_message(uint64_t bits);
/* Returns the bytes of the word that the doubt applies to: bit i for byte i. */
unsigned verso__native_doubt_bytes(uint64_t bits);
/* Returns the doubt without these bytes; 0 if it then applies to no byte. */
uint64_t verso__native_doubt_without(uint64_t bits, unsigned bytes);
/* Returns what a cell with the bits `before` holds after `doubt` is added to it. */
uint64_t verso__native_doubt_sum(uint64_t before, uint64_t doubt);
/* Reverses a copy: moves doubts about the bytes of `destination` to the bytes of `source`. */
void verso__native_doubts_move(char *destination, char *source, uint64_t size);
/* Adds the doubt `adjoint` to these bytes. Returns false if `adjoint` is not a doubt. */
bool verso__native_doubt_add(char *data, uint64_t size, double adjoint);
/* Removes the doubts about these bytes and returns one of them; 0 if there were none. */
double verso__native_doubt_take(char *data, uint64_t size);
/* Refuses the differentiation, with the doubt's message, if the derivative is a doubt. */
void verso__native_doubt_check(double derivative);
/* Returns the message of a lost tangent (VERSO_NATIVE_BLAME), or NULL if `tangent` is another number. */
const char *verso__native_blame_message(double tangent);

#endif
