/* Tangents of integers that are the bits of numbers. What only moves bytes moves the bytes of the tangent, and changes
 * of the sign are followed. After other operations the tangent is unknown if it is not zero: a pattern of ones, which
 * is a NaN when it is used as a number, and is then refused (native/api/second.c). */
#include "cc/second/inside.h"

#include <string.h>

static LLVMValueRef unknown(cc_second *second, LLVMValueRef tangent, LLVMTypeRef type) {
    LLVMBuilderRef build = second->unit->builder;
    LLVMValueRef some = LLVMBuildICmp(build, LLVMIntNE, tangent, LLVMConstNull(LLVMTypeOf(tangent)), "");
    return LLVMBuildSelect(build, some, LLVMConstAllOnes(type), LLVMConstNull(type), "");
}

/* Builds what is not zero if the tangent of some operand is not zero. */
static LLVMValueRef any(cc_second *second, LLVMValueRef value) {
    LLVMValueRef all = NULL;
    for (int i = 0; i < LLVMGetNumOperands(value); i++) {
        LLVMValueRef one = cc_second_tangent(second, LLVMGetOperand(value, (unsigned)i));
        if (one != NULL)
            all = all == NULL ? one : LLVMBuildOr(second->unit->builder, all, one, "");
    }
    return all;
}

/* Returns whether each byte of the constant is 0 or 255. */
static bool is_mask_of_bytes(LLVMValueRef constant, uint64_t *bits) {
    if (LLVMIsAConstantInt(constant) == NULL || LLVMGetIntTypeWidth(LLVMTypeOf(constant)) > 64)
        return false;
    *bits = LLVMConstIntGetZExtValue(constant);
    for (unsigned i = 0; i < 64; i += 8)
        if ((*bits >> i & 255) != 0 && (*bits >> i & 255) != 255)
            return false;
    return true;
}

static bool is_sign(LLVMValueRef constant, bool inverted) {
    if (LLVMIsAConstantInt(constant) == NULL)
        return false;
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(constant));
    if (width != 32 && width != 64)
        return false;
    uint64_t sign = UINT64_C(1) << (width - 1), all = width == 64 ? UINT64_MAX : UINT32_MAX;
    return LLVMConstIntGetZExtValue(constant) == (inverted ? all ^ sign : sign);
}

static LLVMValueRef build_and(cc_second *second, LLVMValueRef value) {
    LLVMBuilderRef build = second->unit->builder;
    LLVMValueRef mask = LLVMGetOperand(value, 1), tangent = cc_second_tangent(second, LLVMGetOperand(value, 0));
    uint64_t bits;
    if (tangent == NULL)
        return NULL;
    if (is_mask_of_bytes(mask, &bits))
        return LLVMBuildAnd(build, tangent, mask, "");
    if (!is_sign(mask, true))
        return NULL;
    LLVMValueRef sign = LLVMBuildAnd(build, LLVMGetOperand(value, 0), LLVMBuildNot(build, mask, ""), "");
    return LLVMBuildXor(build, tangent, sign, "");
}

/* Returns whether the operation moves whole bytes. */
static bool moves_bytes(LLVMValueRef value) {
    LLVMValueRef count = LLVMGetNumOperands(value) == 2 ? LLVMGetOperand(value, 1) : NULL;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMTrunc:
    case LLVMZExt: return true;
    case LLVMShl:
    case LLVMLShr: return LLVMIsAConstantInt(count) != NULL && LLVMConstIntGetZExtValue(count) % 8 == 0;
    default: return false;
    }
}

static LLVMValueRef exact(cc_second *second, LLVMValueRef value) {
    LLVMBuilderRef build = second->unit->builder;
    LLVMValueRef first = cc_second_tangent(second, LLVMGetOperand(value, 0));
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    if (opcode == LLVMAnd)
        return build_and(second, value);
    if (opcode == LLVMOr && !LLVMIsConstant(LLVMGetOperand(value, 1)))
        return LLVMBuildOr(build, cc_second_whole(second, LLVMGetOperand(value, 0)),
                           cc_second_whole(second, LLVMGetOperand(value, 1)), "");
    if (opcode == LLVMXor && first != NULL && is_sign(LLVMGetOperand(value, 1), false))
        return LLVMBuildXor(build, first, LLVMGetOperand(value, 1), "");
    if (!moves_bytes(value) || first == NULL)
        return NULL;
    if (opcode == LLVMShl || opcode == LLVMLShr)
        return LLVMBuildBinOp(build, opcode, first, LLVMGetOperand(value, 1), "");
    return LLVMBuildCast(build, opcode, first, LLVMTypeOf(value), "");
}

void cc_second_integer(cc_second *second, LLVMValueRef value) {
    cc_second_after(second, value);
    LLVMValueRef made = exact(second, value);
    if (made == NULL) {
        LLVMValueRef all = any(second, value);
        made = all == NULL ? NULL : unknown(second, all, LLVMTypeOf(value));
    }
    if (made != NULL)
        cc_second_set(second, value, made);
}
