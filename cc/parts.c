/* Parts of doubles: see parts.h. */
#include "cc/parts.h"

#include "cc/leaves.h"
#include "cc/program.h"
#include "cc/surgery.h"
#include "native/state.h"

/* ---- Floats ---- */

static bool has_leaf(cc_unit *unit, LLVMTypeRef type, bool (*is)(LLVMTypeRef scalar)) {
    for (unsigned i = 0; i < cc_leaf_count(unit, type); i++)
        if (is(cc_leaf_type(unit, type, i)))
            return true;
    return false;
}

static bool is_float(LLVMTypeRef scalar) {
    return LLVMGetTypeKind(scalar) == LLVMFloatTypeKind;
}

static bool moves_float(cc_unit *unit, LLVMValueRef instruction) {
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMLoad: return has_leaf(unit, LLVMTypeOf(instruction), is_float);
    case LLVMStore: return has_leaf(unit, LLVMTypeOf(LLVMGetOperand(instruction, 0)), is_float);
    default: return false;
    }
}

static bool has_floats(cc_unit *unit, LLVMValueRef function) {
    for (LLVMValueRef i = cc_first(function); i != NULL; i = cc_next(i))
        if (moves_float(unit, i))
            return true;
    return false;
}

void cc_find_floats(cc_unit *unit) {
    cc_program *program = unit->program;
    program->doubles_only = true;
    for (size_t i = 0; i < program->member_count && program->doubles_only; i++) {
        const cc_member *member = program->members[i];
        LLVMValueRef function = LLVMGetNamedFunction(unit->module, cc_print(unit, "%s.base", member->name));
        program->doubles_only = member->inactive || function == NULL || !has_floats(unit, function);
    }
}

/* ---- Stores ---- */

static LLVMValueRef cell_around(cc_unit *unit, LLVMValueRef address) {
    LLVMValueRef number = LLVMBuildAnd(unit->builder, address, cc_i64(unit, -8), "");
    LLVMValueRef cell = LLVMBuildAdd(unit->builder, number, cc_i64(unit, VERSO_SHADOW), "");
    return LLVMBuildIntToPtr(unit->builder, cell, unit->pointer, "");
}

cc_parts cc_parts_of(cc_unit *unit, LLVMValueRef store, LLVMValueRef address) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
    uint64_t size = LLVMStoreSizeOfType(unit->layout, type), alignment = LLVMGetAlignment(store);
    cc_parts parts = {.address = address, .size = cc_i64(unit, (int64_t)size)};
    if (!unit->program->doubles_only || (alignment % 8 == 0 && size % 8 == 0) ||
        has_leaf(unit, type, cc_leaf_is_number))
        return parts;
    LLVMValueRef first = LLVMBuildPtrToInt(unit->builder, address, unit->i64, "");
    LLVMValueRef last = LLVMBuildAdd(unit->builder, first, cc_i64(unit, (int64_t)size - 1), "");
    parts.first = cell_around(unit, first);
    parts.last = size <= 8 && alignment >= size ? parts.first : cell_around(unit, last);
    return parts;
}

static LLVMValueRef bits_at(cc_unit *unit, LLVMValueRef cell) {
    return LLVMBuildLoad2(unit->builder, unit->i64, cell, "");
}

static LLVMValueRef either(cc_unit *unit, LLVMValueRef some, LLVMValueRef others) {
    return some == others ? some : LLVMBuildOr(unit->builder, some, others, "");
}

/* Whatever its sign is. */
static LLVMValueRef not_zero(cc_unit *unit, LLVMValueRef bits) {
    LLVMValueRef magnitude = LLVMBuildShl(unit->builder, bits, cc_i64(unit, 1), "");
    return LLVMBuildICmp(unit->builder, LLVMIntNE, magnitude, cc_i64(unit, 0), "");
}

LLVMValueRef cc_parts_any(cc_unit *unit, cc_parts parts) {
    LLVMValueRef first = bits_at(unit, parts.first);
    LLVMValueRef last = parts.first == parts.last ? first : bits_at(unit, parts.last);
    return not_zero(unit, either(unit, first, last));
}

/* ---- Tangent mode ---- */

/* void verso.pass.part(data, size, copied, bits of the first cell before, of the last, the first cell, the last) */
static void build_part(cc_unit *unit, LLVMValueRef function, void *context) {
    (void)context;
    LLVMValueRef given[7];
    LLVMGetParams(function, given);
    LLVMBasicBlockRef rarely = LLVMAppendBasicBlockInContext(unit->context, function, "rarely");
    LLVMBasicBlockRef on = LLVMAppendBasicBlockInContext(unit->context, function, "on");
    LLVMValueRef after = either(unit, bits_at(unit, given[5]), bits_at(unit, given[6]));
    LLVMValueRef any = either(unit, either(unit, given[3], given[4]), after);
    LLVMBuildCondBr(unit->builder, not_zero(unit, any), rarely, on);
    cc_build_at_end(unit, rarely);
    cc_call_runtime(unit, "verso_native_tangent_part", unit->none, given, 5);
    LLVMBuildBr(unit->builder, on);
    cc_build_at_end(unit, on);
    LLVMBuildRetVoid(unit->builder);
}

void cc_parts_before(cc_unit *unit, cc_parts *parts) {
    if (!parts->first)
        return;
    parts->before_first = bits_at(unit, parts->first);
    parts->before_last = parts->first == parts->last ? parts->before_first : bits_at(unit, parts->last);
}

void cc_parts_after(cc_unit *unit, const cc_parts *parts, bool copied) {
    if (!parts->first)
        return;
    LLVMTypeRef types[] = {unit->pointer, unit->i64, unit->i64, unit->i64, unit->i64, unit->pointer, unit->pointer};
    LLVMTypeRef type = LLVMFunctionType(unit->none, types, 7, false);
    LLVMValueRef arguments[] = {parts->address,     parts->size,  cc_i64(unit, copied), parts->before_first,
                                parts->before_last, parts->first, parts->last};
    cc_call_shared(unit, cc_shared(unit, "verso.pass.part", type, build_part, NULL), arguments, 7);
}
