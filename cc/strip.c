/* Takes from the copies what is true of the program and not of code that records it.
 *
 * A function that reads only writes the tape when it records; one that always returns may be refused; arguments that do
 * not overlap have shadows that may. Fast-math flags go, in the copies and in the program's own versions of their
 * functions, because both must compute the same bits. */
#include "cc/program.h"
#include "cc/surgery.h"

#include <string.h>

static const char *const of_function[] = {"memory",     "nofree",       "norecurse", "nosync",
                                          "willreturn", "speculatable", "noreturn",  "nocallback",
                                          "allocsize",  "allockind",    "optnone",   "mustprogress"};
static const char *const of_value[] = {"readonly", "readnone", "writeonly", "nocapture", "noalias",
                                       "returned", "nofree",   "allocptr",  "allocalign"};
static const char *const unsafe_strings[] = {"unsafe-fp-math",      "no-infs-fp-math",         "no-nans-fp-math",
                                             "approx-func-fp-math", "no-signed-zeros-fp-math", "alloc-family"};
#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const LLVMAttributeIndex FUNCTION = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

void cc_strip_attributes(LLVMValueRef function) {
    for (size_t i = 0; i < LENGTH(of_function); i++)
        LLVMRemoveEnumAttributeAtIndex(function, FUNCTION, cc_attribute(of_function[i]));
    for (size_t i = 0; i < LENGTH(unsafe_strings); i++)
        LLVMRemoveStringAttributeAtIndex(function, FUNCTION, unsafe_strings[i], (unsigned)strlen(unsafe_strings[i]));
    for (unsigned index = 0; index <= LLVMCountParams(function); index++)
        for (size_t i = 0; i < LENGTH(of_value); i++)
            LLVMRemoveEnumAttributeAtIndex(function, index, cc_attribute(of_value[i]));
}

static void strip_call(LLVMValueRef call) {
    LLVMSetTailCallKind(call, LLVMTailCallKindNone);
    LLVMValueRef callee = cc_callee(call);
    /* What is not differentiated is as it was. */
    if (callee != NULL && LLVMIsDeclaration(callee))
        return;
    for (size_t i = 0; i < LENGTH(of_function); i++)
        LLVMRemoveCallSiteEnumAttribute(call, FUNCTION, cc_attribute(of_function[i]));
    for (unsigned index = 0; index <= LLVMGetNumArgOperands(call); index++)
        for (size_t i = 0; i < LENGTH(of_value); i++)
            LLVMRemoveCallSiteEnumAttribute(call, index, cc_attribute(of_value[i]));
}

static void strip_flags(LLVMValueRef function) {
    for (LLVMValueRef at = cc_first(function); at != NULL; at = cc_next(at))
        if (LLVMCanValueUseFastMathFlags(at))
            LLVMSetFastMathFlags(at, LLVMFastMathNone);
    for (size_t i = 0; i < LENGTH(unsafe_strings) - 1; i++)
        LLVMRemoveStringAttributeAtIndex(function, FUNCTION, unsafe_strings[i], (unsigned)strlen(unsafe_strings[i]));
}

/* An optimiser that knows what an allocation is leaves out those that nobody looks at. It would do so in the copy that
 * advances, and not in the one that records and looks at addresses: blocks would lie elsewhere when a run is repeated,
 * and their adjoints would be lost. */
static void keep_allocations(cc_unit *unit) {
    static const char family[] = "alloc-family";
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f)) {
        LLVMRemoveEnumAttributeAtIndex(f, FUNCTION, cc_attribute("allockind"));
        LLVMRemoveStringAttributeAtIndex(f, FUNCTION, family, (unsigned)strlen(family));
    }
}

void cc_strip(cc_unit *unit) {
    keep_allocations(unit);
    for (size_t i = 0; i < unit->program->member_count; i++) {
        const cc_member *member = unit->program->members[i];
        cc_strip_attributes(member->base);
        strip_flags(member->base);
        if (member->program != NULL)
            strip_flags(member->program);
        if (member->inactive) /* its callers are not */
            cc_forbid_inlining(unit, member->base);
        for (LLVMValueRef at = cc_first(member->base); at != NULL; at = cc_next(at))
            if (LLVMIsACallInst(at) != NULL)
                strip_call(at);
    }
}
