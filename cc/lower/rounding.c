/* (x + C) - C, with C so large that the sum has no binary places, rounds x to an integer; vectorised functions use
 * it (Eigen's exp). Differentiated as it is written, its derivative is 1, but the derivative of rounding is 0. The
 * value stays unchanged, and passes through a barrier that stops derivatives. */
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

#include <math.h>

/* Returns the constant that all lanes of `value` have; NAN if they are not constant or not equal. */
static double constant_of(LLVMValueRef value) {
    LLVMBool inexact;
    if (!LLVMIsConstant(value))
        return NAN;
    if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMVectorTypeKind)
        return LLVMIsAConstantFP(value) != NULL ? LLVMConstRealGetDouble(value, &inexact) : NAN;
    LLVMValueRef first = LLVMGetAggregateElement(value, 0);
    for (unsigned i = 1; i < LLVMGetVectorSize(LLVMTypeOf(value)); i++)
        if (LLVMGetAggregateElement(value, i) != first)
            return NAN;
    return first == NULL ? NAN : constant_of(first);
}

/* Returns whether all sums of ordinary numbers with this constant are integers. */
static bool is_rounding_constant(LLVMTypeRef type, double constant) {
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type);
    double least = kind == LLVMDoubleTypeKind ? 0x1p52 : kind == LLVMFloatTypeKind ? 0x1p23 : INFINITY;
    return fabs(constant) >= least && fabs(constant) < 4 * least;
}

static bool is_sum(LLVMValueRef value) {
    return LLVMIsAInstruction(value) != NULL &&
           (LLVMGetInstructionOpcode(value) == LLVMFAdd || LLVMGetInstructionOpcode(value) == LLVMFSub);
}

/* Returns the constant that the sum or difference adds; NAN if it adds none. */
static double added_constant(LLVMValueRef sum) {
    double second = constant_of(LLVMGetOperand(sum, 1));
    if (LLVMGetInstructionOpcode(sum) == LLVMFSub)
        return -second;
    double first = constant_of(LLVMGetOperand(sum, 0));
    return isnan(second) ? first : second;
}

static bool is_rounding(LLVMValueRef at) {
    if (!is_sum(at) || !is_rounding_constant(LLVMTypeOf(at), added_constant(at)))
        return false;
    LLVMValueRef before = LLVMGetOperand(at, LLVMIsConstant(LLVMGetOperand(at, 0)) ? 1 : 0);
    return is_sum(before) && added_constant(before) == -added_constant(at);
}

/* Passes the value through a register and empty inline assembly. Inline assembly has no known derivative, so the
 * result has none. */
static void stop_derivatives(cc_unit *unit, LLVMValueRef at) {
    static char constraints[] = "=x,0", text[] = "";
    LLVMTypeRef type = LLVMTypeOf(at), function = LLVMFunctionType(type, &type, 1, false);
    cc_build_before(unit, LLVMGetNextInstruction(at));
    LLVMValueRef barrier = LLVMGetInlineAsm(function, text, 0, constraints, sizeof constraints - 1, false, false,
                                            LLVMInlineAsmDialectATT, false);
    LLVMValueRef passed = LLVMBuildCall2(unit->builder, function, barrier, &at, 1, "");
    LLVMReplaceAllUsesWith(at, passed);
    LLVMSetOperand(passed, 0, at);
}

void cc_lower_rounding(cc_unit *unit) {
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f))
        for (LLVMValueRef next, at = LLVMIsDeclaration(f) ? NULL : cc_first(f); at != NULL; at = next) {
            next = cc_next(at);
            if (is_rounding(at))
                stop_derivatives(unit, at);
        }
}
