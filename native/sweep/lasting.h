/* Lasting copies: copies of ranges (cc/plan/ranges.h) that nests in a loop, or calls in a loop, would make again and
 * again, although the memory stands. The first is kept beside the tape until the differentiation ends, and the others
 * are references to it.
 *
 * Nothing is ever removed or changed while a differentiation lasts, and whether bytes are kept depends only on what was
 * kept before them in the order of the run. So a part of the run that is run again, recorded or not, finds what it
 * found or kept before, and moves the tape by the same number of bytes.
 *
 * A nest may ask for more bytes than it reads: those of other objects, before and after the one that it reads. When a
 * checkpointed call is recorded again, memory holds only objects that the call may access, so what other objects hold
 * must not matter: if the bytes differ from those of a copy, the bytes of the nest's object decide. */
#ifndef NATIVE_SWEEP_LASTING_H
#define NATIVE_SWEEP_LASTING_H

#include <stdint.h>

/* Forgets all copies. From now on, copies may take `limit` bytes. */
void verso__native_lasting_begin(uint64_t limit);
/* Returns the bytes that the copies take. */
uint64_t verso__native_lasting_bytes(void);
/* The part of a memory budget that copies may take is 1 / VERSO_NATIVE_LASTING_SHARE. */
enum { VERSO_NATIVE_LASTING_SHARE = 16 };
/* Returns how large a budget must be if everything except copies takes `others` bytes: as large if no copies are
 * wanted. */
uint64_t verso__native_lasting_budget(uint64_t others);

#endif
