/* Counts the iterations of loops around others that a variable ends which grows by the same amount each time, though
 * not by a constant: see cc_count_steps in extent.h.
 *
 *     p = phi(a, p'); ...; p' = p + s; if (p' < n) again          becomes
 *     c = phi(0, c'); p = a + c * s; ...; c' = c + 1; if (c' != count) again
 *
 * The loops of a Fourier transform, or those over a part of the points of a grid, are such loops. */
#include "cc/plan/extent.h"

#include "cc/ir/surgery.h"

/* The variable that ends a loop. */
typedef struct stepped {
    LLVMValueRef phi, next, start, step, bound, branch;
    bool is_signed, even; /* even: the loop also goes on if the variable is equal to the bound */
    bool stays_when_true;
} stepped;

static bool has_inner(const cc_body *body, int l) {
    for (int m = 0; m < body->loop_count; m++)
        if (body->loops[m].parent == l)
            return true;
    return false;
}

/* Finds what `next` adds to a phi of the loop's header. */
static bool find_step(const cc_body *body, int l, LLVMValueRef next, stepped *found) {
    const cc_loop *loop = &body->loops[l];
    if (!LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != LLVMAdd)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef phi = LLVMGetOperand(next, k), step = LLVMGetOperand(next, 1 - k);
        int x = cc_item_find(body, phi);
        if (x < 0 || body->items[x].opcode != LLVMPHI || body->items[x].block != loop->header ||
            body->items[x].induction >= 0 || cc_incoming(phi, body->blocks[loop->latch].block) != next ||
            !cc_is_outside(body, l, step))
            continue;
        found->phi = phi;
        found->next = next;
        found->step = step;
        found->start = cc_incoming(phi, body->blocks[loop->before].block);
        return true;
    }
    return false;
}

/* Finds the variable if the loop goes on behind its last block while the variable is less than a bound. That the sum
 * does not wrap makes sure that the loop ends when the variable has reached the bound. */
static bool find_stepped(const cc_body *body, int l, stepped *found) {
    const cc_loop *loop = &body->loops[l];
    found->branch = body->items[body->blocks[loop->latch].last].value;
    if (!LLVMIsABranchInst(found->branch) || !LLVMIsConditional(found->branch) ||
        !LLVMIsAICmpInst(LLVMGetCondition(found->branch)))
        return false;
    LLVMValueRef compare = LLVMGetCondition(found->branch);
    found->stays_when_true = LLVMGetSuccessor(found->branch, 0) == body->blocks[loop->header].block;
    found->bound = LLVMGetOperand(compare, 1);
    if (!find_step(body, l, LLVMGetOperand(compare, 0), found) || !cc_is_outside(body, l, found->bound) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(found->next)) > 64)
        return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(compare);
    bool less = found->stays_when_true ? p == LLVMIntSLT || p == LLVMIntULT : p == LLVMIntSGE || p == LLVMIntUGE;
    found->even = found->stays_when_true ? p == LLVMIntSLE || p == LLVMIntULE : p == LLVMIntSGT || p == LLVMIntUGT;
    found->is_signed = p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntSGT || p == LLVMIntSGE;
    return (less || found->even) && (found->is_signed ? LLVMGetNSW(found->next) : LLVMGetNUW(found->next));
}

/* Builds how many iterations the loop has, before it: the first one, and as many as follow while the variable is in
 * front of the bound. A step that is not positive does not lead to a second one. */
static LLVMValueRef build_count(cc_unit *unit, const stepped *s) {
    LLVMBuilderRef build = unit->builder;
    LLVMTypeRef type = LLVMTypeOf(s->phi);
    LLVMValueRef zero = LLVMConstNull(type), one = LLVMConstInt(type, 1, false);
    LLVMIntPredicate less = s->is_signed ? LLVMIntSLT : LLVMIntULT, even = s->is_signed ? LLVMIntSLE : LLVMIntULE;
    LLVMValueRef grows = LLVMBuildICmp(build, less, zero, s->step, "");
    LLVMValueRef step = LLVMBuildSelect(build, grows, s->step, one, "");
    LLVMValueRef ahead = LLVMBuildICmp(build, s->even ? even : less, s->start, s->bound, "");
    LLVMValueRef way = LLVMBuildSub(build, s->bound, s->start, "");
    if (!s->even)
        way = LLVMBuildSub(build, way, one, "");
    LLVMValueRef more = LLVMBuildUDiv(build, way, step, "");
    return LLVMBuildAdd(build, LLVMBuildSelect(build, ahead, more, zero, ""), one, "");
}

static void count_steps(cc_body *body, int l, const stepped *s) {
    cc_unit *unit = body->unit;
    LLVMBuilderRef build = unit->builder;
    const cc_loop *loop = &body->loops[l];
    LLVMBasicBlockRef before = body->blocks[loop->before].block, latch = body->blocks[loop->latch].block;
    LLVMTypeRef type = LLVMTypeOf(s->phi);
    LLVMValueRef zero = LLVMConstNull(type);
    cc_build_before(unit, LLVMGetBasicBlockTerminator(before));
    LLVMValueRef count = build_count(unit, s);
    cc_build_before(unit, s->phi);
    LLVMValueRef counter = LLVMBuildPhi(build, type, "");
    cc_build_before(unit, cc_first_after_phis(body->blocks[loop->header].block));
    LLVMValueRef product = LLVMBuildMul(build, counter, s->step, "");
    LLVMValueRef now = LLVMBuildAdd(build, s->start, product, "");
    bool rises = LLVMIsAConstantInt(s->start) && LLVMConstIntGetSExtValue(s->start) >= 0;
    LLVMSetNSW(now, LLVMGetNSW(s->next));
    LLVMSetNUW(now, LLVMGetNUW(s->next));
    LLVMSetNSW(product, rises && LLVMGetNSW(s->next));
    LLVMSetNUW(product, LLVMGetNUW(s->next));
    LLVMReplaceAllUsesWith(s->phi, now);
    LLVMInstructionEraseFromParent(s->phi);
    cc_build_before(unit, s->branch);
    LLVMValueRef next = LLVMBuildAdd(build, counter, LLVMConstInt(type, 1, false), "");
    LLVMSetNUW(next, true);
    LLVMValueRef test = LLVMBuildICmp(build, s->stays_when_true ? LLVMIntNE : LLVMIntEQ, next, count, "");
    LLVMSetCondition(s->branch, test);
    LLVMAddIncoming(counter, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){before, latch}, 2);
}

bool cc_count_steps(cc_body *body) {
    for (int l = 0; l < body->loop_count; l++) {
        stepped found;
        if (!body->loops[l].counted || !has_inner(body, l) || !find_stepped(body, l, &found))
            continue;
        count_steps(body, l, &found);
        return true;
    }
    return false;
}
