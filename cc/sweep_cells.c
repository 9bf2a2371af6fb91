/* Cells in the reverse function: loads add to them, stores take from them. Where the plane of a cell is known when
 * compiling its address is the number's plus a constant; where the alignment is 4 a few instructions find the plane;
 * below 4 the run time does. */
#include "cc/leaves.h"
#include "cc/memory_scopes.h"
#include "cc/reverse.h"
#include "native/state.h"

/* Whether an address is in a global: LLVM must not see an address far outside a global computed from it. */
static bool in_global(LLVMValueRef address) {
    while (LLVMIsAGetElementPtrInst(address) ||
           (LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMGetElementPtr))
        address = LLVMGetOperand(address, 0);
    return LLVMIsConstant(address);
}

static LLVMValueRef move_address(cc_sweep *sweep, LLVMValueRef address, LLVMValueRef distance) {
    cc_unit *unit = sweep->unit;
    if (!in_global(address))
        return LLVMBuildGEP2(unit->builder, unit->i8, address, &distance, 1, "");
    LLVMValueRef number = LLVMBuildPtrToInt(unit->builder, address, unit->i64, "");
    return LLVMBuildIntToPtr(unit->builder, LLVMBuildAdd(unit->builder, number, distance, ""), unit->pointer, "");
}

/* The cell of the number of that kind at address + offset. `alignment`, a multiple of 4, is the address's. */
static LLVMValueRef cell_address(cc_sweep *sweep, LLVMValueRef address, uint64_t offset, unsigned alignment,
                                 verso_native_kind kind) {
    cc_unit *unit = sweep->unit;
    int64_t constant = (int64_t)offset + VERSO_SHADOW + (int64_t)kind * VERSO_SHADOW_KIND;
    if (alignment % 8 == 0)
        return move_address(sweep, address, cc_i64(unit, offset % 8 == 0 ? constant : constant - VERSO_SHADOW_ODD));
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef number = LLVMBuildPtrToInt(build, address, unit->i64, "");
    number = LLVMBuildAdd(build, number, cc_i64(unit, (int64_t)offset), "");
    LLVMValueRef odd = LLVMBuildAnd(build, number, cc_i64(unit, 4), "");
    odd = LLVMBuildShl(build, odd, cc_i64(unit, 43), "");
    return move_address(sweep, address, LLVMBuildSub(build, cc_i64(unit, constant), odd, ""));
}

static LLVMValueRef load_cell(cc_sweep *sweep, LLVMValueRef cell) {
    LLVMValueRef load = LLVMBuildLoad2(sweep->unit->builder, sweep->unit->f64, cell, "");
    LLVMSetAlignment(load, 4);
    return cc_in_scope(sweep->unit, load, CC_SCOPE_PROGRAM);
}

static void store_cell(cc_sweep *sweep, LLVMValueRef value, LLVMValueRef cell) {
    LLVMValueRef store = LLVMBuildStore(sweep->unit->builder, value, cell);
    LLVMSetAlignment(store, 4);
    cc_in_scope(sweep->unit, store, CC_SCOPE_PROGRAM);
}

static bool has_cell(uint64_t offset, unsigned alignment) {
    return alignment % 4 == 0 && offset % 4 == 0;
}

static LLVMValueRef leaf_address(cc_sweep *sweep, LLVMValueRef address, uint64_t offset) {
    return offset == 0 ? address : cc_offset(sweep->unit, address, (int64_t)offset);
}

void cc_sweep_read_cells(cc_sweep *sweep, int item, LLVMValueRef address, unsigned alignment) {
    LLVMValueRef value = sweep->body->items[item].value;
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef at = NULL;
    for (unsigned i = 0; i < sweep->body->items[item].leaves; i++) {
        LLVMValueRef adjoint = cc_sweep_take(sweep, item, i);
        if (!adjoint)
            continue;
        uint64_t offset = cc_leaf_offset(sweep->unit, type, i);
        verso_native_kind kind = cc_leaf_kind(sweep->unit, type, i);
        at = at ? at : cc_sweep_value(sweep, address);
        if (has_cell(offset, alignment)) {
            LLVMValueRef cell = cell_address(sweep, at, offset, alignment, kind);
            store_cell(sweep, cc_sweep_sum(sweep, load_cell(sweep, cell), adjoint), cell);
            continue;
        }
        const char *text =
            cc_print(sweep->unit,
                     "%s: a number is read here from an address that is no multiple of 4, where Verso cannot "
                     "follow its derivative; align it (do not pack the struct)",
                     cc_where(sweep->unit, value));
        LLVMValueRef arguments[] = {leaf_address(sweep, at, offset), cc_i64(sweep->unit, kind), adjoint,
                                    cc_string(sweep->unit, text)};
        cc_call_runtime(sweep->unit, "verso_native_sweep_read", sweep->unit->none, arguments, 4);
    }
}

void cc_sweep_write_cells(cc_sweep *sweep, LLVMValueRef stored, LLVMValueRef address, unsigned alignment) {
    LLVMTypeRef type = LLVMTypeOf(stored);
    LLVMValueRef at = cc_sweep_value(sweep, address);
    unsigned leaves = cc_leaf_count(sweep->unit, type);
    for (unsigned i = 0; i < leaves; i++) {
        uint64_t offset = cc_leaf_offset(sweep->unit, type, i);
        verso_native_kind kind = cc_leaf_kind(sweep->unit, type, i);
        if (!has_cell(offset, alignment)) {
            LLVMValueRef where[] = {leaf_address(sweep, at, offset), cc_i64(sweep->unit, kind)};
            cc_sweep_add(sweep, stored, i,
                         cc_call_runtime(sweep->unit, "verso_native_sweep_write", sweep->unit->f64, where, 2));
            continue;
        }
        LLVMValueRef cell = cell_address(sweep, at, offset, alignment, kind);
        if (cc_active(sweep->body, stored))
            cc_sweep_add(sweep, stored, i, load_cell(sweep, cell));
        store_cell(sweep, cc_sweep_zero(sweep), cell);
    }
}
