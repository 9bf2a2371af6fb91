/* Divides innermost loops into strips. */
#include "cc/plan/strips.h"
#include "cc/ir/program.h"
#include "cc/plan/hoist.h"
#include "cc/plan/narrow.h"
#include "cc/plan/ranges.h"
#include "cc/plan/sink.h"

#include "cc/ir/surgery.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* PLAYED_MOST: number of iterations that are simulated at compile time to see whether a loop is shorter than a
 * strip. LONG_ITEMS: number of instructions of an iteration for which the cost of a safepoint is negligible. */
enum { PLAYED_MOST = 4096, SHIFT_MOST = 20, LONG_ITEMS = 64 };

/* A loop that cut_loop has divided; the body of the changed function needs this. */
typedef struct strip {
    LLVMBasicBlockRef header, again;
    LLVMValueRef counter;
    unsigned shift;
} strip;

typedef struct strips {
    strip *all;
    size_t count, capacity;
} strips;

/* ---- Choosing loops ---- */

static bool has_inner(const cc_body *body, int l) {
    for (int m = 0; m < body->loop_count; m++)
        if (body->loops[m].parent == l)
            return true;
    return false;
}

static uint64_t size_of(const cc_body *body, LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMTypeIsSized(type) ? LLVMABISizeOfType(body->unit->layout, type) : 0;
}

/* Returns an upper bound of the bytes that an iteration can record: each value in every block that uses it, and the
 * predecessor of each block. UINT64_MAX if the loop contains followed calls. */
static uint64_t bytes_most(const cc_body *body, const cc_loop *loop) {
    uint64_t bytes = 0;
    for (int b = 0; b < body->block_count; b++) {
        if (!loop->contains[b])
            continue;
        bytes += 8;
        for (int x = body->blocks[b].first; x <= body->blocks[b].last; x++) {
            const cc_item *item = &body->items[x];
            if (item->opcode == LLVMCall && (item->call == CC_CALL_FOLLOWED || item->call == CC_CALL_CUSTOM))
                return UINT64_MAX;
            bytes += size_of(body, item->value);
            for (unsigned k = 0; k < cc_operand_count(item->value); k++)
                if (cc_item_find(body, LLVMGetOperand(item->value, k)) >= 0)
                    bytes += size_of(body, LLVMGetOperand(item->value, k));
        }
    }
    return bytes;
}

static int items_of(const cc_body *body, const cc_loop *loop) {
    int count = 0;
    for (int b = 0; b < body->block_count; b++)
        if (loop->contains[b])
            count += body->blocks[b].last - body->blocks[b].first + 1;
    return count;
}

/* Returns whether the loop has a single exit that is not at its latch. Its reversed loop would then have two
 * entries, which LLVM does not recognise as a loop. Loops with several exits have that problem already. */
static bool left_early(const cc_body *body, const cc_loop *loop) {
    int ways = 0, late = 0;
    for (int b = 0; b < body->block_count; b++)
        for (int k = 0; loop->contains[b] && k < body->blocks[b].successor_count; k++) {
            bool out = !loop->contains[body->blocks[b].successors[k]];
            ways += out;
            late += out && b == loop->latch;
        }
    return ways == 1 && late == 0;
}

/* Returns log2 of the number of iterations of a strip; 0 if the loop keeps a safepoint in every iteration. */
static unsigned shift_of(const cc_body *body, int l) {
    const cc_loop *loop = &body->loops[l];
    if (!loop->counted || !loop->left || has_inner(body, l) || left_early(body, loop) ||
        (loop->parent < 0 && items_of(body, loop) > LONG_ITEMS))
        return 0;
    uint64_t count = body->unit->program->request->strip / bytes_most(body, loop);
    unsigned shift = 0;
    while (shift < SHIFT_MOST && count >> (shift + 1) > 0)
        shift++;
    return shift;
}

/* ---- Loops that are shorter than a strip ---- */

static bool holds(LLVMIntPredicate predicate, uint64_t a, uint64_t b, unsigned width) {
    int64_t left = (int64_t)(a << (64 - width)), right = (int64_t)(b << (64 - width));
    uint64_t u = (uint64_t)left, v = (uint64_t)right;
    switch (predicate) {
    case LLVMIntEQ: return u == v;
    case LLVMIntNE: return u != v;
    case LLVMIntUGT: return u > v;
    case LLVMIntUGE: return u >= v;
    case LLVMIntULT: return u < v;
    case LLVMIntULE: return u <= v;
    case LLVMIntSGT: return left > right;
    case LLVMIntSGE: return left >= right;
    case LLVMIntSLT: return left < right;
    default: return left <= right;
    }
}

/* Returns the induction variable of the loop that `value` is, or whose value in the next iteration it is (then
 * *next is true); NULL if there is none. */
static const cc_item *induction_of(const cc_body *body, const cc_loop *loop, LLVMValueRef value, bool *next) {
    for (int x = body->blocks[loop->header].first; body->items[x].opcode == LLVMPHI; x++) {
        const cc_item *item = &body->items[x];
        *next = cc_incoming(item->value, body->blocks[loop->latch].block) == value;
        if (item->induction == (int)(loop - body->loops) && (item->value == value || *next))
            return item;
    }
    return NULL;
}

/* Returns whether the branch at the end of `block`, which every iteration passes, certainly leaves the loop within
 * the first `most` iterations: it compares an induction variable with a constant, and the iterations are simulated. */
static bool leaves_before(const cc_body *body, const cc_loop *loop, int block, uint64_t most) {
    LLVMValueRef branch = body->items[body->blocks[block].last].value;
    if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) || !LLVMIsAICmpInst(LLVMGetCondition(branch)))
        return false;
    bool stays[2], next;
    for (unsigned k = 0; k < 2; k++)
        stays[k] = loop->contains[cc_map_get(&body->block_of, LLVMGetSuccessor(branch, k))];
    LLVMValueRef test = LLVMGetCondition(branch), bound = LLVMGetOperand(test, 1);
    const cc_item *item = induction_of(body, loop, LLVMGetOperand(test, 0), &next);
    if (stays[0] == stays[1] || !item || !LLVMIsAConstantInt(bound))
        return false;
    LLVMValueRef start = cc_incoming(item->value, body->blocks[loop->before].block);
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(bound));
    if (!LLVMIsAConstantInt(start) || width > 64)
        return false;
    uint64_t step = LLVMConstIntGetZExtValue(item->step);
    uint64_t value = LLVMConstIntGetZExtValue(start) + (next ? step : 0);
    for (uint64_t i = 0; i < most; i++, value += step)
        if (holds(LLVMGetICmpPredicate(test), value, LLVMConstIntGetZExtValue(bound), width) == stays[1])
            return true;
    return false;
}

static bool is_brief(const cc_body *body, int l, unsigned shift) {
    const cc_loop *loop = &body->loops[l];
    uint64_t most = (uint64_t)1 << shift;
    for (int b = 0; shift > 0 && b < body->block_count; b++)
        if (loop->contains[b] && cc_dominates(body, b, loop->latch) &&
            leaves_before(body, loop, b, most < PLAYED_MOST ? most : PLAYED_MOST))
            return true;
    return false;
}

/* ---- Cutting ---- */

/* The blocks of the diagram in strips.h. */
typedef struct cut {
    cc_unit *unit;
    LLVMBasicBlockRef before, around, header, old_latch, latch, again;
    unsigned shift;
} cut;

static LLVMValueRef new_phi(const cut *c, LLVMBasicBlockRef block, LLVMTypeRef type) {
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    if (first)
        LLVMPositionBuilderBefore(c->unit->builder, first);
    else
        LLVMPositionBuilderAtEnd(c->unit->builder, block);
    return LLVMBuildPhi(c->unit->builder, type, "");
}

static void add_incoming(LLVMValueRef phi, LLVMValueRef value, LLVMBasicBlockRef from) {
    LLVMAddIncoming(phi, &value, &from, 1);
}

/* Builds the value with which the next strip begins. For an induction variable, that is the value with which this
 * strip began plus COUNT * step, so that it is an induction variable of the loop around, too. */
static LLVMValueRef begin_next(const cut *c, LLVMValueRef strip_start, LLVMValueRef next, LLVMValueRef step) {
    LLVMBuilderRef build = c->unit->builder;
    if (step) {
        LLVMPositionBuilderAtEnd(build, c->again);
        LLVMTypeRef type = LLVMTypeOf(step);
        LLVMValueRef all = LLVMConstMul(step, LLVMConstInt(type, UINT64_C(1) << c->shift, false));
        bool pointer = LLVMGetTypeKind(LLVMTypeOf(strip_start)) == LLVMPointerTypeKind;
        return pointer ? LLVMBuildGEP2(build, c->unit->i8, strip_start, &all, 1, "")
                       : LLVMBuildAdd(build, strip_start, all, "");
    }
    if (!LLVMIsAInstruction(next))
        return next;
    LLVMValueRef left = new_phi(c, c->again, LLVMTypeOf(next));
    add_incoming(left, next, c->latch);
    return left;
}

static void cut_phi(const cut *c, LLVMValueRef phi, LLVMValueRef step) {
    LLVMTypeRef type = LLVMTypeOf(phi);
    LLVMValueRef next = cc_incoming(phi, c->old_latch);
    LLVMValueRef start = new_phi(c, c->around, type), inside = new_phi(c, c->header, type);
    add_incoming(start, cc_incoming(phi, c->before), c->before);
    LLVMReplaceAllUsesWith(phi, inside);
    next = next == phi ? inside : next;
    add_incoming(inside, start, c->around);
    add_incoming(inside, next, c->latch);
    add_incoming(start, begin_next(c, start, next, step), c->again);
    LLVMInstructionEraseFromParent(phi);
}

static LLVMValueRef build_counter(const cut *c) {
    cc_unit *unit = c->unit;
    LLVMValueRef counter = new_phi(c, c->header, unit->i64), last = cc_i64(unit, ((int64_t)1 << c->shift) - 1);
    LLVMPositionBuilderAtEnd(unit->builder, c->latch);
    LLVMValueRef next = LLVMBuildNUWAdd(unit->builder, counter, cc_i64(unit, 1), "");
    LLVMValueRef full = LLVMBuildICmp(unit->builder, LLVMIntEQ, counter, last, "");
    LLVMValueRef branch = LLVMBuildCondBr(unit->builder, full, c->again, c->header);
    add_incoming(counter, cc_i64(unit, 0), c->around);
    add_incoming(counter, next, c->latch);
    /* Move the loop hints of the program (#pragma) to the new back edge. */
    unsigned kind = LLVMGetMDKindIDInContext(unit->context, "llvm.loop", strlen("llvm.loop"));
    LLVMValueRef end = LLVMGetBasicBlockTerminator(c->old_latch), hints = LLVMGetMetadata(end, kind);
    if (hints) {
        LLVMSetMetadata(branch, kind, hints);
        LLVMSetMetadata(end, kind, NULL);
    }
    return counter;
}

static strip cut_loop(const cc_body *body, const cc_loop *loop, unsigned shift) {
    cc_unit *unit = body->unit;
    const cc_block *header = &body->blocks[loop->header];
    cut c = {.unit = unit,
             .before = body->blocks[loop->before].block,
             .header = header->block,
             .old_latch = body->blocks[loop->latch].block,
             .shift = shift};
    c.around = LLVMInsertBasicBlockInContext(unit->context, c.header, "around");
    c.latch = LLVMAppendBasicBlockInContext(unit->context, body->function->value, "latch");
    c.again = LLVMAppendBasicBlockInContext(unit->context, body->function->value, "again");
    LLVMSetCurrentDebugLocation2(unit->builder, LLVMInstructionGetDebugLoc(LLVMGetBasicBlockTerminator(c.old_latch)));
    for (int x = header->first; body->items[x].opcode == LLVMPHI; x++)
        cut_phi(&c, body->items[x].value, body->items[x].induction >= 0 ? body->items[x].step : NULL);
    cc_redirect(c.before, c.header, c.around);
    cc_redirect(c.old_latch, c.header, c.latch);
    LLVMPositionBuilderAtEnd(unit->builder, c.around);
    LLVMBuildBr(unit->builder, c.header);
    LLVMPositionBuilderAtEnd(unit->builder, c.again);
    LLVMBuildBr(unit->builder, c.around);
    strip made = {c.header, c.again, build_counter(&c), shift};
    LLVMSetCurrentDebugLocation2(unit->builder, NULL);
    return made;
}

static void cut_loops(const cc_body *body, strips *made) {
    for (int l = 0; l < body->loop_count; l++) {
        const cc_loop *loop = &body->loops[l];
        unsigned shift = shift_of(body, l);
        if (shift == 0 || cc_is_in_nest(body, l) || is_brief(body, l, shift) ||
            cc_edges_between(body->blocks[loop->before].block, body->blocks[loop->header].block) != 1 ||
            cc_edges_between(body->blocks[loop->latch].block, body->blocks[loop->header].block) != 1)
            continue;
        cc_reserve(body->unit, &made->all, &made->capacity, made->count + 1, sizeof *made->all);
        made->all[made->count++] = cut_loop(body, loop, shift);
    }
}

/* ---- The body of the result ---- */

static const strip *find_strip(const strips *made, LLVMBasicBlockRef header) {
    for (size_t i = 0; i < made->count; i++)
        if (made->all[i].header == header)
            return &made->all[i];
    return NULL;
}

static void mark_loops(cc_body *body, const strips *made) {
    for (int l = 0; l < body->loop_count; l++) {
        cc_loop *loop = &body->loops[l];
        const strip *found = find_strip(made, body->blocks[loop->header].block);
        if (!found) {
            loop->brief = cc_is_in_nest(body, l) || is_brief(body, l, shift_of(body, l));
            continue;
        }
        loop->brief = true;
        loop->around = loop->parent;
        loop->shift = found->shift;
        loop->count = found->counter;
        body->loops[loop->parent].again = (int)cc_map_get(&body->block_of, found->again);
    }
}

cc_body *cc_body_in_strips(cc_unit *unit, cc_function *function) {
    cc_make_small_terms(unit, function);
    cc_hoist_loads(unit, function);
    cc_sink_stores(unit, function, NULL);
    cc_ranges *ranges = cc_find_ranges(unit, function);
    cc_sink_stores(unit, function, ranges);
    cc_body *body = cc_body_new(unit, function);
    cc_connect_ranges(body, ranges);
    strips made = {0};
    cut_loops(body, &made);
    if (made.count > 0) {
        body = cc_body_new(unit, function);
        cc_connect_ranges(body, ranges);
    }
    mark_loops(body, &made);
    return body;
}
