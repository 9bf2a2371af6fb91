/* Two versions of a loop nest: see versions.h. */
#include "cc/plan/versions.h"

#include "cc/ir/surgery.h"
#include "cc/plan/counts.h"
#include "cc/plan/extent.h"

#include <string.h>

typedef struct copier {
    cc_body *body;
    const cc_loop *loop;
    cc_map copies; /* block or instruction of the nest -> that of the copy */
} copier;

static LLVMBasicBlockRef block_at(const cc_body *body, int b) {
    return body->blocks[b].block;
}

/* ---- Whether it can be done ---- */

/* Returns whether a value of the nest is used outside by phis at its exits only. */
static bool is_closed(const cc_body *body, const cc_loop *loop, LLVMValueRef value) {
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        int x = cc_item_find(body, user);
        if (x < 0)
            return false;
        if (loop->contains[body->items[x].block])
            continue;
        if (body->items[x].opcode != LLVMPHI)
            return false;
        for (unsigned k = 0; k < LLVMCountIncoming(user); k++)
            if (!loop->contains[cc_map_get(&body->block_of, LLVMGetIncomingBlock(user, k))])
                return false;
    }
    return true;
}

bool cc_can_have_versions(const cc_body *body, int l) {
    const cc_loop *loop = &body->loops[l];
    LLVMBasicBlockRef header = block_at(body, loop->header);
    if (!loop->counted || !loop->left || body->blocks[loop->before].successor_count != 1 ||
        cc_edges_between(block_at(body, loop->before), header) != 1 ||
        cc_edges_between(block_at(body, loop->latch), header) != 1)
        return false;
    for (int b = 0; b < body->block_count; b++) {
        if (!loop->contains[b])
            continue;
        LLVMValueRef end = body->items[body->blocks[b].last].value;
        if (!LLVMIsABranchInst(end))
            return false;
        for (int x = body->blocks[b].first; x <= body->blocks[b].last; x++)
            if (!is_closed(body, loop, body->items[x].value))
                return false;
    }
    return true;
}

/* ---- The copy ---- */

static LLVMValueRef copy_of(const copier *c, LLVMValueRef value) {
    ptrdiff_t found = cc_map_get(&c->copies, value);
    return found == CC_NOT_FOUND ? value : (LLVMValueRef)found;
}

static LLVMBasicBlockRef copy_of_block(const copier *c, LLVMBasicBlockRef block) {
    return LLVMValueAsBasicBlock(copy_of(c, LLVMBasicBlockAsValue(block)));
}

static void connect(copier *c, LLVMValueRef instruction, LLVMBasicBlockRef test) {
    LLVMValueRef copy = copy_of(c, instruction);
    if (LLVMGetInstructionOpcode(instruction) != LLVMPHI) {
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(copy); k++)
            LLVMSetOperand(copy, k, copy_of(c, LLVMGetOperand(copy, k)));
        return;
    }
    for (unsigned k = 0; k < LLVMCountIncoming(instruction); k++) {
        LLVMValueRef value = copy_of(c, LLVMGetIncomingValue(instruction, k));
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(instruction, k);
        from = from == block_at(c->body, c->loop->before) ? test : copy_of_block(c, from);
        LLVMAddIncoming(copy, &value, &from, 1);
    }
}

static void copy_nest(copier *c, LLVMBasicBlockRef test) {
    cc_unit *unit = c->body->unit;
    for (int b = 0; b < c->body->block_count; b++) {
        if (!c->loop->contains[b])
            continue;
        LLVMBasicBlockRef copy = LLVMAppendBasicBlockInContext(unit->context, c->body->function->value, "plain");
        cc_map_put(unit, &c->copies, LLVMBasicBlockAsValue(block_at(c->body, b)), (size_t)LLVMBasicBlockAsValue(copy));
        for (int x = c->body->blocks[b].first; x <= c->body->blocks[b].last; x++) {
            LLVMValueRef value = c->body->items[x].value, made;
            cc_build_at_end(unit, copy);
            if (c->body->items[x].opcode == LLVMPHI)
                made = LLVMBuildPhi(unit->builder, LLVMTypeOf(value), "");
            else {
                made = LLVMInstructionClone(value);
                LLVMInsertIntoBuilder(unit->builder, made);
            }
            cc_map_put(unit, &c->copies, value, (size_t)made);
        }
    }
    for (int b = 0; b < c->body->block_count; b++)
        for (int x = c->body->blocks[b].first; c->loop->contains[b] && x <= c->body->blocks[b].last; x++)
            connect(c, c->body->items[x].value, test);
}

/* ---- The exits ---- */

static LLVMValueRef after_phis(LLVMBasicBlockRef block) {
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (LLVMGetInstructionOpcode(at) == LLVMPHI)
        at = LLVMGetNextInstruction(at);
    return at;
}

/* Gives the copy of the nest an exit of its own; both exits lead to a new block with the code after the nest. */
static void join_exit(copier *c, int exit) {
    cc_unit *unit = c->body->unit;
    LLVMBasicBlockRef join = block_at(c->body, exit);
    LLVMBasicBlockRef own = cc_split_before(unit, after_phis(join));
    LLVMBasicBlockRef other = LLVMAppendBasicBlockInContext(unit->context, c->body->function->value, "plain.exit");
    for (LLVMValueRef phi = LLVMGetFirstInstruction(own); phi; phi = LLVMGetNextInstruction(phi)) {
        cc_build_at_end(unit, other);
        LLVMValueRef twin = LLVMBuildPhi(unit->builder, LLVMTypeOf(phi), "");
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
            LLVMValueRef value = copy_of(c, LLVMGetIncomingValue(phi, k));
            LLVMBasicBlockRef from = copy_of_block(c, LLVMGetIncomingBlock(phi, k));
            LLVMAddIncoming(twin, &value, &from, 1);
        }
        cc_build_before(unit, after_phis(join));
        LLVMValueRef joined = LLVMBuildPhi(unit->builder, LLVMTypeOf(phi), "");
        LLVMReplaceAllUsesWith(phi, joined);
        LLVMValueRef values[] = {phi, twin};
        LLVMBasicBlockRef from[] = {own, other};
        LLVMAddIncoming(joined, values, from, 2);
    }
    cc_build_at_end(unit, own);
    LLVMBuildBr(unit->builder, join);
    cc_build_at_end(unit, other);
    LLVMBuildBr(unit->builder, join);
    for (int k = 0; k < c->body->blocks[exit].predecessor_count; k++) {
        LLVMBasicBlockRef from = block_at(c->body, c->body->blocks[exit].predecessors[k]);
        cc_redirect(copy_of_block(c, from), join, other);
        cc_redirect(copy_of_block(c, from), own, other);
    }
}

/* ---- Blocks of iterations ---- */

static LLVMValueRef phi_at(cc_unit *unit, LLVMBasicBlockRef block, LLVMTypeRef type) {
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    if (first)
        LLVMPositionBuilderBefore(unit->builder, first);
    else
        LLVMPositionBuilderAtEnd(unit->builder, block);
    return LLVMBuildPhi(unit->builder, type, "");
}

static void add_incoming(LLVMValueRef phi, LLVMValueRef value, LLVMBasicBlockRef from) {
    LLVMAddIncoming(phi, &value, &from, 1);
}

/* `back` leads to the next iteration, `out` to the next block of iterations by way of `again`. */
static void cut_phi(copier *c, int x, cc_versions *v, LLVMBasicBlockRef back, LLVMBasicBlockRef out,
                    LLVMBasicBlockRef again) {
    cc_unit *unit = c->body->unit;
    LLVMValueRef phi = c->body->items[x].value;
    LLVMTypeRef type = LLVMTypeOf(phi);
    LLVMBasicBlockRef before = block_at(c->body, c->loop->before), latch = block_at(c->body, c->loop->latch);
    LLVMValueRef next = cc_incoming(phi, latch), first = cc_incoming(phi, before);
    LLVMValueRef start = v->starts[x], inside = phi_at(unit, block_at(c->body, c->loop->header), type);
    LLVMReplaceAllUsesWith(phi, inside);
    next = next == phi ? inside : next;
    LLVMValueRef left = phi_at(unit, again, type);
    add_incoming(left, next, out);
    add_incoming(start, first, v->test);
    add_incoming(start, left, again);
    add_incoming(inside, start, v->front);
    add_incoming(inside, next, back);
    LLVMInstructionEraseFromParent(phi);
}

static void cut_phis(copier *c, cc_versions *v, LLVMBasicBlockRef back, LLVMBasicBlockRef out,
                     LLVMBasicBlockRef again) {
    for (int x = c->body->blocks[c->loop->header].first; c->body->items[x].opcode == LLVMPHI; x++)
        cut_phi(c, x, v, back, out, again);
}

/* Ends `again` and `front`. `counter` counts the iterations of a block, of which `done` were done when it ends. */
static void connect_blocks(copier *c, cc_versions *v, LLVMValueRef counter, LLVMValueRef done,
                           LLVMBasicBlockRef again) {
    cc_unit *unit = c->body->unit;
    cc_build_at_end(unit, again);
    LLVMBuildBr(unit->builder, v->front);
    add_incoming(counter, cc_i64(unit, 0), v->front);
    add_incoming(v->done, cc_i64(unit, 0), v->test);
    add_incoming(v->done, done, again);
    cc_build_at_end(unit, v->front);
    LLVMBuildBr(unit->builder, block_at(c->body, c->loop->header));
}

static void cut_into_blocks(copier *c, cc_versions *v) {
    cc_unit *unit = c->body->unit;
    LLVMBasicBlockRef header = block_at(c->body, c->loop->header), latch = block_at(c->body, c->loop->latch);
    LLVMBasicBlockRef turn = LLVMAppendBasicBlockInContext(unit->context, c->body->function->value, "turn");
    LLVMBasicBlockRef again = LLVMAppendBasicBlockInContext(unit->context, c->body->function->value, "next.block");
    cut_phis(c, v, turn, turn, again);
    LLVMValueRef counter = phi_at(unit, header, unit->i64);
    cc_build_at_end(unit, turn);
    LLVMValueRef next = LLVMBuildNUWAdd(unit->builder, counter, cc_i64(unit, 1), "");
    LLVMBuildCondBr(unit->builder, LLVMBuildICmp(unit->builder, LLVMIntEQ, next, v->length, ""), again, header);
    add_incoming(counter, next, turn);
    cc_build_at_end(unit, again);
    LLVMValueRef done = LLVMBuildNUWAdd(unit->builder, v->done, v->length, "");
    cc_redirect(latch, header, turn);
    connect_blocks(c, v, counter, done, again);
}

/* ---- Blocks of a known number of iterations ---- */

/* Builds, in `test`, how many iterations the nest has, if it is one loop that is only left behind its last block after
 * a number of iterations that follows from a bound; NULL if not. */
static LLVMValueRef count_iterations(cc_body *body, int l, const cc_versions *v) {
    cc_unit *unit = body->unit;
    for (int m = 0; m < body->loop_count; m++)
        if (body->loops[m].parent == l)
            return NULL;
    LLVMValueRef start, bound, end = body->items[body->blocks[body->loops[l].latch].last].value;
    if (!LLVMIsConditional(end) || !cc_has_count(body, l, &start, &bound))
        return NULL;
    cc_build_at_end(unit, v->test);
    return LLVMBuildNUWAdd(unit->builder, cc_build_loop_count(body, l, start, bound), cc_i64(unit, 1), "");
}

/* Makes the phis of a block take from `to` what they took from `from`. */
static void come_from(cc_unit *unit, LLVMBasicBlockRef block, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
    for (LLVMValueRef phi = LLVMGetFirstInstruction(block), next; LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        cc_build_before(unit, phi);
        LLVMValueRef made = LLVMBuildPhi(unit->builder, LLVMTypeOf(phi), "");
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
            LLVMBasicBlockRef block_before = LLVMGetIncomingBlock(phi, k);
            add_incoming(made, LLVMGetIncomingValue(phi, k), block_before == from ? to : block_before);
        }
        LLVMReplaceAllUsesWith(phi, made);
        LLVMInstructionEraseFromParent(phi);
    }
}

/* The end of a block and that of the nest are left by one way. So the loop that reverses a block of iterations is
 * entered by one way, too, and LLVM finds that it is a loop in the one over all blocks. */
static void cut_counted(copier *c, cc_versions *v, LLVMValueRef count) {
    cc_unit *unit = c->body->unit;
    LLVMBuilderRef build = unit->builder;
    unsigned hints = LLVMGetMDKindIDInContext(unit->context, "llvm.loop", (unsigned)strlen("llvm.loop"));
    LLVMBasicBlockRef header = block_at(c->body, c->loop->header), latch = block_at(c->body, c->loop->latch);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(latch);
    LLVMBasicBlockRef exit = LLVMGetSuccessor(end, LLVMGetSuccessor(end, 0) == header ? 1 : 0);
    LLVMBasicBlockRef left = LLVMAppendBasicBlockInContext(unit->context, c->body->function->value, "left");
    LLVMBasicBlockRef again = LLVMAppendBasicBlockInContext(unit->context, c->body->function->value, "next.block");
    cut_phis(c, v, latch, left, again);
    LLVMValueRef counter = phi_at(unit, header, unit->i64);
    cc_build_at_end(unit, v->front);
    LLVMValueRef rest = LLVMBuildSub(build, count, v->done, ""), most = cc_smaller(unit, v->length, rest);
    cc_build_before(unit, end);
    LLVMValueRef next = LLVMBuildNUWAdd(build, counter, cc_i64(unit, 1), "");
    LLVMValueRef turn = LLVMBuildCondBr(build, LLVMBuildICmp(build, LLVMIntEQ, next, most, ""), left, header);
    LLVMSetMetadata(turn, hints, LLVMGetMetadata(end, hints));
    add_incoming(counter, next, latch);
    cc_build_at_end(unit, left);
    LLVMValueRef done = LLVMBuildNUWAdd(build, v->done, most, ""), condition = LLVMGetCondition(end);
    bool first = LLVMGetSuccessor(end, 0) == exit;
    cc_mark_blocks(unit, LLVMBuildCondBr(build, condition, first ? exit : again, first ? again : exit));
    LLVMInstructionEraseFromParent(end);
    come_from(unit, exit, latch, left);
    connect_blocks(c, v, counter, done, again);
}

cc_versions cc_begin_versions(cc_body *body, int l) {
    cc_unit *unit = body->unit;
    const cc_block *header = &body->blocks[body->loops[l].header];
    cc_versions v = {.test = LLVMInsertBasicBlockInContext(unit->context, header->block, "test.copies"),
                     .front = LLVMInsertBasicBlockInContext(unit->context, header->block, "front.block"),
                     .starts = cc_alloc(unit, (size_t)body->item_count, sizeof *v.starts)};
    cc_build_at_end(unit, v.front);
    v.done = LLVMBuildPhi(unit->builder, unit->i64, "");
    for (int x = header->first; body->items[x].opcode == LLVMPHI; x++)
        v.starts[x] = LLVMBuildPhi(unit->builder, LLVMTypeOf(body->items[x].value), "");
    cc_build_at_end(unit, v.test);
    return v;
}

void cc_drop_versions(cc_versions *versions) {
    LLVMDeleteBasicBlock(versions->front);
    LLVMDeleteBasicBlock(versions->test);
}

void cc_make_versions(cc_body *body, int l, cc_versions *versions) {
    copier c = {.body = body, .loop = &body->loops[l]};
    LLVMBasicBlockRef header = block_at(body, c.loop->header);
    LLVMValueRef count = count_iterations(body, l, versions);
    copy_nest(&c, versions->test);
    for (int b = 0; b < body->block_count; b++)
        if (!c.loop->contains[b] && body->blocks[b].predecessor_count > 0 &&
            c.loop->contains[body->blocks[b].predecessors[0]])
            join_exit(&c, b);
    cc_redirect(block_at(body, c.loop->before), header, versions->test);
    if (count)
        cut_counted(&c, versions, count);
    else
        cut_into_blocks(&c, versions);
    cc_build_at_end(body->unit, versions->test);
    versions->plain = copy_of_block(&c, header);
    LLVMBuildCondBr(body->unit->builder, versions->wanted, versions->front, versions->plain);
}
