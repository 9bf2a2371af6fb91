/* Accesses to cells: see cells.h. */
#include "cc/ir/cells.h"

#include "cc/ir/memory_scopes.h"

enum { CELL_ALIGNMENT = 4 };

LLVMValueRef cc_number_as(cc_unit *unit, LLVMValueRef number, LLVMTypeRef type) {
    if (LLVMTypeOf(number) == type)
        return number;
    return type == unit->f64 ? LLVMBuildFPExt(unit->builder, number, type, "")
                             : LLVMBuildFPTrunc(unit->builder, number, type, "");
}

static cc_scope scope_of(verso__native_kind kind) {
    return kind == VERSO_NATIVE_FLOAT ? CC_SCOPE_FLOATS : CC_SCOPE_CELLS;
}

LLVMValueRef cc_load_cell(cc_unit *unit, LLVMValueRef cell, verso__native_kind kind) {
    LLVMTypeRef type = kind == VERSO_NATIVE_FLOAT ? unit->f32 : unit->f64;
    LLVMValueRef load = LLVMBuildLoad2(unit->builder, type, cell, "");
    LLVMSetAlignment(load, CELL_ALIGNMENT);
    return cc_in_scope(unit, load, scope_of(kind));
}

void cc_store_cell(cc_unit *unit, LLVMValueRef value, LLVMValueRef cell, verso__native_kind kind) {
    value = cc_number_as(unit, value, kind == VERSO_NATIVE_FLOAT ? unit->f32 : unit->f64);
    LLVMValueRef store = LLVMBuildStore(unit->builder, value, cell);
    LLVMSetAlignment(store, CELL_ALIGNMENT);
    cc_in_scope(unit, store, scope_of(kind));
}
