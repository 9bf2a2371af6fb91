/* Stores that may write a part of a number, or numbers of one kind over those of another: see native/parts.c and
 * native/state.h. A few instructions look whether there is a derivative to care for; what is to be done then the run
 * time does. */
#ifndef CC_PARTS_H
#define CC_PARTS_H

#include "cc/cc.h"
#include "native/state.h"

/* Sets program->kinds and program->packs, from the base copy. */
void cc_find_kinds(cc_unit *unit);

/* Whether the store is of integers or pointers that may be a part of a number. */
bool cc_parts_may(cc_unit *unit, LLVMValueRef store);
/* Whether it is of numbers, and there are other kinds that they may overwrite. */
bool cc_over_may(cc_unit *unit, LLVMValueRef store);
/* Builds whether the cell of one of the numbers that it writes a part of (of other kinds) is not zero. `address` is
 * where it stores, at the builder's place. */
LLVMValueRef cc_parts_there(cc_unit *unit, LLVMValueRef store, LLVMValueRef address);
/* The same, and the run time is told: `tell`, one for each module, is called with address and size, and `doubt` where
 * that is not NULL. `apart`: see small.h. */
LLVMValueRef cc_parts_begin(cc_unit *unit, LLVMValueRef store, LLVMValueRef address, const char *tell,
                            LLVMValueRef doubt, bool apart);
/* Builds the same of all numbers of one kind that have bytes there. */
LLVMValueRef cc_parts_around(cc_unit *unit, LLVMValueRef address, uint64_t size, verso_native_kind kind);
/* Of a cell's bits: zero for a guard (native/odd.c). */
LLVMValueRef cc_parts_unless_guard(cc_unit *unit, LLVMValueRef bits);
/* As cc_parts_there, of where it was loaded. */
LLVMValueRef cc_parts_were(cc_unit *unit, LLVMValueRef store, LLVMValueRef origin);
LLVMValueRef cc_over_there(cc_unit *unit, LLVMValueRef store, LLVMValueRef address, bool apart);

/* The address from which what is stored was loaded, as far as it is known; NULL: it is no copy of a load's bits. */
LLVMValueRef cc_parts_loaded(cc_unit *unit, LLVMValueRef store, bool (*varied)(void *, LLVMValueRef), void *context);
/* Builds where it came from, for the run time: `loaded` is that address at the builder's place. A place of its own
 * stands for what was not loaded; NULL: the bits are no copy. */
LLVMValueRef cc_parts_origin(cc_unit *unit, LLVMValueRef store, LLVMValueRef loaded,
                             bool (*varied)(void *, LLVMValueRef), void *context);

#endif
