/* Accesses to cells (native/state.h): the cell of a float is a float, all others are doubles. */
#ifndef CC_IR_CELLS_H
#define CC_IR_CELLS_H

#include "cc/ir/unit.h"
#include "native/state.h"

/* Builds `number`, a float or a double, as a number of this type, f32 or f64. */
LLVMValueRef cc_number_as(cc_unit *unit, LLVMValueRef number, LLVMTypeRef type);
/* Builds the address that is `distance` bytes (i64) from `address`, a pointer. The sum is that of integers, because to
 * LLVM an address computed from an object is in that object. It is built from the pointer that `address` was computed
 * from (an argument, a variable, the result of a load), with the offsets that the program adds to that pointer: they
 * change in a loop, and LLVM vectorises loops only if it sees how addresses change. */
LLVMValueRef cc_move_address(cc_unit *unit, LLVMValueRef address, LLVMValueRef distance);
/* Builds a load of a cell of this kind, and returns it: a float or a double. */
LLVMValueRef cc_load_cell(cc_unit *unit, LLVMValueRef cell, verso__native_kind kind);
/* Builds a store of `value`, a float or a double, to a cell of this kind. */
void cc_store_cell(cc_unit *unit, LLVMValueRef value, LLVMValueRef cell, verso__native_kind kind);

#endif
