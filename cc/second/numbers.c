/* Tangents of arithmetic, by the same rules as everywhere (cc/rules/rules.h), lane by lane. */
#include "cc/second/inside.h"

#include "cc/ir/cells.h"
#include "cc/rules/rules.h"

#include <string.h>

static bool is_vector(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

static LLVMValueRef lane_of(cc_second *second, LLVMValueRef value, unsigned lane) {
    if (!is_vector(LLVMTypeOf(value)))
        return value;
    LLVMValueRef index = LLVMConstInt(second->unit->i32, lane, false);
    return LLVMBuildExtractElement(second->unit->builder, value, index, "");
}

static bool is_narrow(LLVMTypeRef type) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind;
}

static bool is_wide(LLVMTypeRef type) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMX86_FP80TypeKind || kind == LLVMFP128TypeKind;
}

/* Builds a number as one of another type; integers stay unchanged. */
static LLVMValueRef as_type(cc_second *second, LLVMValueRef number, LLVMTypeRef type) {
    cc_unit *unit = second->unit;
    LLVMTypeRef had = LLVMTypeOf(number);
    if (had == type || LLVMGetTypeKind(had) == LLVMIntegerTypeKind)
        return number;
    bool widens = is_narrow(had) || is_wide(type) || (had == unit->f32 && !is_narrow(type));
    return widens ? LLVMBuildFPExt(unit->builder, number, type, "") : LLVMBuildFPTrunc(unit->builder, number, type, "");
}

/* Sums over a loop that may be computed in any order, as those of reverse functions, have tangents that may, too. */
static LLVMValueRef sum(cc_second *second, LLVMValueRef value, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef made = LLVMBuildFAdd(second->unit->builder, a, b, "");
    if (LLVMIsAInstruction(made) != NULL && LLVMIsAInstruction(value) != NULL && LLVMCanValueUseFastMathFlags(value))
        LLVMSetFastMathFlags(made,
                             LLVMGetFastMathFlags(value) & (LLVMFastMathNoSignedZeros | LLVMFastMathAllowReassoc));
    return made;
}

static LLVMValueRef one_lane(cc_second *second, const cc_rule *rule, LLVMValueRef value, unsigned lane) {
    cc_unit *unit = second->unit;
    LLVMValueRef all = NULL;
    for (unsigned by = 0; by < rule->operands; by++) {
        LLVMValueRef tangent = rule->zero[by] ? NULL : cc_second_tangent(second, LLVMGetOperand(value, by));
        if (tangent == NULL)
            continue;
        LLVMValueRef operand[CC_RULE_OPERANDS] = {NULL}, result = NULL;
        for (unsigned i = 0; i < rule->operands; i++)
            if ((rule->needs[by] >> i & 1) != 0)
                operand[i] = as_type(second, lane_of(second, LLVMGetOperand(value, i), lane), unit->rule_type);
        if ((rule->needs[by] & CC_RULE_RESULT) != 0)
            result = as_type(second, lane_of(second, value, lane), unit->rule_type);
        LLVMValueRef seed = as_type(second, lane_of(second, tangent, lane), unit->rule_type);
        LLVMValueRef one = rule->partial(unit, rule, by, seed, operand, result);
        all = all == NULL ? one : sum(second, value, all, one);
    }
    return all;
}

void cc_second_rule(cc_second *second, LLVMValueRef value) {
    cc_unit *unit = second->unit;
    const cc_rule *rule = cc_rule_of(value);
    LLVMTypeRef type = LLVMTypeOf(value);
    bool lanes = is_vector(type);
    LLVMValueRef made = lanes ? LLVMConstNull(type) : NULL;
    cc_second_after(second, value);
    unit->rule_type = cc_rule_type(unit, value);
    for (unsigned lane = 0; lane < (lanes ? LLVMGetVectorSize(type) : 1); lane++) {
        LLVMValueRef one = one_lane(second, rule, value, lane);
        if (one == NULL)
            continue;
        one = as_type(second, one, lanes ? LLVMGetElementType(type) : type);
        made = lanes ? LLVMBuildInsertElement(unit->builder, made, one, LLVMConstInt(unit->i32, lane, false), "") : one;
    }
    unit->rule_type = unit->f64;
    if (made != NULL)
        cc_second_set(second, value, made);
}

/* A product with an adjoint, which rules make zero if the adjoint is zero: its tangent is zero only if that of the
 * adjoint is zero, too. */
static LLVMValueRef zero_adjoint(cc_second *second, LLVMValueRef condition) {
    LLVMBuilderRef build = second->unit->builder;
    LLVMValueRef tangent = cc_second_tangent(second, LLVMGetOperand(condition, 0));
    if (tangent == NULL)
        return condition;
    LLVMValueRef none = LLVMBuildFCmp(build, LLVMRealOEQ, tangent, LLVMConstNull(LLVMTypeOf(tangent)), "");
    return LLVMBuildAnd(build, condition, none, "");
}

void cc_second_select(cc_second *second, LLVMValueRef value) {
    cc_unit *unit = second->unit;
    LLVMValueRef condition = LLVMGetOperand(value, 0);
    cc_second_after(second, value);
    unsigned mark = LLVMGetMDKindIDInContext(unit->context, CC_RULE_LINEAR, (unsigned)strlen(CC_RULE_LINEAR));
    if (LLVMGetMetadata(value, mark) != NULL && LLVMIsAFCmpInst(condition) != NULL)
        condition = zero_adjoint(second, condition);
    cc_second_set(second, value,
                  LLVMBuildSelect(unit->builder, condition, cc_second_whole(second, LLVMGetOperand(value, 1)),
                                  cc_second_whole(second, LLVMGetOperand(value, 2)), ""));
}
