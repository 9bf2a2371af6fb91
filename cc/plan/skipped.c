/* See skipped.h. */
#include "cc/plan/skipped.h"

#include "cc/plan/plan.h"

/* Returns the iteration in which the condition of a branch has the given value, if that is a single one. */
static cc_skipped iteration_of(const cc_body *body, int nest, LLVMValueRef condition, bool value) {
    cc_skipped none = {NULL, NULL};
    LLVMIntPredicate equal = value ? LLVMIntEQ : LLVMIntNE;
    if (!LLVMIsAICmpInst(condition) || LLVMGetICmpPredicate(condition) != equal)
        return none;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef variable = LLVMGetOperand(condition, k), at = LLVMGetOperand(condition, 1 - k);
        int x = cc_item_find(body, variable);
        if (x >= 0 && body->items[x].induction == nest && cc_is_outside(body, nest, at) &&
            LLVMGetTypeKind(LLVMTypeOf(at)) == LLVMIntegerTypeKind)
            return (cc_skipped){variable, at};
    }
    return none;
}

/* Returns the iteration that a branch keeps from reaching the block. */
static cc_skipped skipped_by(const cc_body *body, int nest, int branch, int block) {
    cc_skipped skipped = {NULL, NULL};
    LLVMValueRef end = body->items[body->blocks[branch].last].value;
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end))
        return skipped;
    for (unsigned k = 0; k < 2 && !skipped.at; k++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(end, k);
        int taken = (int)cc_map_get(&body->block_of, to);
        if (LLVMGetSuccessor(end, 1 - k) != to && body->blocks[taken].predecessor_count == 1 &&
            cc_dominates(body, taken, block))
            skipped = iteration_of(body, nest, LLVMGetCondition(end), k == 1);
    }
    return skipped;
}

cc_skipped cc_skipped_iteration(const cc_body *body, int nest, int block) {
    cc_skipped skipped = {NULL, NULL};
    int header = body->loops[nest].header;
    for (int b = block; b >= 0 && b != header && !skipped.at; b = body->blocks[b].dominator)
        skipped = skipped_by(body, nest, body->blocks[b].dominator, block);
    return skipped;
}

LLVMValueRef cc_number_of_skipped(cc_reach *reach, cc_skipped skipped) {
    cc_unit *unit = reach->body->unit;
    const cc_item *item = &reach->body->items[cc_item_find(reach->body, skipped.item)];
    int64_t step = LLVMConstIntGetSExtValue(item->step);
    LLVMValueRef next = cc_induction_next(reach->body, item), start = cc_induction_start(reach->body, item);
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(skipped.at));
    if ((step != 1 && step != -1) || width > 64 || (width < 64 && !LLVMGetNSW(next)))
        return NULL;
    start = LLVMBuildIntCast2(unit->builder, start, unit->i64, true, "");
    LLVMValueRef at = LLVMBuildIntCast2(unit->builder, skipped.at, unit->i64, true, "");
    return step > 0 ? cc_difference_within(unit, at, start) : cc_difference_within(unit, start, at);
}
