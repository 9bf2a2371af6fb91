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

/* ---- Addresses ---- */

static bool is_gep(LLVMValueRef address) {
    return LLVMIsAGetElementPtrInst(address) ||
           (LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMGetElementPtr);
}

/* A phi with one operand, as closed SSA has them, is that operand. */
static bool is_copy(LLVMValueRef address) {
    return LLVMIsAPHINode(address) && LLVMCountIncoming(address) == 1;
}

static LLVMValueRef base_of(cc_unit *unit, LLVMValueRef address, LLVMValueRef distance) {
    LLVMValueRef number = LLVMBuildPtrToInt(unit->builder, address, unit->i64, "");
    number = LLVMBuildAdd(unit->builder, number, distance, "");
    return LLVMBuildIntToPtr(unit->builder, number, unit->pointer, "");
}

/* Builds what `gep` computes, from another base. */
static LLVMValueRef same_offset(cc_unit *unit, LLVMValueRef gep, LLVMValueRef base) {
    unsigned count = (unsigned)LLVMGetNumOperands(gep) - 1;
    LLVMValueRef *indices = cc_alloc(unit, count, sizeof(LLVMValueRef));
    for (unsigned i = 0; i < count; i++)
        indices[i] = LLVMGetOperand(gep, i + 1);
    return LLVMBuildGEPWithNoWrapFlags(unit->builder, LLVMGetGEPSourceElementType(gep), base, indices, count, "",
                                       LLVMGEPGetNoWrapFlags(gep));
}

LLVMValueRef cc_move_address(cc_unit *unit, LLVMValueRef address, LLVMValueRef distance) {
    LLVMValueRef *chain = NULL;
    size_t count = 0, capacity = 0;
    for (; is_gep(address) || is_copy(address); address = LLVMGetOperand(address, 0)) {
        if (is_copy(address))
            continue;
        cc_reserve(unit, &chain, &capacity, count + 1, sizeof(LLVMValueRef));
        chain[count++] = address;
    }
    LLVMValueRef moved = base_of(unit, address, distance);
    while (count > 0)
        moved = same_offset(unit, chain[--count], moved);
    return moved;
}

/* ---- Loads and stores ---- */

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
