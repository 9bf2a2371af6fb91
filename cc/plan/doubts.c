/* Decides which values take doubts, and builds doubts: see doubts.h. */
#include "cc/plan/doubts.h"
#include "cc/ir/program.h"

#include "cc/ir/leaves.h"
#include "cc/ir/surgery.h"
#include "cc/ir/tags.h"
#include "cc/plan/active.h"
#include "cc/types/bits.h"
#include "native/state.h"

/* ---- Whether the program computes numbers from integers ---- */

static bool is_integer(LLVMTypeRef type) {
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind;
}

static bool is_number(LLVMTypeRef type) {
    return cc_leaf_is_number(LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type);
}

/* Returns whether the operation with this constant sets bits of the exponent of a float or a double. */
static bool sets_exponent(LLVMOpcode opcode, LLVMValueRef constant) {
    if (LLVMIsAConstantInt(constant) == NULL || LLVMGetIntTypeWidth(LLVMTypeOf(constant)) > 64)
        return false;
    bool wide = LLVMGetIntTypeWidth(LLVMTypeOf(constant)) == 64;
    uint64_t bits = LLVMConstIntGetZExtValue(constant), first = UINT64_C(1) << (wide ? 52 : 23);
    int64_t number = LLVMConstIntGetSExtValue(constant);
    switch (opcode) {
    case LLVMShl: return wide ? bits == 52 : bits == 23 || bits == 20; /* 20: in the upper half of a double */
    case LLVMOr:
    case LLVMXor: return bits >= first && number != -1;
    case LLVMAdd:
    case LLVMSub: return (number < 0 ? -(uint64_t)number : (uint64_t)number) >= first;
    default: return false;
    }
}

/* As sets_exponent; of vectors, in any lane. */
static bool any_sets_exponent(LLVMOpcode opcode, LLVMValueRef constant) {
    if (LLVMIsAConstant(constant) == NULL || LLVMGetTypeKind(LLVMTypeOf(constant)) != LLVMVectorTypeKind)
        return sets_exponent(opcode, constant);
    for (unsigned lane = 0; lane < LLVMGetVectorSize(LLVMTypeOf(constant)); lane++) {
        LLVMValueRef element = LLVMGetAggregateElement(constant, lane);
        if (element != NULL && sets_exponent(opcode, element))
            return true;
    }
    return false;
}

enum { MOST_STEPS = 8 };

/* Returns whether one of the operations that compute the value sets an exponent. */
static bool has_exponent(LLVMValueRef value, unsigned steps) {
    if (steps == MOST_STEPS || !cc_bits_operation(value))
        return false;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
        if (any_sets_exponent(LLVMGetInstructionOpcode(value), LLVMGetOperand(value, k)) ||
            has_exponent(LLVMGetOperand(value, k), steps + 1))
            return true;
    return false;
}

/* Returns whether the instruction uses such an integer as a number, or stores it where a number may be read. */
static bool makes_number(cc_unit *unit, LLVMValueRef at) {
    LLVMValueRef operand = LLVMGetNumOperands(at) > 0 ? LLVMGetOperand(at, 0) : NULL;
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMBitCast: return is_number(LLVMTypeOf(at)) && is_integer(LLVMTypeOf(operand)) && has_exponent(operand, 0);
    case LLVMStore: return has_exponent(operand, 0) && (cc_may_be_any(unit, at) || cc_is_of_number(unit, at));
    default: return false;
    }
}

void cc_find_doubts(cc_unit *unit) {
    cc_program *program = unit->program;
    for (size_t i = 0; i < program->member_count && !program->doubts; i++) {
        const cc_member *member = program->members[i];
        LLVMValueRef function = LLVMGetNamedFunction(unit->module, cc_print(unit, "%s.base", member->name));
        for (LLVMValueRef at = member->inactive || function == NULL ? NULL : cc_first(function);
             at != NULL && !program->doubts; at = cc_next(at))
            program->doubts = makes_number(unit, at);
    }
    if (program->doubts)
        program->kinds |= UINT64_C(1) << VERSO_NATIVE_DOUBTED;
}

/* ---- The values that take doubts ---- */

/* Returns whether the root is the unchanged bits of a number; then that number takes the doubt. */
static bool is_of_number(LLVMValueRef root) {
    return LLVMIsABitCastInst(root) != NULL && is_number(LLVMTypeOf(LLVMGetOperand(root, 0)));
}

bool cc_doubts_leaf(cc_unit *unit, LLVMValueRef root, unsigned leaf) {
    int from[CC_MOVED_MOST];
    if (is_of_number(root))
        return cc_moved_leaves(unit, root, from) && from[leaf] >= 0;
    return cc_leaf_kind(unit, LLVMTypeOf(root), leaf) == VERSO_NATIVE_DOUBTED;
}

/* Returns whether the root can take a doubt: integers of 8 and 16 bits and of whole words, and pointers; not the bits
 * of a float, whose adjoint has no room for one. */
static bool can_take_doubt(cc_unit *unit, LLVMValueRef root) {
    LLVMTypeRef type = LLVMTypeOf(root);
    if (is_of_number(root) && cc_leaf_kind(unit, LLVMTypeOf(LLVMGetOperand(root, 0)), 0) == VERSO_NATIVE_FLOAT)
        return false;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    unsigned width = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
    if (width % 32 != 0 && width != 8 && width != 16)
        return false;
    for (unsigned i = 0; i < cc_leaf_count(unit, LLVMTypeOf(root)); i++)
        if (cc_doubts_leaf(unit, root, i))
            return true;
    return false;
}

static void find_roots(const cc_body *body, cc_item *item) {
    if (item->roots == NULL)
        item->roots = cc_bits_roots(body->unit, item->value, &item->root_count);
}

bool cc_doubts_go_on(const cc_body *body, cc_item *item) {
    if (!body->unit->program->doubts)
        return false;
    find_roots(body, item);
    for (size_t i = 0; i < item->root_count; i++)
        if (cc_is_varied(body, item->roots[i]) && !can_take_doubt(body->unit, item->roots[i]))
            return false;
    return true;
}

bool cc_doubts_use(const cc_body *body, cc_item *item) {
    bool changed = false, go_on = cc_doubts_go_on(body, item);
    for (size_t i = 0; go_on && i < item->root_count; i++) {
        int x = cc_item_find(body, item->roots[i]);
        if (x < 0 || !body->items[x].varied || (body->items[x].useful && body->items[x].rooted))
            continue;
        body->items[x].useful = body->items[x].rooted = changed = true;
    }
    return changed;
}

LLVMValueRef cc_doubt(cc_unit *unit, const char *message) {
    LLVMValueRef text = cc_string(unit, message);
    LLVMSetAlignment(text, VERSO_NATIVE_DOUBT_SPARED + 1);
    LLVMValueRef bits = LLVMBuildPtrToInt(unit->builder, text, unit->i64, "");
    bits = LLVMBuildOr(unit->builder, bits, cc_i64(unit, (int64_t)VERSO_NATIVE_DOUBT), "");
    return LLVMBuildBitCast(unit->builder, bits, unit->f64, "");
}
