/* Numbers that decide a branch and are used as numbers on one side of it only:
 *
 *     d = f(x);                                d = f(x);
 *     if (d < limit)                           if (d < limit) {
 *         total += g(d);          becomes          e = f(x);
 *                                                  total += g(e);
 *                                              }
 *
 * Then d has no derivative, nothing of f(x) is recorded where the condition does not hold, and the adjoint code of f(x)
 * runs only where it does. In a search for the nearest of many points, or with a cutoff, that is seldom. Recording
 * code does not compute f(x) twice: LLVM sees that e is d. f(x) consists of operations without side effects in the
 * block that branches, which does not write memory between them and the branch. */
#include "cc/ir/leaves.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

#include <string.h>

enum { MOST = 256 /* instructions that are computed again */, BLOCKS_MOST = 16, DEPTH_MOST = 4 };

/* The numbers of one block that are computed again in another one, in reverse order. */
typedef struct again {
    cc_unit *unit;
    LLVMBasicBlockRef from, to;
    LLVMValueRef order[MOST];
    size_t count;
    cc_map chosen; /* set of instructions */
    bool decides;  /* a comparison uses one of them */
    LLVMValueRef copy[MOST];
} again;

/* Returns the only predecessor of a block, with one edge; NULL if there are others. */
static LLVMBasicBlockRef only_predecessor(LLVMBasicBlockRef block) {
    LLVMBasicBlockRef found = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAInstruction(user) || !LLVMIsATerminatorInst(user))
            continue;
        if (found)
            return NULL;
        found = LLVMGetInstructionParent(user);
    }
    return found;
}

/* Returns whether control certainly passes `to` before it reaches `block`. May be false without need. */
static bool is_behind(const again *again, LLVMBasicBlockRef block) {
    for (unsigned i = 0; block && i < BLOCKS_MOST; i++) {
        if (block == again->to)
            return true;
        block = only_predecessor(block);
    }
    return false;
}

static bool is_behind_use(const again *again, LLVMUseRef use, LLVMValueRef value) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAPHINode(user))
        return is_behind(again, LLVMGetInstructionParent(user));
    for (unsigned k = 0; k < LLVMCountIncoming(user); k++)
        if (LLVMGetIncomingValue(user, k) == value && !is_behind(again, LLVMGetIncomingBlock(user, k)))
            return false;
    return true;
}

static bool is_pure_call(LLVMValueRef value) {
    static const char *const names[] = {"llvm.fabs.", "llvm.sqrt."};
    for (size_t i = 0; LLVMIsACallInst(value) && i < sizeof names / sizeof *names; i++)
        if (strncmp(cc_callee_name(value), names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Returns whether the instruction may be computed again at the end of its block, if that does not write memory after
 * it. */
static bool is_repeatable(LLVMValueRef value) {
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMLoad: return !LLVMGetVolatile(value) && LLVMGetOrdering(value) == LLVMAtomicOrderingNotAtomic;
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFNeg:
    case LLVMFPExt:
    case LLVMFPTrunc: return true;
    case LLVMCall: return is_pure_call(value);
    default: return false;
    }
}

/* Returns whether the instruction uses numbers without a derivative: it compares or rounds, or only such instructions
 * use its result. */
static bool decides(LLVMValueRef user, unsigned depth) {
    if (LLVMIsAFCmpInst(user) || LLVMIsAFPToSIInst(user) || LLVMIsAFPToUIInst(user))
        return true;
    if (depth == 0 || !LLVMIsAInstruction(user) || !is_repeatable(user) || LLVMIsALoadInst(user))
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(user); use; use = LLVMGetNextUse(use))
        if (!decides(LLVMGetUser(use), depth - 1))
            return false;
    return LLVMGetFirstUse(user) != NULL;
}

/* Returns whether all uses as a number are computed again, too, or are where that is possible; and some are. */
static bool is_used_behind(again *again, LLVMValueRef value) {
    bool any = false;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool here = LLVMGetInstructionParent(user) == again->from && !LLVMIsAPHINode(user);
        if (decides(user, DEPTH_MOST)) {
            again->decides = again->decides || here;
            continue;
        }
        if (here ? cc_map_get(&again->chosen, user) == CC_NOT_FOUND : !is_behind_use(again, use, value))
            return false;
        any = true;
    }
    return any;
}

static bool may_write(LLVMValueRef at) {
    return (cc_is_call(at) && !is_pure_call(at) && strncmp(cc_callee_name(at), "llvm.dbg.", 9) != 0) ||
           LLVMIsAStoreInst(at) || LLVMIsAAtomicRMWInst(at) || LLVMIsAAtomicCmpXchgInst(at) || LLVMIsAFenceInst(at);
}

static void choose(again *again) {
    bool written = false;
    for (LLVMValueRef at = LLVMGetLastInstruction(again->from); at; at = LLVMGetPreviousInstruction(at)) {
        bool number = cc_leaf_any_number(again->unit, LLVMTypeOf(at));
        if (number && is_repeatable(at) && !(written && LLVMIsALoadInst(at)) && is_used_behind(again, at)) {
            if (again->count == MOST)
                return;
            cc_map_put(again->unit, &again->chosen, at, again->count);
            again->order[again->count++] = at;
        }
        written = written || may_write(at);
    }
}

/* Replaces the uses of a number outside of its block, except those that only decide something. */
static void use_copy(const again *again, LLVMValueRef value, LLVMValueRef copy) {
    size_t count;
    LLVMValueRef *users = cc_users(again->unit, value, &count);
    for (size_t i = 0; i < count; i++) {
        bool here = LLVMGetInstructionParent(users[i]) == again->from && !LLVMIsAPHINode(users[i]);
        for (unsigned k = 0; !here && !decides(users[i], DEPTH_MOST) && k < (unsigned)LLVMGetNumOperands(users[i]); k++)
            if (LLVMGetOperand(users[i], k) == value)
                LLVMSetOperand(users[i], k, copy);
    }
}

static void compute_again(again *again) {
    LLVMPositionBuilderBefore(again->unit->builder, cc_first_after_phis(again->to));
    for (size_t i = again->count; i-- > 0;) {
        again->copy[i] = LLVMInstructionClone(again->order[i]);
        LLVMInsertIntoBuilder(again->unit->builder, again->copy[i]);
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(again->copy[i]); k++) {
            ptrdiff_t found = cc_map_get(&again->chosen, LLVMGetOperand(again->copy[i], k));
            if (found != CC_NOT_FOUND)
                LLVMSetOperand(again->copy[i], k, again->copy[found]);
        }
    }
    for (size_t i = 0; i < again->count; i++)
        use_copy(again, again->order[i], again->copy[i]);
}

static void lower_branch(cc_unit *unit, LLVMBasicBlockRef block) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(block);
    if (!branch || !LLVMIsABranchInst(branch) || !LLVMIsConditional(branch))
        return;
    for (unsigned k = 0; k < 2; k++) {
        again *again = cc_alloc(unit, 1, sizeof *again);
        again->unit = unit, again->from = block, again->to = LLVMGetSuccessor(branch, k);
        if (only_predecessor(again->to) != block)
            continue;
        choose(again);
        if (again->decides && again->count > 1)
            compute_again(again);
    }
}

void cc_lower_conditions(cc_unit *unit) {
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b)) {
            cc_region_begin(unit);
            lower_branch(unit, b);
            cc_region_end(unit);
        }
}
