/* Replaces inline assembly that front/assembly.c understands by LLVM instructions. */
#include "cc/front/assembly.h"
#include "cc/front/known.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

static void replace(LLVMValueRef call, LLVMValueRef result) {
    if (result != NULL)
        LLVMReplaceAllUsesWith(call, result);
    LLVMInstructionEraseFromParent(call);
}

/* Each result is the input that shares its register. */
static void lower_idle(cc_unit *unit, LLVMValueRef call) {
    cc_assembly_outputs outputs;
    if (!cc_assembly_outputs_of(call, &outputs))
        return;
    LLVMValueRef result = outputs.results > 1 ? LLVMGetUndef(LLVMTypeOf(call)) : NULL;
    unsigned number = 0;
    for (unsigned i = 0; i < outputs.count; i++) {
        const cc_assembly_output *output = &outputs.outputs[i];
        if (output->address != NULL && output->input != NULL)
            LLVMBuildStore(unit->builder, output->input, output->address);
        else if (output->address == NULL && outputs.results > 1)
            result = LLVMBuildInsertValue(unit->builder, result, output->input, number++, "");
        else if (output->address == NULL)
            result = output->input;
    }
    replace(call, result);
}

static LLVMValueRef fused(cc_unit *unit, const cc_assembly_arithmetic *of) {
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef arguments[] = {of->negate_product ? LLVMBuildFNeg(build, of->a, "") : of->a, of->b,
                                of->negate_c ? LLVMBuildFNeg(build, of->c, "") : of->c};
    return cc_call_intrinsic(unit, "llvm.fma", LLVMTypeOf(of->a), arguments, 3);
}

static LLVMValueRef root(cc_unit *unit, LLVMValueRef of) {
    return cc_call_intrinsic(unit, "llvm.sqrt", LLVMTypeOf(of), &of, 1);
}

/* Builds the minimum or maximum: the second operand if they are equal or one is a NaN. */
static LLVMValueRef extreme(cc_unit *unit, LLVMRealPredicate order, const cc_assembly_arithmetic *of) {
    LLVMValueRef first = LLVMBuildFCmp(unit->builder, order, of->a, of->b, "");
    return LLVMBuildSelect(unit->builder, first, of->a, of->b, "");
}

static void lower_arithmetic(cc_unit *unit, LLVMValueRef call) {
    cc_assembly_arithmetic of;
    if (!cc_assembly_arithmetic_of(call, &of))
        return;
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef result = NULL;
    switch (of.operation) {
    case CC_ASSEMBLY_ADD: result = LLVMBuildFAdd(build, of.a, of.b, ""); break;
    case CC_ASSEMBLY_SUB: result = LLVMBuildFSub(build, of.a, of.b, ""); break;
    case CC_ASSEMBLY_MUL: result = LLVMBuildFMul(build, of.a, of.b, ""); break;
    case CC_ASSEMBLY_DIV: result = LLVMBuildFDiv(build, of.a, of.b, ""); break;
    case CC_ASSEMBLY_MIN: result = extreme(unit, LLVMRealOLT, &of); break;
    case CC_ASSEMBLY_MAX: result = extreme(unit, LLVMRealOGT, &of); break;
    case CC_ASSEMBLY_SQRT: result = root(unit, of.a); break;
    case CC_ASSEMBLY_FMA: result = fused(unit, &of); break;
    }
    replace(call, result);
}

static void lower(cc_unit *unit, const cc_member *member, LLVMValueRef call) {
    static const cc_known once = {"assembly", CC_KNOWN_READS, "", CC_WORLD_ONCE};
    cc_build_before(unit, call);
    switch (cc_assembly_of(call)) {
    case CC_ASSEMBLY_IDLE: lower_idle(unit, call); return;
    case CC_ASSEMBLY_INTEGERS: cc_lower_world(unit, member, call, &once); return;
    case CC_ASSEMBLY_ARITHMETIC: lower_arithmetic(unit, call); return;
    default: return;
    }
}

void cc_lower_assembly(cc_unit *unit) {
    for (size_t i = 0; i < unit->program->member_count; i++)
        for (LLVMValueRef next, at = cc_first(unit->program->members[i]->base); at != NULL; at = next) {
            next = cc_next(at);
            if (LLVMIsACallInst(at) != NULL && LLVMIsAInlineAsm(LLVMGetCalledValue(at)) != NULL)
                lower(unit, unit->program->members[i], at);
        }
}
