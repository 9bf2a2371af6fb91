/* Indices that a program computes in 32 bits: see narrow.h. */
#include "cc/plan/narrow.h"

#include "cc/ir/surgery.h"

enum { HALF = 32, DEPTH_MOST = 6 };

static bool shifts_by_half(LLVMValueRef value, LLVMOpcode opcode) {
    return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == opcode &&
           LLVMIsAConstantInt(LLVMGetOperand(value, 1)) && LLVMConstIntGetZExtValue(LLVMGetOperand(value, 1)) == HALF;
}

LLVMValueRef cc_widened(LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!LLVMIsAInstruction(value) || LLVMGetTypeKind(type) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(type) != 2 * HALF)
        return NULL;
    if (shifts_by_half(value, LLVMAShr) && shifts_by_half(LLVMGetOperand(value, 0), LLVMShl))
        return LLVMGetOperand(LLVMGetOperand(value, 0), 0);
    LLVMValueRef low = LLVMIsASExtInst(value) ? LLVMGetOperand(value, 0) : NULL;
    if (!low || !LLVMIsATruncInst(low) || LLVMGetIntTypeWidth(LLVMTypeOf(low)) != HALF ||
        LLVMTypeOf(LLVMGetOperand(low, 0)) != type)
        return NULL;
    return LLVMGetOperand(low, 0);
}

/* Returns an integer with the same low 32 bits: `value`, or a new sum after it. */
static LLVMValueRef with_small_terms(cc_unit *unit, LLVMValueRef value, int depth) {
    if (LLVMIsAConstantInt(value)) {
        uint64_t number = LLVMConstIntGetZExtValue(value);
        bool large = number >> HALF == 0 && number >> (HALF - 1) != 0;
        return large ? cc_i64(unit, (int64_t)(int32_t)(uint32_t)number) : value;
    }
    if (depth == 0 || !LLVMIsAInstruction(value) || LLVMGetInstructionOpcode(value) != LLVMAdd)
        return value;
    LLVMValueRef a = LLVMGetOperand(value, 0), b = LLVMGetOperand(value, 1);
    LLVMValueRef first = with_small_terms(unit, a, depth - 1), second = with_small_terms(unit, b, depth - 1);
    if (first == a && second == b)
        return value;
    cc_build_before(unit, LLVMGetNextInstruction(value));
    return LLVMBuildAdd(unit->builder, first, second, "");
}

/* Builds, before the builder's place, an integer of which `value` is the low half, shifted to the upper one. Returns
 * NULL if `value` is not written as such a one. */
static LLVMValueRef without_shift(cc_unit *unit, LLVMValueRef value, int depth) {
    LLVMBuilderRef build = unit->builder;
    if (LLVMIsAConstantInt(value)) {
        int64_t number = LLVMConstIntGetSExtValue(value);
        return (uint32_t)number == 0 ? cc_i64(unit, number >> HALF) : NULL;
    }
    if (depth == 0 || !LLVMIsABinaryOperator(value))
        return NULL;
    LLVMValueRef a = LLVMGetOperand(value, 0), b = LLVMGetOperand(value, 1), first, second;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    switch (opcode) {
    case LLVMShl: return shifts_by_half(value, LLVMShl) ? a : NULL;
    case LLVMMul:
        second = LLVMIsAConstantInt(b) ? without_shift(unit, b, 1) : NULL;
        return second ? LLVMBuildMul(build, a, second, "") : NULL;
    case LLVMAdd:
    case LLVMSub:
        first = without_shift(unit, a, depth - 1);
        second = first ? without_shift(unit, b, depth - 1) : NULL;
        return second ? LLVMBuildBinOp(build, opcode, first, second, "") : NULL;
    default: return NULL;
    }
}

/* LLVM multiplies by a constant and moves to the upper half at once. This divides it into two operations. */
static void divide_shift(cc_unit *unit, LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 2 * HALF ||
        !shifts_by_half(value, LLVMAShr) || LLVMIsAConstant(LLVMGetOperand(value, 0)) ||
        shifts_by_half(LLVMGetOperand(value, 0), LLVMShl))
        return;
    cc_build_before(unit, value);
    LLVMValueRef whole = without_shift(unit, LLVMGetOperand(value, 0), DEPTH_MOST);
    if (whole && LLVMIsAConstantInt(whole) == NULL)
        LLVMSetOperand(value, 0, LLVMBuildShl(unit->builder, whole, cc_i64(unit, HALF), ""));
}

void cc_make_small_terms(cc_unit *unit, cc_function *function) {
    for (LLVMValueRef at = cc_first(function->value); at != NULL; at = cc_next(at)) {
        divide_shift(unit, at);
        LLVMValueRef wide = cc_widened(at);
        LLVMValueRef small = wide ? with_small_terms(unit, wide, DEPTH_MOST) : NULL;
        if (!small || small == wide)
            continue;
        LLVMValueRef low = LLVMGetOperand(at, 0);
        LLVMSetOperand(low, 0, small);
        if (LLVMGetInstructionOpcode(low) == LLVMShl) {
            LLVMSetNSW(low, false);
            LLVMSetNUW(low, false);
        }
    }
}

void cc_note_narrow(cc_unit *unit, cc_narrow *narrow, LLVMValueRef value, LLVMValueRef lo, LLVMValueRef hi) {
    if (narrow->closed)
        return;
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef above = LLVMBuildICmp(build, LLVMIntSGE, lo, cc_i64(unit, INT32_MIN), "");
    LLVMValueRef fit =
        LLVMBuildAnd(build, above, LLVMBuildICmp(build, LLVMIntSLE, hi, cc_i64(unit, INT32_MAX), ""), "");
    narrow->fit = narrow->fit ? LLVMBuildAnd(build, narrow->fit, fit, "") : fit;
    for (size_t i = 0; i < narrow->count; i++)
        if (narrow->values[i] == value)
            return;
    cc_reserve(unit, &narrow->values, &narrow->capacity, narrow->count + 1, sizeof value);
    narrow->values[narrow->count++] = value;
}

void cc_replace_narrow(const cc_narrow *narrow) {
    for (size_t i = 0; i < narrow->count; i++)
        LLVMReplaceAllUsesWith(narrow->values[i], cc_widened(narrow->values[i]));
}
