/* Custom adjoints of calls that are made once (VERSO_WORLD_ADJOINT in include/verso/native.h). The `record` of such an
 * adjoint is replaced by
 *
 *     R verso.once.f(verso_call *call, A...) {
 *         if (verso__native_once_begin(call, outside))
 *             result = record(call, A...);
 *         verso__native_once_end(&result, sizeof result);
 *         return result;
 *     }
 *
 * where native/run/once.c logs what `record` keeps, writes and returns, or takes it from the log. */
#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"
#include "native/state.h"

static LLVMValueRef describe(cc_unit *unit, const char *name) {
    LLVMValueRef members[] = {cc_i64(unit, (int64_t)cc_outside_number(name)), cc_string(unit, name)};
    return cc_private_constant(unit, LLVMConstStructInContext(unit->context, members, 2, false), "verso.outside");
}

static const char *make_record(cc_unit *unit, const cc_adjoint *adjoint) {
    LLVMValueRef record = LLVMGetNamedFunction(unit->module, adjoint->record);
    LLVMTypeRef type = LLVMGlobalGetValueType(record), returned = LLVMGetReturnType(type);
    LLVMValueRef made = LLVMAddFunction(unit->module, cc_print(unit, "verso.once.%s", adjoint->function), type);
    LLVMSetLinkage(made, LLVMInternalLinkage);
    cc_add_attribute(unit, made, "noinline");
    unsigned count = LLVMCountParams(made);
    LLVMValueRef *parameters = cc_alloc(unit, count, sizeof *parameters), result = LLVMConstNull(unit->pointer);
    LLVMGetParams(made, parameters);
    LLVMBasicBlockRef begin = LLVMAppendBasicBlockInContext(unit->context, made, "");
    LLVMBasicBlockRef make = LLVMAppendBasicBlockInContext(unit->context, made, "");
    LLVMBasicBlockRef had = LLVMAppendBasicBlockInContext(unit->context, made, "");
    cc_build_at_end(unit, begin);
    if (returned != unit->none)
        result = LLVMBuildAlloca(unit->builder, returned, "");
    LLVMValueRef arguments[] = {parameters[0], describe(unit, adjoint->function)};
    LLVMValueRef first = cc_call_runtime(unit, "verso__native_once_begin", unit->i32, arguments, 2);
    LLVMBuildCondBr(unit->builder, LLVMBuildIsNotNull(unit->builder, first, ""), make, had);
    cc_build_at_end(unit, make);
    LLVMValueRef value = LLVMBuildCall2(unit->builder, type, record, parameters, count, "");
    LLVMSetInstructionCallConv(value, LLVMGetFunctionCallConv(record));
    if (returned != unit->none)
        LLVMBuildStore(unit->builder, value, result);
    LLVMBuildBr(unit->builder, had);
    cc_build_at_end(unit, had);
    int64_t size = returned == unit->none ? 0 : (int64_t)LLVMStoreSizeOfType(unit->layout, returned);
    LLVMValueRef end[] = {result, cc_i64(unit, size)};
    cc_call_runtime(unit, "verso__native_once_end", unit->none, end, 2);
    if (returned == unit->none)
        LLVMBuildRetVoid(unit->builder);
    else
        LLVMBuildRet(unit->builder, LLVMBuildLoad2(unit->builder, returned, result, ""));
    return LLVMGetValueName(made);
}

void cc_make_worlds(cc_unit *unit) {
    cc_use_module(unit, unit->program->module);
    for (size_t i = 0; unit->errors == 0 && i < unit->program->adjoint_count; i++) {
        cc_adjoint *adjoint = &unit->program->adjoints[i];
        if (adjoint->world)
            adjoint->record = cc_print(unit, "%s", make_record(unit, adjoint));
    }
}
