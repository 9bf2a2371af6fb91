/* Numbers that are selected by masking their bits: x & m, x & ~m and (x & m) | (y & ~m), where each lane of m is
 * all ones or all zeros, as comparisons of vectors produce it (_mm_cmplt_pd). They become select instructions,
 * which derivatives can follow. LLVM's optimiser does this, too, but not in a program that was compiled without
 * optimisation. If m is such a mask in some lanes only, and arbitrary in the others (_mm_cmplt_sd), only those
 * lanes of the result are replaced. */
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

static unsigned lanes_of(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 0;
}

static LLVMValueRef without_casts(LLVMValueRef value) {
    while (LLVMIsABitCastInst(value) != NULL)
        value = LLVMGetOperand(value, 0);
    return value;
}

static bool is_opcode(LLVMValueRef value, LLVMOpcode opcode) {
    return LLVMIsAInstruction(value) != NULL && LLVMGetInstructionOpcode(value) == opcode;
}

/* Returns the condition (i1, or a vector of i1) whose sign extension `value` is, lane by lane of `type`; NULL if
 * there is none. */
static LLVMValueRef shown_by(cc_unit *unit, LLVMTypeRef type, LLVMValueRef value) {
    LLVMValueRef widened = without_casts(value);
    if (!is_opcode(widened, LLVMSExt))
        return NULL;
    LLVMValueRef condition = LLVMGetOperand(widened, 0);
    LLVMTypeRef bits = LLVMTypeOf(condition);
    LLVMTypeRef bit = lanes_of(bits) > 0 ? LLVMGetElementType(bits) : bits;
    return bit == unit->i1 && lanes_of(bits) == lanes_of(type) ? condition : NULL;
}

static bool is_all_ones(LLVMValueRef value) {
    return LLVMIsConstant(value) && value == LLVMConstAllOnes(LLVMTypeOf(value));
}

/* Returns the condition whose inverted sign extension `value` is; NULL if there is none. */
static LLVMValueRef hidden_by(cc_unit *unit, LLVMTypeRef type, LLVMValueRef value) {
    LLVMValueRef inverted = without_casts(value);
    if (!is_opcode(inverted, LLVMXor) || !is_all_ones(LLVMGetOperand(inverted, 1)))
        return NULL;
    return shown_by(unit, type, LLVMGetOperand(inverted, 0));
}

/* Builds x & mask as a select; NULL if the mask is not of this form. */
static LLVMValueRef chosen(cc_unit *unit, LLVMValueRef x, LLVMValueRef mask) {
    LLVMValueRef none = LLVMConstNull(LLVMTypeOf(x));
    LLVMValueRef condition = shown_by(unit, LLVMTypeOf(x), mask);
    if (condition != NULL)
        return LLVMBuildSelect(unit->builder, condition, x, none, "");
    condition = hidden_by(unit, LLVMTypeOf(x), mask);
    return condition == NULL ? NULL : LLVMBuildSelect(unit->builder, condition, none, x, "");
}

/* If `value` is select(c, x, 0) or select(c, 0, x), returns the select and sets *number to the operand number of x;
 * else NULL. */
static LLVMValueRef beside_zero(LLVMValueRef value, unsigned *number) {
    LLVMValueRef choice = without_casts(value);
    if (!is_opcode(choice, LLVMSelect))
        return NULL;
    *number = LLVMIsNull(LLVMGetOperand(choice, 2)) ? 1 : 2;
    return LLVMIsNull(LLVMGetOperand(choice, 3 - *number)) ? choice : NULL;
}

/* Builds (x & m) | (y & ~m), with the result type `type`, as a select; NULL if the operands are not of this form. */
static LLVMValueRef either(cc_unit *unit, LLVMTypeRef type, LLVMValueRef one, LLVMValueRef other) {
    unsigned numbers[2];
    LLVMValueRef choices[] = {one, other}, values[2];
    for (unsigned i = 0; i < 2; i++) {
        choices[i] = beside_zero(choices[i], &numbers[i]);
        if (choices[i] == NULL || lanes_of(LLVMTypeOf(choices[i])) != lanes_of(type))
            return NULL;
        values[i] = LLVMGetOperand(choices[i], numbers[i]);
    }
    if (numbers[0] == numbers[1] || LLVMGetOperand(choices[0], 0) != LLVMGetOperand(choices[1], 0))
        return NULL;
    for (unsigned i = 0; i < 2; i++)
        values[i] = LLVMBuildBitCast(unit->builder, values[i], type, "");
    unsigned first = numbers[0] == 1 ? 0 : 1;
    return LLVMBuildSelect(unit->builder, LLVMGetOperand(choices[0], 0), values[first], values[1 - first], "");
}

/* ---- Single lanes ---- */

/* Returns the scalar that was inserted as lane `lane` of a vector of `lanes` lanes; NULL if there is none. */
static LLVMValueRef inserted(LLVMValueRef vector, unsigned lanes, unsigned lane) {
    for (LLVMValueRef at = without_casts(vector);; at = LLVMGetOperand(at, 0)) {
        if (!is_opcode(at, LLVMInsertElement) || lanes_of(LLVMTypeOf(at)) != lanes)
            return NULL;
        LLVMValueRef index = LLVMGetOperand(at, 2);
        if (LLVMIsAConstantInt(index) == NULL)
            return NULL;
        if (LLVMConstIntGetZExtValue(index) == lane)
            return LLVMGetOperand(at, 1);
    }
}

/* Returns the mask before this lane was inverted; NULL if it was not. */
static LLVMValueRef before_inversion(LLVMValueRef mask, unsigned lanes, unsigned lane) {
    LLVMValueRef inverted = without_casts(mask);
    if (!is_opcode(inverted, LLVMXor) || lanes_of(LLVMTypeOf(inverted)) != lanes)
        return NULL;
    LLVMValueRef ones = LLVMGetOperand(inverted, 1);
    bool all = LLVMIsConstant(ones) && is_all_ones(LLVMGetAggregateElement(ones, lane));
    return all ? LLVMGetOperand(inverted, 0) : NULL;
}

/* Builds one lane of x & mask as a select; NULL if the mask is not of this form in that lane. */
static LLVMValueRef chosen_lane(cc_unit *unit, LLVMValueRef x, LLVMValueRef mask, unsigned lane) {
    unsigned lanes = lanes_of(LLVMTypeOf(x));
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(x));
    LLVMValueRef before = before_inversion(mask, lanes, lane);
    LLVMValueRef shown = inserted(before != NULL ? before : mask, lanes, lane);
    LLVMValueRef condition = shown == NULL ? NULL : shown_by(unit, type, shown);
    if (condition == NULL)
        return NULL;
    LLVMValueRef number = LLVMBuildExtractElement(unit->builder, x, LLVMConstInt(unit->i32, lane, false), "");
    LLVMValueRef none = LLVMConstNull(type);
    return before != NULL ? LLVMBuildSelect(unit->builder, condition, none, number, "")
                          : LLVMBuildSelect(unit->builder, condition, number, none, "");
}

static LLVMValueRef in_lane(cc_unit *unit, LLVMValueRef at, unsigned lane) {
    LLVMValueRef first = LLVMGetOperand(at, 0), second = LLVMGetOperand(at, 1);
    LLVMTypeRef type = LLVMTypeOf(at);
    if (LLVMGetInstructionOpcode(at) == LLVMAnd) {
        LLVMValueRef result = chosen_lane(unit, first, second, lane);
        return result != NULL ? result : chosen_lane(unit, second, first, lane);
    }
    first = inserted(first, lanes_of(type), lane);
    second = inserted(second, lanes_of(type), lane);
    return first == NULL || second == NULL ? NULL : either(unit, LLVMGetElementType(type), first, second);
}

/* Replaces those lanes of the result that can be built as selects. */
static void lower_lanes(cc_unit *unit, LLVMValueRef at) {
    LLVMValueRef result = at, next = LLVMGetNextInstruction(at);
    for (unsigned lane = 0; lane < lanes_of(LLVMTypeOf(at)); lane++) {
        cc_build_before(unit, next);
        LLVMValueRef choice = in_lane(unit, at, lane);
        if (choice == NULL)
            continue;
        LLVMValueRef index = LLVMConstInt(unit->i32, lane, false);
        LLVMValueRef made = LLVMBuildInsertElement(unit->builder, result, choice, index, "");
        LLVMReplaceAllUsesWith(result, made);
        LLVMSetOperand(made, 0, result);
        result = made;
    }
}

static void lower(cc_unit *unit, LLVMValueRef at) {
    LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    if (opcode != LLVMAnd && opcode != LLVMOr)
        return;
    cc_build_before(unit, at);
    LLVMValueRef first = LLVMGetOperand(at, 0), second = LLVMGetOperand(at, 1), result;
    if (opcode == LLVMOr) {
        result = either(unit, LLVMTypeOf(at), first, second);
    } else {
        result = chosen(unit, first, second);
        result = result != NULL ? result : chosen(unit, second, first);
    }
    if (result == NULL) {
        lower_lanes(unit, at);
        return;
    }
    LLVMReplaceAllUsesWith(at, result);
    LLVMInstructionEraseFromParent(at);
}

void cc_lower_choices(cc_unit *unit) {
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f))
        for (LLVMValueRef next, at = LLVMIsDeclaration(f) ? NULL : cc_first(f); at != NULL; at = next) {
            next = cc_next(at);
            lower(unit, at);
        }
}
