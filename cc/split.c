/* A module in parts. Each goes through LLVM in a process of its own (parallel.c), which forgets the functions of the
 * others: that takes no time, and nothing is copied.
 *
 * Reverse functions are apart from the recording ones, since LLVM's optimiser treats a module in one way: packing
 * scalar operations into vectors (SLP) helps recording code as it helps the program, and slows down adjoint code, whose
 * values come from all over memory. */
#include "cc/passes.h"
#include "cc/program.h"
#include "cc/surgery.h"

#include <llvm-c/Comdat.h>
#include <string.h>

/* Several parts name the sites, and the run time compares their addresses. Each is in one section group, for calls that
 * can be checkpointed are found by their section: one that were there twice would be two. */
void cc_share_sites(cc_unit *unit) {
    for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g))
        if (strstr(LLVMGetValueName(g), CC_SITE_INFIX) && LLVMGetInitializer(g)) {
            LLVMSetLinkage(g, LLVMLinkOnceODRLinkage);
            LLVMSetVisibility(g, LLVMHiddenVisibility);
            LLVMSetComdat(g, LLVMGetOrInsertComdat(unit->module, LLVMGetValueName(g)));
        }
}

static bool ends_with(const char *name, const char *end) {
    size_t length = strlen(name), wanted = strlen(end);
    return length >= wanted && strcmp(name + length - wanted, end) == 0;
}

static size_t count_instructions(LLVMValueRef function) {
    size_t count = 0;
    for (LLVMValueRef at = cc_first(function); at; at = cc_next(at))
        count++;
    return count;
}

static bool is_meant(const cc_part *part, LLVMValueRef function) {
    return part->which == CC_PART_ANY ||
           ends_with(LLVMGetValueName(function), ".reverse") == (part->which == CC_PART_REVERSE);
}

static bool is_divided(LLVMValueRef function) {
    return !LLVMIsDeclaration(function) && LLVMGetLinkage(function) != LLVMInternalLinkage;
}

/* So many that all processors have something to do until the end, and one where a process is not worth its while. */
size_t cc_part_count(LLVMModuleRef module, cc_part_functions which) {
    enum { PART_INSTRUCTIONS = 30000 };
    const cc_part all = {.which = which};
    size_t instructions = 0;
    for (LLVMValueRef f = module ? LLVMGetFirstFunction(module) : NULL; f; f = LLVMGetNextFunction(f))
        instructions += is_divided(f) && is_meant(&all, f) ? count_instructions(f) : 0;
    size_t parts = 1 + instructions / PART_INSTRUCTIONS;
    return parts < CC_PARTS_MOST ? parts : CC_PARTS_MOST;
}

/* Parts of about the same size: a function goes to the one that is smallest so far. Local functions are in all. */
void cc_keep_part(cc_unit *unit, const cc_part *part) {
    size_t *sizes = cc_alloc(unit, part->of, sizeof *sizes);
    for (LLVMValueRef next, f = LLVMGetFirstFunction(unit->module); f; f = next) {
        next = LLVMGetNextFunction(f);
        if (!is_divided(f))
            continue;
        bool wanted = is_meant(part, f);
        size_t smallest = 0;
        for (size_t i = 1; i < part->of; i++)
            smallest = sizes[i] < sizes[smallest] ? i : smallest;
        if (wanted)
            sizes[smallest] += count_instructions(f);
        if (wanted && smallest == part->number)
            continue;
        f = cc_drop_body(unit, f);
        if (!LLVMGetFirstUse(f))
            LLVMDeleteFunction(f);
    }
}
