/* Divided regions in generated code: see shares.h. */
#include "cc/reverse/shares.h"
#include "cc/front/threads.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"

#include <string.h>

enum { WORD = 8 };

static LLVMValueRef word_at(cc_unit *unit, LLVMValueRef words, unsigned parameter) {
    return cc_offset(unit, words, (int64_t)WORD * (parameter - CC_BODY_THREADS));
}

/* Builds the function that takes the arguments of `version` as words: a verso__native_share. */
static LLVMValueRef build_share(cc_unit *unit, LLVMValueRef version, const char *name) {
    LLVMTypeRef parameters[] = {unit->pointer, unit->pointer, unit->pointer};
    LLVMValueRef share =
        LLVMAddFunction(unit->module, cc_print(unit, "%s.share", name), LLVMFunctionType(unit->none, parameters, 3, 0));
    LLVMSetLinkage(share, LLVMInternalLinkage);
    cc_copy_target(version, share);
    cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, share, ""));
    unsigned count = LLVMCountParams(version);
    LLVMValueRef *arguments = cc_alloc(unit, count, sizeof *arguments);
    for (unsigned i = 0; i < count; i++)
        arguments[i] = i < CC_BODY_THREADS ? LLVMGetParam(share, i)
                                           : LLVMBuildLoad2(unit->builder, LLVMTypeOf(LLVMGetParam(version, i)),
                                                            word_at(unit, LLVMGetParam(share, 2), i), "");
    LLVMValueRef call = LLVMBuildCall2(unit->builder, LLVMGlobalGetValueType(version), version, arguments, count, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(version));
    LLVMBuildRetVoid(unit->builder);
    return share;
}

void cc_share_version(cc_unit *unit, LLVMValueRef version, const char *runtime, LLVMValueRef entrance) {
    const char *name = cc_print(unit, "%s", LLVMGetValueName(version));
    const char *inner = cc_print(unit, "%s.one", name);
    LLVMSetValueName2(version, inner, strlen(inner));
    LLVMTypeRef type = LLVMGlobalGetValueType(version);
    LLVMValueRef all = LLVMAddFunction(unit->module, name, type);
    LLVMReplaceAllUsesWith(version, all);
    LLVMSetVisibility(all, LLVMHiddenVisibility);
    LLVMSetFunctionCallConv(all, LLVMGetFunctionCallConv(version));
    cc_copy_target(version, all);
    LLVMAttributeRef origin = LLVMGetStringAttributeAtIndex(version, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                                            CC_ORIGIN, (unsigned)strlen(CC_ORIGIN));
    if (origin != NULL)
        LLVMAddAttributeAtIndex(all, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, origin);
    LLVMValueRef share = build_share(unit, version, name);
    cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, all, ""));
    unsigned count = LLVMCountParams(version);
    LLVMValueRef words =
        LLVMBuildAlloca(unit->builder, LLVMArrayType2(unit->i64, count - CC_BODY_THREADS + 1), "words");
    for (unsigned i = CC_BODY_THREADS; i < count; i++)
        LLVMBuildStore(unit->builder, LLVMGetParam(all, i), word_at(unit, words, i));
    LLVMValueRef arguments[] = {LLVMGetParam(all, 0), LLVMGetParam(all, 1), words, share,
                                entrance != NULL ? entrance : LLVMConstNull(unit->pointer)};
    cc_call_runtime(unit, runtime, unit->none, arguments, 5);
    LLVMBuildRetVoid(unit->builder);
}

void cc_declare_entrance(cc_unit *unit, cc_function *function, const char *name) {
    function->entrance = LLVMAddFunction(unit->module, name, LLVMFunctionType(unit->none, NULL, 0, false));
    LLVMSetVisibility(function->entrance, LLVMHiddenVisibility);
    cc_copy_target(function->value, function->entrance);
}

void cc_share_recorded(cc_unit *unit) {
    for (size_t i = 0; i < unit->function_count; i++) {
        cc_function *function = &unit->functions[i];
        if (!function->divided || function->inert)
            continue;
        cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, function->entrance, ""));
        cc_call_runtime(unit, "verso__native_team_reverse", unit->none, &function->reverse, 1);
        LLVMBuildRetVoid(unit->builder);
        cc_share_version(unit, function->value, "verso__native_team_record", function->entrance);
    }
}
