/* Runs LLVM's own passes over the base copy. Before the lowerings, they make constant pointers and formats visible
 * and remove dead code. After the lowerings, they establish the normal form that the differentiating passes
 * require: one return per function, branches instead of switches, loops with one entry and one back edge, and phis
 * for values that leave loops.
 *
 * infer-alignment restores alignments that LLVM loses when it promotes memory to registers; accesses to numbers
 * that are known to be aligned to 8 bytes are the cheapest.
 *
 * Nothing is vectorised here, and only loops that vanish are unrolled: the rest comes later. simplifycfg turns
 * chains of comparisons into switches, so lower-switch runs after it. */
#include "cc/front/front.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

#include <llvm-c/Support.h>

void cc_simplify(cc_unit *unit) {
    cc_run_passes(unit, "function(sroa,early-cse,simplifycfg)");
}

/* Returns what violates the normal form in a function; NULL if nothing does. */
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

/* ---- Functions that reinterpret the bits of numbers ---- */

enum { SMALL = 24 }; /* instructions */

static bool takes_bits(LLVMValueRef at) {
    if (LLVMIsABitCastInst(at) == NULL)
        return false;
    bool from = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(at, 0))) == LLVMIntegerTypeKind;
    return from != (LLVMGetTypeKind(LLVMTypeOf(at)) == LLVMIntegerTypeKind);
}

static bool is_small_cast(LLVMValueRef function) {
    unsigned count = 0;
    bool takes = false;
    if (LLVMIsDeclaration(function) || LLVMCountBasicBlocks(function) != 1)
        return false;
    for (LLVMValueRef at = cc_first(function); at != NULL; at = cc_next(at)) {
        if (++count > SMALL || LLVMIsACallInst(at) != NULL || LLVMIsAAllocaInst(at) != NULL)
            return false;
        takes = takes || takes_bits(at);
    }
    return takes;
}

/* Operations on the bits of a number are only understood within one function. So functions such as asuint64, which
 * many libraries have, are inlined at every optimisation level. */
static void inline_casts(cc_unit *unit) {
    LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    for (size_t i = 0; i < unit->program->member_count; i++) {
        const cc_member *member = unit->program->members[i];
        bool plain = !member->inactive && member->adjoint == NULL && member->fragment == NULL &&
                     member->whole == NULL && member->refused == NULL;
        if (!plain || member->base == NULL || !is_small_cast(member->base))
            continue;
        LLVMRemoveEnumAttributeAtIndex(member->base, index, cc_attribute("noinline"));
        cc_add_attribute(unit, member->base, "alwaysinline");
    }
}

/* Branches around a few operations become selections. A block has a record of its own, and LLVM does not vectorise the
 * copies of a loop of several blocks. LLVM's own limits are 2 and 4; they are put back for the code made later. */
static void join_short_branches(cc_unit *unit) {
    const char *more[] = {"verso-transform", "-phi-node-folding-threshold=8",
                          "-two-entry-phi-node-folding-threshold=12"};
    const char *usual[] = {"verso-transform", "-phi-node-folding-threshold=2",
                           "-two-entry-phi-node-folding-threshold=4"};
    LLVMParseCommandLineOptions(3, more, NULL);
    cc_run_passes(unit, "function(simplifycfg)");
    LLVMParseCommandLineOptions(3, usual, NULL);
}

/* ---- Conditions that are the same in all iterations ---- */

static bool calls_program(LLVMValueRef function) {
    for (LLVMValueRef at = cc_first(function); at != NULL; at = cc_next(at)) {
        LLVMValueRef callee = cc_is_call(at) ? cc_callee(at) : NULL;
        if (cc_is_call(at) && (callee == NULL || !LLVMIsDeclaration(callee)))
            return true;
    }
    return false;
}

/* Moves conditions out of loops, as clang does with -O3, so that a nest does not contain what it never executes. Not in
 * functions that call others: a call that is there twice is two call sites. */
static void unswitch(cc_unit *unit) {
    LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    unsigned kept = cc_attribute("optnone"), apart = cc_attribute("noinline");
    cc_map had = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || !calls_program(f))
            continue;
        if (LLVMGetEnumAttributeAtIndex(f, index, apart) != NULL)
            cc_map_put(unit, &had, f, 1);
        cc_add_attribute(unit, f, "noinline"); /* optnone requires it */
        cc_add_attribute(unit, f, "optnone");
    }
    cc_run_passes(unit, "function(loop-simplify,lcssa,loop-mssa(simple-loop-unswitch<nontrivial>),simplifycfg,"
                        "instsimplify)");
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMGetEnumAttributeAtIndex(f, index, kept) == NULL)
            continue;
        LLVMRemoveEnumAttributeAtIndex(f, index, kept);
        if (cc_map_get(&had, f) == CC_NOT_FOUND)
            LLVMRemoveEnumAttributeAtIndex(f, index, apart);
    }
}

void cc_normalise(cc_unit *unit) {
    int level = unit->program->request->optimise;
    inline_casts(unit);
    cc_run_passes(unit, "always-inline");
    if (level >= 1 && level <= 3)
        cc_run_passes(unit, "cgscc(inline)");
    cc_run_passes(unit, "globaldce,strip-dead-prototypes,function(sroa,early-cse<memssa>)");
    join_short_branches(unit);
    cc_run_passes(unit, "function(loop(loop-rotate))");
    if (level == 2 || level == 3)
        unswitch(unit);
    cc_run_passes(unit, "function(lower-switch,mergereturn,loop-simplify,lcssa,infer-alignment)");
    for (LLVMValueRef at = LLVMGetFirstFunction(unit->module); at != NULL; at = LLVMGetNextFunction(at)) {
        const char *mistake = LLVMIsDeclaration(at) ? NULL : mistake_in(at);
        if (mistake != NULL)
            cc_give_up(unit, VERSO_STATUS_STATE,
                       "internal error (please report it): %s is left in %s after normalising", mistake,
                       LLVMGetValueName(at));
    }
}
