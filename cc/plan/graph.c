/* Makes the body of a function: items, blocks, dominators, natural loops, induction variables, segments.
 *
 * LLVM's C interface offers none of these analyses, and little is needed: dominators by Cooper, Harvey and
 * Kennedy's iteration over reverse postorder, loops by walking back from the latches. Relies on LLVM's
 * loop-simplify: a loop with one entry, one back edge and exit blocks of its own is `counted`; the blocks of all
 * other loops are treated like blocks outside of loops. */
#include "cc/ir/leaves.h"
#include "cc/plan/body.h"

#include <string.h>

int cc_item_find(const cc_body *body, LLVMValueRef value) {
    return (int)cc_map_get(&body->item_of, value);
}

static void add_item(cc_body *body, LLVMValueRef value, int block) {
    cc_item *item = &body->items[body->item_count];
    *item = (cc_item){.value = value,
                      .opcode = block < 0 ? 0 : LLVMGetInstructionOpcode(value),
                      .block = block,
                      .segment = -1,
                      .slot = -1,
                      .induction = -1,
                      .recurrence = -1,
                      .induction_slot = -1,
                      .invariant_slot = -1,
                      .deferred = -1,
                      .range = -1,
                      .roll = -1,
                      .leaves = cc_leaf_count(body->unit, LLVMTypeOf(value))};
    if (item->opcode == LLVMCall)
        item->call = cc_call_kind_of(body->unit, value);
    cc_map_put(body->unit, &body->item_of, value, (size_t)body->item_count++);
}

static void number_items(cc_body *body) {
    LLVMValueRef function = body->function->value;
    size_t count = LLVMCountParams(function);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            count++;
    body->items = cc_alloc(body->unit, count, sizeof *body->items);
    body->parameter_count = (int)LLVMCountParams(function);
    for (int p = 0; p < body->parameter_count; p++)
        add_item(body, LLVMGetParam(function, (unsigned)p), -1);
    body->blocks = cc_alloc(body->unit, LLVMCountBasicBlocks(function), sizeof *body->blocks);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        cc_block *block = &body->blocks[body->block_count];
        *block = (cc_block){
            .block = b, .first = body->item_count, .dominator = -1, .order = -1, .loop = -1, .predecessor_slot = -1};
        cc_map_put(body->unit, &body->block_of, b, (size_t)body->block_count);
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            add_item(body, i, body->block_count);
        block->last = body->item_count - 1;
        body->block_count++;
    }
}

static bool contains(const int *list, int count, int wanted) {
    for (int i = 0; i < count; i++)
        if (list[i] == wanted)
            return true;
    return false;
}

static void find_edges(cc_body *body) {
    size_t *capacity = cc_alloc(body->unit, (size_t)body->block_count, sizeof *capacity);
    for (int b = 0; b < body->block_count; b++) {
        cc_block *block = &body->blocks[b];
        LLVMValueRef end = body->items[block->last].value;
        unsigned count = LLVMGetNumSuccessors(end);
        block->successors = cc_alloc(body->unit, count + 1, sizeof *block->successors);
        for (unsigned k = 0; k < count; k++) {
            int to = (int)cc_map_get(&body->block_of, LLVMGetSuccessor(end, k));
            if (contains(block->successors, block->successor_count, to))
                continue;
            block->successors[block->successor_count++] = to;
            cc_block *target = &body->blocks[to];
            cc_reserve(body->unit, &target->predecessors, &capacity[to], (size_t)target->predecessor_count + 1,
                       sizeof *target->predecessors);
            target->predecessors[target->predecessor_count++] = b;
        }
        if (LLVMGetInstructionOpcode(end) == LLVMRet)
            body->returns = b;
    }
}

/* Puts the blocks in reverse postorder into `ordered` and sets their `order`; unreachable blocks are left out.
 * Returns the number of reachable blocks. */
static int order_blocks(cc_body *body, int *ordered) {
    int *stack = cc_alloc(body->unit, (size_t)body->block_count + 1, sizeof *stack);
    int *next = cc_alloc(body->unit, (size_t)body->block_count, sizeof *next);
    bool *seen = cc_alloc(body->unit, (size_t)body->block_count, sizeof *seen);
    int depth = 1, done = 0;
    stack[0] = 0;
    seen[0] = true;
    while (depth > 0) {
        int b = stack[depth - 1];
        if (next[b] < body->blocks[b].successor_count) {
            int to = body->blocks[b].successors[next[b]++];
            if (!seen[to]) {
                seen[to] = true;
                stack[depth++] = to;
            }
            continue;
        }
        ordered[done++] = b;
        depth--;
    }
    for (int i = 0; i < done / 2; i++) {
        int swap = ordered[i];
        ordered[i] = ordered[done - 1 - i];
        ordered[done - 1 - i] = swap;
    }
    for (int i = 0; i < done; i++)
        body->blocks[ordered[i]].order = i;
    return done;
}

/* Returns the nearest common dominator of two blocks. */
static int meet(const cc_body *body, int a, int b) {
    while (a != b) {
        while (body->blocks[a].order > body->blocks[b].order)
            a = body->blocks[a].dominator;
        while (body->blocks[b].order > body->blocks[a].order)
            b = body->blocks[b].dominator;
    }
    return a;
}

static void find_dominators(cc_body *body) {
    int *ordered = cc_alloc(body->unit, (size_t)body->block_count, sizeof *ordered);
    int count = order_blocks(body, ordered);
    body->blocks[0].dominator = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 1; i < count; i++) {
            cc_block *block = &body->blocks[ordered[i]];
            int found = -1;
            for (int k = 0; k < block->predecessor_count; k++) {
                int p = block->predecessors[k];
                if (body->blocks[p].dominator >= 0)
                    found = found < 0 ? p : meet(body, p, found);
            }
            if (found != block->dominator) {
                block->dominator = found;
                changed = true;
            }
        }
    }
    body->blocks[0].dominator = -1;
}

bool cc_dominates(const cc_body *body, int above, int block) {
    while (block >= 0 && block != above)
        block = body->blocks[block].dominator;
    return block == above;
}

/* Sets loop->contains: the blocks from which a latch is reached without passing the header. */
static void fill_loop(cc_body *body, cc_loop *loop) {
    int *stack = cc_alloc(body->unit, (size_t)body->block_count + 1, sizeof *stack);
    int depth = 0;
    loop->contains[loop->header] = true;
    const cc_block *header = &body->blocks[loop->header];
    for (int k = 0; k < header->predecessor_count; k++) {
        int p = header->predecessors[k];
        if (cc_dominates(body, loop->header, p) && !loop->contains[p]) {
            loop->contains[p] = true;
            stack[depth++] = p;
        }
    }
    while (depth > 0) {
        const cc_block *block = &body->blocks[stack[--depth]];
        for (int k = 0; k < block->predecessor_count; k++) {
            int p = block->predecessors[k];
            if (!loop->contains[p]) {
                loop->contains[p] = true;
                stack[depth++] = p;
            }
        }
    }
}

/* Returns the number of predecessors of `block` that are inside the loop; 0 if the block itself is inside. */
static int entered_from(const cc_body *body, const cc_loop *loop, int block) {
    int inside = 0;
    for (int k = 0; k < body->blocks[block].predecessor_count; k++)
        inside += loop->contains[body->blocks[block].predecessors[k]];
    return loop->contains[block] ? 0 : inside;
}

static void classify_loop(cc_body *body, cc_loop *loop, int latches) {
    const cc_block *header = &body->blocks[loop->header];
    loop->counted = latches == 1 && header->predecessor_count == 2;
    if (loop->counted)
        loop->before = header->predecessors[0] == loop->latch ? header->predecessors[1] : header->predecessors[0];
    for (int b = 0; b < body->block_count; b++) {
        int inside = entered_from(body, loop, b);
        loop->left |= inside > 0;
        if (inside > 0 && inside != body->blocks[b].predecessor_count)
            loop->counted = false;
    }
}

static void find_loops(cc_body *body) {
    size_t capacity = 0;
    for (int h = 0; h < body->block_count; h++) {
        int latches = 0, latch = -1;
        for (int k = 0; k < body->blocks[h].predecessor_count; k++)
            if (cc_dominates(body, h, body->blocks[h].predecessors[k])) {
                latches++;
                latch = body->blocks[h].predecessors[k];
            }
        if (latches == 0 || body->blocks[h].order < 0)
            continue;
        cc_reserve(body->unit, &body->loops, &capacity, (size_t)body->loop_count + 1, sizeof *body->loops);
        cc_loop *loop = &body->loops[body->loop_count++];
        *loop = (cc_loop){
            .header = h, .latch = latch, .before = -1, .parent = -1, .around = -1, .again = -1, .count_slot = -1};
        loop->contains = cc_alloc(body->unit, (size_t)body->block_count, sizeof *loop->contains);
        fill_loop(body, loop);
        classify_loop(body, loop, latches);
    }
}

/* Finds the innermost loop of each block and the parent of each loop: a loop is inside another that contains its
 * header. */
static void nest_loops(cc_body *body) {
    for (int l = 0; l < body->loop_count; l++)
        for (int b = 0; b < body->block_count; b++) {
            int *inner = &body->blocks[b].loop;
            if (body->loops[l].contains[b] && (*inner < 0 || body->loops[*inner].contains[body->loops[l].header]))
                *inner = l;
        }
    for (int l = 0; l < body->loop_count; l++) {
        cc_loop *loop = &body->loops[l];
        for (int m = 0; m < body->loop_count; m++)
            if (m != l && body->loops[m].contains[loop->header] &&
                (loop->parent < 0 || body->loops[loop->parent].contains[body->loops[m].header]))
                loop->parent = m;
    }
    for (int l = 0; l < body->loop_count; l++)
        for (int m = body->loops[l].parent; m >= 0; m = body->loops[m].parent)
            body->loops[l].depth++;
}

LLVMValueRef cc_incoming(LLVMValueRef phi, LLVMBasicBlockRef from) {
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (LLVMGetIncomingBlock(phi, k) == from)
            return LLVMGetIncomingValue(phi, k);
    return NULL;
}

/* If phi(start, phi + constant) is an induction variable (an integer, or a pointer), returns its step, of a pointer
 * in bytes; else NULL. */
static LLVMValueRef induction_step(const cc_body *body, const cc_loop *loop, LLVMValueRef phi) {
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(phi));
    LLVMValueRef next = cc_incoming(phi, body->blocks[loop->latch].block);
    if (!next || !LLVMIsAInstruction(next) || LLVMGetNumOperands(next) != 2 || LLVMGetOperand(next, 0) != phi ||
        !LLVMIsAConstantInt(LLVMGetOperand(next, 1)))
        return NULL;
    LLVMValueRef step = LLVMGetOperand(next, 1);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(next);
    if (kind == LLVMIntegerTypeKind && opcode == LLVMAdd)
        return step;
    if (kind != LLVMPointerTypeKind || opcode != LLVMGetElementPtr)
        return NULL;
    uint64_t size = LLVMABISizeOfType(body->unit->layout, LLVMGetGEPSourceElementType(next));
    return cc_i64(body->unit, LLVMConstIntGetSExtValue(step) * (int64_t)size);
}

static void find_inductions(cc_body *body) {
    for (int l = 0; l < body->loop_count; l++) {
        const cc_loop *loop = &body->loops[l];
        if (!loop->counted)
            continue;
        for (int x = body->blocks[loop->header].first; body->items[x].opcode == LLVMPHI; x++) {
            LLVMValueRef step = induction_step(body, loop, body->items[x].value);
            if (step) {
                body->items[x].induction = l;
                body->items[x].step = step;
            }
        }
    }
}

static bool ends_segment(const cc_item *item) {
    return item->opcode == LLVMCall && (item->call == CC_CALL_FOLLOWED || item->call == CC_CALL_CUSTOM);
}

static void cut_segments(cc_body *body) {
    size_t count = (size_t)body->block_count;
    for (int x = 0; x < body->item_count; x++)
        count += ends_segment(&body->items[x]);
    body->segments = cc_alloc(body->unit, count, sizeof *body->segments);
    for (int b = 0; b < body->block_count; b++) {
        cc_block *block = &body->blocks[b];
        block->first_segment = body->segment_count;
        cc_segment *segment = &body->segments[body->segment_count++];
        *segment = (cc_segment){.block = b, .first = block->first, .call = -1};
        for (int x = block->first; x <= block->last; x++) {
            body->items[x].segment = body->segment_count - 1;
            if (!ends_segment(&body->items[x]))
                continue;
            segment->last = x - 1;
            segment->call = x;
            segment = &body->segments[body->segment_count++];
            *segment = (cc_segment){.block = b, .first = x + 1, .call = -1};
        }
        segment->last = block->last;
        block->last_segment = body->segment_count - 1;
    }
}

static bool calls_itself(const cc_body *body) {
    for (int s = 0; s < body->segment_count; s++) {
        int call = body->segments[s].call;
        if (call >= 0 && cc_callee(body->items[call].value) == body->function->value)
            return true;
    }
    return false;
}

bool cc_leads_through(const cc_body *body, int from, int to, int join, int through) {
    return to == join ? through == from : body->blocks[to].predecessor_count == 1 && cc_dominates(body, to, through);
}

bool cc_repeats(const cc_body *body, int block) {
    return !body->quick && (body->blocks[block].loop >= 0 || body->calls_itself);
}

cc_body *cc_body_new(cc_unit *unit, cc_function *function) {
    cc_body *body = cc_alloc(unit, 1, sizeof *body);
    body->unit = unit;
    body->function = function;
    body->returns = -1;
    number_items(body);
    find_edges(body);
    find_dominators(body);
    find_loops(body);
    nest_loops(body);
    find_inductions(body);
    cut_segments(body);
    body->calls_itself = calls_itself(body);
    return body;
}
