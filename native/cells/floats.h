/* Cells of floats, for cells.c: those of some memory are an array of floats. The functions are no-ops if the program
 * has no floats. */
#ifndef NATIVE_CELLS_FLOATS_H
#define NATIVE_CELLS_FLOATS_H

#include "native/memory/memory.h"

/* Return true if no float that lies entirely, or only in part, in the memory has a derivative. */
bool verso__native_floats_zero(void *data, uint64_t size);
bool verso__native_floats_partial_zero(void *data, uint64_t size);
void verso__native_floats_clear(void *data, uint64_t size);
/* Reverse and tangent mode: move and copy the cells of a copy by a multiple of 4 bytes. */
void verso__native_floats_sweep(char *destination, char *source, uint64_t size);
void verso__native_floats_copy(char *destination, char *source, uint64_t size);
/* Tangent mode: the tangents of floats that lie entirely in the memory become NaNs; those of floats that lie there in
 * part become NaNs if they are not zero, or if `any`. */
void verso__native_floats_spoil(void *data, uint64_t size);
void verso__native_floats_spoil_partial(void *data, uint64_t size, bool any);

/* The bits of the cell of a float, as those of a double. The mark of an unfinished number (parts.h) stays a mark if its
 * further bits are at most VERSO_NATIVE_FLOAT_MARK_MOST. */
#define VERSO_NATIVE_FLOAT_MARK_MOST UINT64_C(0x1fffff)
uint64_t verso__native_float_bits(uintptr_t number);
void verso__native_float_set_bits(uintptr_t number, uint64_t bits);

#endif
