/* Finds values that step back with a loop by other amounts than constants: see recurrences.h. */
#include "cc/plan/recurrences.h"

#include "cc/plan/plan.h"
#include "cc/plan/sources.h"

enum { DEPTH_MOST = 12 };

/* ---- Recurrences ---- */

static LLVMValueRef next_of(const cc_body *body, int l, LLVMValueRef phi) {
    return cc_incoming(phi, body->blocks[body->loops[l].latch].block);
}

/* Returns the place of the amount among the operands of `next`, which is phi + amount; -1 if it is not. */
static int place_of_amount(LLVMValueRef phi, LLVMValueRef next) {
    if (!next || !LLVMIsAInstruction(next) || LLVMGetNumOperands(next) != 2)
        return -1;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(next);
    LLVMValueRef first = LLVMGetOperand(next, 0), second = LLVMGetOperand(next, 1);
    bool pointer = LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMPointerTypeKind;
    if (opcode == LLVMGetElementPtr && pointer && first == phi && second != phi)
        return LLVMGetTypeKind(LLVMTypeOf(second)) == LLVMIntegerTypeKind ? 1 : -1;
    if (opcode != LLVMAdd || LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind || first == second)
        return -1;
    return first == phi ? 1 : second == phi ? 0 : -1;
}

LLVMValueRef cc_recurrence_amount(const cc_body *body, const cc_item *item) {
    LLVMValueRef next = next_of(body, item->recurrence, item->value);
    return LLVMGetOperand(next, (unsigned)place_of_amount(item->value, next));
}

LLVMValueRef cc_build_step_back(const cc_body *body, const cc_item *item, LLVMValueRef next, LLVMValueRef amount) {
    LLVMBuilderRef build = body->unit->builder;
    if (LLVMGetTypeKind(LLVMTypeOf(item->value)) != LLVMPointerTypeKind)
        return LLVMBuildSub(build, next, amount, "");
    LLVMTypeRef element = LLVMGetGEPSourceElementType(next_of(body, item->recurrence, item->value));
    LLVMValueRef back = LLVMBuildNeg(build, LLVMBuildIntCast2(build, amount, body->unit->i64, true, ""), "");
    return LLVMBuildGEP2(build, element, next, &back, 1, "");
}

/* Returns whether a value is computed without loads from copies. Where a loop goes back, those are not yet those of the
 * iteration before. */
static bool is_computed(const cc_body *body, LLVMValueRef value, int depth) {
    int x = cc_item_find(body, value);
    if (x < 0 || body->items[x].opcode == LLVMPHI)
        return true;
    if (body->items[x].range >= 0 || depth == 0)
        return false;
    for (unsigned k = 0; cc_is_integer_operation(&body->items[x]) && k < cc_operand_count(value); k++)
        if (!is_computed(body, LLVMGetOperand(value, k), depth - 1))
            return false;
    return true;
}

/* Finds those of one loop. Their amounts depend on none of the same loop, so they can step back in any order. */
static void find_in_loop(cc_body *body, int l) {
    const cc_loop *loop = &body->loops[l];
    int first = body->blocks[loop->header].first, end = first;
    while (body->items[end].opcode == LLVMPHI)
        end++;
    bool *found = cc_alloc(body->unit, (size_t)(end - first) + 1, sizeof *found);
    for (int x = first; x < end; x++) {
        LLVMValueRef phi = body->items[x].value, next = next_of(body, l, phi);
        int place = body->items[x].induction < 0 ? place_of_amount(phi, next) : -1;
        LLVMValueRef amount = place >= 0 ? LLVMGetOperand(next, (unsigned)place) : NULL;
        found[x - first] = amount && cc_is_free(body, amount, loop->latch) && is_computed(body, amount, DEPTH_MOST);
    }
    for (int x = first; x < end; x++)
        if (found[x - first])
            body->items[x].recurrence = l;
    cc_forget_free(body);
}

/* From the outside to the inside, because amounts may depend on what steps back with a loop around. In loops that are
 * divided into strips, such values are recorded. */
void cc_find_recurrences(cc_body *body) {
    for (int depth = 0; depth < body->loop_count; depth++)
        for (int l = 0; l < body->loop_count; l++) {
            const cc_loop *loop = &body->loops[l];
            if (loop->depth == depth && loop->counted && loop->left && loop->around < 0 && loop->again < 0)
                find_in_loop(body, l);
        }
}

/* ---- Starts ---- */

/* Returns whether an induction variable of the loop can be computed in all blocks to which the loop is left. */
static bool has_free_start(cc_body *body, int l, LLVMValueRef start) {
    for (int b = 0; b < body->block_count; b++)
        if (cc_leaves_loop(body, &body->loops[l], b) && (body->blocks[b].safepoint || !cc_is_free(body, start, b)))
            return false;
    return true;
}

static void plan_start(cc_body *body, int l, cc_item *item) {
    LLVMValueRef start = cc_induction_start(body, item);
    if (LLVMIsAConstantInt(start) || !has_free_start(body, l, start))
        return;
    item->from_start = true;
    for (int b = 0; b < body->block_count; b++)
        if (cc_leaves_loop(body, &body->loops[l], b))
            cc_need_free(body, &body->segments[body->blocks[b].first_segment], start);
}

/* From the inside to the outside, because outer loops may have to keep values for inner ones. */
void cc_plan_starts(cc_body *body) {
    for (int depth = body->loop_count; depth >= 0; depth--)
        for (int l = 0; l < body->loop_count; l++) {
            const cc_loop *loop = &body->loops[l];
            if (loop->depth != depth || !loop->counted || !loop->left || loop->around >= 0)
                continue;
            for (int i = 0; i < loop->induction_count; i++)
                if (body->items[loop->inductions[i]].induction == l)
                    plan_start(body, l, &body->items[loop->inductions[i]]);
        }
}
