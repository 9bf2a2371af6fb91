/* Finds blocks that the reverse function need not pass, because there is nothing to reverse in them: no adjoint, no
 * cell, no call, no loop that begins or ends, no safepoint. Where all ways from one block to another lead through such
 * blocks only, the reversal goes back directly, and the record need not say which way the run took. Most branches of
 * interpreters and parsers are like that.
 *
 * Every cycle contains a header of a loop or a safepoint, neither of which is left out; so the blocks that are left out
 * have an order. */
#include "cc/plan/active.h"
#include "cc/plan/plan.h"

static bool item_is_reversed(const cc_body *body, const cc_item *item) {
    switch (item->opcode) {
    case LLVMStore: return item->range >= 0 || cc_store_effect_of(body, item->value) != CC_STORE_NOTHING;
    case LLVMAlloca:
    case LLVMRet: return true;
    case LLVMCall:
        return (item->call != CC_CALL_RULE && item->call != CC_CALL_PASS && item->call != CC_CALL_FREE) ||
               (item->varied && item->useful);
    default: return item->varied && item->useful;
    }
}

/* The reversal of strips begins at the latch, wherever they are left (reverse/reverse.c). */
static bool leaves_strip(const cc_body *body, int b) {
    int l = body->blocks[b].loop;
    for (int k = 0; l >= 0 && body->loops[l].around >= 0 && k < body->blocks[b].successor_count; k++)
        if (!body->loops[l].contains[body->blocks[b].successors[k]])
            return true;
    return false;
}

/* Marks blocks in which something happens to a loop. */
static void mark_loops(const cc_body *body, bool *reversed) {
    for (int l = 0; l < body->loop_count; l++) {
        const cc_loop *loop = &body->loops[l];
        if (!loop->counted)
            continue;
        reversed[loop->header] = reversed[loop->latch] = reversed[loop->before] = true;
        for (int b = 0; b < body->block_count; b++)
            reversed[b] = reversed[b] || cc_leaves_loop(body, loop, b);
    }
}

static bool *find_reversed(cc_body *body) {
    bool *reversed = cc_alloc(body->unit, (size_t)body->block_count, sizeof *reversed);
    for (int b = 0; b < body->block_count; b++) {
        const cc_block *block = &body->blocks[b];
        reversed[b] = b == 0 || block->order < 0 || block->predecessor_count == 0 || block->safepoint ||
                      leaves_strip(body, b) || block->first_segment != block->last_segment ||
                      body->segments[block->last_segment].call >= 0;
        for (int x = block->first; x <= block->last && !reversed[b]; x++)
            reversed[b] = item_is_reversed(body, &body->items[x]);
    }
    mark_loops(body, reversed);
    return reversed;
}

bool cc_has_ways(const cc_body *body, int b) {
    const cc_block *block = &body->blocks[b];
    if (block->predecessor_count < 2)
        return false;
    for (int x = block->first; x <= block->last && body->items[x].opcode == LLVMPHI; x++)
        if (body->items[x].varied && body->items[x].useful)
            return true;
    for (int k = 1; k < block->predecessor_count; k++)
        if (body->blocks[block->predecessors[k]].reversal != body->blocks[block->predecessors[0]].reversal)
            return true;
    return false;
}

static bool stays_in_loop(const cc_body *body, int b) {
    for (int k = 0; k < body->blocks[b].predecessor_count; k++)
        if (body->blocks[body->blocks[b].predecessors[k]].loop != body->blocks[b].loop)
            return false;
    return true;
}

void cc_find_shortcuts(cc_body *body) {
    const bool *reversed = find_reversed(body);
    int *at = cc_alloc(body->unit, (size_t)body->block_count, sizeof *at);
    int count = 0;
    for (int b = 0; b < body->block_count; b++) {
        body->blocks[b].reversal = b;
        if (body->blocks[b].order >= 0)
            at[body->blocks[b].order] = b;
        count += body->blocks[b].order >= 0;
    }
    for (int i = 0; i < count; i++)
        if (!reversed[at[i]] && stays_in_loop(body, at[i]) && !cc_has_ways(body, at[i]))
            body->blocks[at[i]].reversal = body->blocks[body->blocks[at[i]].predecessors[0]].reversal;
}
