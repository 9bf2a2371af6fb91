/* Room `cells`: the operations of generated code on cells that take more than one load or store: copying and clearing,
 * numbers that are written in parts, and doubles at odd multiples of 4.
 *
 *   cells.c    copies and clears cells; numbers at addresses that are not multiples of 4
 *   floats.c   the same for the cells of floats
 *   parts.c    numbers of which a store, a copy or a fill writes some bytes only
 *   lost.c     refuses derivatives that are lost
 *   odd.c      doubles that copies have brought to odd multiples of 4
 *   doubts.c   derivatives that have reached integers through arithmetic that Verso does not follow
 *   second.c   tangents of memory and of adjoints, for second derivatives
 *
 * Requires: room `memory`.
 * Leaves: the functions of native/state.h that work on cells.
 * Owns: the table of unfinished numbers and the list of odd doubles; both are part of a stored adjoint. */
#ifndef NATIVE_CELLS_CELLS_H
#define NATIVE_CELLS_CELLS_H

#include "native/cells/floats.h"
#include "native/cells/odd.h"
#include "native/cells/parts.h"
#include "native/memory/memory.h"

/* Tangent mode. To be called after the cells of `size` bytes were copied to `destination` from an address that differs
 * by 4 modulo 8. Such a copy composes aligned doubles of the halves of two others; if one of those has a tangent, this
 * sets the tangent of the composed double to NaN. `before`: the double that the copy took only the second half of, at
 * the beginning of the source, has a tangent. */
void verso__native_tangent_across(char *destination, uint64_t size, bool before);

#endif
