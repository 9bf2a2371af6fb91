/* Numbers that are only moved between places which certainly hold such numbers. lower_moves.c has turned them into
 * integers, because LLVM's types of moved values say nothing. Where classes.c finds that they come from and go to
 * memory with whole numbers of one kind and nothing else, they become numbers again: the derivative of a number is one
 * cell, that of an integer may be in any plane. */
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/types/classes_inside.h"
#include "cc/types/moves.h"

typedef struct restored {
    cc_unit *unit;
    const cc_map *places; /* loads and stores of integers in memory with such numbers -> 1 */
    cc_map moved;         /* loads, phis and selections of integers that are such numbers -> 1; else 0 */
    LLVMValueRef *values;
    size_t count, capacity;
} restored;

/* Returns the type of numbers with as many bits as an integer; NULL for other types. */
static LLVMTypeRef number_of(cc_unit *unit, LLVMTypeRef type) {
    if (type == unit->i32)
        return unit->f32;
    if (type == unit->i64)
        return unit->f64;
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return NULL;
    LLVMTypeRef lane = number_of(unit, LLVMGetElementType(type));
    return lane ? LLVMVectorType(lane, LLVMGetVectorSize(type)) : NULL;
}

static bool joins(LLVMValueRef value) {
    return LLVMIsAPHINode(value) || LLVMIsASelectInst(value);
}

static bool is_moved(const restored *all, LLVMValueRef value) {
    return cc_map_get(&all->moved, value) == 1;
}

/* Returns whether a value is, or was made from, a number of the type. */
static bool is_number(const restored *all, LLVMValueRef value, LLVMTypeRef number) {
    bool constant = LLVMIsAConstantInt(value) || LLVMIsUndef(value) || LLVMIsAConstantAggregateZero(value);
    return constant || is_moved(all, value) ||
           (LLVMIsABitCastInst(value) && LLVMTypeOf(LLVMGetOperand(value, 0)) == number);
}

static bool is_used_as_number(const restored *all, LLVMValueRef value, LLVMTypeRef number) {
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool stored =
            LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == value && cc_map_get(all->places, user) != CC_NOT_FOUND;
        bool cast = LLVMIsABitCastInst(user) && LLVMTypeOf(user) == number;
        if (!stored && !cast && !(joins(user) && is_moved(all, user)))
            return false;
    }
    return true;
}

static bool stays_moved(const restored *all, LLVMValueRef value) {
    LLVMTypeRef number = number_of(all->unit, LLVMTypeOf(value));
    for (unsigned k = LLVMIsASelectInst(value) ? 1 : 0; joins(value) && k < cc_operand_count(value); k++)
        if (!is_number(all, LLVMGetOperand(value, k), number))
            return false;
    return is_used_as_number(all, value, number);
}

static void find_moved(restored *all, LLVMValueRef function) {
    for (LLVMValueRef at = cc_first(function); at; at = cc_next(at)) {
        bool place = LLVMIsALoadInst(at) && cc_map_get(all->places, at) != CC_NOT_FOUND;
        if ((!place && !joins(at)) || !number_of(all->unit, LLVMTypeOf(at)))
            continue;
        cc_reserve(all->unit, &all->values, &all->capacity, all->count + 1, sizeof at);
        all->values[all->count++] = at;
        cc_map_put(all->unit, &all->moved, at, 1);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < all->count; i++)
            if (is_moved(all, all->values[i]) && !stays_moved(all, all->values[i])) {
                cc_map_put(all->unit, &all->moved, all->values[i], 0);
                changed = true;
            }
    }
}

/* Builds the number that an integer is. */
static LLVMValueRef as_number(restored *all, LLVMValueRef value, LLVMTypeRef number) {
    if (LLVMIsConstant(value))
        return LLVMConstBitCast(value, number);
    return cc_moves_bits(all->unit, value, number);
}

static LLVMValueRef make_number(restored *all, LLVMValueRef value) {
    cc_unit *unit = all->unit;
    LLVMTypeRef number = number_of(unit, LLVMTypeOf(value));
    cc_build_before(unit, value);
    if (LLVMIsALoadInst(value))
        return cc_moves_load(unit, value, number);
    if (LLVMIsAPHINode(value))
        return LLVMBuildPhi(unit->builder, number, "");
    return LLVMBuildSelect(unit->builder, LLVMGetOperand(value, 0), as_number(all, LLVMGetOperand(value, 1), number),
                           as_number(all, LLVMGetOperand(value, 2), number), "");
}

/* Passes the number on to stores, and instead of conversions to it. All other uses are of values that are removed. */
static void pass_on(LLVMValueRef value, LLVMValueRef number) {
    for (LLVMUseRef use = LLVMGetFirstUse(value), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (LLVMIsAStoreInst(user))
            LLVMSetOperand(user, 0, number);
        else if (LLVMIsABitCastInst(user) && LLVMTypeOf(user) == LLVMTypeOf(number)) {
            LLVMReplaceAllUsesWith(user, number);
            LLVMInstructionEraseFromParent(user);
        }
    }
}

/* Operands are conversions of the integers first, so that all numbers can be built in any order. */
static bool restore_in(restored *all) {
    cc_unit *unit = all->unit;
    LLVMValueRef *numbers = cc_alloc(unit, all->count + 1, sizeof *numbers);
    bool any = false;
    for (size_t i = 0; i < all->count; i++)
        if (is_moved(all, all->values[i])) {
            numbers[i] = make_number(all, all->values[i]);
            any = true;
        }
    for (size_t i = 0; i < all->count; i++)
        for (unsigned k = 0; numbers[i] && LLVMIsAPHINode(numbers[i]) && k < LLVMCountIncoming(all->values[i]); k++) {
            LLVMBasicBlockRef block = LLVMGetIncomingBlock(all->values[i], k);
            cc_build_before(unit, LLVMGetBasicBlockTerminator(block));
            LLVMValueRef incoming = as_number(all, LLVMGetIncomingValue(all->values[i], k), LLVMTypeOf(numbers[i]));
            LLVMAddIncoming(numbers[i], &incoming, &block, 1);
        }
    for (size_t i = 0; i < all->count; i++)
        if (numbers[i])
            pass_on(all->values[i], numbers[i]);
    for (size_t i = 0; i < all->count; i++)
        if (numbers[i]) {
            LLVMReplaceAllUsesWith(all->values[i], LLVMGetUndef(LLVMTypeOf(all->values[i])));
            LLVMInstructionEraseFromParent(all->values[i]);
        }
    return any;
}

bool cc_restore_numbers(cc_unit *unit, const cc_map *places) {
    bool any = false;
    for (size_t i = 0; i < unit->program->member_count; i++) {
        LLVMValueRef function =
            LLVMGetNamedFunction(unit->module, cc_print(unit, "%s.base", unit->program->members[i]->name));
        restored all = {.unit = unit, .places = places};
        if (function == NULL || LLVMIsDeclaration(function))
            continue;
        find_moved(&all, function);
        any |= restore_in(&all);
    }
    return any;
}
