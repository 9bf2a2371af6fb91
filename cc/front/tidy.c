/* Makes the merged program uniform, whichever front end its parts come from.
 *
 * Requires: all modules are linked. Leaves: in a function with debug information every call has a debug location,
 * because LLVM refuses to inline calls without one; no call expects an empty struct (flang's `{}`) from a function
 * that returns void; functions that return nothing do not promise a value. */
#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* Gives calls without a debug location line 0, which means that the compiler generated them. */
static void give_lines(cc_unit *unit, LLVMValueRef function) {
    LLVMMetadataRef scope = LLVMGetSubprogram(function);
    if (scope == NULL)
        return;
    LLVMMetadataRef line = NULL;
    for (LLVMValueRef at = cc_first(function); at != NULL; at = cc_next(at)) {
        if (!cc_is_call(at) || LLVMInstructionGetDebugLoc(at) != NULL)
            continue;
        if (line == NULL)
            line = LLVMDIBuilderCreateDebugLocation(unit->context, 0, 0, scope, NULL);
        LLVMInstructionSetDebugLoc(at, line);
    }
}

static bool is_empty_struct(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMStructTypeKind && LLVMCountStructElementTypes(type) == 0;
}

/* Replaces a call that expects an empty struct from a void function by a call with the function's own result type. */
static void drop_empty_result(cc_unit *unit, LLVMValueRef call) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    if (LLVMIsACallInst(call) == NULL || LLVMIsAFunction(callee) == NULL || !is_empty_struct(LLVMTypeOf(call)) ||
        LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(callee))) != LLVMVoidTypeKind)
        return;
    unsigned fixed = LLVMCountParamTypes(type), count = LLVMGetNumArgOperands(call);
    LLVMTypeRef *parameters = cc_alloc(unit, fixed, sizeof *parameters);
    LLVMValueRef *arguments = cc_alloc(unit, count, sizeof *arguments);
    LLVMGetParamTypes(type, parameters);
    for (unsigned i = 0; i < count; i++)
        arguments[i] = LLVMGetOperand(call, i);
    LLVMReplaceAllUsesWith(call, LLVMGetUndef(LLVMTypeOf(call)));
    cc_build_instead(unit, call, LLVMFunctionType(unit->none, parameters, fixed, LLVMIsFunctionVarArg(type)), callee,
                     arguments, count);
    LLVMInstructionEraseFromParent(call);
}

/* The functions that clang makes to destroy the variables of OpenMP's tasks return nothing, but promise a value. LLVM
 * concludes that they are never called. */
static void drop_promise(LLVMValueRef function) {
    static const char destructor[] = ".omp_task_destructor.";
    if (strncmp(LLVMGetValueName(function), destructor, strlen(destructor)) == 0)
        LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeReturnIndex, cc_attribute("noundef"));
}

void cc_tidy(cc_unit *unit) {
    for (LLVMValueRef function = LLVMGetFirstFunction(unit->module); function != NULL;
         function = LLVMGetNextFunction(function)) {
        give_lines(unit, function);
        drop_promise(function);
        for (LLVMValueRef next, at = cc_first(function); at != NULL; at = next) {
            next = cc_next(at);
            if (cc_is_call(at))
                drop_empty_result(unit, at);
        }
    }
}
