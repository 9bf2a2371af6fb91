/* Structs that are passed by value in memory (attribute byval): the caller copies the struct explicitly and passes
 * the address of the copy. A result in memory (attribute sret) is passed as an address already, so only the
 * attribute is removed. */
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

static unsigned alignment_of(cc_unit *unit, LLVMValueRef call, unsigned index, LLVMTypeRef type) {
    LLVMAttributeRef given = LLVMGetCallSiteEnumAttribute(call, index + 1, cc_attribute("align"));
    unsigned alignment =
        given == NULL ? LLVMABIAlignmentOfType(unit->layout, type) : (unsigned)LLVMGetEnumAttributeValue(given);
    return alignment < 8 ? 8 : alignment;
}

/* Lowers the first `fixed` arguments. Variable arguments, structs among them, are left to lower/variadic.c. */
static void lower_call(cc_unit *unit, LLVMValueRef call, unsigned fixed) {
    for (unsigned i = 0; i < fixed; i++) {
        LLVMRemoveCallSiteEnumAttribute(call, i + 1, cc_attribute("sret"));
        LLVMTypeRef type = cc_byval(call, i);
        if (type == NULL)
            continue;
        unsigned alignment = alignment_of(unit, call, i, type);
        LLVMValueRef copy = cc_entry_slot(unit, call, type, alignment);
        cc_build_before(unit, call);
        LLVMValueRef bytes = cc_i64(unit, (int64_t)LLVMABISizeOfType(unit->layout, type));
        LLVMBuildMemCpy(unit->builder, copy, alignment, LLVMGetOperand(call, i), 1, bytes);
        LLVMSetOperand(call, i, copy);
        LLVMRemoveCallSiteEnumAttribute(call, i + 1, cc_attribute("byval"));
    }
}

void cc_lower_byval(cc_unit *unit) {
    for (size_t i = 0; i < unit->program->member_count; i++) {
        LLVMValueRef function = unit->program->members[i]->base;
        for (unsigned k = 1; k <= LLVMCountParams(function); k++) {
            LLVMRemoveEnumAttributeAtIndex(function, k, cc_attribute("byval"));
            LLVMRemoveEnumAttributeAtIndex(function, k, cc_attribute("sret"));
        }
        for (LLVMValueRef at = cc_first(function); at != NULL; at = cc_next(at)) {
            LLVMValueRef callee = LLVMIsACallInst(at) != NULL ? cc_callee(at) : NULL;
            /* Functions without a body here expect byval. Calls through pointers no longer pass anything by value
             * (lower/dispatch.c). */
            if (callee != NULL && !LLVMIsDeclaration(callee))
                lower_call(unit, at, LLVMCountParams(callee));
        }
    }
}
