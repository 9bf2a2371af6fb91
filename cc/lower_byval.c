/* Structures that are passed in memory by value: the caller makes the copy, as code that everybody sees, and passes its
 * address. The place for a result that is returned in memory is an address already; it stays one, and no more. */
#include "cc/program.h"
#include "cc/surgery.h"

static unsigned alignment_of(cc_unit *unit, LLVMValueRef call, unsigned index, LLVMTypeRef type) {
    LLVMAttributeRef given = LLVMGetCallSiteEnumAttribute(call, index + 1, cc_attribute("align"));
    unsigned alignment =
        given == NULL ? LLVMABIAlignmentOfType(unit->layout, type) : (unsigned)LLVMGetEnumAttributeValue(given);
    return alignment < 8 ? 8 : alignment;
}

/* Variable arguments are laid out by lower_variadic.c, structures among them. */
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
            /* Who is not ours wants it as it was. Through pointers nothing is passed by value any more. */
            if (callee != NULL && !LLVMIsDeclaration(callee))
                lower_call(unit, at, LLVMCountParams(callee));
        }
    }
}
