/* Finds the values of a function that have tangents. It works on one function at a time: parameters may carry any
 * derivative, and results and arguments of followed calls are always used. This is less precise than the analysis
 * for recording, and therefore tests that one. */
#include "cc/tangent/inside.h"

#include "cc/front/known.h"
#include "cc/ir/leaves.h"
#include "cc/ir/tags.h"
#include "cc/rules/rules.h"
#include "cc/types/bits.h"

#include <string.h>

cc_tangent_value *cc_tangent_find(const cc_tangent *tangent, LLVMValueRef value) {
    ptrdiff_t index = cc_map_get(&tangent->index, value);
    return index == CC_NOT_FOUND ? NULL : &tangent->values[index];
}

bool cc_tangent_varied(const cc_tangent *tangent, LLVMValueRef value) {
    const cc_tangent_value *found = cc_tangent_find(tangent, value);
    return found != NULL && found->varied;
}

bool cc_tangent_active(const cc_tangent *tangent, LLVMValueRef value) {
    const cc_tangent_value *found = cc_tangent_find(tangent, value);
    return found != NULL && found->varied && found->asked;
}

unsigned cc_tangent_leaves(cc_unit *unit, LLVMTypeRef type) {
    unsigned leaves = cc_leaf_count(unit, type);
    return leaves == 0 && LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 1 ? 1 : leaves;
}

bool cc_tangent_chooses(LLVMValueRef value) {
    static const char *const names[] = {"llvm.smax.", "llvm.smin.", "llvm.umax.", "llvm.umin."};
    if (LLVMIsACallInst(value) == NULL)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(cc_callee_name(value), names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* ---- Blocks and values ---- */

typedef struct visit {
    LLVMBasicBlockRef block;
    unsigned next; /* number of the successor to visit next */
} visit;

/* Orders the blocks so that each comes after its dominators: a depth-first search that adds a block, from the back,
 * when all its successors are done. */
static void order_blocks(cc_tangent *tangent) {
    cc_unit *unit = tangent->unit;
    size_t total = LLVMCountBasicBlocks(tangent->function->value), depth = 0, at = total;
    LLVMBasicBlockRef *order = cc_alloc(unit, total, sizeof *order);
    visit *stack = cc_alloc(unit, total, sizeof *stack);
    cc_map seen = {0};
    stack[depth++] = (visit){LLVMGetEntryBasicBlock(tangent->function->value), 0};
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
    tangent->blocks = order + at;
    tangent->block_count = total - at;
}

static void add_value(cc_tangent *tangent, LLVMValueRef value) {
    cc_reserve(tangent->unit, &tangent->values, &tangent->capacity, tangent->count + 1, sizeof *tangent->values);
    cc_tangent_value *made = &tangent->values[tangent->count];
    *made = (cc_tangent_value){.value = value};
    LLVMTypeRef type = LLVMTypeOf(value);
    made->leaves = type == tangent->unit->none ? 0 : cc_tangent_leaves(tangent->unit, type);
    made->leaf = cc_alloc(tangent->unit, made->leaves + 1, sizeof *made->leaf);
    cc_map_put(tangent->unit, &tangent->index, value, tangent->count++);
}

/* ---- Varied ---- */

static bool has_varied_operand(const cc_tangent *tangent, LLVMValueRef value, unsigned first, unsigned end) {
    for (unsigned i = first; i < end; i++)
        if (cc_tangent_varied(tangent, LLVMGetOperand(value, i)))
            return true;
    return false;
}

static bool is_rule_varied(const cc_tangent *tangent, const cc_rule *rule, LLVMValueRef value) {
    for (unsigned i = 0; i < rule->operands; i++)
        if (!rule->zero[i] && cc_tangent_varied(tangent, LLVMGetOperand(value, i)))
            return true;
    return false;
}

static bool is_phi_varied(const cc_tangent *tangent, LLVMValueRef phi) {
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (cc_tangent_varied(tangent, LLVMGetIncomingValue(phi, i)))
            return true;
    return false;
}

/* An integer operation is varied if bits of a varied number's mantissa are left in it. */
static bool are_bits_varied(const cc_tangent *tangent, LLVMValueRef at, unsigned operands) {
    if (!has_varied_operand(tangent, at, 0, operands))
        return false;
    unsigned leaves = cc_leaf_count(tangent->unit, LLVMTypeOf(at));
    cc_bits *bits = cc_alloc(tangent->unit, leaves + 1, sizeof *bits);
    if (leaves > 0)
        cc_bits_trace(tangent->unit, at, cc_tangent_varied_in, (void *)(uintptr_t)tangent, bits);
    for (unsigned i = 0; i < leaves; i++)
        if (bits[i].kind != CC_BITS_NOTHING)
            return true;
    return leaves == 0;
}

static bool is_call_varied(const cc_tangent *tangent, LLVMValueRef call) {
    switch (cc_call_kind_of(tangent->unit, call)) {
    case CC_CALL_FOLLOWED:
    case CC_CALL_CUSTOM: return cc_leaf_count(tangent->unit, LLVMTypeOf(call)) > 0;
    case CC_CALL_RULE: return is_rule_varied(tangent, cc_rule_of(call), call);
    default:
        return cc_tangent_chooses(call)  ? has_varied_operand(tangent, call, 0, LLVMGetNumArgOperands(call))
               : cc_bits_operation(call) ? are_bits_varied(tangent, call, LLVMGetNumArgOperands(call))
                                         : false;
    }
}

static bool may_read_number(const cc_tangent *tangent, LLVMValueRef access) {
    return cc_leaf_any_number(tangent->unit, LLVMTypeOf(access)) || cc_may_carry(tangent->unit, access);
}

static bool find_varied(const cc_tangent *tangent, const cc_tangent_value *value) {
    LLVMValueRef at = value->value;
    if (value->leaves == 0 || tangent->function->inactive || tangent->function->inert)
        return false;
    bool has_cells = cc_leaf_count(tangent->unit, LLVMTypeOf(at)) > 0;
    if (LLVMIsAInstruction(at) == NULL)
        return has_cells;
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMLoad: return may_read_number(tangent, at);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return has_cells && may_read_number(tangent, at);
    case LLVMPHI: return is_phi_varied(tangent, at);
    case LLVMSelect: return has_varied_operand(tangent, at, 1, 3);
    case LLVMCall: return is_call_varied(tangent, at);
    case LLVMFreeze:
    case LLVMBitCast: return has_varied_operand(tangent, at, 0, 1);
    case LLVMAddrSpaceCast:
    case LLVMExtractValue:
    case LLVMInsertValue:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector: return has_cells && has_varied_operand(tangent, at, 0, (unsigned)LLVMGetNumOperands(at));
    default: break;
    }
    const cc_rule *rule = cc_rule_of(at);
    if (rule != NULL)
        return is_rule_varied(tangent, rule, at);
    return cc_bits_operation(at) && are_bits_varied(tangent, at, (unsigned)LLVMGetNumOperands(at));
}

/* ---- Needed ---- */

/* What a use needs: nothing, the values that the bits come from, or the tangent itself. */
typedef enum need { NEED_NOT, NEED_BITS, NEED_TANGENT } need;

static need need_of_user(const cc_tangent *tangent, LLVMValueRef user) {
    const cc_tangent_value *found = cc_tangent_find(tangent, user);
    if (found == NULL || !found->needed)
        return NEED_NOT;
    return cc_bits_operation(user) ? NEED_BITS : NEED_TANGENT;
}

static need need_in_call(const cc_tangent *tangent, LLVMValueRef call, LLVMValueRef value) {
    switch (cc_call_kind_of(tangent->unit, call)) {
    case CC_CALL_FOLLOWED:
    case CC_CALL_CUSTOM:
        for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
            if (LLVMGetOperand(call, i) == value)
                return NEED_TANGENT;
        return NEED_NOT;
    case CC_CALL_RULE: return need_of_user(tangent, call);
    default: return cc_tangent_chooses(call) || cc_bits_operation(call) ? need_of_user(tangent, call) : NEED_NOT;
    }
}

/* Returns whether a cast turns numbers into a type without leaves (vectors of bytes). Their tangents are then
 * needed to detect that a derivative is lost. */
static bool loses_leaves(const cc_tangent *tangent, LLVMValueRef cast) {
    return cc_tangent_leaves(tangent->unit, LLVMTypeOf(cast)) == 0;
}

static need need_of_use(const cc_tangent *tangent, LLVMValueRef user, LLVMValueRef value) {
    if (LLVMIsAInstruction(user) == NULL)
        return NEED_NOT;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMStore:
        return LLVMGetOperand(user, 0) == value &&
                       (cc_leaf_any_number(tangent->unit, LLVMTypeOf(value)) || cc_may_carry(tangent->unit, user))
                   ? NEED_TANGENT
                   : NEED_NOT;
    case LLVMRet: return NEED_TANGENT;
    case LLVMAtomicRMW: return LLVMGetOperand(user, 1) == value ? NEED_TANGENT : NEED_NOT;
    case LLVMAtomicCmpXchg: return LLVMGetOperand(user, 2) == value ? NEED_TANGENT : NEED_NOT;
    case LLVMCall: return need_in_call(tangent, user, value);
    case LLVMBitCast: return loses_leaves(tangent, user) ? NEED_TANGENT : need_of_user(tangent, user);
    case LLVMSelect:
        return LLVMGetOperand(user, 1) == value || LLVMGetOperand(user, 2) == value ? need_of_user(tangent, user)
                                                                                    : NEED_NOT;
    case LLVMPHI:
    case LLVMAddrSpaceCast:
    case LLVMFreeze:
    case LLVMExtractValue:
    case LLVMInsertValue:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector: return need_of_user(tangent, user);
    default: return cc_rule_of(user) != NULL || cc_bits_operation(user) ? need_of_user(tangent, user) : NEED_NOT;
    }
}

static bool find_needed(const cc_tangent *tangent, cc_tangent_value *value) {
    bool needed = value->needed, asked = value->asked;
    for (LLVMUseRef use = LLVMGetFirstUse(value->value); use != NULL && !value->asked; use = LLVMGetNextUse(use)) {
        need found = need_of_use(tangent, LLVMGetUser(use), value->value);
        value->needed = value->needed || found != NEED_NOT;
        value->asked =
            value->asked || found == NEED_TANGENT || (found == NEED_BITS && !cc_bits_operation(value->value));
    }
    return needed != value->needed || asked != value->asked;
}

/* Flags are only ever set, so this terminates. */
static void find_active(cc_tangent *tangent) {
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < tangent->count; i++) {
            cc_tangent_value *value = &tangent->values[i];
            if (!value->varied && find_varied(tangent, value))
                changed = value->varied = true;
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = tangent->count; i-- > 0;)
            if (tangent->values[i].varied && find_needed(tangent, &tangent->values[i]))
                changed = true;
    }
}

void cc_tangent_collect(cc_tangent *tangent) {
    order_blocks(tangent);
    for (LLVMValueRef p = LLVMGetFirstParam(tangent->function->value); p != NULL; p = LLVMGetNextParam(p))
        add_value(tangent, p);
    for (size_t b = 0; b < tangent->block_count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(tangent->blocks[b]); i != NULL; i = LLVMGetNextInstruction(i))
            add_value(tangent, i);
    find_active(tangent);
}
