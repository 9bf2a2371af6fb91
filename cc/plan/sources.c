/* Chooses how the reverse function obtains values: see sources.h. */
#include "cc/plan/sources.h"

#include "cc/plan/overlap.h"
#include "cc/plan/plan.h"
#include "cc/plan/ranges.h"
#include "cc/plan/recurrences.h"
#include "cc/rules/rules.h"

#include <string.h>

/* AGAIN_DEPTH: the length of a chain of integer operations beyond which a load from the tape is assumed to be
 * cheaper. */
enum { AGAIN_DEPTH = 12, NOT_FREE = AGAIN_DEPTH + 1 };

/* ---- Slots and needs ---- */

int cc_new_slot(cc_body *body, LLVMTypeRef type, bool adjoint) {
    cc_reserve(body->unit, &body->slots, &body->slot_capacity, body->slot_count + 1, sizeof *body->slots);
    body->slots[body->slot_count] = (cc_slot){.type = type, .adjoint = adjoint};
    return (int)body->slot_count++;
}

static const void *need_key(int item) {
    return (const void *)(uintptr_t)(item + 1);
}

cc_need *cc_need_find(const cc_segment *segment, int item) {
    ptrdiff_t i = cc_map_get(&segment->need_of, need_key(item));
    return i < 0 ? NULL : &segment->needs[i];
}

void cc_add_need(cc_body *body, cc_segment *segment, LLVMValueRef value) {
    int x = cc_item_find(body, value);
    if (x < 0 || cc_need_find(segment, x))
        return;
    cc_reserve(body->unit, &segment->needs, &segment->need_capacity, segment->need_count + 1, sizeof *segment->needs);
    cc_map_put(body->unit, &segment->need_of, need_key(x), segment->need_count);
    segment->needs[segment->need_count++] = (cc_need){.item = x, .field = -1};
}

/* ---- How a value is obtained ---- */

/* Returns whether a call is one of an intrinsic function on integers that takes an instruction or two. */
static bool calls_integer_operation(LLVMValueRef call) {
    static const char *const names[] = {"llvm.smin.", "llvm.smax.",     "llvm.umin.",     "llvm.umax.",
                                        "llvm.abs.",  "llvm.sadd.sat.", "llvm.ssub.sat.", "llvm.smul.fix.sat."};
    const char *name = cc_callee_name(call);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Returns whether a load reads a table of constants: weights of a formula, neighbours in a lattice. */
static bool reads_constants(LLVMValueRef load) {
    LLVMValueRef address = LLVMGetOperand(load, 0);
    while (LLVMIsAGetElementPtrInst(address) ||
           (LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMGetElementPtr))
        address = LLVMGetOperand(address, 0);
    return LLVMIsAGlobalVariable(address) && LLVMIsGlobalConstant(address) && !LLVMIsThreadLocal(address) &&
           cc_is_plain(load);
}

static bool divides_by_constant(LLVMValueRef operation) {
    LLVMValueRef by = LLVMGetOperand(operation, 1);
    return LLVMIsAConstantInt(by) && LLVMGetIntTypeWidth(LLVMTypeOf(by)) <= 64 && LLVMConstIntGetSExtValue(by) != 0 &&
           LLVMConstIntGetSExtValue(by) != -1;
}

bool cc_is_integer_operation(const cc_item *item) {
    switch (item->opcode) {
    case LLVMCall: return calls_integer_operation(item->value);
    case LLVMLoad: return reads_constants(item->value);
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem: return divides_by_constant(item->value);
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMAShr:
    case LLVMLShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMGetElementPtr:
    case LLVMICmp:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMSelect: return true;
    default: return false;
    }
}

static bool can_be_computed_again(const cc_item *item) {
    return cc_is_integer_operation(item) || item->opcode == LLVMFCmp || cc_rule_cheap(item->value);
}

/* Returns the outermost counted loop around `block` in which the item does not change; -1 if there is none. */
static int invariant_in(const cc_body *body, const cc_item *item, int block) {
    int found = -1;
    for (int l = body->blocks[block].loop; l >= 0; l = body->loops[l].parent) {
        if (!body->loops[l].counted || (item->block >= 0 && body->loops[l].contains[item->block]))
            break;
        found = l;
    }
    return found;
}

static bool steps_back(const cc_body *body, const cc_item *item, int block) {
    int l = item->induction >= 0 ? item->induction : item->recurrence;
    return l >= 0 && body->loops[l].contains[block];
}

/* Returns whether a copy contains what a load has read, for the adjoint code of this block. */
static bool is_in_range(const cc_body *body, const cc_item *item, int block) {
    const cc_range *range = item->range >= 0 ? &body->ranges->all[item->range] : NULL;
    return range && !range->sums && body->loops[range->loop].contains[block] &&
           (range->store_count == 0 || item->block == block);
}

/* Returns the length of the chain of integer operations that computes the value in this block without any tape;
 * NOT_FREE if there is none. Results are cached for one block at a time. */
static int free_chain(cc_body *body, LLVMValueRef value, int block) {
    int x = cc_item_find(body, value);
    if (x < 0)
        return 0;
    const cc_item *item = &body->items[x];
    if (steps_back(body, item, block) || invariant_in(body, item, block) >= 0)
        return 0;
    if (!cc_is_integer_operation(item) && !is_in_range(body, item, block))
        return NOT_FREE;
    if (body->free_block != block) {
        memset(body->free_chains, 0, (size_t)body->item_count * sizeof *body->free_chains);
        body->free_block = block;
    }
    if (body->free_chains[x] != 0)
        return body->free_chains[x];
    int longest = 0;
    for (unsigned k = 0; k < cc_operand_count(value) && longest < AGAIN_DEPTH; k++) {
        int chain = free_chain(body, LLVMGetOperand(value, k), block);
        longest = chain > longest ? chain : longest;
    }
    return body->free_chains[x] = longest < AGAIN_DEPTH ? longest + 1 : NOT_FREE;
}

/* Returns whether the value can be computed in this block without any tape. */
bool cc_is_free(cc_body *body, LLVMValueRef value, int block) {
    return free_chain(body, value, block) != NOT_FREE;
}

LLVMValueRef cc_induction_start(const cc_body *body, const cc_item *item) {
    return cc_incoming(item->value, body->blocks[body->loops[item->induction].before].block);
}

void cc_forget_free(cc_body *body) {
    body->free_block = -1;
}

/* Gives a recurrence a slot, and plans the amount to take off it where its loop goes back. */
static void keep_recurrence(cc_body *body, cc_item *item) {
    cc_loop *loop = &body->loops[item->recurrence];
    if (item->induction_slot >= 0)
        return;
    item->induction_slot = cc_new_slot(body, LLVMTypeOf(item->value), false);
    loop->inductions[loop->induction_count++] = (int)(item - body->items);
    cc_need_free(body, &body->segments[body->blocks[loop->latch].last_segment], cc_recurrence_amount(body, item));
}

/* Gives an induction variable a slot. In a strip, its value follows from that of an induction variable of the loop
 * around, which then needs a slot, too. */
static void keep_induction(cc_body *body, cc_item *item) {
    for (cc_item *next; item && item->induction_slot < 0; item = next) {
        cc_loop *loop = &body->loops[item->induction];
        next = loop->around >= 0 ? &body->items[cc_item_find(body, cc_induction_start(body, item))] : NULL;
        item->induction_slot = cc_new_slot(body, LLVMTypeOf(item->value), false);
        loop->inductions[loop->induction_count++] = (int)(item - body->items);
    }
}

static void keep_invariant(cc_body *body, cc_item *item, int l) {
    cc_loop *loop = &body->loops[l];
    int x = (int)(item - body->items);
    for (int i = 0; i < loop->invariant_count; i++)
        if (loop->invariants[i] == x)
            return;
    if (item->invariant_slot < 0)
        item->invariant_slot = cc_new_slot(body, LLVMTypeOf(item->value), false);
    loop->invariants[loop->invariant_count++] = x;
}

enum { NO_INPUT = -1, MANY_INPUTS = -2 };

/* Returns the single item, not itself an integer operation, that the value depends on besides free values: an
 * index, or a pointer to a struct whose members are used. NO_INPUT if it is free, MANY_INPUTS if there are several. */
static int single_input(cc_body *body, LLVMValueRef value, int block, int depth) {
    int x = cc_item_find(body, value);
    if (x < 0 || cc_is_free(body, value, block))
        return NO_INPUT;
    if (!cc_is_integer_operation(&body->items[x]))
        return x;
    int found = depth > 0 ? NO_INPUT : MANY_INPUTS;
    for (unsigned k = 0; k < cc_operand_count(value) && found != MANY_INPUTS; k++) {
        int input = single_input(body, LLVMGetOperand(value, k), block, depth - 1);
        if (input != NO_INPUT)
            found = found == NO_INPUT || found == input ? input : MANY_INPUTS;
    }
    return found;
}

/* Returns whether recording the single input of an integer operation takes no more bytes than recording its result. */
static bool is_cheaper_by_input(cc_body *body, const cc_item *item, int block) {
    if (!cc_is_integer_operation(item))
        return false;
    int input = single_input(body, item->value, block, 6);
    return input >= 0 && LLVMABISizeOfType(body->unit->layout, LLVMTypeOf(body->items[input].value)) <=
                             LLVMABISizeOfType(body->unit->layout, LLVMTypeOf(item->value));
}

/* available[i]: item segment->first + i can be computed again from available values, without being recorded itself. */
static cc_source choose_source(cc_body *body, const cc_segment *segment, cc_item *item, const bool *available) {
    int block = segment->block, loop = invariant_in(body, item, block);
    if (steps_back(body, item, block))
        return CC_SOURCE_INDUCTION;
    if (is_in_range(body, item, block) && cc_is_free(body, item->value, block))
        return CC_SOURCE_RANGE;
    if (cc_is_integer_operation(item) && cc_is_free(body, item->value, block)) {
        bool operands_free = true;
        for (unsigned k = 0; k < cc_operand_count(item->value); k++)
            operands_free &= cc_is_free(body, LLVMGetOperand(item->value, k), block);
        if (operands_free)
            return CC_SOURCE_AGAIN;
    }
    if (loop >= 0)
        return CC_SOURCE_INVARIANT;
    int x = (int)(item - body->items);
    if (x >= segment->first && x <= segment->last && available[x - segment->first])
        return CC_SOURCE_AGAIN;
    return is_cheaper_by_input(body, item, block) ? CC_SOURCE_AGAIN : CC_SOURCE_TAPE;
}

/* Chooses the source of a value that the segment needs, and of the values that this source needs in turn. */
static void resolve(cc_body *body, cc_segment *segment, LLVMValueRef value, const bool *available) {
    int x = cc_item_find(body, value);
    if (x < 0)
        return;
    cc_add_need(body, segment, value);
    cc_need *need = cc_need_find(segment, x);
    if (need->source != CC_SOURCE_UNKNOWN)
        return;
    cc_item *item = &body->items[x];
    cc_source source = need->source = choose_source(body, segment, item, available);
    if (source == CC_SOURCE_INDUCTION && item->recurrence >= 0)
        keep_recurrence(body, item);
    else if (source == CC_SOURCE_INDUCTION)
        keep_induction(body, item);
    else if (source == CC_SOURCE_INVARIANT)
        keep_invariant(body, item, invariant_in(body, item, segment->block));
    else if (source == CC_SOURCE_RANGE)
        body->ranges->all[item->range].used = true;
    if (source == CC_SOURCE_AGAIN || source == CC_SOURCE_RANGE)
        for (unsigned k = 0; k < cc_operand_count(value); k++)
            resolve(body, segment, LLVMGetOperand(value, k), available);
}

/* Computes `available` in order of execution: an operation can be computed again if each operand is free, can be
 * computed again, or is needed anyway. */
static bool *find_available(cc_body *body, const cc_segment *segment) {
    int count = segment->last - segment->first + 1;
    bool *available = cc_alloc(body->unit, (size_t)(count > 0 ? count : 1), sizeof *available);
    for (int i = 0; i < count; i++) {
        const cc_item *item = &body->items[segment->first + i];
        if (!can_be_computed_again(item))
            continue;
        bool all = true;
        for (unsigned k = 0; k < cc_operand_count(item->value) && all; k++) {
            LLVMValueRef operand = LLVMGetOperand(item->value, k);
            int x = cc_item_find(body, operand);
            if (x < 0 || cc_is_free(body, operand, segment->block))
                continue;
            bool inside = x >= segment->first && x < segment->first + i;
            all = cc_need_find(segment, x) || (inside && available[x - segment->first]);
        }
        available[i] = all;
    }
    return available;
}

void cc_need_free(cc_body *body, cc_segment *segment, LLVMValueRef value) {
    bool *none = cc_alloc(body->unit, (size_t)(segment->last - segment->first) + 2, sizeof *none);
    resolve(body, segment, value, none);
}

/* Plans to compute the count of a loop where it is left, if its start and bound are free there. */
void cc_plan_needs(cc_body *body, cc_segment *segment) {
    bool *available = find_available(body, segment);
    size_t wanted = segment->need_count;
    for (size_t i = 0; i < wanted; i++)
        resolve(body, segment, body->items[segment->needs[i].item].value, available);
}
