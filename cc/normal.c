/* LLVM's own passes over the base copy: before the lowerings, so that constant pointers and formats are seen and dead
 * code is gone; after them, so that the differentiating passes meet one return a function, branches in place of
 * switches, loops with one way in and one way back, and values that leave loops through phis.
 *
 * LLVM forgets alignments where it keeps memory in registers, and numbers that are aligned to 8 bytes cost least.
 *
 * Nothing here vectorises or unrolls but for loops that vanish: that comes later. simplifycfg makes
 * switches of chains of comparisons, so lower-switch comes after it. */
#include "cc/program.h"
#include "cc/surgery.h"

void cc_simplify(cc_unit *unit) {
    cc_run_passes(unit, "function(sroa,early-cse,simplifycfg)");
}

static const char *mistake_in(LLVMValueRef function) {
    unsigned returns = 0;
    for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(function); at != NULL; at = LLVMGetNextBasicBlock(at)) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(at);
        returns += LLVMIsAReturnInst(last) != NULL;
        if (LLVMIsASwitchInst(last) != NULL)
            return "a switch";
        if (LLVMIsABranchInst(last) == NULL && LLVMIsAReturnInst(last) == NULL && LLVMIsAUnreachableInst(last) == NULL)
            return "a jump of another kind";
    }
    return returns > 1 ? "more than one return" : NULL;
}

void cc_normalise(cc_unit *unit) {
    int level = unit->program->request->optimise;
    cc_run_passes(unit, "always-inline");
    if (level >= 1 && level <= 3)
        cc_run_passes(unit, "cgscc(inline)");
    cc_run_passes(
        unit,
        "globaldce,strip-dead-prototypes,"
        "function(sroa,early-cse<memssa>,simplifycfg,loop(loop-rotate),lower-switch,mergereturn,loop-simplify,lcssa,"
        "infer-alignment)");
    for (LLVMValueRef at = LLVMGetFirstFunction(unit->module); at != NULL; at = LLVMGetNextFunction(at)) {
        const char *mistake = LLVMIsDeclaration(at) ? NULL : mistake_in(at);
        if (mistake != NULL)
            cc_give_up(unit, VERSO_STATE, "a mistake of Verso: %s is left in %s after normalising", mistake,
                       LLVMGetValueName(at));
    }
}
