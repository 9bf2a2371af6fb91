/* Shadow memory as pages: which pages of the planes a differentiation touched, and clearing them. */
#ifndef NATIVE_MEMORY_SHADOW_H
#define NATIVE_MEMORY_SHADOW_H

#include "native/memory/space.h"

/* Bytes that verso__native_block_zero tests at once. */
enum { VERSO_NATIVE_BLOCK = 64 };

/* Returns true if the VERSO_NATIVE_BLOCK bytes at `cells` are zero. It uses vector registers, because most memory
 * has no derivatives and this test is all that most cells need. */
static inline bool verso__native_block_zero(const void *cells) {
    typedef uint64_t pair __attribute__((vector_size(16), aligned(4), may_alias));
    const pair *four = cells;
    pair any = (four[0] | four[1]) | (four[2] | four[3]);
    return (any[0] | any[1]) == 0;
}

/* Begins a differentiation. Requires that all planes hold zeros, as verso__native_shadow_end leaves them. */
void verso__native_shadow_begin(void);
/* Clears all planes. `nearby` lists `count` ranges of program memory, in ascending order, whose cells are likely to be
 * touched again: their pages may stay with the process. Returns the bytes of cells that were touched. */
size_t verso__native_shadow_end(const verso__native_range *nearby, size_t count);
/* Forgets which pages of the planes have memory, because another run time has used them since. */
void verso__native_shadow_forget(void);
/* Returns the bytes of memory that the planes take between differentiations. */
uint64_t verso__native_shadow_kept(void);
/* Gives that memory back to the system. */
void verso__native_shadow_drop(void);
/* Returns true if cells may have been touched for the first time since verso__native_shadow_begin. */
bool verso__native_shadow_touched(void);
/* Says that another thread, which may have touched cells, had so many page faults. */
void verso__native_shadow_add_faults(uint64_t faults);
/* Clears [begin, end) of a plane, a multiple of 8 bytes. It does not write pages that are zero or not in memory. */
void verso__native_shadow_clear(char *begin, char *end);

#endif
