/* Calls of functions that the program does not define. Calls of C library functions with a replacement in
 * native/lib go there; calls that write memory are followed by a marker with the address and size; calls that use
 * the outside world are made once only (lower/world.c). Calls of unknown and inactive functions are left to
 * lower/passing.c. */
#include "cc/front/front.h"
#include "cc/front/known.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"
#include "native/state.h"

#include <string.h>

/* ---- Shared functions that replace others ---- */

LLVMTypeRef cc_type_of_arguments(cc_unit *unit, LLVMTypeRef result, const LLVMValueRef *arguments, unsigned count) {
    LLVMTypeRef *types = cc_alloc(unit, count, sizeof *types);
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    return LLVMFunctionType(result, types, count, false);
}

LLVMValueRef cc_pass_call(cc_unit *unit, LLVMValueRef call, LLVMValueRef *arguments) {
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    unsigned count = LLVMGetNumArgOperands(call), byval = cc_attribute("byval");
    LLVMValueRef assembly = LLVMIsAInlineAsm(LLVMGetCalledValue(call));
    LLVMValueRef callee = assembly != NULL ? assembly : LLVMGetNamedFunction(unit->module, cc_callee_name(call));
    if (callee == NULL) /* the optimiser has replaced another function by it */
        callee = LLVMAddFunction(unit->module, cc_callee_name(call), type);
    LLVMValueRef result = LLVMBuildCall2(unit->builder, type, callee, arguments, count, "");
    LLVMSetInstructionCallConv(result, LLVMGetInstructionCallConv(call));
    for (unsigned i = 1; i <= count; i++)
        if (LLVMGetCallSiteEnumAttribute(call, i, byval) != NULL)
            LLVMAddCallSiteAttribute(result, i, LLVMGetCallSiteEnumAttribute(call, i, byval));
    return result;
}

LLVMValueRef cc_replace_passed(cc_unit *unit, LLVMValueRef call, LLVMTypeRef type, LLVMValueRef passing,
                               LLVMValueRef *arguments, unsigned count) {
    LLVMValueRef new = cc_replace_call(unit, call, type, passing, arguments, count);
    LLVMSetInstructionCallConv(new, LLVMCCallConv);
    /* The shared function accesses the state of the run time, even if the function itself accesses no memory. */
    LLVMRemoveCallSiteEnumAttribute(new, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, cc_attribute("memory"));
    return new;
}

/* ---- Functions of native/lib ---- */

/* Replaces {T, i32} llvm.frexp(T) by a call of C's frexp, with a stack slot for the exponent. */
static void lower_frexp(cc_unit *unit, LLVMValueRef call, LLVMValueRef version) {
    LLVMValueRef place = cc_entry_slot(unit, call, unit->i32, 4);
    cc_build_before(unit, call);
    LLVMValueRef arguments[2] = {LLVMGetOperand(call, 0), place};
    LLVMTypeRef type = LLVMGlobalGetValueType(version);
    LLVMValueRef fraction = LLVMBuildCall2(unit->builder, type, version, arguments, 2, "");
    LLVMValueRef exponent = LLVMBuildLoad2(unit->builder, unit->i32, place, "");
    LLVMValueRef pair = LLVMGetUndef(LLVMTypeOf(call));
    pair = LLVMBuildInsertValue(unit->builder, pair, fraction, 0, "");
    pair = LLVMBuildInsertValue(unit->builder, pair, exponent, 1, "");
    LLVMReplaceAllUsesWith(call, pair);
    LLVMInstructionEraseFromParent(call);
}

/* ---- The pass ---- */

static bool is_ours(const char *name) {
    return strncmp(name, "verso.", strlen("verso.")) == 0 ||
           strncmp(name, "verso__native_", strlen("verso__native_")) == 0;
}

static void lower_call(cc_unit *unit, const cc_member *member, LLVMValueRef call) {
    LLVMValueRef callee = cc_callee(call);
    if (callee == NULL || !LLVMIsDeclaration(callee))
        return;
    const char *name = LLVMGetValueName(callee);
    const cc_member *followed = cc_member_of(unit, callee);
    if (followed != NULL && strncmp(name, "llvm.", strlen("llvm.")) == 0) {
        lower_frexp(unit, call, followed->base);
        return;
    }
    if (followed != NULL) { /* the attributes of the library's function do not hold for a function that records */
        cc_set_callee(call, followed->base);
        cc_strip_call(call);
        return;
    }
    if (cc_is_inactive(unit, callee)) {
        cc_lower_passing(unit, call);
        return;
    }
    if (is_ours(name))
        return;
    cc_known known = cc_known_find(name);
    if (known.class == CC_KNOWN_NOT && strncmp(name, "llvm.", strlen("llvm.")) != 0)
        cc_lower_passing(unit, call);
    if (known.class == CC_KNOWN_WRITES && !cc_mark_written(unit, member, call, known.writes))
        return;
    if (known.world != CC_WORLD_NOT)
        cc_lower_world(unit, member, call, &known);
}

/* OpenMP's functions in native/lib are for teams of one thread; the program's own teams have more. */
static bool is_of_teams(const char *name) {
    return strncmp(name, "__kmpc_", strlen("__kmpc_")) == 0 || strncmp(name, "omp_", strlen("omp_")) == 0;
}

/* Makes the program's own version of a member call the functions of native/lib, too, so that all versions compute
 * the same bits and call back in the same order. */
static void use_library(cc_unit *unit, LLVMValueRef function) {
    for (LLVMValueRef at = cc_first(function); at != NULL; at = cc_next(at)) {
        LLVMValueRef callee = LLVMIsACallInst(at) == NULL ? NULL : cc_callee(at);
        if (callee == NULL || !LLVMIsDeclaration(callee) || is_of_teams(LLVMGetValueName(callee)))
            continue;
        const cc_member *followed = cc_member_of(unit, callee);
        if (followed != NULL && followed->adjoint == NULL &&
            LLVMGlobalGetValueType(followed->program) == LLVMGlobalGetValueType(callee))
            cc_set_callee(at, followed->program);
    }
}

void cc_lower_library(cc_unit *unit) {
    for (size_t i = 0; i < unit->program->member_count; i++) {
        const cc_member *member = unit->program->members[i];
        if (member->program != NULL && member->adjoint == NULL)
            use_library(unit, member->program);
        for (LLVMValueRef next, at = cc_first(member->base); at != NULL; at = next) {
            next = cc_next(at);
            if (LLVMIsACallInst(at) != NULL)
                lower_call(unit, member, at);
        }
    }
}
