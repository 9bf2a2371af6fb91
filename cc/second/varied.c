/* Finds the values of a function that have tangents, function by function: parameters of recording functions may have
 * any. In reverse functions, integers are never the bits of numbers whose derivative matters. */
#include "cc/second/inside.h"

#include "cc/front/known.h"
#include "cc/ir/memory_scopes.h"
#include "cc/ir/surgery.h"
#include "cc/ir/tags.h"
#include "cc/rules/rules.h"

#include <string.h>

bool cc_second_varied(const cc_second *second, LLVMValueRef value) {
    return cc_map_get(&second->varied, value) != CC_NOT_FOUND;
}

bool cc_second_has_numbers(LLVMTypeRef type) {
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMX86_FP80TypeKind:
    case LLVMFP128TypeKind: return true;
    case LLVMVectorTypeKind:
    case LLVMArrayTypeKind: return cc_second_has_numbers(LLVMGetElementType(type));
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            if (cc_second_has_numbers(LLVMStructGetTypeAtIndex(type, i)))
                return true;
        return false;
    default: return false;
    }
}

static bool is_integer(LLVMTypeRef type) {
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) >= 8;
}

bool cc_second_moves(cc_second *second, LLVMValueRef access, LLVMTypeRef type) {
    cc_unit *unit = second->unit;
    if (second->inactive && LLVMIsALoadInst(access) != NULL)
        return false;
    if (cc_second_has_numbers(type))
        return true;
    return !second->reverse && is_integer(type) && !cc_is_in_scope(unit, access, CC_SCOPE_STATE) &&
           !cc_is_in_scope(unit, access, CC_SCOPE_TAPE) && cc_may_carry(unit, access);
}

bool cc_second_follows(cc_second *second, LLVMValueRef call) {
    LLVMValueRef callee = cc_callee(call);
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)) != NULL || second->reverse)
        return false;
    return callee == NULL || cc_function_find(second->unit, callee) != NULL;
}

bool cc_second_is_integer(LLVMValueRef instruction) {
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt: return true;
    default: return false;
    }
}

/* ---- Blocks ---- */

typedef struct visit {
    LLVMBasicBlockRef block;
    unsigned next;
} visit;

/* A depth-first search that adds a block, from the back, when all its successors are done. */
static size_t order_blocks(cc_second *second, LLVMBasicBlockRef *order) {
    cc_unit *unit = second->unit;
    size_t total = LLVMCountBasicBlocks(second->function), depth = 0, at = total;
    visit *stack = cc_alloc(unit, total, sizeof *stack);
    cc_map seen = {0};
    stack[depth++] = (visit){LLVMGetEntryBasicBlock(second->function), 0};
    cc_map_put(unit, &seen, stack[0].block, 0);
    while (depth > 0) {
        visit *top = &stack[depth - 1];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(top->block);
        if (top->next == LLVMGetNumSuccessors(end)) {
            order[--at] = top->block;
            depth--;
            continue;
        }
        LLVMBasicBlockRef next = LLVMGetSuccessor(end, top->next++);
        if (cc_map_get(&seen, next) == CC_NOT_FOUND) {
            cc_map_put(unit, &seen, next, 0);
            stack[depth++] = (visit){next, 0};
        }
    }
    return at;
}

static void list_instructions(cc_second *second) {
    size_t total = LLVMCountBasicBlocks(second->function);
    LLVMBasicBlockRef *order = cc_alloc(second->unit, total, sizeof *order);
    for (size_t b = order_blocks(second, order); b < total; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(order[b]); i != NULL; i = LLVMGetNextInstruction(i)) {
            cc_reserve(second->unit, &second->instructions, &second->capacity, second->count + 1, sizeof i);
            second->instructions[second->count++] = i;
        }
}

/* ---- Varied ---- */

static bool has_varied_operand(const cc_second *second, LLVMValueRef value, unsigned first, unsigned end) {
    for (unsigned i = first; i < end; i++)
        if (cc_second_varied(second, LLVMGetOperand(value, i)))
            return true;
    return false;
}

static bool is_rule_varied(const cc_second *second, const cc_rule *rule, LLVMValueRef value) {
    for (unsigned i = 0; i < rule->operands; i++)
        if (!rule->zero[i] && cc_second_varied(second, LLVMGetOperand(value, i)))
            return true;
    return false;
}

static bool is_call_varied(cc_second *second, LLVMValueRef call) {
    const cc_rule *rule = cc_rule_of(call);
    if (cc_second_follows(second, call))
        return cc_second_has_numbers(LLVMTypeOf(call));
    if (rule != NULL)
        return is_rule_varied(second, rule, call);
    const char *name = cc_callee_name(call);
    if (strcmp(name, "verso__native_rescale_derivative") == 0 || strcmp(name, "verso__native_scale_by_ulps") == 0)
        return cc_second_varied(second, LLVMGetOperand(call, 0));
    return strcmp(name, "verso__native_sweep_write") == 0;
}

static bool is_varied(cc_second *second, LLVMValueRef at) {
    LLVMTypeRef type = LLVMTypeOf(at);
    if (!cc_second_has_numbers(type) && !is_integer(type))
        return false;
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMLoad: return cc_second_moves(second, at, type);
    case LLVMCall: return !second->inactive && is_call_varied(second, at);
    case LLVMPHI:
        for (unsigned i = 0; i < LLVMCountIncoming(at); i++)
            if (cc_second_varied(second, LLVMGetIncomingValue(at, i)))
                return true;
        return false;
    case LLVMSelect: return has_varied_operand(second, at, 1, 3);
    case LLVMFreeze:
    case LLVMBitCast:
    case LLVMExtractValue:
    case LLVMExtractElement: return has_varied_operand(second, at, 0, 1);
    case LLVMInsertValue:
    case LLVMInsertElement:
    case LLVMShuffleVector: return has_varied_operand(second, at, 0, 2);
    default: break;
    }
    const cc_rule *rule = cc_rule_of(at);
    if (rule != NULL)
        return is_rule_varied(second, rule, at);
    return cc_second_is_integer(at) && has_varied_operand(second, at, 0, (unsigned)LLVMGetNumOperands(at));
}

void cc_second_collect(cc_second *second) {
    list_instructions(second);
    for (LLVMValueRef p = LLVMGetFirstParam(second->function); p != NULL && !second->inactive; p = LLVMGetNextParam(p))
        if (cc_second_has_numbers(LLVMTypeOf(p)))
            cc_map_put(second->unit, &second->varied, p, 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < second->count; i++)
            if (!cc_second_varied(second, second->instructions[i]) && is_varied(second, second->instructions[i])) {
                cc_map_put(second->unit, &second->varied, second->instructions[i], 1);
                changed = true;
            }
    }
}
