/* Accesses that never overlap: see overlap.h. */
#include "cc/plan/overlap.h"

#include "cc/ir/surgery.h"
#include "cc/ir/tags.h"

bool cc_is_number_beside_integer(cc_unit *unit, LLVMValueRef one, LLVMValueRef other) {
    cc_class first = cc_class_of(unit, one), second = cc_class_of(unit, other);
    return first != second && first != CC_CLASS_UNKNOWN && second != CC_CLASS_UNKNOWN;
}

bool cc_is_plain(LLVMValueRef access) {
    return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

bool cc_never_overlap(cc_unit *unit, LLVMValueRef one, LLVMValueRef other) {
    size_t from = cc_memory_of(unit, one), to = cc_memory_of(unit, other);
    return (from != to && from != CC_MEMORY_LOST && to != CC_MEMORY_LOST) ||
           cc_is_number_beside_integer(unit, one, other);
}

static bool is_global(LLVMValueRef value) {
    return LLVMIsAGlobalVariable(value) != NULL;
}

static bool is_variable(LLVMValueRef value) {
    return LLVMIsAAllocaInst(value) != NULL;
}

/* Returns whether the value is a parameter whose object the function accesses through no other pointer (restrict). */
static bool has_no_alias(LLVMValueRef value) {
    unsigned kind = cc_attribute("noalias");
    if (LLVMIsAArgument(value)) {
        LLVMValueRef function = LLVMGetParamParent(value);
        for (unsigned p = 0; p < LLVMCountParams(function); p++)
            if (LLVMGetParam(function, p) == value)
                return LLVMGetEnumAttributeAtIndex(function, p + 1, kind) != NULL;
    }
    return false;
}

static bool is_fresh(LLVMValueRef value) {
    LLVMValueRef callee = LLVMIsACallInst(value) ? cc_callee(value) : NULL;
    return callee && LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeReturnIndex, cc_attribute("noalias")) != NULL;
}

bool cc_are_apart(LLVMValueRef root, LLVMValueRef other) {
    if (root == other)
        return false;
    bool own = is_global(root) || is_variable(root) || is_fresh(root) || has_no_alias(root);
    bool others = is_global(other) || is_variable(other) || is_fresh(other) || has_no_alias(other);
    if (own && others)
        return true;
    /* A parameter cannot point to a variable or block that was made after the function was entered. */
    return ((is_variable(root) || is_fresh(root)) && LLVMIsAArgument(other)) ||
           ((is_variable(other) || is_fresh(other)) && LLVMIsAArgument(root));
}
