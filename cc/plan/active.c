/* Activity analysis. Flags are only ever set, never cleared, so repeating the passes over all functions until
 * nothing changes terminates. */
#include "cc/plan/active.h"
#include "cc/ir/program.h"

#include "cc/ir/leaves.h"
#include "cc/ir/surgery.h"
#include "cc/ir/tags.h"
#include "cc/plan/doubts.h"
#include "cc/plan/lasting.h"
#include "cc/plan/strips.h"
#include "cc/rules/rules.h"
#include "cc/types/bits.h"

#include <string.h>

bool cc_is_varied(const cc_body *body, LLVMValueRef value) {
    int x = cc_item_find(body, value);
    return x >= 0 && body->items[x].varied;
}

bool cc_is_active(const cc_body *body, LLVMValueRef value) {
    int x = cc_item_find(body, value);
    return x >= 0 && body->items[x].varied && body->items[x].useful;
}

/* ---- Bits that are moved ---- */

bool cc_moved_leaves(cc_unit *unit, LLVMValueRef instruction, int from[CC_MOVED_MOST]) {
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    if (opcode != LLVMBitCast && opcode != LLVMFreeze)
        return false;
    LLVMTypeRef to = LLVMTypeOf(instruction), source = LLVMTypeOf(LLVMGetOperand(instruction, 0));
    unsigned leaves = cc_leaf_count(unit, to), sources = cc_leaf_count(unit, source);
    if (leaves > CC_MOVED_MOST)
        return false;
    for (unsigned i = 0; i < leaves; i++) {
        from[i] = -1;
        for (unsigned k = 0; k < sources; k++)
            if (cc_leaf_same(unit, source, k, to, i))
                from[i] = (int)k;
    }
    return leaves > 0;
}

bool cc_is_varied_in(void *body, LLVMValueRef value) {
    return cc_is_varied(body, value);
}

/* Traces the bits of an integer operation again, because more values may be varied now. Returns whether one of its
 * leaves may carry a derivative. */
static bool bits_varied(cc_body *body, cc_item *item) {
    if (!item->bits)
        item->bits = cc_alloc(body->unit, item->leaves, sizeof *item->bits);
    cc_bits_trace(body->unit, item->value, cc_is_varied_in, body, item->bits);
    for (unsigned i = 0; i < item->leaves; i++)
        if (item->bits[i].kind != CC_BITS_NOTHING)
            return true;
    return false;
}

bool cc_chooses(LLVMValueRef value) {
    static const char *const names[] = {"llvm.smax.i", "llvm.smin.i", "llvm.umax.i", "llvm.umin.i"};
    for (size_t i = 0; LLVMIsACallInst(value) && i < sizeof names / sizeof *names; i++)
        if (strncmp(cc_callee_name(value), names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* ---- Varied ---- */

static bool constant_memory(LLVMValueRef address) {
    while (LLVMIsAGetElementPtrInst(address) ||
           (LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMGetElementPtr))
        address = LLVMGetOperand(address, 0);
    return LLVMIsAGlobalVariable(address) && LLVMIsGlobalConstant(address);
}

static bool memory_varied(cc_unit *unit, LLVMValueRef access) {
    return unit->memory_varied[cc_memory_of(unit, access)];
}

static bool load_varied(const cc_body *body, LLVMValueRef load) {
    cc_unit *unit = body->unit;
    if (constant_memory(LLVMGetOperand(load, 0)))
        return false;
    if (cc_leaf_any_number(unit, LLVMTypeOf(load)))
        return memory_varied(unit, load);
    return cc_may_carry(unit, load) ||
           (unit->pointers_carry && LLVMGetTypeKind(LLVMTypeOf(load)) == LLVMPointerTypeKind);
}

static bool any_operand_varied(const cc_body *body, LLVMValueRef value) {
    for (unsigned k = 0; k < cc_operand_count(value); k++)
        if (cc_is_varied(body, LLVMGetOperand(value, k)))
            return true;
    return false;
}

static bool call_varied(const cc_body *body, const cc_item *item) {
    LLVMValueRef call = item->value;
    if (item->call == CC_CALL_CUSTOM)
        return cc_leaf_any_number(body->unit, LLVMTypeOf(call));
    if (item->call != CC_CALL_FOLLOWED)
        return false;
    cc_function *callee = cc_function_find(body->unit, cc_callee(call));
    return !callee || callee->flow->result_varied;
}

static bool rule_varied(const cc_body *body, const cc_rule *rule, LLVMValueRef value) {
    for (unsigned k = 0; k < rule->operands && k < cc_operand_count(value); k++)
        if (!rule->zero[k] && cc_is_varied(body, LLVMGetOperand(value, k)))
            return true;
    return false;
}

static bool word_or_more(LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    type = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
    return LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) % 32 == 0;
}

static bool phi_varied(const cc_body *body, LLVMValueRef phi) {
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (cc_is_varied(body, LLVMGetIncomingValue(phi, k)))
            return true;
    return false;
}

static bool find_varied(cc_body *body, int x) {
    cc_item *item = &body->items[x];
    LLVMValueRef value = item->value;
    if (item->leaves == 0 || body->function->inactive)
        return false;
    if (item->opcode == 0)
        return body->function->flow->parameter_varied[x];
    if (cc_bits_operation(value))
        return bits_varied(body, item);
    switch (item->opcode) {
    case LLVMLoad: return load_varied(body, value);
    case LLVMPHI: return phi_varied(body, value);
    case LLVMSelect:
        return cc_is_varied(body, LLVMGetOperand(value, 1)) || cc_is_varied(body, LLVMGetOperand(value, 2));
    case LLVMInsertValue:
    case LLVMExtractValue:
    case LLVMInsertElement:
    case LLVMExtractElement:
    case LLVMShuffleVector: return any_operand_varied(body, value);
    case LLVMCall:
        if (cc_chooses(value))
            return any_operand_varied(body, value);
        if (item->call != CC_CALL_RULE)
            return call_varied(body, item);
        break;
    case LLVMBitCast:
    case LLVMFreeze: return any_operand_varied(body, value);
    default: break;
    }
    const cc_rule *rule = cc_rule_of(value);
    return rule && rule_varied(body, rule, value);
}

/* ---- Useful ---- */

cc_store_effect cc_store_effect_of(const cc_body *body, LLVMValueRef store) {
    LLVMValueRef stored = LLVMGetOperand(store, 0);
    if (cc_leaf_any_number(body->unit, LLVMTypeOf(stored)))
        return memory_varied(body->unit, store) ? CC_STORE_MOVES : CC_STORE_NOTHING;
    cc_bits_origin origin;
    bool bytes = cc_bits_operation(stored) && !word_or_more(stored); /* carries a number only as part of a copy */
    bool varied = bytes ? cc_bits_copied(body->unit, stored, cc_is_varied_in, (void *)(uintptr_t)body, &origin)
                        : cc_is_varied(body, stored);
    if (!cc_may_carry(body->unit, store))
        return varied ? CC_STORE_MOVES : CC_STORE_NOTHING;
    if (varied || word_or_more(stored))
        return varied ? CC_STORE_MOVES : CC_STORE_CLEARS;
    return body->unit->program->doubts && cc_is_varied(body, stored) ? CC_STORE_DOUBTS : CC_STORE_OPAQUE;
}

static cc_function *direct_callee(const cc_body *body, LLVMValueRef call) {
    return cc_function_find(body->unit, cc_callee(call));
}

/* Returns whether the call passes the value as an argument whose adjoint the callee may use; any callee through a
 * pointer may. */
static bool argument_useful(const cc_body *body, LLVMValueRef call, LLVMValueRef value) {
    cc_function *callee = direct_callee(body, call);
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++)
        if (LLVMGetOperand(call, k) == value && (!callee || callee->flow->parameter_useful[k]))
            return true;
    return false;
}

static bool rule_useful(const cc_body *body, const cc_item *user, LLVMValueRef value) {
    const cc_rule *rule = cc_rule_of(user->value);
    for (unsigned k = 0; rule && k < rule->operands && k < cc_operand_count(user->value); k++)
        if (LLVMGetOperand(user->value, k) == value && !rule->zero[k])
            return user->varied && user->useful;
    (void)body;
    return false;
}

static bool store_is_useful(cc_store_effect effect) {
    return effect == CC_STORE_MOVES || effect == CC_STORE_DOUBTS;
}

static bool use_is_useful(const cc_body *body, LLVMValueRef user, LLVMValueRef value) {
    int x = cc_item_find(body, user);
    if (x < 0)
        return false;
    const cc_item *item = &body->items[x];
    if (cc_bits_operation(user))
        return false; /* use_roots decides */
    switch (item->opcode) {
    case LLVMStore: return LLVMGetOperand(user, 0) == value && store_is_useful(cc_store_effect_of(body, user));
    case LLVMRet: return body->function->flow->result_useful;
    case LLVMCall:
        if (item->call == CC_CALL_FOLLOWED)
            return argument_useful(body, user, value);
        if (item->call == CC_CALL_CUSTOM)
            return cc_leaf_any_number(body->unit, LLVMTypeOf(value));
        if (cc_chooses(user))
            return item->varied && item->useful;
        return item->call == CC_CALL_RULE && rule_useful(body, item, value);
    case LLVMSelect: return LLVMGetOperand(user, 0) != value && item->varied && item->useful;
    default: return cc_rule_of(user) ? rule_useful(body, item, value) : item->varied && item->useful;
    }
}

static bool find_useful(const cc_body *body, const cc_item *item) {
    for (LLVMUseRef use = LLVMGetFirstUse(item->value); use; use = LLVMGetNextUse(use))
        if (use_is_useful(body, LLVMGetUser(use), item->value))
            return true;
    return false;
}

/* Marks the values that the leaves of a useful integer operation come from as useful. Returns whether one was not
 * before. */
static bool use_roots(cc_body *body, cc_item *item) {
    bool changed = false;
    for (unsigned i = 0; item->bits && item->useful && i < item->leaves; i++) {
        changed |= item->bits[i].kind == CC_BITS_LOST && cc_doubts_use(body, item);
        if (!item->bits[i].root) /* without derivative, or not understood */
            continue;
        int root = cc_item_find(body, item->bits[i].root);
        if (root < 0 || (body->items[root].useful && body->items[root].rooted))
            continue;
        body->items[root].useful = body->items[root].rooted = changed = true;
    }
    return changed;
}

/* ---- Between functions ---- */

static bool turn_on(bool *flag, bool value) {
    bool changed = value && !*flag;
    *flag |= value;
    return changed;
}

/* Returns whether the item stores the bits of a number as a pointer. From then on all loads of pointers may carry
 * numbers. */
static bool pointer_stored(const cc_body *body, const cc_item *item) {
    return item->opcode == LLVMStore &&
           LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(item->value, 0))) == LLVMPointerTypeKind &&
           !cc_may_carry(body->unit, item->value) && cc_is_varied(body, LLVMGetOperand(item->value, 0));
}

static bool sweep_calls(const cc_body *body) {
    bool changed = false;
    for (int x = body->parameter_count; x < body->item_count; x++) {
        const cc_item *item = &body->items[x];
        changed |= turn_on(&body->unit->pointers_carry, !body->unit->pointers_carry && pointer_stored(body, item));
        if (item->opcode == LLVMRet && LLVMGetNumOperands(item->value) == 1)
            changed |=
                turn_on(&body->function->flow->result_varied, cc_is_varied(body, LLVMGetOperand(item->value, 0)));
        cc_function *callee =
            item->opcode == LLVMCall && item->call == CC_CALL_FOLLOWED ? direct_callee(body, item->value) : NULL;
        if (!callee)
            continue;
        changed |= turn_on(&callee->flow->result_useful, item->useful);
        for (unsigned k = 0; k < LLVMGetNumArgOperands(item->value); k++)
            changed |= turn_on(&callee->flow->parameter_varied[k], cc_is_varied(body, LLVMGetOperand(item->value, k)));
    }
    for (int p = 0; p < body->parameter_count; p++)
        changed |= turn_on(&body->function->flow->parameter_useful[p], body->items[p].useful);
    return changed;
}

/* Traces all integer operations again: the origin of their leaves is final only when `varied` is. */
static void trace_again(cc_body *body) {
    for (int x = 0; x < body->item_count; x++)
        if (body->items[x].bits && body->items[x].varied)
            bits_varied(body, &body->items[x]);
}

/* Notes that a store puts varied numbers into its memory. */
static bool store_varied(const cc_body *body, LLVMValueRef store) {
    return turn_on(&body->unit->memory_varied[cc_memory_of(body->unit, store)],
                   cc_is_varied(body, LLVMGetOperand(store, 0)));
}

static bool sweep_function(cc_body *body) {
    bool changed = false, again = true;
    while (again) {
        again = false;
        for (int x = 0; x < body->item_count; x++) {
            again |= turn_on(&body->items[x].varied, !body->items[x].varied && find_varied(body, x));
            again |= body->items[x].opcode == LLVMStore && store_varied(body, body->items[x].value);
        }
        changed |= again;
    }
    trace_again(body);
    for (again = true; again;) {
        again = false;
        for (int x = body->item_count - 1; x >= 0; x--) {
            again |= turn_on(&body->items[x].useful,
                             body->items[x].varied && !body->items[x].useful && find_useful(body, &body->items[x]));
            again |= use_roots(body, &body->items[x]);
        }
        changed |= again;
    }
    return sweep_calls(body) || changed;
}

static void flow_new(cc_unit *unit, cc_function *function) {
    cc_flow *flow = function->flow = cc_alloc(unit, 1, sizeof *flow);
    unsigned count = LLVMCountParams(function->value);
    flow->parameter_varied = cc_alloc(unit, count + 1, sizeof(bool));
    flow->parameter_useful = cc_alloc(unit, count + 1, sizeof(bool));
    flow->parameter_written = cc_alloc(unit, count + 1, sizeof(bool));
    flow->parameter_lasting = cc_alloc(unit, count + 1, sizeof(bool));
    flow->result_useful = function->address_taken;
    if (function->address_taken)
        memset(flow->parameter_varied, 1, count);
}

/* Returns whether the function stores numbers in memory that is not known. */
static bool loses_stores(cc_unit *unit, LLVMValueRef function) {
    for (LLVMValueRef at = cc_first(function); at != NULL; at = cc_next(at))
        if (LLVMIsAStoreInst(at) && cc_memory_of(unit, at) == CC_MEMORY_LOST &&
            cc_leaf_any_number(unit, LLVMTypeOf(LLVMGetOperand(at, 0))))
            return true;
    return false;
}

/* All numbers in memory are varied if stores of some are not known. */
static void begin_memories(cc_unit *unit) {
    size_t count = unit->program->memory_count + CC_MEMORY_FIRST;
    bool lost = false;
    unit->memory_varied = cc_alloc(unit, count, sizeof(bool));
    for (size_t i = 0; i < unit->function_count; i++)
        lost = lost || loses_stores(unit, unit->functions[i].value);
    memset(unit->memory_varied, 1, lost ? count : CC_MEMORY_FIRST);
}

void cc_find_active(cc_unit *unit) {
    begin_memories(unit);
    for (size_t i = 0; i < unit->function_count; i++)
        flow_new(unit, &unit->functions[i]);
    for (size_t i = 0; i < unit->function_count; i++)
        if (!unit->functions[i].inert)
            unit->functions[i].flow->body = cc_body_new(unit, &unit->functions[i]);
    cc_find_lasting(unit);
    for (size_t i = 0; i < unit->function_count; i++)
        if (!unit->functions[i].inert)
            unit->functions[i].flow->body = cc_body_in_strips(unit, &unit->functions[i]);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < unit->function_count; i++)
            if (!unit->functions[i].inert)
                changed |= sweep_function(unit->functions[i].flow->body);
    }
}

bool cc_argument_crosses(const cc_body *body, LLVMValueRef call, unsigned index) {
    if (!cc_is_active(body, LLVMGetOperand(call, index)))
        return false;
    cc_function *callee = direct_callee(body, call);
    return !callee || (callee->flow->parameter_varied[index] && callee->flow->parameter_useful[index]);
}

bool cc_result_crosses(const cc_body *body, LLVMValueRef call) {
    cc_function *callee = direct_callee(body, call);
    unsigned leaves = cc_leaf_count(body->unit, LLVMTypeOf(call));
    return leaves > 0 && (!callee || (callee->flow->result_varied && callee->flow->result_useful));
}
