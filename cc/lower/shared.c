/* Shared functions: defined once in the program's module, declared in every copy that calls them. They access the
 * state of the run time. The differentiating passes must not see that code, because they would take it for accesses
 * to the program's memory. */
#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

static LLVMValueRef define(cc_unit *unit, const char *name, LLVMTypeRef type, cc_build_shared *build, void *context) {
    LLVMModuleRef saved = unit->module;
    LLVMBuilderRef builder = unit->builder;
    cc_use_module(unit, unit->program->module);
    unit->builder = LLVMCreateBuilderInContext(unit->context);
    LLVMValueRef function = LLVMAddFunction(unit->module, name, type);
    cc_add_attribute(unit, function, "nounwind");
    cc_add_local(unit, function);
    cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, function, ""));
    build(unit, function, context);
    LLVMDisposeBuilder(unit->builder);
    unit->builder = builder;
    cc_use_module(unit, saved);
    return function;
}

static void add_shared(cc_unit *unit, const char *name, cc_build_shared *build) {
    cc_program *program = unit->program;
    cc_reserve(unit, &program->shared, &program->shared_capacity, program->shared_count + 1, sizeof *program->shared);
    program->shared[program->shared_count++] = (cc_shared_function){.name = name, .build = build};
}

LLVMValueRef cc_shared(cc_unit *unit, const char *name, LLVMTypeRef type, cc_build_shared *build, void *context) {
    LLVMValueRef declaration = LLVMGetNamedFunction(unit->module, name);
    if (declaration != NULL)
        return declaration;
    if (LLVMGetNamedFunction(unit->program->module, name) == NULL) {
        define(unit, name, type, build, context);
        if (context == NULL)
            add_shared(unit, name, build);
    }
    declaration = LLVMAddFunction(unit->module, name, type);
    LLVMSetVisibility(declaration, LLVMHiddenVisibility);
    cc_add_attribute(unit, declaration, "nounwind");
    return declaration;
}

LLVMValueRef cc_call_shared(cc_unit *unit, LLVMValueRef shared, LLVMValueRef *arguments, unsigned count) {
    return LLVMBuildCall2(unit->builder, LLVMGlobalGetValueType(shared), shared, arguments, count, "");
}

void cc_inline_shared(cc_unit *unit) {
    cc_program *program = unit->program;
    for (size_t i = 0; i < program->shared_count; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(unit->module, program->shared[i].name);
        if (function == NULL || !LLVMIsDeclaration(function))
            continue;
        LLVMSetVisibility(function, LLVMDefaultVisibility);
        LLVMSetLinkage(function, LLVMInternalLinkage);
        cc_add_attribute(unit, function, "alwaysinline");
        cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, function, ""));
        program->shared[i].build(unit, function, NULL);
    }
}
