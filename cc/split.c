/* Takes the reverse functions out of the recording copy into a module of their own, since LLVM's optimiser treats a
 * module in one way: packing scalar operations into vectors (SLP) helps recording code as it helps the program, and
 * slows down adjoint code, whose values come from all over memory. */
#include "cc/passes.h"
#include "cc/surgery.h"

#include <string.h>

static bool ends_with(const char *name, const char *end) {
    size_t length = strlen(name), wanted = strlen(end);
    return length >= wanted && strcmp(name + length - wanted, end) == 0;
}

/* Both modules name the sites, and the run time compares their addresses. */
static void share_sites(LLVMModuleRef module) {
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        if (strstr(LLVMGetValueName(g), CC_SITE_INFIX) && LLVMGetInitializer(g)) {
            LLVMSetLinkage(g, LLVMLinkOnceODRLinkage);
            LLVMSetVisibility(g, LLVMHiddenVisibility);
        }
}

/* Of the functions with bodies keeps the reverse functions, or all others. */
static void keep_bodies(cc_unit *unit, LLVMModuleRef module, bool reverse) {
    LLVMModuleRef before = unit->module;
    unit->module = module;
    for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (LLVMIsDeclaration(f) || ends_with(LLVMGetValueName(f), ".reverse") == reverse)
            continue;
        if (LLVMGetLinkage(f) == LLVMInternalLinkage)
            LLVMSetLinkage(f, LLVMExternalLinkage);
        f = cc_drop_body(unit, f);
        if (!LLVMGetFirstUse(f))
            LLVMDeleteFunction(f);
    }
    unit->module = before;
}

LLVMModuleRef cc_split_reverse(cc_unit *unit) {
    share_sites(unit->module);
    LLVMModuleRef reverse = LLVMCloneModule(unit->module);
    keep_bodies(unit, reverse, true);
    keep_bodies(unit, unit->module, false);
    return reverse;
}
