/* Numbers that are only moved: LLVM uses any register that fits for bits that go from one place to another, so the
 * float in a union may be moved as a double, or half a double as a float. In programs with several kinds of
 * numbers, such moves are made with integers, which carry derivatives of all kinds (ir/leaves.h); code that
 * computes with the bits converts them to a number there.
 *
 * A value is moved if it comes from memory or from another type, perhaps through phis and selects, and goes to
 * memory or to another type in the same way. Parameters and results are handled by lower_carried.c, which runs
 * before. */
#include "cc/ir/leaves.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/ir/unit.h"
#include "cc/types/moves.h"
#include "cc/types/types.h"

typedef struct moves {
    cc_unit *unit;
    cc_map from, to; /* values that come from memory, and values that go to memory -> 1 */
    LLVMValueRef *values;
    size_t count, capacity;
} moves;

LLVMTypeRef cc_moves_integer(cc_unit *unit, LLVMTypeRef type) {
    LLVMTypeRef lane;
    switch (LLVMGetTypeKind(type)) {
    case LLVMFloatTypeKind: return unit->i32;
    case LLVMDoubleTypeKind: return unit->i64;
    case LLVMVectorTypeKind:
        lane = cc_moves_integer(unit, LLVMGetElementType(type));
        return lane != NULL ? LLVMVectorType(lane, LLVMGetVectorSize(type)) : NULL;
    default: return NULL;
    }
}

static bool is_in(const cc_map *set, LLVMValueRef value) {
    return cc_map_get(set, value) != CC_NOT_FOUND;
}

bool cc_moves_on(LLVMValueRef value) {
    return LLVMIsAPHINode(value) != NULL || LLVMIsASelectInst(value) != NULL || LLVMIsAFreezeInst(value) != NULL;
}

/* Returns true if the value is made from the bits of another type. */
static bool is_of_bits(LLVMValueRef value) {
    return LLVMIsABitCastInst(value) != NULL;
}

static bool comes_from_memory(const moves *moves, LLVMValueRef value) {
    if (LLVMIsALoadInst(value) != NULL || is_of_bits(value))
        return true;
    for (unsigned k = LLVMIsASelectInst(value) != NULL ? 1 : 0; cc_moves_on(value) && k < cc_operand_count(value); k++)
        if (is_in(&moves->from, LLVMGetOperand(value, k)))
            return true;
    return false;
}

static bool goes_to_memory(const moves *moves, LLVMValueRef value) {
    for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool stored = LLVMIsAStoreInst(user) != NULL && LLVMGetOperand(user, 0) == value;
        bool cast = LLVMIsABitCastInst(user) != NULL;
        if (stored || cast || (cc_moves_on(user) && is_in(&moves->to, user)))
            return true;
    }
    return false;
}

static void find_moves(moves *moves, LLVMValueRef function) {
    cc_unit *unit = moves->unit;
    for (LLVMValueRef at = cc_first(function); at != NULL; at = cc_next(at)) {
        if (cc_moves_integer(unit, LLVMTypeOf(at)) == NULL || (!cc_moves_on(at) && !comes_from_memory(moves, at)))
            continue;
        cc_reserve(unit, &moves->values, &moves->capacity, moves->count + 1, sizeof *moves->values);
        moves->values[moves->count++] = at;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < moves->count; i++) {
            LLVMValueRef at = moves->values[i];
            bool from = !is_in(&moves->from, at) && comes_from_memory(moves, at);
            bool to = !is_in(&moves->to, at) && goes_to_memory(moves, at);
            if (from)
                cc_map_put(unit, &moves->from, at, 1);
            if (to)
                cc_map_put(unit, &moves->to, at, 1);
            changed = changed || from || to;
        }
    }
}

/* ---- The same with integers ---- */

LLVMValueRef cc_moves_bits(cc_unit *unit, LLVMValueRef value, LLVMTypeRef type) {
    while (is_of_bits(value))
        value = LLVMGetOperand(value, 0);
    return LLVMTypeOf(value) == type ? value : LLVMBuildBitCast(unit->builder, value, type, "");
}

LLVMValueRef cc_moves_load(cc_unit *unit, LLVMValueRef load, LLVMTypeRef type) {
    LLVMValueRef bits = LLVMBuildLoad2(unit->builder, type, LLVMGetOperand(load, 0), "");
    LLVMSetAlignment(bits, LLVMGetAlignment(load));
    LLVMSetVolatile(bits, LLVMGetVolatile(load));
    LLVMSetOrdering(bits, LLVMGetOrdering(load));
    unsigned tag = LLVMGetMDKindIDInContext(unit->context, "tbaa", 4);
    LLVMSetMetadata(bits, tag, LLVMGetMetadata(load, tag));
    return bits;
}

LLVMValueRef cc_moves_after_phis(LLVMValueRef phi) {
    while (LLVMIsAPHINode(phi) != NULL)
        phi = LLVMGetNextInstruction(phi);
    return phi;
}

/* Replaces a number by its bits. Code that computes with it converts them to a number there. */
static void replace(cc_unit *unit, LLVMValueRef value, LLVMValueRef bits) {
    if (LLVMIsAPHINode(value) != NULL)
        cc_build_before(unit, cc_moves_after_phis(value));
    LLVMReplaceAllUsesWith(value, LLVMBuildBitCast(unit->builder, bits, LLVMTypeOf(value), ""));
}

/* Returns the bits that a phi receives from its index-th block. If a block precedes the phi's block several times
 * (cases of a switch), LLVM requires the same value in all its entries. */
static LLVMValueRef bits_from(cc_unit *unit, LLVMValueRef phi, unsigned index, LLVMValueRef bits) {
    LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, index);
    for (unsigned k = 0; k < index; k++)
        if (LLVMGetIncomingBlock(bits, k) == block)
            return LLVMGetIncomingValue(bits, k);
    cc_build_before(unit, LLVMGetBasicBlockTerminator(block));
    return cc_moves_bits(unit, LLVMGetIncomingValue(phi, index), LLVMTypeOf(bits));
}

static void make_moves(moves *moves) {
    cc_unit *unit = moves->unit;
    LLVMValueRef *bits = cc_alloc(unit, moves->count + 1, sizeof *bits);
    for (size_t i = 0; i < moves->count; i++) {
        LLVMValueRef at = moves->values[i];
        LLVMTypeRef type = cc_moves_integer(unit, LLVMTypeOf(at));
        if (!is_in(&moves->from, at) || !is_in(&moves->to, at) || LLVMIsABitCastInst(at) != NULL)
            continue;
        cc_build_before(unit, at);
        if (LLVMIsALoadInst(at) != NULL)
            bits[i] = cc_moves_load(unit, at, type);
        else if (LLVMIsASelectInst(at) != NULL)
            bits[i] =
                LLVMBuildSelect(unit->builder, LLVMGetOperand(at, 0), cc_moves_bits(unit, LLVMGetOperand(at, 1), type),
                                cc_moves_bits(unit, LLVMGetOperand(at, 2), type), "");
        else if (LLVMIsAFreezeInst(at) != NULL)
            bits[i] = LLVMBuildFreeze(unit->builder, cc_moves_bits(unit, LLVMGetOperand(at, 0), type), "");
        else
            bits[i] = LLVMBuildPhi(unit->builder, type, "");
        replace(unit, at, bits[i]);
    }
    for (size_t i = 0; i < moves->count; i++) {
        LLVMValueRef at = moves->values[i];
        for (unsigned k = 0; bits[i] && LLVMIsAPHINode(at) != NULL && k < LLVMCountIncoming(at); k++) {
            LLVMBasicBlockRef block = LLVMGetIncomingBlock(at, k);
            LLVMValueRef incoming = bits_from(unit, at, k, bits[i]);
            LLVMAddIncoming(bits[i], &incoming, &block, 1);
        }
    }
    for (size_t i = 0; i < moves->count; i++)
        if (bits[i])
            LLVMInstructionEraseFromParent(moves->values[i]);
}

/* Removes conversions to a number whose result is only stored or converted back. */
static void tidy(cc_unit *unit, LLVMValueRef function) {
    for (LLVMValueRef at = cc_first(function), next; at != NULL; at = next) {
        next = cc_next(at);
        LLVMValueRef value = cc_operand_count(at) > 0 ? LLVMGetOperand(at, 0) : NULL;
        if (value == NULL || cc_moves_integer(unit, LLVMTypeOf(value)) == NULL || !is_of_bits(value))
            continue;
        if (LLVMIsAStoreInst(at) != NULL) {
            LLVMSetOperand(at, 0, LLVMGetOperand(value, 0));
        } else if (LLVMIsABitCastInst(at) != NULL) {
            cc_build_before(unit, at);
            LLVMReplaceAllUsesWith(at, cc_moves_bits(unit, value, LLVMTypeOf(at)));
            LLVMInstructionEraseFromParent(at);
        }
    }
}

void cc_lower_moves(cc_unit *unit) {
    for (size_t i = 0; cc_kind_count(unit) > 1 && i < unit->program->member_count; i++) {
        const cc_member *member = unit->program->members[i];
        LLVMValueRef function = LLVMGetNamedFunction(unit->module, cc_print(unit, "%s.base", member->name));
        if (function == NULL || LLVMIsDeclaration(function))
            continue;
        moves moves = {.unit = unit};
        find_moves(&moves, function);
        make_moves(&moves);
        tidy(unit, function);
    }
}
