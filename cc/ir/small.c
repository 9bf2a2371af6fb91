/* Small functions: builds both versions of each, and calls of them. */
#include "cc/ir/small.h"

#include "cc/ir/surgery.h"

static const char *name_apart(cc_unit *unit, const char *name) {
    return cc_print(unit, "%s" CC_APART, name);
}

static LLVMValueRef add(cc_unit *unit, const char *name, LLVMTypeRef type, const char *inlining) {
    LLVMValueRef function = LLVMAddFunction(unit->module, name, type);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    cc_add_attribute(unit, function, inlining);
    cc_add_attribute(unit, function, "nounwind");
    cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, function, "start"));
    return function;
}

static void build_apart(cc_unit *unit, LLVMValueRef function, cc_small_memory memory) {
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    LLVMValueRef apart = add(unit, name_apart(unit, LLVMGetValueName(function)), type, "noinline");
    LLVMValueRef arguments[CC_SMALL_PARAMETERS];
    LLVMAddAttributeAtIndex(apart, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(unit->context, cc_attribute("memory"), memory));
    LLVMSetFunctionCallConv(apart, LLVMPreserveMostCallConv);
    LLVMGetParams(apart, arguments);
    LLVMValueRef result = LLVMBuildCall2(unit->builder, type, function, arguments, LLVMCountParams(apart), "");
    if (LLVMGetReturnType(type) == unit->none)
        LLVMBuildRetVoid(unit->builder);
    else
        LLVMBuildRet(unit->builder, result);
}

void cc_make_small(cc_unit *unit, const char *name, LLVMTypeRef type, cc_small_memory memory, cc_build_small *build,
                   const void *context) {
    if (LLVMGetNamedFunction(unit->module, name) != NULL)
        return;
    LLVMBuilderRef saved = unit->builder; /* kept: the caller is in the middle of building another function */
    unit->builder = LLVMCreateBuilderInContext(unit->context);
    LLVMValueRef function = add(unit, name, type, "alwaysinline");
    build(unit, function, context);
    build_apart(unit, function, memory);
    LLVMDisposeBuilder(unit->builder);
    unit->builder = saved;
}

LLVMValueRef cc_call_small(cc_unit *unit, const char *name, bool apart, LLVMValueRef *arguments, unsigned count) {
    LLVMValueRef function = LLVMGetNamedFunction(unit->module, apart ? name_apart(unit, name) : name);
    LLVMValueRef call = LLVMBuildCall2(unit->builder, LLVMGlobalGetValueType(function), function, arguments, count, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function));
    return call;
}

LLVMTypeRef cc_small_numbers(cc_unit *unit, unsigned count) {
    LLVMTypeRef *types = cc_alloc(unit, count, sizeof *types);
    for (unsigned i = 0; i < count; i++)
        types[i] = unit->f64;
    return LLVMStructTypeInContext(unit->context, types, count, false);
}

static void build_if(cc_unit *unit, LLVMValueRef function, const void *name) {
    LLVMValueRef given[CC_SMALL_PARAMETERS];
    LLVMGetParams(function, given);
    LLVMBasicBlockRef rarely = LLVMAppendBasicBlockInContext(unit->context, function, "rarely");
    LLVMBasicBlockRef on = LLVMAppendBasicBlockInContext(unit->context, function, "on");
    LLVMBuildCondBr(unit->builder, given[0], rarely, on);
    cc_build_at_end(unit, rarely);
    cc_call_runtime(unit, name, unit->none, given + 1, LLVMCountParams(function) - 1);
    LLVMBuildBr(unit->builder, on);
    cc_build_at_end(unit, on);
    LLVMBuildRetVoid(unit->builder);
}

void cc_call_if(cc_unit *unit, LLVMValueRef there, const char *name, bool apart, LLVMValueRef *arguments,
                unsigned count) {
    LLVMValueRef all[CC_SMALL_PARAMETERS] = {there};
    LLVMTypeRef types[CC_SMALL_PARAMETERS] = {LLVMTypeOf(there)};
    for (unsigned i = 0; i < count; i++) {
        all[i + 1] = arguments[i];
        types[i + 1] = LLVMTypeOf(arguments[i]);
    }
    const char *conditional = cc_print(unit, "verso.if.%s", name);
    LLVMTypeRef type = LLVMFunctionType(unit->none, types, count + 1, false);
    cc_make_small(unit, conditional, type, CC_SMALL_CHANGES, build_if, name);
    cc_call_small(unit, conditional, apart, all, count + 1);
}
