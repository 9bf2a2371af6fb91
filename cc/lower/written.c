/* Adds markers verso.written(data, size) after C library calls that write memory. They tell the differentiating
 * passes that the numbers there are input. Numbers that were not overwritten keep their derivatives. */
#include "cc/front/areas.h"
#include "cc/front/front.h"
#include "cc/front/refuse.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

/* long verso.pass.string_bytes(char *): returns the size of a string with its NUL; 0 for NULL. */
static void build_string_bytes(cc_unit *unit, LLVMValueRef function, void *context) {
    (void)context;
    LLVMValueRef string = LLVMGetParam(function, 0);
    LLVMBasicBlockRef none = LLVMAppendBasicBlockInContext(unit->context, function, "");
    LLVMBasicBlockRef some = LLVMAppendBasicBlockInContext(unit->context, function, "");
    LLVMBuildCondBr(unit->builder, LLVMBuildIsNull(unit->builder, string, ""), none, some);
    cc_build_at_end(unit, none);
    LLVMBuildRet(unit->builder, cc_i64(unit, 0));
    cc_build_at_end(unit, some);
    LLVMTypeRef type = LLVMFunctionType(unit->i64, &unit->pointer, 1, false);
    LLVMValueRef length = LLVMGetNamedFunction(unit->module, "strlen");
    if (length == NULL)
        length = LLVMAddFunction(unit->module, "strlen", type);
    LLVMValueRef bytes = LLVMBuildCall2(unit->builder, type, length, &string, 1, "");
    LLVMBuildRet(unit->builder, LLVMBuildAdd(unit->builder, bytes, cc_i64(unit, 1), ""));
}

static LLVMValueRef string_bytes(cc_unit *unit, LLVMValueRef string) {
    LLVMTypeRef type = LLVMFunctionType(unit->i64, &unit->pointer, 1, false);
    LLVMValueRef shared = cc_shared(unit, "verso.pass.string_bytes", type, build_string_bytes, NULL);
    return cc_call_shared(unit, shared, &string, 1);
}

static void mark(cc_unit *unit, cc_area area, void *context) {
    (void)context;
    LLVMValueRef none = LLVMBuildIsNull(unit->builder, area.data, "");
    LLVMValueRef bytes = area.bytes != NULL ? area.bytes : string_bytes(unit, area.data);
    LLVMValueRef arguments[2] = {area.data, LLVMBuildSelect(unit->builder, none, cc_i64(unit, 0), bytes, "")};
    cc_call_runtime(unit, "verso.written", unit->none, arguments, 2);
}

bool cc_mark_written(cc_unit *unit, const cc_member *member, LLVMValueRef call, const char *writes) {
    cc_library_call described = cc_describe_call(unit, call, writes);
    cc_build_before(unit, LLVMGetNextInstruction(call));
    if (cc_each_area(unit, &described, writes, mark, NULL))
        return true;
    cc_reject(unit, member, call,
              cc_print(unit,
                       "the format of %s is not a string that Verso can read here, so it cannot tell what is "
                       "written; use a literal with standard conversions, or declare %s VERSO_INACTIVE",
                       cc_callee_name(call), member->name));
    return false;
}
