/* Plans what each segment needs, where adjoints are kept, and where safepoints are. */
#include "cc/plan/plan.h"

#include "cc/ir/leaves.h"
#include "cc/plan/active.h"
#include "cc/plan/counts.h"
#include "cc/plan/ranges.h"
#include "cc/plan/records.h"
#include "cc/plan/rolling.h"
#include "cc/rules/rules.h"
#include "cc/types/bits.h"
#include "cc/types/parts.h"

#include <string.h>

/* AGAIN_DEPTH: the length of a chain of integer operations beyond which a load from the tape is assumed to be
 * cheaper. */
enum { AGAIN_DEPTH = 12, NOT_FREE = AGAIN_DEPTH + 1 };

static const cc_item *item_of(const cc_body *body, LLVMValueRef value) {
    int x = cc_item_find(body, value);
    return x < 0 ? NULL : &body->items[x];
}

/* ---- Slots ---- */

static int new_slot(cc_body *body, LLVMTypeRef type, bool adjoint) {
    cc_reserve(body->unit, &body->slots, &body->slot_capacity, body->slot_count + 1, sizeof *body->slots);
    body->slots[body->slot_count] = (cc_slot){.type = type, .adjoint = adjoint};
    return (int)body->slot_count++;
}

/* Returns whether the adjoint of an item is complete within its own segment. */
static bool stays_in_segment(const cc_body *body, const cc_item *item) {
    if (item->rooted)
        return false;
    bool ends_segment = item->opcode == LLVMCall && (item->call == CC_CALL_FOLLOWED || item->call == CC_CALL_CUSTOM);
    if (item->opcode == 0 || item->opcode == LLVMPHI || ends_segment)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(item->value); use; use = LLVMGetNextUse(use)) {
        const cc_item *user = item_of(body, LLVMGetUser(use));
        if (user && (user->opcode == LLVMPHI || user->segment != item->segment))
            return false;
    }
    return true;
}

/* ---- Needs ---- */

static const void *need_key(int item) {
    return (const void *)(uintptr_t)(item + 1);
}

cc_need *cc_need_find(const cc_segment *segment, int item) {
    ptrdiff_t i = cc_map_get(&segment->need_of, need_key(item));
    return i < 0 ? NULL : &segment->needs[i];
}

static void add_need(cc_body *body, cc_segment *segment, LLVMValueRef value) {
    int x = cc_item_find(body, value);
    if (x < 0 || cc_need_find(segment, x))
        return;
    cc_reserve(body->unit, &segment->needs, &segment->need_capacity, segment->need_count + 1, sizeof *segment->needs);
    cc_map_put(body->unit, &segment->need_of, need_key(x), segment->need_count);
    segment->needs[segment->need_count++] = (cc_need){.item = x, .field = -1};
}

static void needs_of_rule(cc_body *body, cc_segment *segment, LLVMValueRef value) {
    const cc_rule *rule = cc_rule_of(value);
    for (unsigned by = 0; rule && by < rule->operands; by++) {
        if (rule->zero[by] || !cc_is_active(body, LLVMGetOperand(value, by)))
            continue;
        for (unsigned k = 0; k < rule->operands; k++)
            if (rule->needs[by] & 1u << k)
                add_need(body, segment, LLVMGetOperand(value, k));
        if (rule->needs[by] & CC_RULE_RESULT)
            add_need(body, segment, value);
    }
}

/* Adds needs for the operands whose bits are set in `mask`. */
static void needs_of_operands(cc_body *body, cc_segment *segment, LLVMValueRef value, unsigned mask) {
    for (unsigned k = 0; k < cc_operand_count(value); k++)
        if (mask & 1u << k)
            add_need(body, segment, LLVMGetOperand(value, k));
}

static void needs_of_call(cc_body *body, cc_segment *segment, const cc_item *item, bool active) {
    LLVMValueRef call = item->value;
    switch (item->call) {
    case CC_CALL_RULE:
        if (active)
            needs_of_rule(body, segment, call);
        break;
    case CC_CALL_COPY: needs_of_operands(body, segment, call, 7); break;
    case CC_CALL_CLEAR: needs_of_operands(body, segment, call, 5); break;
    case CC_CALL_WRITTEN: needs_of_operands(body, segment, call, 3); break;
    case CC_CALL_CHANGED: needs_of_operands(body, segment, call, 1); break;
    case CC_CALL_ALLOCATE:
        add_need(body, segment, call);
        needs_of_operands(body, segment, call, cc_call_allocated_operands(call));
        break;
    default:
        if (active && cc_chooses(call)) {
            add_need(body, segment, call);
            needs_of_operands(body, segment, call, 1);
        }
    }
}

/* A store needs its address; and, if it may write a part of a number, the address that the value was loaded from,
 * for the run time. */
static void needs_of_store(cc_body *body, cc_segment *segment, LLVMValueRef store) {
    needs_of_operands(body, segment, store, 2);
    LLVMValueRef loaded =
        cc_may_write_parts(body->unit, store) ? cc_parts_loaded(body->unit, store, cc_is_varied_in, body) : NULL;
    if (loaded)
        add_need(body, segment, loaded);
}

static void needs_of_item(cc_body *body, cc_segment *segment, const cc_item *item) {
    bool active = item->varied && item->useful;
    switch (item->opcode) {
    case LLVMLoad:
        if (active)
            needs_of_operands(body, segment, item->value, 1);
        break;
    case LLVMStore:
        if (cc_store_effect_of(body, item->value) != CC_STORE_NOTHING)
            needs_of_store(body, segment, item->value);
        break;
    case LLVMAlloca:
        add_need(body, segment, item->value);
        needs_of_operands(body, segment, item->value, 1);
        break;
    case LLVMSelect:
        if (active)
            needs_of_operands(body, segment, item->value, 1);
        break;
    case LLVMExtractElement:
        if (active)
            needs_of_operands(body, segment, item->value, 2);
        break;
    case LLVMInsertElement:
        if (active)
            needs_of_operands(body, segment, item->value, 4);
        break;
    case LLVMCall: needs_of_call(body, segment, item, active); break;
    default:
        if (active && cc_rule_of(item->value))
            needs_of_rule(body, segment, item->value);
    }
    for (unsigned i = 0; active && item->bits && i < item->leaves; i++) {
        if (item->bits[i].partner) {
            add_need(body, segment, LLVMGetOperand(item->bits[i].root, 0));
            add_need(body, segment, LLVMGetOperand(item->bits[i].partner, 0));
        }
        if (item->bits[i].kind != CC_BITS_SCALED && item->bits[i].kind != CC_BITS_LINEAR)
            continue;
        add_need(body, segment, item->value);
        add_need(body, segment, item->bits[i].root);
    }
}

/* ---- How a value is obtained ---- */

static bool integer_operation(LLVMOpcode opcode) {
    switch (opcode) {
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
    return integer_operation(item->opcode) || item->opcode == LLVMFCmp || cc_rule_cheap(item->value);
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
    return item->induction >= 0 && body->loops[item->induction].contains[block];
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
    if (!integer_operation(item->opcode) && !is_in_range(body, item, block))
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
static bool is_free(cc_body *body, LLVMValueRef value, int block) {
    return free_chain(body, value, block) != NOT_FREE;
}

LLVMValueRef cc_induction_start(const cc_body *body, const cc_item *item) {
    return cc_incoming(item->value, body->blocks[body->loops[item->induction].before].block);
}

/* Gives an induction variable a slot. In a strip, its value follows from that of an induction variable of the loop
 * around, which then needs a slot, too. */
static void keep_induction(cc_body *body, cc_item *item) {
    for (cc_item *next; item && item->induction_slot < 0; item = next) {
        cc_loop *loop = &body->loops[item->induction];
        next = loop->around >= 0 ? &body->items[cc_item_find(body, cc_induction_start(body, item))] : NULL;
        item->induction_slot = new_slot(body, LLVMTypeOf(item->value), false);
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
        item->invariant_slot = new_slot(body, LLVMTypeOf(item->value), false);
    loop->invariants[loop->invariant_count++] = x;
}

enum { NO_INPUT = -1, MANY_INPUTS = -2 };

/* Returns the single item, not itself an integer operation, that the value depends on besides free values: an
 * index, or a pointer to a struct whose members are used. NO_INPUT if it is free, MANY_INPUTS if there are several. */
static int single_input(cc_body *body, LLVMValueRef value, int block, int depth) {
    int x = cc_item_find(body, value);
    if (x < 0 || is_free(body, value, block))
        return NO_INPUT;
    if (!integer_operation(body->items[x].opcode))
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
    if (!integer_operation(item->opcode))
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
    if (is_in_range(body, item, block) && is_free(body, item->value, block))
        return CC_SOURCE_RANGE;
    if (integer_operation(item->opcode) && is_free(body, item->value, block)) {
        bool operands_free = true;
        for (unsigned k = 0; k < cc_operand_count(item->value); k++)
            operands_free &= is_free(body, LLVMGetOperand(item->value, k), block);
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
    add_need(body, segment, value);
    cc_need *need = cc_need_find(segment, x);
    if (need->source != CC_SOURCE_UNKNOWN)
        return;
    cc_item *item = &body->items[x];
    cc_source source = need->source = choose_source(body, segment, item, available);
    if (source == CC_SOURCE_INDUCTION)
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
            if (x < 0 || is_free(body, operand, segment->block))
                continue;
            bool inside = x >= segment->first && x < segment->first + i;
            all = cc_need_find(segment, x) || (inside && available[x - segment->first]);
        }
        available[i] = all;
    }
    return available;
}

/* ---- Blocks with two predecessors ---- */

/* Returns whether control that took the branch from `from` to `to` can reach `join` only through its predecessor k. */
static bool leads_through(const cc_body *body, int from, int to, int join, int k) {
    int through = body->blocks[join].predecessors[k];
    return to == join ? through == from : body->blocks[to].predecessor_count == 1 && cc_dominates(body, to, through);
}

/* Returns whether control can come from `join` back to it without passing `from`, as in a loop with several entries.
 */
static bool can_return_without(cc_body *body, int join, int from) {
    int *stack = cc_alloc(body->unit, (size_t)body->block_count + 1, sizeof *stack);
    bool *seen = cc_alloc(body->unit, (size_t)body->block_count, sizeof *seen);
    int depth = 0;
    stack[depth++] = join;
    seen[from] = true;
    while (depth > 0) {
        const cc_block *block = &body->blocks[stack[--depth]];
        for (int k = 0; k < block->successor_count; k++) {
            int to = block->successors[k];
            if (to == join)
                return true;
            if (!seen[to])
                stack[depth++] = to;
            seen[to] = true;
        }
    }
    return false;
}

/* If a block has two predecessors, and the paths to them separate at the branch of its dominator, the condition of
 * that branch says from which predecessor the block was entered. Sets segment->condition if it can be computed
 * again. */
static void find_condition(cc_body *body, cc_segment *segment) {
    const cc_block *block = &body->blocks[segment->block];
    int from = block->dominator;
    if (block->predecessor_count != 2 || from < 0 || body->blocks[from].loop != block->loop)
        return;
    LLVMValueRef branch = body->items[body->blocks[from].last].value;
    if (LLVMGetInstructionOpcode(branch) != LLVMBr || !LLVMIsConditional(branch))
        return;
    int yes = (int)cc_map_get(&body->block_of, LLVMGetSuccessor(branch, 0));
    int no = (int)cc_map_get(&body->block_of, LLVMGetSuccessor(branch, 1));
    for (int k = 0; k < 2 && yes != no; k++)
        if (leads_through(body, from, yes, segment->block, k) && leads_through(body, from, no, segment->block, 1 - k) &&
            is_free(body, LLVMGetCondition(branch), segment->block) &&
            !can_return_without(body, segment->block, from)) {
            segment->condition = LLVMGetCondition(branch);
            segment->when_true = k;
            return;
        }
}

static void plan_segment(cc_body *body, cc_segment *segment) {
    const cc_block *block = &body->blocks[segment->block];
    if (segment - body->segments == block->first_segment && !cc_is_header(body, segment->block) && !block->safepoint)
        find_condition(body, segment);
    if (segment->condition)
        add_need(body, segment, segment->condition);
    for (int x = segment->first; x <= segment->last; x++)
        needs_of_item(body, segment, &body->items[x]);
    if (segment->call >= 0 && body->items[segment->call].call == CC_CALL_CUSTOM)
        needs_of_operands(body, segment, body->items[segment->call].value, UINT32_MAX);
    bool *available = find_available(body, segment);
    size_t wanted = segment->need_count;
    for (size_t i = 0; i < wanted; i++)
        resolve(body, segment, body->items[segment->needs[i].item].value, available);
}

/* ---- Counts ---- */

static void need_free(cc_body *body, cc_segment *segment, LLVMValueRef value) {
    bool *none = cc_alloc(body->unit, (size_t)(segment->last - segment->first) + 2, sizeof *none);
    resolve(body, segment, value, none);
}

/* Plans to compute the count of a loop where it is left, if its start and bound are free there. */
static void plan_count(cc_body *body, int l) {
    LLVMValueRef start, bound;
    cc_loop *loop = &body->loops[l];
    if (!loop->counted || !loop->left || loop->again >= 0 || !cc_has_count(body, l, &start, &bound))
        return;
    for (int b = 0; b < body->block_count; b++) {
        if (!cc_leaves_loop(body, loop, b) || (loop->around >= 0 && body->loops[loop->around].contains[b]))
            continue;
        cc_segment *segment = &body->segments[body->blocks[b].first_segment];
        loop->follows = is_free(body, start, b) && is_free(body, bound, b);
        if (loop->follows) {
            need_free(body, segment, start);
            need_free(body, segment, bound);
        }
    }
}

/* From the inside to the outside, because outer loops may have to keep values for inner ones. */
static void plan_counts(cc_body *body) {
    for (int depth = body->loop_count; depth >= 0; depth--)
        for (int l = 0; l < body->loop_count; l++)
            if (body->loops[l].depth == depth)
                plan_count(body, l);
}

/* ---- Sums over loops ---- */

/* Returns whether a value is the same in all iterations of a loop; sees through integer operations. */
static bool stays_in_loop(const cc_body *body, LLVMValueRef value, int l, int depth) {
    const cc_item *item = item_of(body, value);
    if (!item || item->block < 0 || !body->loops[l].contains[item->block])
        return true;
    if (!integer_operation(item->opcode) || depth == 0)
        return false;
    for (unsigned k = 0; k < cc_operand_count(value); k++)
        if (!stays_in_loop(body, LLVMGetOperand(value, k), l, depth - 1))
            return false;
    return true;
}

/* Returns the outermost loop over which the adjoints of a load from a range can be summed before they are added to the
 * cell; -1: none. They can, because nothing in the nest writes to what is copied, so code of the nest only adds to
 * these cells. */
static int deferred_loop(cc_body *body, const cc_item *item) {
    LLVMValueRef address = LLVMGetOperand(item->value, 0);
    int found = -1;
    for (int l = body->blocks[item->block].loop; l >= 0; l = body->loops[l].parent) {
        const cc_loop *loop = &body->loops[l];
        if (body->blocks[loop->before].successor_count != 1 || cc_rewrites_in(body, item->range, l) ||
            !stays_in_loop(body, address, l, 4) || !is_free(body, address, loop->before))
            break;
        found = l;
        if (l == body->ranges->all[item->range].loop)
            break;
    }
    return found;
}

static void place_adjoints(cc_body *body) {
    for (int x = 0; x < body->item_count; x++) {
        cc_item *item = &body->items[x];
        if (!item->varied || !item->useful)
            continue;
        item->deferred = item->range >= 0 && item->opcode == LLVMLoad ? deferred_loop(body, item) : -1;
        item->local = item->deferred < 0 && stays_in_segment(body, item);
        if (item->local) {
            item->sum = cc_alloc(body->unit, item->leaves, sizeof *item->sum);
            continue;
        }
        item->slot = (int)body->slot_count;
        for (unsigned i = 0; i < item->leaves; i++)
            new_slot(body, cc_leaf_adjoint(body->unit, LLVMTypeOf(item->value), i), true);
    }
}

/* Reverse code needs the addresses of stores that change a copy. */
static void plan_rewritten(cc_body *body) {
    for (int x = 0; x < body->item_count; x++) {
        const cc_item *item = &body->items[x];
        if (item->opcode == LLVMStore && item->range >= 0 && body->ranges->all[item->range].used)
            need_free(body, &body->segments[item->segment], LLVMGetOperand(item->value, 1));
    }
}

/* Plans the addresses of the cells to which sums over loops are added where the loops are entered. */
static void plan_deferred(cc_body *body) {
    for (int x = 0; x < body->item_count; x++)
        if (body->items[x].deferred >= 0) {
            int before = body->loops[body->items[x].deferred].before;
            cc_segment *segment = &body->segments[body->blocks[before].last_segment];
            need_free(body, segment, LLVMGetOperand(body->items[x].value, 0));
        }
}

/* ---- Safepoints ---- */

static bool has_followed_call(const cc_body *body, const cc_loop *loop) {
    for (int s = 0; s < body->segment_count; s++)
        if (body->segments[s].call >= 0 && (!loop || loop->contains[body->segments[s].block]))
            return true;
    return false;
}

/* Places a safepoint on every cycle except loops that record little: of a loop, in its header or between its
 * strips; of other cycles, at the target of the back edge. */
static void place_safepoints(cc_body *body) {
    for (int l = 0; l < body->loop_count; l++) {
        const cc_loop *loop = &body->loops[l];
        if (loop->counted && loop->left && !loop->brief)
            body->blocks[loop->again >= 0 ? loop->again : loop->header].safepoint = true;
    }
    for (int b = 0; b < body->block_count; b++)
        for (int k = 0; k < body->blocks[b].successor_count; k++) {
            int to = body->blocks[b].successors[k];
            if (body->blocks[to].order <= body->blocks[b].order && !cc_is_header(body, to))
                body->blocks[to].safepoint = true;
        }
    body->blocks[0].safepoint = !body->function->whole && (body->loop_count > 0 || has_followed_call(body, NULL));
}

/* ---- The pass ---- */

void cc_plan(cc_body *body) {
    body->free_chains = cc_alloc(body->unit, (size_t)body->item_count + 1, sizeof *body->free_chains);
    body->free_block = -1;
    place_adjoints(body);
    cc_find_rolls(body);
    for (int l = 0; l < body->loop_count; l++) {
        body->loops[l].inductions = cc_alloc(body->unit, (size_t)body->item_count, sizeof(int));
        body->loops[l].invariants = cc_alloc(body->unit, (size_t)body->item_count, sizeof(int));
    }
    place_safepoints(body);
    for (int s = 0; s < body->segment_count; s++)
        plan_segment(body, &body->segments[s]);
    plan_counts(body);
    plan_rewritten(body);
    plan_deferred(body);
    for (int l = 0; l < body->loop_count; l++)
        if (body->loops[l].counted && body->loops[l].left)
            body->loops[l].count_slot = new_slot(body, body->unit->i64, false);
    for (size_t i = 0; i < body->ranges->count; i++)
        if (body->ranges->all[i].used)
            body->ranges->all[i].slot = new_slot(body, body->unit->i64, false);
    cc_lay_out_records(body);
    for (int b = 0; b < body->block_count; b++) {
        cc_block *block = &body->blocks[b];
        block->idle = block->safepoint && cc_is_idle(body, b);
        if (block->safepoint && cc_has_predecessor(body, b))
            block->predecessor_slot = new_slot(body, cc_predecessor_type(body, b), false);
    }
}
