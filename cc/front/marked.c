/* Single calls that the source marks with VERSO_CHECKPOINT_CALL or VERSO_NOCHECKPOINT_CALL (verso/native.h).
 *
 * The macros call through a pointer that a function returns which no optimiser can inline. So the call is neither
 * inlined nor merged with another one, whatever the optimisation level. This file turns it back into a direct call
 * of the function, in the program and thereby in all versions of it, and keeps the mark as an attribute of the
 * call. */
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "native/state.h"

#include <string.h>

static const struct {
    const char *function, *attribute;
    int mark;
} marks[] = {{"verso__checkpoint_this", "verso.checkpoint", VERSO_NATIVE_MARK_ALWAYS},
             {"verso__nocheckpoint_this", "verso.nocheckpoint", VERSO_NATIVE_MARK_NEVER}};
enum { MARKS = sizeof marks / sizeof *marks };

int cc_mark_of_call(LLVMValueRef call) {
    for (size_t i = 0; i < MARKS; i++)
        if (LLVMGetCallSiteStringAttribute(call, LLVMAttributeFunctionIndex, marks[i].attribute,
                                           (unsigned)strlen(marks[i].attribute)) != NULL)
            return marks[i].mark;
    return VERSO_NATIVE_MARK_NONE;
}

static bool is_call(LLVMValueRef user) {
    return LLVMIsACallInst(user) != NULL || LLVMIsAInvokeInst(user) != NULL;
}

static void mark_call(cc_unit *unit, LLVMValueRef call, const char *attribute) {
    LLVMAttributeRef mark = LLVMCreateStringAttribute(unit->context, attribute, (unsigned)strlen(attribute), "", 0);
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, mark);
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                             LLVMCreateEnumAttribute(unit->context, cc_attribute("noinline"), 0));
}

/* `marked` is the call that returns the pointer. Marks the calls through that pointer and replaces it by the
 * function. */
static void lower_marked(cc_unit *unit, LLVMValueRef marked, const char *attribute) {
    LLVMValueRef function = LLVMGetOperand(marked, 0);
    if (LLVMIsAFunction(function) == NULL) {
        cc_diagnose(unit, marked,
                    "VERSO_CHECKPOINT_CALL and VERSO_NOCHECKPOINT_CALL are given the name of a function; "
                    "this is a pointer to one");
        return;
    }
    for (LLVMUseRef use = LLVMGetFirstUse(marked); use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (is_call(user) && LLVMGetCalledValue(user) == marked)
            mark_call(unit, user, attribute);
    }
    LLVMReplaceAllUsesWith(marked, function);
    LLVMInstructionEraseFromParent(marked);
}

void cc_mark_calls(cc_unit *unit) {
    for (size_t i = 0; i < MARKS; i++) {
        LLVMValueRef maker = LLVMGetNamedFunction(unit->program->module, marks[i].function);
        LLVMUseRef next = NULL;
        for (LLVMUseRef use = maker != NULL ? LLVMGetFirstUse(maker) : NULL; use != NULL; use = next) {
            LLVMValueRef user = LLVMGetUser(use);
            next = LLVMGetNextUse(use);
            if (is_call(user) && LLVMGetCalledValue(user) == maker)
                lower_marked(unit, user, marks[i].attribute);
        }
    }
}
