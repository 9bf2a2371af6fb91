/* Counts of loops that follow from bounds: see counts.h. */
#include "cc/plan/counts.h"

#include "cc/plan/plan.h"

#include <string.h>

LLVMValueRef cc_induction_next(const cc_body *body, const cc_item *item) {
    return cc_incoming(item->value, body->blocks[body->loops[item->induction].latch].block);
}

bool cc_meets_bound(const cc_body *body, const cc_item *item) {
    LLVMValueRef next = cc_induction_next(body, item);
    int64_t step = LLVMConstIntGetSExtValue(item->step);
    return step == 1 || step == -1 || LLVMGetInstructionOpcode(next) == LLVMGetElementPtr || LLVMGetNSW(next) ||
           LLVMGetNUW(next);
}

static LLVMIntPredicate swapped(LLVMIntPredicate predicate) {
    switch (predicate) {
    case LLVMIntUGT: return LLVMIntULT;
    case LLVMIntUGE: return LLVMIntULE;
    case LLVMIntULT: return LLVMIntUGT;
    case LLVMIntULE: return LLVMIntUGE;
    case LLVMIntSGT: return LLVMIntSLT;
    case LLVMIntSGE: return LLVMIntSLE;
    case LLVMIntSLT: return LLVMIntSGT;
    case LLVMIntSLE: return LLVMIntSGE;
    default: return predicate;
    }
}

static LLVMIntPredicate inverse(LLVMIntPredicate predicate) {
    switch (predicate) {
    case LLVMIntEQ: return LLVMIntNE;
    case LLVMIntNE: return LLVMIntEQ;
    case LLVMIntUGT: return LLVMIntULE;
    case LLVMIntUGE: return LLVMIntULT;
    case LLVMIntULT: return LLVMIntUGE;
    case LLVMIntULE: return LLVMIntUGT;
    case LLVMIntSGT: return LLVMIntSLE;
    case LLVMIntSGE: return LLVMIntSLT;
    case LLVMIntSLT: return LLVMIntSGE;
    default: return LLVMIntSGT;
    }
}

static bool compares(const cc_body *body, int l, LLVMValueRef value, cc_loop_test *found) {
    const cc_loop *loop = &body->loops[l];
    for (int x = body->blocks[loop->header].first; body->items[x].opcode == LLVMPHI; x++) {
        const cc_item *item = &body->items[x];
        if (item->induction != l || (item->value != value && cc_induction_next(body, item) != value))
            continue;
        found->item = item;
        found->next = item->value != value;
        return true;
    }
    return false;
}

/* Finds a comparison of an induction variable of loop `l` that decides in block `b` whether control stays in a loop. */
static bool find_test(const cc_body *body, int l, int b, const cc_loop *stays_in, cc_loop_test *found) {
    LLVMValueRef branch = body->items[body->blocks[b].last].value;
    if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) || !LLVMIsAICmpInst(LLVMGetCondition(branch)))
        return false;
    bool yes = stays_in->contains[cc_map_get(&body->block_of, LLVMGetSuccessor(branch, 0))];
    bool no = stays_in->contains[cc_map_get(&body->block_of, LLVMGetSuccessor(branch, 1))];
    LLVMValueRef compare = LLVMGetCondition(branch);
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(compare);
    if (yes == no)
        return false;
    found->stays = yes ? predicate : inverse(predicate);
    found->bound = LLVMGetOperand(compare, 1);
    if (compares(body, l, LLVMGetOperand(compare, 0), found))
        return true;
    found->stays = swapped(found->stays);
    found->bound = LLVMGetOperand(compare, 0);
    return compares(body, l, LLVMGetOperand(compare, 1), found);
}

bool cc_find_loop_test(const cc_body *body, int l, cc_loop_test *found) {
    const cc_loop *loop = &body->loops[l];
    for (int b = 0; b < body->block_count; b++)
        if (loop->contains[b] && cc_dominates(body, b, loop->latch) && find_test(body, l, b, loop, found))
            return true;
    return false;
}

static unsigned mark_of(cc_unit *unit) {
    static const char name[] = "verso.blocks";
    return LLVMGetMDKindIDInContext(unit->context, name, (unsigned)strlen(name));
}

void cc_mark_blocks(cc_unit *unit, LLVMValueRef branch) {
    LLVMValueRef mark = LLVMMetadataAsValue(unit->context, LLVMMDNodeInContext2(unit->context, NULL, 0));
    LLVMSetMetadata(branch, mark_of(unit), mark);
}

bool cc_find_bound(const cc_body *body, int l, cc_loop_test *found) {
    const cc_loop *loop = &body->loops[l];
    for (int k = 0; loop->parent >= 0 && k < body->blocks[loop->latch].successor_count; k++) {
        int b = body->blocks[loop->latch].successors[k];
        LLVMValueRef branch = body->items[body->blocks[b].last].value;
        if (!loop->contains[b] && LLVMGetMetadata(branch, mark_of(body->unit)) &&
            find_test(body, l, b, &body->loops[loop->parent], found))
            return true;
    }
    return cc_find_loop_test(body, l, found);
}

/* Returns the number of ways out of a loop; of a loop in strips, without the one to the next strip. */
static int ways_out(const cc_body *body, const cc_loop *loop) {
    int again = loop->around >= 0 ? body->loops[loop->around].again : -1, ways = 0;
    for (int b = 0; b < body->block_count; b++)
        for (int k = 0; loop->contains[b] && k < body->blocks[b].successor_count; k++) {
            int to = body->blocks[b].successors[k];
            ways += !loop->contains[to] && to != again;
        }
    return ways;
}

bool cc_has_count(const cc_body *body, int l, LLVMValueRef *start, LLVMValueRef *bound) {
    const cc_loop *loop = &body->loops[l];
    cc_loop_test test;
    if (ways_out(body, loop) != 1 || !cc_find_loop_test(body, l, &test) || !test.next || test.stays != LLVMIntNE ||
        LLVMConstIntGetSExtValue(test.item->step) == 0 || !cc_meets_bound(body, test.item))
        return false;
    *start = cc_induction_start(body, test.item);
    if (loop->around >= 0) {
        int x = cc_item_find(body, *start);
        if (x < 0 || body->items[x].induction != loop->around)
            return false;
        *start = cc_induction_start(body, &body->items[x]);
    }
    *bound = test.bound;
    return true;
}

static LLVMValueRef as_number(cc_unit *unit, LLVMValueRef value) {
    bool pointer = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
    return pointer ? LLVMBuildPtrToInt(unit->builder, value, unit->i64, "") : value;
}

LLVMValueRef cc_build_loop_count(cc_body *body, int l, LLVMValueRef start, LLVMValueRef bound) {
    cc_unit *unit = body->unit;
    LLVMBuilderRef build = unit->builder;
    cc_loop_test test;
    cc_find_loop_test(body, l, &test);
    int64_t step = LLVMConstIntGetSExtValue(test.item->step);
    LLVMValueRef first = as_number(unit, start), last = as_number(unit, bound);
    LLVMValueRef way = step > 0 ? LLVMBuildSub(build, last, first, "") : LLVMBuildSub(build, first, last, "");
    way = LLVMBuildUDiv(build, way, LLVMConstInt(LLVMTypeOf(way), (uint64_t)(step > 0 ? step : -step), false), "");
    way = LLVMBuildSub(build, way, LLVMConstInt(LLVMTypeOf(way), 1, false), "");
    return LLVMBuildIntCast2(build, way, unit->i64, false, "");
}
