/* Moves loads to before loops: see hoist.h. */
#include "cc/plan/hoist.h"

#include "cc/ir/surgery.h"
#include "cc/ir/tags.h"
#include "cc/plan/extent.h"
#include "cc/plan/groups.h"
#include "cc/plan/overlap.h"

/* Returns whether block `b` is executed whenever the loop is entered. */
static bool is_certain(const cc_body *body, const cc_loop *loop, int b) {
    for (int c = 0; c < body->block_count; c++)
        for (int k = 0; loop->contains[c] && k < body->blocks[c].successor_count; k++) {
            int to = body->blocks[c].successors[k];
            if ((!loop->contains[to] || to == loop->header) && !cc_dominates(body, b, c))
                return false;
        }
    return true;
}

static bool writes_to(const cc_body *body, const cc_loop *loop, LLVMValueRef load) {
    for (int x = 0; x < body->item_count; x++) {
        const cc_item *item = &body->items[x];
        if (item->block < 0 || !loop->contains[item->block])
            continue;
        if (item->opcode == LLVMStore ? !cc_never_overlap(body->unit, load, item->value) : cc_may_write(item))
            return true;
    }
    return false;
}

static bool can_hoist(const cc_body *body, int l, const cc_item *item) {
    const cc_loop *loop = &body->loops[l];
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(item->value));
    return item->opcode == LLVMLoad && (kind == LLVMPointerTypeKind || kind == LLVMIntegerTypeKind) &&
           cc_is_plain(item->value) && cc_class_of(body->unit, item->value) == CC_CLASS_NOTHING &&
           cc_is_outside(body, l, LLVMGetOperand(item->value, 0)) && is_certain(body, loop, item->block) &&
           !writes_to(body, loop, item->value);
}

/* Moves loads to before a loop. Returns whether it found any. */
static bool hoist_from(cc_body *body, int l) {
    const cc_loop *loop = &body->loops[l];
    bool any = false;
    if (!loop->counted || body->blocks[loop->before].successor_count != 1)
        return false;
    for (int x = 0; x < body->item_count; x++) {
        cc_item *item = &body->items[x];
        if (item->block < 0 || !loop->contains[item->block] || !can_hoist(body, l, item))
            continue;
        cc_build_before(body->unit, LLVMGetBasicBlockTerminator(body->blocks[loop->before].block));
        LLVMInstructionRemoveFromParent(item->value);
        LLVMInsertIntoBuilder(body->unit->builder, item->value);
        item->block = loop->before;
        any = true;
    }
    return any;
}

void cc_hoist_loads(cc_unit *unit, cc_function *function) {
    cc_body *body = cc_body_new(unit, function);
    for (bool changed = true; changed;) {
        changed = false;
        for (int l = 0; l < body->loop_count; l++)
            changed |= hoist_from(body, l);
    }
}
