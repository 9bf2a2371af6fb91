/* Values and adjoints in the reverse function. */
#include "cc/ir/cells.h"
#include "cc/ir/leaves.h"
#include "cc/ir/memory_scopes.h"
#include "cc/plan/plan.h"
#include "cc/plan/records.h"
#include "cc/reverse/copies.h"
#include "cc/reverse/inside.h"
#include "native/state.h"

LLVMValueRef cc_sweep_load_state(cc_sweep *sweep, LLVMTypeRef type, size_t offset) {
    LLVMValueRef load = LLVMBuildLoad2(sweep->unit->builder, type, cc_state(sweep->unit, offset), "");
    return cc_in_scope(sweep->unit, load, CC_SCOPE_STATE);
}

void cc_sweep_store_state(cc_sweep *sweep, LLVMValueRef value, size_t offset) {
    LLVMValueRef store = LLVMBuildStore(sweep->unit->builder, value, cc_state(sweep->unit, offset));
    cc_in_scope(sweep->unit, store, CC_SCOPE_STATE);
}

void cc_sweep_store_adjoint(cc_sweep *sweep, LLVMValueRef adjoint, size_t offset) {
    LLVMValueRef value = adjoint ? cc_number_as(sweep->unit, adjoint, sweep->unit->f64) : cc_sweep_zero(sweep);
    cc_sweep_store_state(sweep, value, offset);
}

LLVMValueRef cc_sweep_field(cc_sweep *sweep, const cc_field *field) {
    LLVMValueRef address = cc_offset(sweep->unit, sweep->record, field->offset);
    LLVMValueRef load = LLVMBuildLoad2(sweep->unit->builder, field->type, address, "");
    LLVMSetAlignment(load, cc_field_alignment(sweep->segment, field));
    return cc_in_scope(sweep->unit, load, CC_SCOPE_TAPE);
}

/* ---- Values ---- */

static LLVMValueRef compute_again(cc_sweep *sweep, LLVMValueRef value) {
    unsigned count = cc_operand_count(value);
    LLVMValueRef *operands = cc_alloc(sweep->unit, count + 1, sizeof *operands);
    for (unsigned k = 0; k < count; k++)
        operands[k] = cc_sweep_value(sweep, LLVMGetOperand(value, k));
    LLVMValueRef clone = LLVMInstructionClone(value);
    for (unsigned k = 0; k < count; k++)
        LLVMSetOperand(clone, k, operands[k]);
    LLVMInsertIntoBuilder(sweep->unit->builder, clone);
    return clone;
}

LLVMValueRef cc_sweep_value(cc_sweep *sweep, LLVMValueRef value) {
    int x = cc_item_find(sweep->body, value);
    if (x < 0)
        return value;
    const cc_item *item = &sweep->body->items[x];
    cc_need *need = cc_need_find(sweep->segment, x);
    if (!need)
        cc_give_up(
            sweep->unit, VERSO_STATUS_STATE,
            "internal error (please report it): %s: the reverse function of %s uses a value that was not planned",
            cc_where(sweep->unit, value), sweep->body->function->name);
    if (need->built)
        return need->built;
    LLVMValueRef built = NULL;
    switch (need->source) {
    case CC_SOURCE_INDUCTION: built = cc_sweep_load_slot(sweep, item->induction_slot); break;
    case CC_SOURCE_INVARIANT: built = cc_sweep_load_slot(sweep, item->invariant_slot); break;
    case CC_SOURCE_RANGE: built = cc_sweep_from_range(sweep, item, need); break;
    case CC_SOURCE_TAPE:
        built = cc_sweep_field(sweep, &sweep->segment->fields[need->field]);
        if (LLVMTypeOf(built) != LLVMTypeOf(value))
            built = LLVMBuildTrunc(sweep->unit->builder, built, LLVMTypeOf(value), "");
        break;
    default: built = compute_again(sweep, value); break;
    }
    cc_need_find(sweep->segment, x)->built = built;
    return built;
}

LLVMValueRef cc_sweep_number(cc_sweep *sweep, LLVMValueRef value, unsigned lane) {
    LLVMValueRef number = cc_sweep_value(sweep, value);
    LLVMTypeRef type = LLVMTypeOf(number);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        number = LLVMBuildExtractElement(sweep->unit->builder, number, LLVMConstInt(sweep->unit->i32, lane, false), "");
        type = LLVMTypeOf(number);
    }
    if (LLVMGetTypeKind(type) == LLVMX86_FP80TypeKind)
        return LLVMBuildFPTrunc(sweep->unit->builder, number, sweep->unit->f64, "");
    return type == sweep->unit->f32 ? cc_number_as(sweep->unit, number, sweep->unit->rule_type) : number;
}

/* ---- Adjoints ---- */

bool cc_sweep_apart(const cc_sweep *sweep, LLVMValueRef instruction) {
    int x = cc_item_find(sweep->body, instruction);
    return x < 0 || !cc_repeats(sweep->body, sweep->body->items[x].block);
}

LLVMValueRef cc_sweep_zero(cc_sweep *sweep) {
    return LLVMConstReal(sweep->unit->f64, 0);
}

static LLVMValueRef build_sum(cc_sweep *sweep, LLVMValueRef a, LLVMValueRef b, LLVMFastMathFlags flags) {
    LLVMValueRef sum = LLVMBuildFAdd(sweep->unit->builder, a, b, "");
    if (LLVMIsAInstruction(sum))
        LLVMSetFastMathFlags(sum, flags);
    return sum;
}

LLVMValueRef cc_sweep_sum(cc_sweep *sweep, LLVMValueRef a, LLVMValueRef b) {
    return build_sum(sweep, a, b, LLVMFastMathNoSignedZeros);
}

void cc_sweep_add(cc_sweep *sweep, LLVMValueRef value, unsigned leaf, LLVMValueRef amount) {
    int x = cc_item_find(sweep->body, value);
    if (x < 0 || !amount)
        return;
    cc_item *item = &sweep->body->items[x];
    if (!item->varied || !item->useful)
        return;
    amount = cc_number_as(sweep->unit, amount, cc_leaf_adjoint(sweep->unit, LLVMTypeOf(value), leaf));
    if (item->local) {
        item->sum[leaf] = item->sum[leaf] ? cc_sweep_sum(sweep, item->sum[leaf], amount) : amount;
        return;
    }
    int slot = item->slot + (int)leaf;
    /* Sums over a loop may be computed in any order, so that LLVM can vectorise them. Strips are never split, so the
     * order does not depend on how the run is split. */
    LLVMValueRef sum =
        build_sum(sweep, cc_sweep_load_slot(sweep, slot), amount, LLVMFastMathNoSignedZeros | LLVMFastMathAllowReassoc);
    cc_sweep_store_slot(sweep, slot, sum);
}

LLVMValueRef cc_sweep_take(cc_sweep *sweep, int x, unsigned leaf) {
    cc_item *item = &sweep->body->items[x];
    if (!item->varied || !item->useful)
        return NULL;
    if (item->local) {
        LLVMValueRef sum = item->sum[leaf];
        item->sum[leaf] = NULL;
        return sum;
    }
    int slot = item->slot + (int)leaf;
    LLVMValueRef adjoint = cc_sweep_load_slot(sweep, slot);
    if (sweep->stays[slot])
        cc_sweep_store_slot(sweep, slot, LLVMConstNull(sweep->body->slots[slot].type));
    return adjoint;
}
