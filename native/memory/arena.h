/* The arena: the heap of a compiled program, at the same addresses in every process. The allocator keeps its own state
 * inside the arena, so copying the used part of the arena copies the whole heap.
 *
 * heap.c builds malloc and its relatives on these functions. Other rooms only read the arena's bounds and blocks. */
#ifndef NATIVE_MEMORY_ARENA_H
#define NATIVE_MEMORY_ARENA_H

#include "native/memory/space.h"

#include <stdbool.h>

/* Reserves the arena at the first call. Returns false if the addresses are not available; then the C library's heap is
 * used instead. */
bool verso__native_arena_ready(void);
/* Returns the whole heap: from the arena's first byte to the end of its last block. */
verso__native_range verso__native_arena_used(void);
/* Returns the arena's first byte and the highest end that verso__native_arena_used has ever had. */
verso__native_range verso__native_arena_ever_used(void);
/* Clears all free memory and sorts the free lists by address, so that the bytes of the heap depend only on the blocks
 * in use and not on the history of malloc and free. */
void verso__native_arena_tidy(void);
/* Records that the first `size` bytes of the arena may have been written. To be called when a copy of a heap of that
 * size, perhaps from another process, is put back. */
void verso__native_arena_reach(size_t size);
/* Returns the block in use that contains `address`, or an empty range. The first call builds an index of all blocks,
 * which is kept until verso__native_arena_forget. */
verso__native_range verso__native_arena_block(const char *address);
/* Frees the index of verso__native_arena_block. */
void verso__native_arena_forget(void);
/* Returns the end of the memory that was ever written; all bytes of the arena beyond it are zero. */
char *verso__native_arena_touched(void);
/* Sets a callback that is called when the program frees a block of the C library's heap. The block is not freed if the
 * callback returns true. NULL: such blocks are always freed. */
void verso__native_arena_keep_others(bool (*keeps)(void *block));
/* Returns a checksum of the allocator's state, which changes whenever a block is allocated or freed. */
uint64_t verso__native_arena_checksum(void);

#endif
