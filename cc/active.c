/* Activity analysis: see active.h. Flags only ever turn on, so sweeping over all functions until nothing changes ends. */
#include "cc/active.h"

#include "cc/leaves.h"
#include "cc/rules.h"
#include "cc/tags.h"

#include <string.h>

bool cc_varied(const cc_body *body, LLVMValueRef value) {
    int x = cc_item_find(body, value);
    return x >= 0 && body->items[x].varied;
}

bool cc_active(const cc_body *body, LLVMValueRef value) {
    int x = cc_item_find(body, value);
    return x >= 0 && body->items[x].varied && body->items[x].useful;
}

/* Whether a value of this type is a number or holds one, not only bits that may be one. */
static bool holds_number(cc_unit *unit, LLVMTypeRef type) {
    for (unsigned i = 0; i < cc_leaf_count(unit, type); i++)
        if (cc_leaf_is_number(cc_leaf_type(unit, type, i)))
            return true;
    return false;
}

/* ---- Bits that travel ---- */

static bool masked(LLVMValueRef mask, unsigned leaves, int *from) {
    if (!LLVMIsAConstantInt(mask) || leaves > 2)
        return false;
    uint64_t bits = LLVMConstIntGetZExtValue(mask);
    for (unsigned i = 0; i < leaves; i++) {
        uint32_t word = (uint32_t)(bits >> (32 * i));
        if (word != 0 && word != UINT32_MAX)
            return false;
        from[i] = word ? (int)i : -1;
    }
    return true;
}

/* By `words` leaves up (towards higher bytes) or, when negative, down. */
static bool shifted(LLVMValueRef amount, int direction, unsigned leaves, int *from) {
    if (!LLVMIsAConstantInt(amount) || LLVMConstIntGetZExtValue(amount) % 32 != 0)
        return false;
    int words = direction * (int)(LLVMConstIntGetZExtValue(amount) / 32);
    for (int i = 0; i < (int)leaves; i++)
        from[i] = i - words >= 0 && i - words < (int)leaves ? i - words : -1;
    return true;
}

static bool by_offset(cc_unit *unit, LLVMTypeRef to, LLVMTypeRef source, int *from) {
    unsigned leaves = cc_leaf_count(unit, to), sources = cc_leaf_count(unit, source);
    for (unsigned i = 0; i < leaves; i++) {
        from[i] = -1;
        for (unsigned k = 0; k < sources; k++)
            if (cc_leaf_offset(unit, source, k) == cc_leaf_offset(unit, to, i))
                from[i] = (int)k;
    }
    return true;
}

bool cc_moved_leaves(cc_unit *unit, LLVMValueRef instruction, unsigned operand, int from[CC_MOVED_MOST]) {
    LLVMTypeRef type = LLVMTypeOf(instruction), source = LLVMTypeOf(LLVMGetOperand(instruction, operand));
    unsigned leaves = cc_leaf_count(unit, type);
    if (leaves == 0 || leaves > CC_MOVED_MOST || cc_leaf_count(unit, source) == 0)
        return false;
    bool scalar = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) >= 32;
    bool source_word = LLVMGetTypeKind(source) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(source) >= 32;
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMBitCast:
    case LLVMIntToPtr:
    case LLVMPtrToInt:
    case LLVMFreeze: return by_offset(unit, type, source, from);
    case LLVMTrunc:
    case LLVMZExt: return scalar && source_word && by_offset(unit, type, source, from);
    case LLVMShl: return operand == 0 && scalar && shifted(LLVMGetOperand(instruction, 1), 1, leaves, from);
    case LLVMLShr: return operand == 0 && scalar && shifted(LLVMGetOperand(instruction, 1), -1, leaves, from);
    case LLVMOr: return scalar && by_offset(unit, type, source, from);
    case LLVMAnd: return operand == 0 && scalar && masked(LLVMGetOperand(instruction, 1), leaves, from);
    default: return false;
    }
}

/* ---- Varied ---- */

static bool constant_memory(LLVMValueRef address) {
    while (LLVMIsAGetElementPtrInst(address) || (LLVMIsAConstantExpr(address) &&
                                                 LLVMGetConstOpcode(address) == LLVMGetElementPtr))
        address = LLVMGetOperand(address, 0);
    return LLVMIsAGlobalVariable(address) && LLVMIsGlobalConstant(address);
}

static bool any_operand_varied(const cc_body *body, LLVMValueRef value) {
    for (unsigned k = 0; k < cc_operand_count(value); k++)
        if (cc_varied(body, LLVMGetOperand(value, k)))
            return true;
    return false;
}

static bool call_varied(const cc_body *body, const cc_item *item) {
    LLVMValueRef call = item->value;
    if (item->call == CC_CALL_CUSTOM)
        return holds_number(body->unit, LLVMTypeOf(call));
    if (item->call != CC_CALL_FOLLOWED)
        return false;
    cc_function *callee = cc_function_find(body->unit, cc_callee(call));
    return !callee || callee->flow->result_varied;
}

static bool rule_varied(const cc_body *body, const cc_rule *rule, LLVMValueRef value) {
    for (unsigned k = 0; k < rule->operands && k < cc_operand_count(value); k++)
        if (!rule->zero[k] && cc_varied(body, LLVMGetOperand(value, k)))
            return true;
    return false;
}

static bool moves_varied(const cc_body *body, LLVMValueRef value) {
    int from[CC_MOVED_MOST];
    for (unsigned k = 0; k < cc_operand_count(value); k++)
        if (cc_varied(body, LLVMGetOperand(value, k)) && cc_moved_leaves(body->unit, value, k, from))
            return true;
    return false;
}

static bool phi_varied(const cc_body *body, LLVMValueRef phi) {
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (cc_varied(body, LLVMGetIncomingValue(phi, k)))
            return true;
    return false;
}

/* A number made of bits that we did not follow: it has an adjoint so that the reverse sweep can see whether it matters. */
static bool made_of_bits(const cc_body *body, const cc_item *item) {
    if (item->opcode != LLVMBitCast || !holds_number(body->unit, LLVMTypeOf(item->value)))
        return false;
    int x = cc_item_find(body, LLVMGetOperand(item->value, 0));
    return x >= 0 && body->items[x].tainted;
}

static bool find_varied(const cc_body *body, int x) {
    const cc_item *item = &body->items[x];
    LLVMValueRef value = item->value;
    if (item->leaves == 0 || body->function->inactive)
        return false;
    if (item->opcode == 0)
        return body->function->flow->parameter_varied[x];
    switch (item->opcode) {
    case LLVMLoad:
        return !constant_memory(LLVMGetOperand(value, 0)) &&
               (holds_number(body->unit, LLVMTypeOf(value)) || cc_may_carry(body->unit, value));
    case LLVMPHI: return phi_varied(body, value);
    case LLVMSelect: return cc_varied(body, LLVMGetOperand(value, 1)) || cc_varied(body, LLVMGetOperand(value, 2));
    case LLVMInsertValue:
    case LLVMExtractValue:
    case LLVMInsertElement:
    case LLVMExtractElement:
    case LLVMShuffleVector: return any_operand_varied(body, value);
    case LLVMCall:
        if (item->call != CC_CALL_RULE)
            return call_varied(body, item);
        break;
    default: break;
    }
    const cc_rule *rule = cc_rule_of(value);
    return rule ? rule_varied(body, rule, value) : moves_varied(body, value) || made_of_bits(body, item);
}

/* ---- Tainted: integers made of a number's bits ---- */

static bool find_tainted(const cc_body *body, const cc_item *item) {
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(item->value));
    if (kind != LLVMIntegerTypeKind && kind != LLVMPointerTypeKind && kind != LLVMVectorTypeKind)
        return false;
    if (item->opcode == 0)
        return false;
    switch (item->opcode) {
    case LLVMLoad:
    case LLVMCall:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMGetElementPtr:
    case LLVMAlloca: return false;
    default: break;
    }
    int from[CC_MOVED_MOST];
    for (unsigned k = 0; k < cc_operand_count(item->value); k++) {
        LLVMValueRef operand = LLVMGetOperand(item->value, k);
        int x = cc_item_find(body, operand);
        if (x < 0)
            continue;
        bool number = holds_number(body->unit, LLVMTypeOf(operand));
        bool passes = item->opcode == LLVMPHI || item->opcode == LLVMSelect || item->opcode == LLVMExtractElement ||
                      item->opcode == LLVMInsertElement || item->opcode == LLVMShuffleVector ||
                      item->opcode == LLVMExtractValue || cc_moved_leaves(body->unit, item->value, k, from);
        if (body->items[x].tainted || (body->items[x].varied && !passes && !number))
            return true;
    }
    return false;
}

/* ---- Useful ---- */

cc_store_effect cc_store_effect_of(const cc_body *body, LLVMValueRef store) {
    LLVMValueRef stored = LLVMGetOperand(store, 0);
    if (holds_number(body->unit, LLVMTypeOf(stored)))
        return CC_STORE_MOVES;
    if (!cc_may_carry(body->unit, store))
        return CC_STORE_NOTHING;
    int x = cc_item_find(body, stored);
    if (x >= 0 && body->items[x].varied && !body->items[x].tainted && body->items[x].leaves > 0)
        return CC_STORE_MOVES;
    LLVMTypeRef type = LLVMTypeOf(stored);
    bool short_integer = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < 32;
    return short_integer || (x >= 0 && body->items[x].tainted) ? CC_STORE_OPAQUE : CC_STORE_CLEARS;
}

static cc_function *direct_callee(const cc_body *body, LLVMValueRef call) {
    return cc_function_find(body->unit, cc_callee(call));
}

/* Whether some argument position of a call through a pointer or of a known callee takes this value on. */
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

static bool use_is_useful(const cc_body *body, LLVMValueRef user, LLVMValueRef value) {
    int x = cc_item_find(body, user);
    if (x < 0)
        return false;
    const cc_item *item = &body->items[x];
    switch (item->opcode) {
    case LLVMStore: return LLVMGetOperand(user, 0) == value && cc_store_effect_of(body, user) == CC_STORE_MOVES;
    case LLVMRet: return body->function->flow->result_useful;
    case LLVMCall:
        if (item->call == CC_CALL_FOLLOWED)
            return argument_useful(body, user, value);
        if (item->call == CC_CALL_CUSTOM)
            return holds_number(body->unit, LLVMTypeOf(value));
        return item->call == CC_CALL_RULE && rule_useful(body, item, value);
    case LLVMSelect:
        return LLVMGetOperand(user, 0) != value && item->varied && item->useful;
    default: return cc_rule_of(user) ? rule_useful(body, item, value) : item->varied && item->useful;
    }
}

static bool find_useful(const cc_body *body, const cc_item *item) {
    for (LLVMUseRef use = LLVMGetFirstUse(item->value); use; use = LLVMGetNextUse(use))
        if (use_is_useful(body, LLVMGetUser(use), item->value))
            return true;
    return false;
}

/* ---- From function to function ---- */

static bool turn_on(bool *flag, bool value) {
    bool changed = value && !*flag;
    *flag |= value;
    return changed;
}

static bool sweep_calls(const cc_body *body) {
    bool changed = false;
    for (int x = body->parameter_count; x < body->item_count; x++) {
        const cc_item *item = &body->items[x];
        if (item->opcode == LLVMRet && LLVMGetNumOperands(item->value) == 1)
            changed |= turn_on(&body->function->flow->result_varied, cc_varied(body, LLVMGetOperand(item->value, 0)));
        cc_function *callee =
            item->opcode == LLVMCall && item->call == CC_CALL_FOLLOWED ? direct_callee(body, item->value) : NULL;
        if (!callee)
            continue;
        changed |= turn_on(&callee->flow->result_useful, item->useful);
        for (unsigned k = 0; k < LLVMGetNumArgOperands(item->value); k++)
            changed |= turn_on(&callee->flow->parameter_varied[k], cc_varied(body, LLVMGetOperand(item->value, k)));
    }
    for (int p = 0; p < body->parameter_count; p++)
        changed |= turn_on(&body->function->flow->parameter_useful[p], body->items[p].useful);
    return changed;
}

static bool sweep_function(cc_body *body) {
    bool changed = false, again = true;
    while (again) {
        again = false;
        for (int x = 0; x < body->item_count; x++) {
            again |= turn_on(&body->items[x].varied, !body->items[x].varied && find_varied(body, x));
            again |= turn_on(&body->items[x].tainted,
                             !body->items[x].tainted && find_tainted(body, &body->items[x]));
        }
        changed |= again;
    }
    for (again = true; again;) {
        again = false;
        for (int x = body->item_count - 1; x >= 0; x--)
            again |= turn_on(&body->items[x].useful,
                             body->items[x].varied && !body->items[x].useful && find_useful(body, &body->items[x]));
        changed |= again;
    }
    return sweep_calls(body) || changed;
}

static void flow_new(cc_unit *unit, cc_function *function) {
    cc_flow *flow = function->flow = cc_alloc(unit, 1, sizeof *flow);
    unsigned count = LLVMCountParams(function->value);
    flow->parameter_varied = cc_alloc(unit, count + 1, sizeof(bool));
    flow->parameter_useful = cc_alloc(unit, count + 1, sizeof(bool));
    flow->result_useful = function->address_taken;
    if (function->address_taken)
        memset(flow->parameter_varied, 1, count);
}

void cc_find_active(cc_unit *unit) {
    for (size_t i = 0; i < unit->function_count; i++)
        flow_new(unit, &unit->functions[i]);
    for (size_t i = 0; i < unit->function_count; i++)
        if (!unit->functions[i].inert)
            unit->functions[i].flow->body = cc_body_new(unit, &unit->functions[i]);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < unit->function_count; i++)
            if (!unit->functions[i].inert)
                changed |= sweep_function(unit->functions[i].flow->body);
    }
}

bool cc_argument_crosses(const cc_body *body, LLVMValueRef call, unsigned index) {
    if (!cc_active(body, LLVMGetOperand(call, index)))
        return false;
    cc_function *callee = direct_callee(body, call);
    return !callee || (callee->flow->parameter_varied[index] && callee->flow->parameter_useful[index]);
}

bool cc_result_crosses(const cc_body *body, LLVMValueRef call) {
    cc_function *callee = direct_callee(body, call);
    unsigned leaves = cc_leaf_count(body->unit, LLVMTypeOf(call));
    return leaves > 0 && (!callee || (callee->flow->result_varied && callee->flow->result_useful));
}

/* ---- Inert functions ---- */

static bool store_concerns(cc_unit *unit, LLVMValueRef store) {
    return holds_number(unit, LLVMTypeOf(LLVMGetOperand(store, 0))) || cc_may_carry(unit, store);
}

/* A result that may be a number or the bits of one. Whatever an untagged load or a parameter gives is taken to be. */
static bool result_concerns(cc_unit *unit, LLVMValueRef end) {
    if (LLVMGetNumOperands(end) == 0)
        return false;
    LLVMValueRef value = LLVMGetOperand(end, 0);
    if (LLVMIsConstant(value) || cc_leaf_count(unit, LLVMTypeOf(value)) == 0)
        return false;
    if (holds_number(unit, LLVMTypeOf(value)))
        return true;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
    if (kind == LLVMIntegerTypeKind && LLVMIsAInstruction(value)) {
        LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
        return !(opcode == LLVMAdd || opcode == LLVMSub || opcode == LLVMMul || opcode == LLVMFPToSI ||
                 opcode == LLVMFPToUI || opcode == LLVMICmp || opcode == LLVMSExt || opcode == LLVMAlloca);
    }
    return true;
}

static bool instruction_concerns(cc_unit *unit, LLVMValueRef instruction) {
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMStore: return store_concerns(unit, instruction);
    case LLVMRet: return result_concerns(unit, instruction);
    case LLVMCall: {
        cc_call_kind kind = cc_call_kind_of(unit, instruction);
        return kind != CC_CALL_PASS && kind != CC_CALL_RULE && kind != CC_CALL_FREE;
    }
    default: return false;
    }
}

static bool function_concerns(cc_unit *unit, const cc_function *function) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function->value); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (instruction_concerns(unit, i))
                return true;
    return false;
}

/* Starts from the bold guess that all functions are inert; calls of inert ones are of kind PASS. */
void cc_find_inert(cc_unit *unit) {
    for (size_t i = 0; i < unit->function_count; i++)
        unit->functions[i].inert = !unit->functions[i].address_taken;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < unit->function_count; i++)
            if (unit->functions[i].inert && function_concerns(unit, &unit->functions[i])) {
                unit->functions[i].inert = false;
                changed = true;
            }
    }
}
