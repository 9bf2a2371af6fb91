/* Wrappers of external functions. If the address of an external function is taken and differentiated code may call
 * it through a pointer, its address is replaced by that of a wrapper in the whole program; calls of the wrapper are
 * then followed like any other call.
 *
 * A variadic wrapper cannot pass its arguments on. For the functions of stdio it calls the version that takes a
 * va_list instead. */
#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"

#include <string.h>

static const char *const taking_list[][2] = {
    {"printf", "vprintf"},
    {"fprintf", "vfprintf"},
    {"sprintf", "vsprintf"},
    {"snprintf", "vsnprintf"},
    {"dprintf", "vdprintf"},
    {"asprintf", "vasprintf"},
    {"scanf", "vscanf"},
    {"fscanf", "vfscanf"},
    {"sscanf", "vsscanf"},
    {"syslog", "vsyslog"},
    {"warn", "vwarn"},
    {"warnx", "vwarnx"},
    {"__printf_chk", "__vprintf_chk"},
    {"__fprintf_chk", "__vfprintf_chk"},
    {"__sprintf_chk", "__vsprintf_chk"},
    {"__snprintf_chk", "__vsnprintf_chk"},
};

static const char *list_version(const char *name) {
    for (size_t i = 0; i < sizeof taking_list / sizeof *taking_list; i++)
        if (strcmp(name, taking_list[i][0]) == 0)
            return taking_list[i][1];
    return NULL;
}

/* Builds the call of `external`, or of its version that takes a va_list. */
static LLVMValueRef build_forwarding_call(cc_unit *unit, LLVMValueRef external, LLVMValueRef *arguments,
                                          unsigned count) {
    LLVMTypeRef type = LLVMGlobalGetValueType(external);
    const char *sibling = LLVMIsFunctionVarArg(type) ? list_version(LLVMGetValueName(external)) : NULL;
    if (sibling == NULL) {
        LLVMValueRef call = LLVMBuildCall2(unit->builder, type, external, arguments, count, "");
        LLVMSetTailCallKind(call, LLVMIsFunctionVarArg(type) ? LLVMTailCallKindMustTail : LLVMTailCallKindNone);
        return call;
    }
    LLVMValueRef list = LLVMBuildAlloca(unit->builder, LLVMArrayType2(unit->i64, 3), "");
    LLVMSetAlignment(list, 16);
    cc_call_intrinsic(unit, "llvm.va_start", unit->pointer, &list, 1);
    arguments[count] = list;
    LLVMTypeRef *types = cc_alloc(unit, count + 1, sizeof *types);
    for (unsigned i = 0; i <= count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    type = LLVMFunctionType(LLVMGetReturnType(type), types, count + 1, false);
    LLVMValueRef function = LLVMGetNamedFunction(unit->module, sibling);
    if (function == NULL)
        function = LLVMAddFunction(unit->module, sibling, type);
    LLVMValueRef call = LLVMBuildCall2(unit->builder, type, function, arguments, count + 1, "");
    cc_call_intrinsic(unit, "llvm.va_end", unit->pointer, &list, 1);
    return call;
}

LLVMValueRef cc_wrap(cc_unit *unit, LLVMValueRef external) {
    const char *name = cc_print(unit, "verso.wrap.%s", LLVMGetValueName(external));
    LLVMValueRef wrapper = LLVMGetNamedFunction(unit->program->module, name);
    if (wrapper != NULL)
        return wrapper;
    cc_use_module(unit, unit->program->module);
    LLVMTypeRef type = LLVMGlobalGetValueType(external);
    unsigned count = LLVMCountParams(external);
    wrapper = LLVMAddFunction(unit->module, name, type);
    LLVMSetLinkage(wrapper, LLVMInternalLinkage);
    cc_copy_attributes(unit, external, wrapper, count);
    /* The effects of recording a call are not those of the function itself. */
    LLVMRemoveEnumAttributeAtIndex(wrapper, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, cc_attribute("memory"));
    cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, wrapper, ""));
    LLVMValueRef *arguments = cc_alloc(unit, count + 1, sizeof *arguments);
    LLVMGetParams(wrapper, arguments);
    LLVMValueRef call = build_forwarding_call(unit, external, arguments, count);
    for (unsigned i = 0; i < count; i++)
        if (cc_byval(external, i) != NULL)
            LLVMAddCallSiteAttribute(call, i + 1, LLVMGetEnumAttributeAtIndex(external, i + 1, cc_attribute("byval")));
    if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(unit->builder);
    else
        LLVMBuildRet(unit->builder, call);
    return wrapper;
}

void cc_wrap_addresses(cc_unit *unit, LLVMValueRef external, LLVMValueRef wrapper) {
    LLVMReplaceAllUsesWith(external, wrapper);
    size_t count;
    LLVMValueRef *users = cc_users(unit, wrapper, &count);
    for (size_t i = 0; i < count; i++)
        if (cc_is_direct_call(users[i], wrapper))
            cc_set_callee(users[i], external);
}
