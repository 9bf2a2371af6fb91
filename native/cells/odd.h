/* Odd doubles: doubles that copies have brought to odd multiples of 4, in programs that do not pack. While an odd
 * double has a derivative, the cells of the two aligned doubles that share bytes with it hold a guard
 * (VERSO_NATIVE_GUARD), so that a store to one of these is noticed. odd.c explains the scheme. */
#ifndef NATIVE_CELLS_ODD_H
#define NATIVE_CELLS_ODD_H

#include "native/cells/parts.h"

/* Guards that can be hidden at a time. */
enum { VERSO_NATIVE_HIDDEN = 4 };
/* A guard that is hidden. */
typedef struct verso__native_hidden {
    uintptr_t number; /* address of the aligned double whose cell holds the guard */
    uint64_t bits;    /* the guard */
} verso__native_hidden;

/* Returns true if the bits of a cell are a guard. */
bool verso__native_is_guard(uint64_t bits);
/* Returns true if odd doubles with derivatives, or their guards, may be in these bytes. */
bool verso__native_may_have_odd(const void *data, uint64_t size);

/* ---- Reverse mode ---- */

/* Sets the guards of the double at `number`, which has got an adjoint. No-op if it is not an odd double. */
void verso__native_odd_set_guards(uintptr_t number, const verso__native_culprit *culprit);
/* Removes guards of the odd double at `number` when the write of its bytes (bit i of `bytes`: byte i) is reversed.
 * Refuses the differentiation if these bytes were copied from elsewhere and something has written over a guard. */
void verso__native_odd_remove_guards(uintptr_t number, unsigned bytes, bool copied);
/* Does the same for all odd doubles in `data`, of culprit->size bytes; to be called before cells are taken. */
void verso__native_odd_leave(const char *data, const verso__native_culprit *culprit);
/* Refuses the differentiation if an odd double in the source of a copy lacks its guards; to be called before the
 * source's cells get the adjoints of the copy. */
void verso__native_odd_check(const char *data, uint64_t size);
/* Sets the guards of odd doubles in the source of a copy; to be called after its cells got the adjoints. */
void verso__native_odd_arrive(const char *data, const verso__native_culprit *culprit);

/* ---- Both modes ---- */

/* Hides the guards at the ends of some memory, where only a part of the guarding double was written, while the cells of
 * that memory are taken. */
void verso__native_odd_hide(const void *data, uint64_t size);
/* Restores the hidden guards. `copied`: in reverse mode, the bytes were copied from elsewhere. */
void verso__native_odd_show(bool copied);

/* ---- Tangent mode ---- */

/* Sets the tangents of odd doubles that lack their guards to NaN; to be called before the memory is read. */
void verso__native_odd_spoil(const void *data, uint64_t size);
/* Sets the guards of odd doubles with tangents; to be called after the memory was written. No-op unless `may`. */
void verso__native_odd_surround(const void *data, uint64_t size, bool may);
/* Hides the guard of the double of which the memory holds the first half only; to be called before the write. */
void verso__native_odd_hide_last(const void *data, uint64_t size);

#endif
