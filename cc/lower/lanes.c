/* Lanes of a vector that LLVM extracts as bits. Where a smaller load follows a larger one of the same memory, LLVM
 * replaces it by trunc(bitcast(vector) >> n). If these bits are whole lanes, this lowering extracts them with a
 * shuffle instead, which derivatives can follow. Integers of up to 128 bits are left to types/bits_origin.c, which
 * also handles parts of lanes. */
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

enum { FOLLOWED_BITS = 128, LANES_MOST = 64 };

static bool is(LLVMValueRef value, LLVMOpcode opcode) {
    return LLVMIsAInstruction(value) != NULL && LLVMGetInstructionOpcode(value) == opcode;
}

/* Returns the vector whose bits, shifted right by *shift, a truncation takes; NULL if there is none. */
static LLVMValueRef vector_of(LLVMValueRef truncation, uint64_t *shift) {
    LLVMValueRef bits = LLVMGetOperand(truncation, 0);
    *shift = 0;
    if (is(bits, LLVMLShr)) {
        LLVMValueRef by = LLVMGetOperand(bits, 1);
        if (LLVMIsAConstantInt(by) == NULL)
            return NULL;
        *shift = LLVMConstIntGetZExtValue(by);
        bits = LLVMGetOperand(bits, 0);
    }
    if (!is(bits, LLVMBitCast) || LLVMGetIntTypeWidth(LLVMTypeOf(bits)) <= FOLLOWED_BITS)
        return NULL;
    LLVMValueRef vector = LLVMGetOperand(bits, 0);
    return LLVMGetTypeKind(LLVMTypeOf(vector)) == LLVMVectorTypeKind ? vector : NULL;
}

static LLVMValueRef build_lanes(cc_unit *unit, LLVMValueRef vector, unsigned first, unsigned count) {
    LLVMValueRef lanes[LANES_MOST];
    for (unsigned i = 0; i < count; i++)
        lanes[i] = LLVMConstInt(unit->i32, first + i, false);
    return LLVMBuildShuffleVector(unit->builder, vector, LLVMGetPoison(LLVMTypeOf(vector)),
                                  LLVMConstVector(lanes, count), "");
}

/* Replaces bit casts of the truncated integer by bit casts of the lanes themselves. */
static void replace_casts(cc_unit *unit, LLVMValueRef truncation, LLVMValueRef lanes) {
    for (LLVMUseRef next, use = LLVMGetFirstUse(truncation); use != NULL; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (!is(user, LLVMBitCast))
            continue;
        cc_build_before(unit, user);
        LLVMReplaceAllUsesWith(user, LLVMBuildBitCast(unit->builder, lanes, LLVMTypeOf(user), ""));
    }
}

static void lower(cc_unit *unit, LLVMValueRef truncation) {
    uint64_t shift;
    LLVMTypeRef type = LLVMTypeOf(truncation);
    LLVMValueRef vector = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? vector_of(truncation, &shift) : NULL;
    if (vector == NULL)
        return;
    LLVMTypeRef lane = LLVMGetElementType(LLVMTypeOf(vector));
    uint64_t width = LLVMSizeOfTypeInBits(unit->layout, lane), taken = LLVMGetIntTypeWidth(type);
    uint64_t first = shift / width, count = taken / width;
    if (shift % width != 0 || taken % width != 0 || first + count > LLVMGetVectorSize(LLVMTypeOf(vector)) ||
        count > LANES_MOST)
        return;
    cc_build_before(unit, truncation);
    LLVMValueRef lanes = build_lanes(unit, vector, (unsigned)first, (unsigned)count);
    replace_casts(unit, truncation, lanes);
    cc_build_before(unit, LLVMGetNextInstruction(truncation));
    LLVMReplaceAllUsesWith(truncation, LLVMBuildBitCast(unit->builder, lanes, type, ""));
}

void cc_lower_lanes(cc_unit *unit) {
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f))
        for (LLVMValueRef next, at = LLVMIsDeclaration(f) ? NULL : cc_first(f); at != NULL; at = next) {
            next = cc_next(at);
            if (is(at, LLVMTrunc))
                lower(unit, at);
        }
}
