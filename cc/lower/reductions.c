/* Sums, products and extremes of the lanes of a vector (llvm.vector.reduce.*), which _mm512_reduce_add_pd and
 * similar functions produce, become operations on lanes. This is done in the program itself and thereby in all
 * copies, so that all add in the same order: from the first lane to the last unless the call permits reassociation;
 * otherwise by halves, as LLVM does. */
#include "cc/front/front.h"
#include "cc/front/marks.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

static LLVMValueRef combine(cc_unit *unit, cc_reduction how, LLVMValueRef a, LLVMValueRef b) {
    switch (how) {
    case CC_REDUCTION_SUM: return LLVMBuildFAdd(unit->builder, a, b, "");
    case CC_REDUCTION_PRODUCT: return LLVMBuildFMul(unit->builder, a, b, "");
    case CC_REDUCTION_MOST: return cc_call_intrinsic(unit, "llvm.maxnum", LLVMTypeOf(a), (LLVMValueRef[]){a, b}, 2);
    case CC_REDUCTION_LEAST: return cc_call_intrinsic(unit, "llvm.minnum", LLVMTypeOf(a), (LLVMValueRef[]){a, b}, 2);
    case CC_REDUCTION_MAXIMUM: return cc_call_intrinsic(unit, "llvm.maximum", LLVMTypeOf(a), (LLVMValueRef[]){a, b}, 2);
    default: return cc_call_intrinsic(unit, "llvm.minimum", LLVMTypeOf(a), (LLVMValueRef[]){a, b}, 2);
    }
}

static LLVMValueRef half(cc_unit *unit, LLVMValueRef vector, unsigned first, unsigned count) {
    LLVMValueRef *chosen = cc_alloc(unit, count, sizeof *chosen);
    for (unsigned i = 0; i < count; i++)
        chosen[i] = LLVMConstInt(unit->i32, first + i, false);
    return LLVMBuildShuffleVector(unit->builder, vector, LLVMGetUndef(LLVMTypeOf(vector)),
                                  LLVMConstVector(chosen, count), "");
}

static LLVMValueRef lane(cc_unit *unit, LLVMValueRef vector, unsigned number) {
    return LLVMBuildExtractElement(unit->builder, vector, LLVMConstInt(unit->i32, number, false), "");
}

static void lower(cc_unit *unit, LLVMValueRef call, cc_reduction how) {
    bool starts = how == CC_REDUCTION_SUM || how == CC_REDUCTION_PRODUCT;
    LLVMValueRef vector = LLVMGetOperand(call, starts ? 1 : 0), result = starts ? LLVMGetOperand(call, 0) : NULL;
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(vector));
    cc_build_before(unit, call);
    bool halves = (lanes & (lanes - 1)) == 0 && (!starts || (LLVMGetFastMathFlags(call) & LLVMFastMathAllowReassoc));
    if (halves) {
        for (unsigned count = lanes / 2; count > 0; count /= 2)
            vector = combine(unit, how, half(unit, vector, 0, count), half(unit, vector, count, count));
        lanes = 1;
    }
    for (unsigned i = 0; i < lanes; i++) {
        LLVMValueRef next = lane(unit, vector, i);
        result = result == NULL ? next : combine(unit, how, result, next);
    }
    LLVMReplaceAllUsesWith(call, result);
    LLVMInstructionEraseFromParent(call);
}

void cc_lower_reductions(cc_unit *unit) {
    for (size_t i = 0; i < unit->program->member_count; i++)
        for (LLVMValueRef next, at = cc_first(unit->program->members[i]->program); at != NULL; at = next) {
            next = cc_next(at);
            cc_reduction how = LLVMIsACallInst(at) != NULL ? cc_reduction_of(cc_callee_name(at)) : CC_REDUCTION_NOT;
            if (how != CC_REDUCTION_NOT)
                lower(unit, at, how);
        }
}
