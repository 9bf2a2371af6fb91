/* Stores that may write a part of a number, or numbers of one kind over those of another: see native/cells/parts.c
 * and native/state.h. The code that is built here tests whether a derivative is concerned, and calls the run time
 * if so. */
#ifndef CC_PARTS_H
#define CC_PARTS_H

#include "cc/ir/unit.h"
#include "native/state.h"

/* Sets program->kinds and program->packs from the base copy. */
void cc_find_kinds(cc_unit *unit);

/* Returns whether the store writes integers or pointers that may be a part of a number. */
bool cc_may_write_parts(cc_unit *unit, LLVMValueRef store);
/* Returns whether the store writes numbers, and the program has other kinds of numbers that they may overwrite. */
bool cc_may_overwrite_numbers(cc_unit *unit, LLVMValueRef store);
/* Builds an i1: true if the cell of one of the numbers that the store writes a part of is not zero. `address` is
 * the address of the store, as a value at the builder. */
LLVMValueRef cc_parts_have_derivative(cc_unit *unit, LLVMValueRef store, LLVMValueRef address);
/* As cc_parts_have_derivative; if true, the code also calls the run time's function `callee`, the same one in the
 * whole module, with address and size, and with `doubt` unless that is NULL. `apart`: see ir/small.h. */
LLVMValueRef cc_parts_begin(cc_unit *unit, LLVMValueRef store, LLVMValueRef address, const char *callee,
                            LLVMValueRef doubt, bool apart);
/* Builds an i1: true if the cell of a number of this kind that has bytes among the `size` bytes at `address` is not
 * zero. */
LLVMValueRef cc_parts_around(cc_unit *unit, LLVMValueRef address, uint64_t size, verso__native_kind kind);
/* Builds zero if the bits of a cell are a guard (native/cells/odd.c), else `bits`. */
LLVMValueRef cc_parts_unless_guard(cc_unit *unit, LLVMValueRef bits);
/* As cc_parts_have_derivative, for the place that the stored value was loaded from. */
LLVMValueRef cc_origin_has_derivative(cc_unit *unit, LLVMValueRef store, LLVMValueRef origin);
/* Builds an i1: true if the numbers that the store writes overwrite others that have derivatives
 * (verso__native_has_overlapped). */
LLVMValueRef cc_overlap_has_derivative(cc_unit *unit, LLVMValueRef store, LLVMValueRef address, bool apart);

/* Returns the address that the stored value was loaded from, as far as it is known; NULL if it is not a copy of a
 * load's bits. */
LLVMValueRef cc_parts_loaded(cc_unit *unit, LLVMValueRef store, bool (*varied)(void *, LLVMValueRef), void *context);
/* Builds the origin of the stored value for the run time: `loaded`, which is cc_parts_loaded as a value at the
 * builder; a special address for copies that were not loaded; NULL if the bits are not a copy. */
LLVMValueRef cc_parts_origin(cc_unit *unit, LLVMValueRef store, LLVMValueRef loaded,
                             bool (*varied)(void *, LLVMValueRef), void *context);

#endif
