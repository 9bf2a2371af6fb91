/* Combines scalar operations of adjoint code into vector operations (LLVM's SLP vectoriser), where that pays.
 *
 * Adjoint code adds to cells. Where one iteration of a loop adds to some neighbouring cells, and the next iteration to
 * most of them again, a vector is loaded that parts of several stores are in; processors cannot forward those, and wait
 * until they have reached the cache. So functions with such a loop are left out: reverse/reverse.c marks them. */
#include "cc/emit/emit.h"
#include "cc/front/front.h"
#include "cc/ir/surgery.h"

#include <llvm-c/Support.h>
#include <string.h>

static const char mark[] = CC_UNPACKED;

static bool is_marked(LLVMValueRef function) {
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

void cc_pack_scalars(cc_unit *unit) {
    LLVMValueRef *left_out = NULL; /* they are optnone meanwhile, which must be noinline, too */
    size_t count = 0, capacity = 0, all = 0;
    for (LLVMValueRef at = LLVMGetFirstFunction(unit->module); at != NULL; at = LLVMGetNextFunction(at)) {
        all += !LLVMIsDeclaration(at);
        if (LLVMIsDeclaration(at) || !is_marked(at) || has(at, "optnone") || has(at, "noinline"))
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
    static const char *const words[] = {"verso-transform", "-vectorize-slp=true"};
    LLVMParseCommandLineOptions(2, words, NULL);
    cc_run_passes(unit, "function(slp-vectorizer,vector-combine,instcombine<no-verify-fixpoint>)");
    for (size_t i = 0; i < count; i++) {
        remove_attribute(left_out[i], "optnone");
        remove_attribute(left_out[i], "noinline");
    }
}
