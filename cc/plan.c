/* Plans records: see plan.h. */
#include "cc/plan.h"

#include "cc/active.h"
#include "cc/bits.h"
#include "cc/leaves.h"
#include "cc/parts.h"
#include "cc/rules.h"

#include <string.h>

/* How far a chain of integer operations is followed before a load from the tape is thought cheaper. */
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

static bool stays_in_segment(const cc_body *body, const cc_item *item) {
    if (item->rooted)
        return false;
    bool answered = item->opcode == LLVMCall && (item->call == CC_CALL_FOLLOWED || item->call == CC_CALL_CUSTOM);
    if (item->opcode == 0 || item->opcode == LLVMPHI || answered)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(item->value); use; use = LLVMGetNextUse(use)) {
        const cc_item *user = item_of(body, LLVMGetUser(use));
        if (user && (user->opcode == LLVMPHI || user->segment != item->segment))
            return false;
    }
    return true;
}

static void place_adjoints(cc_body *body) {
    for (int x = 0; x < body->item_count; x++) {
        cc_item *item = &body->items[x];
        if (!item->varied || !item->useful)
            continue;
        item->local = stays_in_segment(body, item);
        if (item->local) {
            item->sum = cc_alloc(body->unit, item->leaves, sizeof *item->sum);
            continue;
        }
        item->slot = (int)body->slot_count;
        for (unsigned i = 0; i < item->leaves; i++)
            new_slot(body, body->unit->f64, true);
    }
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
        if (rule->zero[by] || !cc_active(body, LLVMGetOperand(value, by)))
            continue;
        for (unsigned k = 0; k < rule->operands; k++)
            if (rule->needs[by] & 1u << k)
                add_need(body, segment, LLVMGetOperand(value, k));
        if (rule->needs[by] & CC_RULE_RESULT)
            add_need(body, segment, value);
    }
}

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
    case CC_CALL_WRITTEN:
    case CC_CALL_CHANGED: needs_of_operands(body, segment, call, 3); break;
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

/* Its address; and that from which it was loaded, where the run time may ask for it. */
static void needs_of_store(cc_body *body, cc_segment *segment, LLVMValueRef store) {
    needs_of_operands(body, segment, store, 2);
    LLVMValueRef loaded =
        cc_parts_may(body->unit, store) ? cc_parts_loaded(body->unit, store, cc_varied_in, body) : NULL;
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
        if (item->bits[i].kind != CC_BITS_SCALED)
            continue;
        add_need(body, segment, item->value);
        add_need(body, segment, item->bits[i].root);
    }
}

/* ---- Where a value comes from ---- */

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

static bool done_again(const cc_item *item) {
    return integer_operation(item->opcode) || item->opcode == LLVMFCmp || cc_rule_cheap(item->value);
}

/* The outermost counted loop around `block` in which the item does not change; -1: none. */
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

/* How long a chain of integer operations gives the value in this block without any tape; NOT_FREE when none does.
 * Remembered for one block at a time. */
static int free_chain(cc_body *body, LLVMValueRef value, int block) {
    int x = cc_item_find(body, value);
    if (x < 0)
        return 0;
    const cc_item *item = &body->items[x];
    if (steps_back(body, item, block) || invariant_in(body, item, block) >= 0)
        return 0;
    if (!integer_operation(item->opcode))
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

/* Whether a value costs no tape in this block. */
static bool is_free(cc_body *body, LLVMValueRef value, int block) {
    return free_chain(body, value, block) != NOT_FREE;
}

LLVMValueRef cc_induction_start(const cc_body *body, const cc_item *item) {
    return cc_incoming(item->value, body->blocks[body->loops[item->induction].before].block);
}

/* In a strip it follows from the one of the loop around that it starts with. */
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

enum { NO_LEAF = -1, MANY_LEAVES = -2 };

/* The one value, itself no integer operation, that the value follows from beside what is free: an index, or a pointer
 * to a struct whose members are used. */
static int lone_leaf(cc_body *body, LLVMValueRef value, int block, int depth) {
    int x = cc_item_find(body, value);
    if (x < 0 || is_free(body, value, block))
        return NO_LEAF;
    if (!integer_operation(body->items[x].opcode))
        return x;
    int found = depth > 0 ? NO_LEAF : MANY_LEAVES;
    for (unsigned k = 0; k < cc_operand_count(value) && found != MANY_LEAVES; k++) {
        int leaf = lone_leaf(body, LLVMGetOperand(value, k), block, depth - 1);
        if (leaf != NO_LEAF)
            found = found == NO_LEAF || found == leaf ? leaf : MANY_LEAVES;
    }
    return found;
}

static bool cheaper_by_leaf(cc_body *body, const cc_item *item, int block) {
    if (!integer_operation(item->opcode))
        return false;
    int leaf = lone_leaf(body, item->value, block, 6);
    return leaf >= 0 && LLVMABISizeOfType(body->unit->layout, LLVMTypeOf(body->items[leaf].value)) <=
                            LLVMABISizeOfType(body->unit->layout, LLVMTypeOf(item->value));
}

/* `there` says of each item of the segment whether it will be there without being recorded for its own sake: it can be
 * done again from what is there. */
static cc_source choose_source(cc_body *body, const cc_segment *segment, cc_item *item, const bool *there) {
    int block = segment->block, loop = invariant_in(body, item, block);
    if (steps_back(body, item, block))
        return CC_SOURCE_INDUCTION;
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
    if (x >= segment->first && x <= segment->last && there[x - segment->first])
        return CC_SOURCE_AGAIN;
    return cheaper_by_leaf(body, item, block) ? CC_SOURCE_AGAIN : CC_SOURCE_TAPE;
}

static void resolve(cc_body *body, cc_segment *segment, LLVMValueRef value, const bool *there) {
    int x = cc_item_find(body, value);
    if (x < 0)
        return;
    add_need(body, segment, value);
    cc_need *need = cc_need_find(segment, x);
    if (need->source != CC_SOURCE_UNKNOWN)
        return;
    cc_item *item = &body->items[x];
    cc_source source = need->source = choose_source(body, segment, item, there);
    if (source == CC_SOURCE_INDUCTION)
        keep_induction(body, item);
    else if (source == CC_SOURCE_INVARIANT)
        keep_invariant(body, item, invariant_in(body, item, segment->block));
    else if (source == CC_SOURCE_AGAIN)
        for (unsigned k = 0; k < cc_operand_count(value); k++)
            resolve(body, segment, LLVMGetOperand(value, k), there);
}

/* In order of execution: an operation can be done again when each operand is free, can be done again, or is needed
 * anyway. */
static bool *find_there(cc_body *body, const cc_segment *segment) {
    int count = segment->last - segment->first + 1;
    bool *there = cc_alloc(body->unit, (size_t)(count > 0 ? count : 1), sizeof *there);
    for (int i = 0; i < count; i++) {
        const cc_item *item = &body->items[segment->first + i];
        if (!done_again(item))
            continue;
        bool all = true;
        for (unsigned k = 0; k < cc_operand_count(item->value) && all; k++) {
            LLVMValueRef operand = LLVMGetOperand(item->value, k);
            int x = cc_item_find(body, operand);
            if (x < 0 || is_free(body, operand, segment->block))
                continue;
            bool inside = x >= segment->first && x < segment->first + i;
            all = cc_need_find(segment, x) || (inside && there[x - segment->first]);
        }
        there[i] = all;
    }
    return there;
}

/* ---- Joins ---- */

/* Whether control that took the branch to `to` can only come to `join` through its predecessor k. */
static bool leads_through(const cc_body *body, int from, int to, int join, int k) {
    int through = body->blocks[join].predecessors[k];
    return to == join ? through == from : body->blocks[to].predecessor_count == 1 && cc_dominates(body, to, through);
}

/* Whether control can come from `join` back to it without passing `from`: in a loop that has several entries. */
static bool comes_again(cc_body *body, int join, int from) {
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

/* A join of two ways that part at the branch of its dominator: the branch's condition says which was taken. */
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
            is_free(body, LLVMGetCondition(branch), segment->block) && !comes_again(body, segment->block, from)) {
            segment->condition = LLVMGetCondition(branch);
            segment->when_true = k;
            return;
        }
}

static bool is_header(const cc_body *body, int b) {
    int loop = body->blocks[b].loop;
    return loop >= 0 && body->loops[loop].counted && body->loops[loop].header == b;
}

static void plan_segment(cc_body *body, cc_segment *segment) {
    const cc_block *block = &body->blocks[segment->block];
    if (segment - body->segments == block->first_segment && !is_header(body, segment->block) && !block->safepoint)
        find_condition(body, segment);
    if (segment->condition)
        add_need(body, segment, segment->condition);
    for (int x = segment->first; x <= segment->last; x++)
        needs_of_item(body, segment, &body->items[x]);
    if (segment->call >= 0 && body->items[segment->call].call == CC_CALL_CUSTOM)
        needs_of_operands(body, segment, body->items[segment->call].value, UINT32_MAX);
    bool *there = find_there(body, segment);
    size_t wanted = segment->need_count;
    for (size_t i = 0; i < wanted; i++)
        resolve(body, segment, body->items[segment->needs[i].item].value, there);
}

/* ---- Safepoints ---- */

static bool has_followed_call(const cc_body *body, const cc_loop *loop) {
    for (int s = 0; s < body->segment_count; s++)
        if (body->segments[s].call >= 0 && (!loop || loop->contains[body->segments[s].block]))
            return true;
    return false;
}

/* Every cycle has one but for loops that record little: a loop in its header, or between its strips; control flow that
 * is no loop where it goes back. */
static void place_safepoints(cc_body *body) {
    for (int l = 0; l < body->loop_count; l++) {
        const cc_loop *loop = &body->loops[l];
        if (loop->counted && loop->left && !loop->brief)
            body->blocks[loop->again >= 0 ? loop->again : loop->header].safepoint = true;
    }
    for (int b = 0; b < body->block_count; b++)
        for (int k = 0; k < body->blocks[b].successor_count; k++) {
            int to = body->blocks[b].successors[k];
            if (body->blocks[to].order <= body->blocks[b].order && !is_header(body, to))
                body->blocks[to].safepoint = true;
        }
    body->blocks[0].safepoint = !body->function->whole && (body->loop_count > 0 || has_followed_call(body, NULL));
}

static LLVMTypeRef predecessor_type(const cc_body *body, int b) {
    return body->blocks[b].predecessor_count > 256 ? body->unit->i32 : body->unit->i8;
}

static bool has_predecessor(const cc_body *body, int b) {
    const cc_block *block = &body->blocks[b];
    return block->predecessor_count > 1 && !is_header(body, b) && !body->segments[block->first_segment].condition;
}

/* ---- Records ---- */

static void add_field(cc_body *body, cc_segment *segment, cc_field field) {
    cc_reserve(body->unit, &segment->fields, &segment->field_capacity, segment->field_count + 1,
               sizeof *segment->fields);
    segment->fields[segment->field_count++] = field;
}

bool cc_leaves_loop(const cc_body *body, const cc_loop *loop, int block) {
    return loop->counted && !loop->contains[block] && body->blocks[block].predecessor_count > 0 &&
           loop->contains[body->blocks[block].predecessors[0]];
}

/* Of a loop that was left in strips, one number tells both counters; between two strips it is known. */
static void field_of_count(cc_body *body, cc_segment *segment, int l) {
    const cc_loop *loop = &body->loops[l];
    if (loop->again >= 0 || (loop->around >= 0 && !cc_leaves_loop(body, &body->loops[loop->around], segment->block)))
        return;
    add_field(body, segment, (cc_field){CC_FIELD_COUNT, -1, l, loop->count_slot, body->unit->i64, 0});
}

/* Whether the last value follows from the counter. */
static bool known_last(const cc_body *body, const cc_item *item) {
    return body->loops[item->induction].around >= 0 || LLVMIsAConstantInt(cc_induction_start(body, item));
}

static void fields_of_left_loops(cc_body *body, cc_segment *segment) {
    for (int l = 0; l < body->loop_count; l++) {
        cc_loop *loop = &body->loops[l];
        if (!cc_leaves_loop(body, loop, segment->block))
            continue;
        field_of_count(body, segment, l);
        for (int i = 0; i < loop->induction_count; i++) {
            const cc_item *item = &body->items[loop->inductions[i]];
            if (!known_last(body, item))
                add_field(body, segment,
                          (cc_field){CC_FIELD_SLOT, loop->inductions[i], l, item->induction_slot,
                                     LLVMTypeOf(item->value), 0});
        }
        for (int i = 0; i < loop->invariant_count; i++) {
            const cc_item *item = &body->items[loop->invariants[i]];
            add_field(
                body, segment,
                (cc_field){CC_FIELD_SLOT, loop->invariants[i], l, item->invariant_slot, LLVMTypeOf(item->value), 0});
        }
    }
}

static void fields_of_segment(cc_body *body, int s) {
    cc_segment *segment = &body->segments[s];
    const cc_block *block = &body->blocks[segment->block];
    if (s == block->first_segment) {
        fields_of_left_loops(body, segment);
        if (has_predecessor(body, segment->block))
            add_field(body, segment,
                      (cc_field){CC_FIELD_PREDECESSOR, -1, -1, -1, predecessor_type(body, segment->block), 0});
    } else if (body->items[body->segments[s - 1].call].call == CC_CALL_FOLLOWED &&
               !cc_callee(body->items[body->segments[s - 1].call].value))
        add_field(body, segment, (cc_field){CC_FIELD_CALLEE, -1, -1, -1, body->unit->pointer, 0});
    for (size_t i = 0; i < segment->need_count; i++) {
        cc_need *need = &segment->needs[i];
        if (need->source != CC_SOURCE_TAPE)
            continue;
        need->field = (int)segment->field_count;
        add_field(body, segment,
                  (cc_field){CC_FIELD_NEED, need->item, -1, -1, LLVMTypeOf(body->items[need->item].value), 0});
    }
}

/* Wide fields first, so that nothing is padded but the end. */
static void lay_out(cc_body *body, cc_segment *segment) {
    unsigned offset = 0;
    for (unsigned width = 16; width >= 1; width /= 2)
        for (size_t i = 0; i < segment->field_count; i++) {
            uint64_t size = LLVMABISizeOfType(body->unit->layout, segment->fields[i].type);
            unsigned class = size >= 16 ? 16 : size >= 8 ? 8 : size >= 4 ? 4 : size >= 2 ? 2 : 1;
            if (class != width)
                continue;
            segment->fields[i].offset = offset;
            offset += (unsigned)size;
            offset = (offset + width - 1) / width * width;
        }
    segment->size = (offset + 7) / 8 * 8;
}

/* ---- Idle loops ---- */

static bool records(const cc_body *body, int b) {
    for (int s = body->blocks[b].first_segment; s <= body->blocks[b].last_segment; s++)
        if (body->segments[s].size > 0 || body->segments[s].call >= 0)
            return true;
    return false;
}

/* Whether control can come from a block back to it without recording anything. */
static bool is_idle(cc_body *body, int b) {
    int *stack = cc_alloc(body->unit, (size_t)body->block_count + 1, sizeof *stack);
    bool *seen = cc_alloc(body->unit, (size_t)body->block_count, sizeof *seen);
    int depth = 0;
    stack[depth++] = b;
    while (depth > 0) {
        const cc_block *block = &body->blocks[stack[--depth]];
        for (int k = 0; !records(body, stack[depth]) && k < block->successor_count; k++) {
            int to = block->successors[k];
            if (to == b)
                return true;
            if (!seen[to])
                stack[depth++] = to;
            seen[to] = true;
        }
    }
    return false;
}

void cc_plan(cc_body *body) {
    body->free_chains = cc_alloc(body->unit, (size_t)body->item_count + 1, sizeof *body->free_chains);
    body->free_block = -1;
    place_adjoints(body);
    for (int l = 0; l < body->loop_count; l++) {
        body->loops[l].inductions = cc_alloc(body->unit, (size_t)body->item_count, sizeof(int));
        body->loops[l].invariants = cc_alloc(body->unit, (size_t)body->item_count, sizeof(int));
    }
    place_safepoints(body);
    for (int s = 0; s < body->segment_count; s++)
        plan_segment(body, &body->segments[s]);
    for (int l = 0; l < body->loop_count; l++)
        if (body->loops[l].counted && body->loops[l].left)
            body->loops[l].count_slot = new_slot(body, body->unit->i64, false);
    for (int s = 0; s < body->segment_count; s++) {
        fields_of_segment(body, s);
        lay_out(body, &body->segments[s]);
    }
    for (int b = 0; b < body->block_count; b++) {
        cc_block *block = &body->blocks[b];
        block->idle = block->safepoint && is_idle(body, b);
        if (block->safepoint && has_predecessor(body, b))
            block->predecessor_slot = new_slot(body, predecessor_type(body, b), false);
    }
}
