/* Runs passes over some functions of a module: the others are optnone meanwhile, which must be noinline, too. */
#include "cc/emit/emit.h"
#include "cc/front/front.h"
#include "cc/ir/surgery.h"

#include <string.h>

static bool is_marked(LLVMValueRef function, const char *mark) {
    return LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, mark,
                                         (unsigned)strlen(mark)) != NULL;
}

static bool has(LLVMValueRef function, const char *attribute) {
    return LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                       cc_attribute(attribute)) != NULL;
}

static void remove_attribute(LLVMValueRef function, const char *attribute) {
    LLVMRemoveEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, cc_attribute(attribute));
}

void cc_run_passes_where(cc_unit *unit, const char *mark, bool marked, const char *passes) {
    LLVMValueRef *left_out = NULL;
    size_t count = 0, capacity = 0, all = 0;
    for (LLVMValueRef at = LLVMGetFirstFunction(unit->module); at != NULL; at = LLVMGetNextFunction(at)) {
        all += !LLVMIsDeclaration(at);
        if (LLVMIsDeclaration(at) || is_marked(at, mark) == marked || has(at, "optnone") || has(at, "noinline"))
            continue;
        cc_reserve(unit, &left_out, &capacity, count + 1, sizeof *left_out);
        left_out[count++] = at;
    }
    if (count == all)
        return;
    for (size_t i = 0; i < count; i++) {
        cc_add_attribute(unit, left_out[i], "optnone");
        cc_add_attribute(unit, left_out[i], "noinline");
    }
    cc_run_passes(unit, passes);
    for (size_t i = 0; i < count; i++) {
        remove_attribute(left_out[i], "optnone");
        remove_attribute(left_out[i], "noinline");
    }
}
