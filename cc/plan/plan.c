/* Plans what each segment needs, where adjoints are kept, and where safepoints are. */
#include "cc/plan/plan.h"

#include "cc/ir/leaves.h"
#include "cc/plan/active.h"
#include "cc/plan/counts.h"
#include "cc/plan/ranges.h"
#include "cc/plan/records.h"
#include "cc/plan/recurrences.h"
#include "cc/plan/rolling.h"
#include "cc/plan/sources.h"
#include "cc/rules/rules.h"
#include "cc/types/bits.h"
#include "cc/types/parts.h"

#include <string.h>

static const cc_item *item_of(const cc_body *body, LLVMValueRef value) {
    int x = cc_item_find(body, value);
    return x < 0 ? NULL : &body->items[x];
}

/* ---- Slots ---- */

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

static void needs_of_rule(cc_body *body, cc_segment *segment, LLVMValueRef value) {
    const cc_rule *rule = cc_rule_of(value);
    for (unsigned by = 0; rule && by < rule->operands; by++) {
        if (rule->zero[by] || !cc_is_active(body, LLVMGetOperand(value, by)))
            continue;
        for (unsigned k = 0; k < rule->operands; k++)
            if (rule->needs[by] & 1u << k)
                cc_add_need(body, segment, LLVMGetOperand(value, k));
        if (rule->needs[by] & CC_RULE_RESULT)
            cc_add_need(body, segment, value);
    }
}

/* Adds needs for the operands whose bits are set in `mask`. */
static void needs_of_operands(cc_body *body, cc_segment *segment, LLVMValueRef value, unsigned mask) {
    for (unsigned k = 0; k < cc_operand_count(value); k++)
        if (mask & 1u << k)
            cc_add_need(body, segment, LLVMGetOperand(value, k));
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
        cc_add_need(body, segment, call);
        needs_of_operands(body, segment, call, cc_call_allocated_operands(call));
        break;
    default:
        if (active && cc_chooses(call)) {
            cc_add_need(body, segment, call);
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
        cc_add_need(body, segment, loaded);
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
        cc_add_need(body, segment, item->value);
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
            cc_add_need(body, segment, LLVMGetOperand(item->bits[i].root, 0));
            cc_add_need(body, segment, LLVMGetOperand(item->bits[i].partner, 0));
        }
        if (item->bits[i].kind != CC_BITS_SCALED && item->bits[i].kind != CC_BITS_LINEAR)
            continue;
        cc_add_need(body, segment, item->value);
        cc_add_need(body, segment, item->bits[i].root);
    }
}

/* ---- Blocks with two predecessors ---- */

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
        if (cc_leads_through(body, from, yes, segment->block, block->predecessors[k]) &&
            cc_leads_through(body, from, no, segment->block, block->predecessors[1 - k]) &&
            cc_is_free(body, LLVMGetCondition(branch), segment->block) &&
            !can_return_without(body, segment->block, from)) {
            segment->condition = LLVMGetCondition(branch);
            segment->when_true = k;
            return;
        }
}

static void plan_segment(cc_body *body, cc_segment *segment) {
    const cc_block *block = &body->blocks[segment->block];
    if (segment - body->segments == block->first_segment && cc_has_ways(body, segment->block) &&
        !cc_is_header(body, segment->block) && !block->safepoint)
        find_condition(body, segment);
    if (segment->condition)
        cc_add_need(body, segment, segment->condition);
    for (int x = segment->first; x <= segment->last; x++)
        needs_of_item(body, segment, &body->items[x]);
    if (segment->call >= 0 && body->items[segment->call].call == CC_CALL_CUSTOM)
        needs_of_operands(body, segment, body->items[segment->call].value, UINT32_MAX);
    cc_plan_needs(body, segment);
}

/* ---- Counts ---- */

static void plan_count(cc_body *body, int l) {
    LLVMValueRef start, bound;
    cc_loop *loop = &body->loops[l];
    if (!loop->counted || !loop->left || loop->again >= 0 || !cc_has_count(body, l, &start, &bound))
        return;
    for (int b = 0; b < body->block_count; b++) {
        if (!cc_leaves_loop(body, loop, b) || (loop->around >= 0 && body->loops[loop->around].contains[b]))
            continue;
        cc_segment *segment = &body->segments[body->blocks[b].first_segment];
        loop->follows = cc_is_free(body, start, b) && cc_is_free(body, bound, b);
        if (loop->follows) {
            cc_need_free(body, segment, start);
            cc_need_free(body, segment, bound);
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
    if (!cc_is_integer_operation(item) || item->opcode == LLVMLoad || depth == 0)
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
            !stays_in_loop(body, address, l, 4) || !cc_is_free(body, address, loop->before))
            break;
        found = l;
        if (l == body->ranges->all[item->range].loop)
            break;
    }
    return found;
}

/* The adjoints of integers and pointers in quick functions are in the frame: see reverse/words.h. */
static bool is_word(const cc_body *body, const cc_item *item) {
    return body->quick && cc_leaves_are_words(LLVMTypeOf(item->value), item->leaves);
}

static void place_adjoints(cc_body *body) {
    for (int x = 0; x < body->item_count; x++) {
        cc_item *item = &body->items[x];
        if (!item->varied || !item->useful)
            continue;
        item->deferred = item->range >= 0 && item->opcode == LLVMLoad ? deferred_loop(body, item) : -1;
        item->local = item->deferred < 0 && !is_word(body, item) && stays_in_segment(body, item);
        if (item->local) {
            item->sum = cc_alloc(body->unit, item->leaves, sizeof *item->sum);
            continue;
        }
        item->slot = (int)body->slot_count;
        for (unsigned i = 0; i < item->leaves; i++)
            cc_new_slot(body, cc_leaf_adjoint(body->unit, LLVMTypeOf(item->value), i), true);
    }
}

/* Reverse code needs the addresses of stores that change a copy. */
static void plan_rewritten(cc_body *body) {
    for (int x = 0; x < body->item_count; x++) {
        const cc_item *item = &body->items[x];
        if (item->opcode == LLVMStore && item->range >= 0 && body->ranges->all[item->range].used)
            cc_need_free(body, &body->segments[item->segment], LLVMGetOperand(item->value, 1));
    }
}

/* Plans the addresses of the cells to which sums over loops are added where the loops are entered. */
static void plan_deferred(cc_body *body) {
    for (int x = 0; x < body->item_count; x++)
        if (body->items[x].deferred >= 0) {
            int before = body->loops[body->items[x].deferred].before;
            cc_segment *segment = &body->segments[body->blocks[before].last_segment];
            cc_need_free(body, segment, LLVMGetOperand(body->items[x].value, 0));
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
    cc_find_shortcuts(body);
    cc_find_recurrences(body);
    for (int s = 0; s < body->segment_count; s++)
        plan_segment(body, &body->segments[s]);
    plan_counts(body);
    plan_rewritten(body);
    plan_deferred(body);
    cc_plan_ranges(body);
    cc_plan_starts(body);
    for (int l = 0; l < body->loop_count; l++)
        if (body->loops[l].counted && body->loops[l].left)
            body->loops[l].count_slot = cc_new_slot(body, body->unit->i64, false);
    for (size_t i = 0; i < body->ranges->count; i++)
        if (body->ranges->all[i].used)
            body->ranges->all[i].slot = cc_new_slot(body, body->unit->i64, false);
    cc_lay_out_records(body);
    for (int b = 0; b < body->block_count; b++) {
        cc_block *block = &body->blocks[b];
        block->idle = block->safepoint && cc_is_idle(body, b);
        if (block->safepoint && cc_has_predecessor(body, b))
            block->predecessor_slot = cc_new_slot(body, cc_predecessor_type(body, b), false);
    }
}
