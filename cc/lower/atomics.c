/* Replaces atomic read-modify-write operations by loads and stores in the copies: differentiated code runs in one
 * thread.
 *
 * In a program that starts threads this is done only for floating-point numbers, whose derivatives must be followed
 * (including numbers that are compared and exchanged as integers). Counters and locks stay atomic, because other
 * threads may access them at the same time. */
#include "cc/front/front.h"
#include "cc/front/threads.h"
#include "cc/ir/leaves.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"

#include <string.h>

/* ---- Numbers ---- */

static bool is_number(LLVMTypeRef type) {
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return cc_leaf_is_number(type);
}

/* Returns whether `value` may contain the bits of a number; follows at most `depth` operations. */
static bool from_number(LLVMValueRef value, int depth) {
    if (is_number(LLVMTypeOf(value)))
        return true;
    if (depth == 0 || LLVMIsAInstruction(value) == NULL)
        return false;
    if (LLVMIsABitCastInst(value) != NULL)
        return from_number(LLVMGetOperand(value, 0), depth - 1);
    if (LLVMIsASelectInst(value) != NULL)
        return from_number(LLVMGetOperand(value, 1), depth - 1) || from_number(LLVMGetOperand(value, 2), depth - 1);
    for (unsigned i = 0; LLVMIsAPHINode(value) != NULL && i < LLVMCountIncoming(value); i++)
        if (from_number(LLVMGetIncomingValue(value, i), depth - 1))
            return true;
    return false;
}

static bool concerns_numbers(LLVMValueRef instruction) {
    enum { DEPTH = 8 };
    for (int i = 1; i < LLVMGetNumOperands(instruction); i++)
        if (from_number(LLVMGetOperand(instruction, (unsigned)i), DEPTH))
            return true;
    return false;
}

/* ---- Changes ---- */

static LLVMValueRef extreme(cc_unit *unit, LLVMIntPredicate order, LLVMValueRef old, LLVMValueRef value) {
    LLVMValueRef stays = LLVMBuildICmp(unit->builder, order, old, value, "");
    return LLVMBuildSelect(unit->builder, stays, old, value, "");
}

/* Builds the new value of the memory; NULL if the operation is not supported. */
static LLVMValueRef changed(cc_unit *unit, LLVMAtomicRMWBinOp how, LLVMValueRef old, LLVMValueRef value) {
    LLVMBuilderRef build = unit->builder;
    switch (how) {
    case LLVMAtomicRMWBinOpXchg: return value;
    case LLVMAtomicRMWBinOpAdd: return LLVMBuildAdd(build, old, value, "");
    case LLVMAtomicRMWBinOpSub: return LLVMBuildSub(build, old, value, "");
    case LLVMAtomicRMWBinOpAnd: return LLVMBuildAnd(build, old, value, "");
    case LLVMAtomicRMWBinOpNand: return LLVMBuildNot(build, LLVMBuildAnd(build, old, value, ""), "");
    case LLVMAtomicRMWBinOpOr: return LLVMBuildOr(build, old, value, "");
    case LLVMAtomicRMWBinOpXor: return LLVMBuildXor(build, old, value, "");
    case LLVMAtomicRMWBinOpMax: return extreme(unit, LLVMIntSGT, old, value);
    case LLVMAtomicRMWBinOpMin: return extreme(unit, LLVMIntSLT, old, value);
    case LLVMAtomicRMWBinOpUMax: return extreme(unit, LLVMIntUGT, old, value);
    case LLVMAtomicRMWBinOpUMin: return extreme(unit, LLVMIntULT, old, value);
    case LLVMAtomicRMWBinOpFAdd: return LLVMBuildFAdd(build, old, value, "");
    case LLVMAtomicRMWBinOpFSub: return LLVMBuildFSub(build, old, value, "");
    case LLVMAtomicRMWBinOpFMax:
        return cc_call_intrinsic(unit, "llvm.maxnum", LLVMTypeOf(old), (LLVMValueRef[]){old, value}, 2);
    case LLVMAtomicRMWBinOpFMin:
        return cc_call_intrinsic(unit, "llvm.minnum", LLVMTypeOf(old), (LLVMValueRef[]){old, value}, 2);
    default: return NULL;
    }
}

static LLVMValueRef load(cc_unit *unit, LLVMValueRef atomic, LLVMTypeRef type) {
    LLVMValueRef old = LLVMBuildLoad2(unit->builder, type, LLVMGetOperand(atomic, 0), "");
    LLVMSetAlignment(old, LLVMGetAlignment(atomic));
    LLVMSetVolatile(old, LLVMGetVolatile(atomic));
    return old;
}

static void store(cc_unit *unit, LLVMValueRef atomic, LLVMValueRef value) {
    LLVMValueRef stored = LLVMBuildStore(unit->builder, value, LLVMGetOperand(atomic, 0));
    LLVMSetAlignment(stored, LLVMGetAlignment(atomic));
    LLVMSetVolatile(stored, LLVMGetVolatile(atomic));
}

static void lower_change(cc_unit *unit, LLVMValueRef atomic) {
    cc_build_before(unit, atomic);
    LLVMValueRef value = LLVMGetOperand(atomic, 1);
    LLVMValueRef old = load(unit, atomic, LLVMTypeOf(value));
    LLVMValueRef new = changed(unit, LLVMGetAtomicRMWBinOp(atomic), old, value);
    if (new == NULL) { /* leave the atomic operation; the load is not used */
        LLVMInstructionEraseFromParent(old);
        return;
    }
    store(unit, atomic, new);
    LLVMReplaceAllUsesWith(atomic, old);
    LLVMInstructionEraseFromParent(atomic);
}

/* Lowers a compare-and-exchange. Memory is always written: with the new value, or with the old one again. */
static void lower_exchange(cc_unit *unit, LLVMValueRef atomic) {
    LLVMBuilderRef build = unit->builder;
    cc_build_before(unit, atomic);
    LLVMValueRef expected = LLVMGetOperand(atomic, 1);
    LLVMValueRef old = load(unit, atomic, LLVMTypeOf(expected));
    LLVMValueRef equal = LLVMBuildICmp(build, LLVMIntEQ, old, expected, "");
    store(unit, atomic, LLVMBuildSelect(build, equal, LLVMGetOperand(atomic, 2), old, ""));
    LLVMValueRef result = LLVMBuildInsertValue(build, LLVMGetUndef(LLVMTypeOf(atomic)), old, 0, "");
    LLVMReplaceAllUsesWith(atomic, LLVMBuildInsertValue(build, result, equal, 1, ""));
    LLVMInstructionEraseFromParent(atomic);
}

void cc_lower_atomics(cc_unit *unit) {
    bool threads = cc_makes_threads(unit->program->module);
    for (size_t i = 0; i < unit->program->member_count; i++)
        for (LLVMValueRef next, at = cc_first(unit->program->members[i]->base); at != NULL; at = next) {
            next = cc_next(at);
            LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
            if ((opcode != LLVMAtomicRMW && opcode != LLVMAtomicCmpXchg) || (threads && !concerns_numbers(at)))
                continue;
            if (opcode == LLVMAtomicRMW)
                lower_change(unit, at);
            else
                lower_exchange(unit, at);
        }
}
