/* Short functions that all passes use: callees, run-time functions, constants. */
#include "base/checksum.h"
#include "cc/ir/program.h"
#include "cc/ir/unit.h"
#include "native/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

LLVMValueRef cc_callee(LLVMValueRef call) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (callee == NULL || LLVMIsAFunction(callee) == NULL)
        return NULL;
    /* A call of the program's version of a differentiated function counts as a call through a pointer, though the
     * optimiser may have found out which function the pointer points to: the stub there selects the version. */
    LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    if (LLVMGetStringAttributeAtIndex(callee, index, CC_BY_POINTER, (unsigned)strlen(CC_BY_POINTER)) != NULL)
        return NULL;
    /* So does a call with another type than the function's: its arguments cannot be matched with the parameters. */
    return LLVMGetCalledFunctionType(call) == LLVMGlobalGetValueType(callee) ? callee : NULL;
}

const char *cc_callee_name(LLVMValueRef call) {
    LLVMValueRef callee = cc_callee(call);
    return callee == NULL ? "" : LLVMGetValueName(callee);
}

cc_function *cc_function_find(const cc_unit *unit, LLVMValueRef value) {
    ptrdiff_t index = unit->function_of == NULL || value == NULL ? CC_NOT_FOUND : cc_map_get(unit->function_of, value);
    return index == CC_NOT_FOUND ? NULL : &unit->functions[index];
}

static void add_attribute(cc_unit *unit, LLVMValueRef function, const char *name) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(unit->context, kind, 0));
}

LLVMValueRef cc_runtime(cc_unit *unit, const char *name, LLVMTypeRef result, const LLVMTypeRef *parameters,
                        unsigned count) {
    LLVMValueRef function = LLVMGetNamedFunction(unit->module, name);
    if (function != NULL)
        return function;
    LLVMTypeRef *types = cc_alloc(unit, count, sizeof *types);
    for (unsigned i = 0; i < count; i++)
        types[i] = parameters[i];
    function = LLVMAddFunction(unit->module, name, LLVMFunctionType(result, types, count, false));
    /* The run time is linked statically, so calls need not go through the procedure linkage table. */
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    add_attribute(unit, function, "nounwind");
    return function;
}

LLVMValueRef cc_call_runtime(cc_unit *unit, const char *name, LLVMTypeRef result, LLVMValueRef *arguments,
                             unsigned count) {
    LLVMTypeRef *types = cc_alloc(unit, count, sizeof *types);
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    LLVMValueRef function = cc_runtime(unit, name, result, types, count);
    return LLVMBuildCall2(unit->builder, LLVMFunctionType(result, types, count, false), function, arguments, count, "");
}

/* Equal texts are one variable: sites repeat names and lines, and modules with many variables take long to read. A name
 * that contains a checksum finds it; two texts with one checksum are two variables. */
LLVMValueRef cc_call_intrinsic(cc_unit *unit, const char *name, LLVMTypeRef type, LLVMValueRef *arguments,
                               unsigned count) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(unit->module, id, &type, 1);
    return LLVMBuildCall2(unit->builder, LLVMGlobalGetValueType(function), function, arguments, count, "");
}

LLVMValueRef cc_string(cc_unit *unit, const char *text) {
    LLVMValueRef bytes = LLVMConstStringInContext2(unit->context, text, strlen(text), false);
    char name[sizeof "verso.text." + 2 * sizeof(uint64_t)];
    snprintf(name, sizeof name, "verso.text.%016" PRIx64, verso__checksum(text, strlen(text)));
    LLVMValueRef string = LLVMGetNamedGlobal(unit->module, name);
    if (string != NULL && LLVMGetInitializer(string) == bytes)
        return string;
    string = LLVMAddGlobal(unit->module, LLVMTypeOf(bytes), name);
    LLVMSetInitializer(string, bytes);
    LLVMSetGlobalConstant(string, true);
    LLVMSetLinkage(string, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(string, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(string, 1);
    return string;
}

LLVMValueRef cc_i64(const cc_unit *unit, int64_t value) {
    return LLVMConstInt(unit->i64, (uint64_t)value, true);
}

LLVMValueRef cc_offset(cc_unit *unit, LLVMValueRef address, int64_t bytes) {
    if (bytes == 0)
        return address;
    LLVMValueRef distance = cc_i64(unit, bytes);
    return LLVMBuildGEP2(unit->builder, unit->i8, address, &distance, 1, "");
}

LLVMValueRef cc_state(cc_unit *unit, size_t offset) {
    LLVMValueRef state = LLVMGetNamedGlobal(unit->module, "verso__native_now");
    if (state == NULL) {
        LLVMTypeRef type = LLVMArrayType2(unit->i8, sizeof(verso__native_state));
        state = LLVMAddGlobal(unit->module, type, "verso__native_now");
        /* Not hidden: LLVM would name a hidden symbol in objects that do not use it, and not as a thread-local one. */
        LLVMSetThreadLocalMode(state,
                               unit->program->request->shared ? LLVMGeneralDynamicTLSModel : LLVMLocalExecTLSModel);
        LLVMSetAlignment(state, _Alignof(verso__native_state));
    }
    return cc_offset(unit, state, (int64_t)offset);
}

unsigned cc_operand_count(LLVMValueRef instruction) {
    return LLVMIsACallInst(instruction) ? LLVMGetNumArgOperands(instruction)
                                        : (unsigned)LLVMGetNumOperands(instruction);
}
