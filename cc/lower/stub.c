/* Makes stubs.
 *
 * A function that is called through pointers keeps its name, linkage and address, but its body moves to f.primal.
 * What remains under its name is a stub: it tests the mode and calls the version for that mode. So a pointer in
 * memory, or a callback from foreign code, works in every mode. Direct calls go to f.primal without this cost. */
#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"
#include "native/state.h"

#include <llvm-c/Comdat.h>
#include <string.h>

/* ---- Stubs ---- */

static LLVMValueRef move_to_primal(cc_unit *unit, const cc_member *member) {
    LLVMValueRef function = member->program;
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    LLVMValueRef primal = LLVMAddFunction(unit->module, cc_print(unit, "%s.primal", member->name), type);
    cc_copy_attributes(unit, function, primal, LLVMCountParams(function));
    LLVMSetFunctionCallConv(primal, LLVMGetFunctionCallConv(function));
    LLVMSetLinkage(primal, LLVMInternalLinkage);
    cc_move_body(unit, function, primal);
    size_t count;
    LLVMValueRef *users = cc_users(unit, function, &count);
    for (size_t i = 0; i < count; i++)
        if (cc_is_call(users[i]) && LLVMGetCalledValue(users[i]) == function &&
            LLVMGetCalledFunctionType(users[i]) == type)
            cc_set_callee(users[i], primal);
    return primal;
}

static bool has_byval_parameter(LLVMValueRef function) {
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        if (cc_byval(function, i) != NULL)
            return true;
    return false;
}

static void return_call(cc_unit *unit, LLVMValueRef stub, LLVMValueRef version) {
    unsigned count = LLVMCountParams(stub);
    LLVMTypeRef type = LLVMGlobalGetValueType(stub);
    LLVMValueRef *arguments = cc_alloc(unit, count, sizeof *arguments);
    LLVMGetParams(stub, arguments);
    LLVMValueRef call = LLVMBuildCall2(unit->builder, type, version, arguments, count, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(stub));
    for (unsigned i = 1; i <= count; i++) {
        LLVMAttributeRef byval = LLVMGetEnumAttributeAtIndex(version, i, cc_attribute("byval"));
        if (byval != NULL)
            LLVMAddCallSiteAttribute(call, i, byval);
    }
    /* Variable arguments can only be passed on by a musttail call. A struct passed by value is in the frame of this
     * function, which a tail call would discard. */
    if (LLVMIsFunctionVarArg(type))
        LLVMSetTailCallKind(call, LLVMTailCallKindMustTail);
    else if (!has_byval_parameter(stub))
        LLVMSetTailCallKind(call, LLVMTailCallKindTail);
    if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(unit->builder);
    else
        LLVMBuildRet(unit->builder, call);
}

static LLVMBasicBlockRef add_block(cc_unit *unit, LLVMValueRef function, const char *name) {
    return LLVMAppendBasicBlockInContext(unit->context, function, name);
}

static void build_refusal(cc_unit *unit, const char *message) {
    LLVMValueRef text = cc_string(unit, message);
    cc_call_runtime(unit, "verso__native_refuse", unit->none, &text, 1);
    LLVMBuildUnreachable(unit->builder);
}

/* Continues in another block if the code for second derivatives is wanted. */
static void choose_second(cc_unit *unit, LLVMValueRef stub, LLVMBasicBlockRef second) {
    LLVMBasicBlockRef first = add_block(unit, stub, "first");
    LLVMValueRef wanted =
        LLVMBuildLoad2(unit->builder, unit->i64, cc_state(unit, offsetof(verso__native_state, second)), "");
    LLVMValueRef is = LLVMBuildICmp(unit->builder, LLVMIntEQ, wanted, cc_i64(unit, 0), "");
    LLVMBuildCondBr(unit->builder, is, first, second);
    cc_build_at_end(unit, first);
}

static void build_version(cc_unit *unit, LLVMValueRef stub, LLVMBasicBlockRef block, const cc_member *member,
                          const char *suffix) {
    cc_build_at_end(unit, block);
    LLVMTypeRef type = LLVMGlobalGetValueType(stub);
    bool recording = strcmp(suffix, "tangent") != 0;
    if (strcmp(suffix, "record") == 0 && unit->program->wants_second) {
        LLVMBasicBlockRef second = add_block(unit, stub, "second");
        choose_second(unit, stub, second);
        LLVMBasicBlockRef here = LLVMGetInsertBlock(unit->builder);
        build_version(unit, stub, second, member, "second.record");
        cc_build_at_end(unit, here);
    }
    if (!(recording ? unit->program->wants_record : unit->program->wants_tangent)) {
        build_refusal(
            unit,
            cc_print(unit,
                     "the program was linked without the code for %s, because no file compiled by 'verso cc' calls it; "
                     "make the call in such a file",
                     recording ? "gradients (verso_gradient, verso_vjp)" : "tangents (verso_directional, verso_jvp)"));
        return;
    }
    if (LLVMIsFunctionVarArg(type) || has_byval_parameter(stub)) {
        build_refusal(
            unit, cc_print(unit,
                           "%s: %s is called by code that was not compiled by `verso cc`, with variable arguments or a "
                           "large structure by value, which Verso cannot follow; let it pass a pointer",
                           cc_where(unit, stub), member->name));
        return;
    }
    LLVMValueRef version = LLVMAddFunction(unit->module, cc_print(unit, "%s.%s", member->name, suffix), type);
    LLVMSetVisibility(version, LLVMHiddenVisibility);
    LLVMSetFunctionCallConv(version, LLVMGetFunctionCallConv(stub));
    return_call(unit, stub, version);
}

static void make_stub(cc_unit *unit, const cc_member *member) {
    LLVMValueRef stub = member->program, primal = move_to_primal(unit, member);
    cc_strip_attributes(stub);
    LLVMBasicBlockRef start = add_block(unit, stub, ""), plain = add_block(unit, stub, "primal");
    LLVMBasicBlockRef other = add_block(unit, stub, ""), record = add_block(unit, stub, "record");
    LLVMBasicBlockRef tangent = add_block(unit, stub, "tangent");
    cc_build_at_end(unit, start);
    LLVMValueRef mode =
        LLVMBuildLoad2(unit->builder, unit->i64, cc_state(unit, offsetof(verso__native_state, mode)), "");
    LLVMValueRef is = LLVMBuildICmp(unit->builder, LLVMIntEQ, mode, cc_i64(unit, VERSO_NATIVE_PRIMAL), "");
    LLVMBuildCondBr(unit->builder, is, plain, other);
    cc_build_at_end(unit, plain);
    return_call(unit, stub, primal);
    cc_build_at_end(unit, other);
    is = LLVMBuildICmp(unit->builder, LLVMIntEQ, mode, cc_i64(unit, VERSO_NATIVE_TANGENT), "");
    LLVMBuildCondBr(unit->builder, is, tangent, record);
    build_version(unit, stub, record, member, "record");
    build_version(unit, stub, tangent, member, "tangent");
}

/* Ensures that the linker uses this definition and not one of another compiler, which would not test the mode. */
static void make_strong(const cc_member *member) {
    LLVMValueRef function = member->program;
    LLVMLinkage linkage = LLVMGetLinkage(function);
    bool replaceable = linkage == LLVMWeakAnyLinkage || linkage == LLVMLinkOnceAnyLinkage;
    bool merged = linkage == LLVMWeakODRLinkage || linkage == LLVMLinkOnceODRLinkage;
    if (!replaceable && !(merged && member->pointed))
        return;
    LLVMSetComdat(function, NULL);
    LLVMSetLinkage(function, LLVMExternalLinkage);
}

void cc_make_stubs(cc_unit *unit) {
    cc_program *program = unit->program;
    cc_use_module(unit, program->module);
    for (size_t i = 0; i < program->member_count; i++) {
        const cc_member *member = program->members[i];
        if (member->program == NULL)
            continue;
        make_strong(member);
        if (member->pointed)
            make_stub(unit, member);
    }
}
