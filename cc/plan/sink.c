/* Moves stores to after loops: see sink.h. */
#include "cc/plan/sink.h"

#include "cc/ir/surgery.h"
#include "cc/plan/distance.h"
#include "cc/plan/extent.h"
#include "cc/plan/overlap.h"

#include <string.h>

typedef struct sinking {
    cc_body *body;
    const cc_ranges *ranges;
    cc_map range_of; /* load -> range that nothing in its loop writes to */
} sinking;

/* Returns the only edge out of a loop, if it leads to a block that nothing else leads to: its block in the loop, and in
 * *exit the other; -1: there is none. */
static int way_out(const cc_body *body, const cc_loop *loop, int *exit) {
    int from = -1;
    for (int b = 0; b < body->block_count; b++)
        for (int k = 0; loop->contains[b] && k < body->blocks[b].successor_count; k++) {
            int to = body->blocks[b].successors[k];
            if (loop->contains[to])
                continue;
            if (from >= 0 || body->blocks[to].predecessor_count != 1)
                return -1;
            from = b;
            *exit = to;
        }
    return from;
}

/* Returns whether a load reads from a copy of which nothing in the loop changes the original. */
static bool is_copied(const sinking *s, int l, LLVMValueRef access) {
    ptrdiff_t found = cc_map_get(&s->range_of, access);
    if (found == CC_NOT_FOUND)
        return false;
    ptrdiff_t header = cc_map_get(&s->body->block_of, s->ranges->all[found].header);
    int around = header < 0 ? -1 : s->body->blocks[header].loop;
    return around >= 0 && s->body->loops[around].contains[s->body->loops[l].header];
}

/* Returns whether an item of the loop certainly leaves alone what a store writes. */
static bool leaves_alone(const sinking *s, int l, const cc_item *item, LLVMValueRef store) {
    const cc_body *body = s->body;
    LLVMValueRef there = LLVMGetOperand(store, 1), access = item->value;
    bool pure = item->call == CC_CALL_RULE;
    int64_t size = (int64_t)LLVMStoreSizeOfType(body->unit->layout, LLVMTypeOf(LLVMGetOperand(store, 0)));
    switch (item->opcode) {
    case LLVMLoad:
    case LLVMStore: break;
    case LLVMCall:
        for (unsigned k = 0; k < LLVMGetNumArgOperands(access); k++)
            pure &= LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(access, k))) != LLVMPointerTypeKind;
        return pure || strncmp(cc_callee_name(access), "llvm.dbg.", strlen("llvm.dbg.")) == 0;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMVAArg:
    case LLVMInvoke:
    case LLVMFence:
    case LLVMAlloca: return false;
    default: return true;
    }
    if (!cc_is_plain(access))
        return false;
    LLVMValueRef address = LLVMGetOperand(access, item->opcode == LLVMLoad ? 0 : 1);
    return is_copied(s, l, access) || cc_never_overlap(body->unit, access, store) ||
           cc_is_never_at(body, l, access, there, size) ||
           cc_are_apart(cc_extent_root(body, l, address), cc_extent_root(body, l, there));
}

static bool is_number(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMDoubleTypeKind || LLVMGetTypeKind(type) == LLVMFloatTypeKind;
}

/* Returns whether the store, which is in block `b`, can be moved to after the loop. */
static bool can_sink(const sinking *s, int l, int from, int b, LLVMValueRef store) {
    const cc_body *body = s->body;
    const cc_loop *loop = &body->loops[l];
    if (!cc_is_plain(store) || !is_number(LLVMTypeOf(LLVMGetOperand(store, 0))) || !cc_dominates(body, b, from) ||
        !cc_is_outside(body, l, LLVMGetOperand(store, 1)))
        return false;
    for (int c = 0; c < body->block_count; c++)
        for (int x = body->blocks[c].first; loop->contains[c] && x <= body->blocks[c].last; x++)
            if (body->items[x].value != store && !leaves_alone(s, l, &body->items[x], store))
                return false;
    return true;
}

static void sink(const cc_body *body, int from, int exit, LLVMValueRef store) {
    LLVMValueRef value = LLVMGetOperand(store, 0), at = LLVMGetFirstInstruction(body->blocks[exit].block);
    cc_build_before(body->unit, at);
    LLVMValueRef last = LLVMBuildPhi(body->unit->builder, LLVMTypeOf(value), "");
    LLVMAddIncoming(last, &value, &(LLVMBasicBlockRef){body->blocks[from].block}, 1);
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    LLVMInstructionRemoveFromParent(store);
    LLVMSetOperand(store, 0, last);
    cc_build_before(body->unit, at);
    LLVMInsertIntoBuilder(body->unit->builder, store);
}

/* Moves a store to after a loop. Returns whether it found one. */
static bool sink_one(const sinking *s, int l) {
    const cc_body *body = s->body;
    const cc_loop *loop = &body->loops[l];
    int exit = -1, from = loop->counted && loop->left ? way_out(body, loop, &exit) : -1;
    if (from < 0)
        return false;
    for (int b = 0; b < body->block_count; b++)
        for (int x = body->blocks[b].first; loop->contains[b] && x <= body->blocks[b].last; x++)
            if (body->items[x].opcode == LLVMStore && can_sink(s, l, from, b, body->items[x].value)) {
                sink(body, from, exit, body->items[x].value);
                return true;
            }
    return false;
}

void cc_sink_stores(cc_unit *unit, cc_function *function, const cc_ranges *ranges) {
    sinking s = {.ranges = ranges};
    for (size_t i = 0; ranges && i < ranges->count; i++)
        for (size_t k = 0; ranges->all[i].store_count == 0 && k < ranges->all[i].load_count; k++)
            cc_map_put(unit, &s.range_of, ranges->all[i].loads[k], i);
    for (bool changed = true; changed;) {
        s.body = cc_body_new(unit, function);
        changed = false;
        for (int l = 0; l < s.body->loop_count && !changed; l++)
            changed = sink_one(&s, l);
    }
}
