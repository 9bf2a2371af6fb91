/* Turns phis that differ from an induction variable of their loop by a constant into induction variables, and expresses
 * induction variables with equal steps by one of them: see cc_straighten in extent.h.
 *
 * For x[i - 1] + x[i + 1] in a loop that goes on while i + 1 < n, LLVM keeps i + 1 of the test for the next iteration:
 *
 *     i = phi(1, i'); p = phi(2, p'); i' = i + 1; p' = i' + 1        becomes p' = p + 1
 *
 * Then p is an induction variable, and the loop's test compares p. The same is done if p is the i of the previous
 * iteration. Then i is replaced by p - 1, so that the code shows by how much addresses differ. */
#include "cc/plan/extent.h"

#include "cc/ir/surgery.h"
#include "cc/plan/counts.h"
#include "cc/plan/plan.h"

enum { CHAIN_MOST = 6 };

static bool adds_constant(LLVMValueRef value) {
    if (!LLVMIsAInstruction(value) || LLVMGetNumOperands(value) != 2 || !LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
        return false;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    return opcode == LLVMAdd || opcode == LLVMGetElementPtr;
}

/* Takes constants off a sum. Returns the rest, NULL if it is zero. */
static LLVMValueRef rest_of(const cc_body *body, LLVMValueRef value, int64_t *constant) {
    *constant = 0;
    for (int k = 0; k < CHAIN_MOST && adds_constant(value); k++) {
        int64_t more = LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1));
        if (LLVMIsAGetElementPtrInst(value))
            more *= (int64_t)LLVMABISizeOfType(body->unit->layout, LLVMGetGEPSourceElementType(value));
        *constant += more;
        value = LLVMGetOperand(value, 0);
    }
    if (!LLVMIsAConstantInt(value))
        return value;
    *constant += LLVMConstIntGetSExtValue(value);
    return NULL;
}

static bool is_equal(LLVMTypeRef type, int64_t a, int64_t b) {
    unsigned width = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 64;
    return (((uint64_t)a - (uint64_t)b) << (64 - width)) == 0;
}

/* A phi that always is an induction variable of its loop plus a constant. */
typedef struct beside {
    const cc_item *induction;
    LLVMValueRef phi, next; /* its value in the next iteration */
    int64_t distance;
} beside;

static bool find_beside(const cc_body *body, int l, const cc_item *item, beside *found) {
    LLVMBasicBlockRef latch = body->blocks[body->loops[l].latch].block;
    LLVMBasicBlockRef before = body->blocks[body->loops[l].before].block;
    LLVMTypeRef type = LLVMTypeOf(item->value);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    LLVMValueRef next = cc_incoming(item->value, latch);
    int64_t whole, start, other;
    if (item->induction >= 0 || !next ||
        (kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) > 64 : kind != LLVMPointerTypeKind))
        return false;
    LLVMValueRef root = rest_of(body, next, &whole);
    int x = root ? cc_item_find(body, root) : -1;
    if (x < 0 || body->items[x].induction != l || LLVMTypeOf(root) != type || cc_incoming(root, latch) == next)
        return false;
    *found = (beside){&body->items[x], item->value, next, whole - LLVMConstIntGetSExtValue(body->items[x].step)};
    return rest_of(body, cc_incoming(item->value, before), &start) ==
               rest_of(body, cc_incoming(root, before), &other) &&
           is_equal(type, start - other, found->distance);
}

/* Sets the flags of p + step, which cannot wrap if neither i + step nor that plus the distance wraps, and p begins
 * with i plus the distance. */
static void set_flags(const cc_body *body, int l, const beside *p, LLVMValueRef made) {
    const cc_loop *loop = &body->loops[l];
    LLVMBasicBlockRef before = body->blocks[loop->before].block;
    LLVMValueRef i = p->induction->value, stepped = cc_incoming(i, body->blocks[loop->latch].block),
                 start = cc_incoming(p->phi, before), other = cc_incoming(i, before);
    bool late = p->next == i;
    if ((!late && LLVMGetOperand(p->next, 0) != stepped) || !LLVMIsAConstantInt(start) || !LLVMIsAConstantInt(other))
        return;
    int64_t from = LLVMConstIntGetSExtValue(start), to = LLVMConstIntGetSExtValue(other);
    bool apart = from - to == p->distance;
    if (apart && LLVMGetNSW(stepped) && (late || LLVMGetNSW(p->next)))
        LLVMSetNSW(made, true);
    if (apart && from >= 0 && to >= 0 && LLVMGetNUW(stepped) && (late || LLVMGetNUW(p->next)))
        LLVMSetNUW(made, true);
}

static void straighten(cc_body *body, int l, const beside *p) {
    cc_unit *unit = body->unit;
    LLVMBasicBlockRef latch = body->blocks[body->loops[l].latch].block;
    LLVMValueRef made, step = p->induction->step;
    bool late = p->next == p->induction->value;
    cc_build_before(unit, late ? LLVMGetBasicBlockTerminator(latch) : p->next);
    if (LLVMGetTypeKind(LLVMTypeOf(p->phi)) == LLVMPointerTypeKind)
        made = LLVMBuildGEP2(unit->builder, unit->i8, p->phi, &step, 1, "");
    else {
        made = LLVMBuildAdd(unit->builder, p->phi, step, "");
        set_flags(body, l, p, made);
    }
    if (!late)
        LLVMReplaceAllUsesWith(p->next, made);
    for (unsigned k = 0; late && k < LLVMCountIncoming(p->phi); k++)
        if (LLVMGetIncomingBlock(p->phi, k) == latch)
            LLVMSetOperand(p->phi, k, made);
}

/* Returns the induction variable of a loop that others are expressed by: the one that ends it. */
static const cc_item *leader_of(const cc_body *body, int l) {
    cc_loop_test test;
    if (cc_find_loop_test(body, l, &test))
        return test.item;
    for (int x = body->blocks[body->loops[l].header].first; body->items[x].opcode == LLVMPHI; x++)
        if (body->items[x].induction == l)
            return &body->items[x];
    return NULL;
}

/* Returns whether the sum of the leader and a constant wraps no more than a narrow variable itself; sets the flags. */
static bool keeps_flags(const cc_body *body, const cc_item *item, const cc_item *leader, LLVMValueRef made) {
    if (LLVMGetIntTypeWidth(LLVMTypeOf(item->value)) == 64)
        return true;
    LLVMValueRef next = cc_induction_next(body, item), other = cc_induction_next(body, leader);
    bool known =
        LLVMIsAConstantInt(cc_induction_start(body, item)) && LLVMIsAConstantInt(cc_induction_start(body, leader));
    if (!known || LLVMGetNUW(next) || (LLVMGetNSW(next) && !LLVMGetNSW(other)))
        return false;
    LLVMSetNSW(made, LLVMGetNSW(next));
    return true;
}

/* Replaces an induction variable by another one plus a constant, if they have one step. */
static bool join(cc_body *body, const cc_item *item, const cc_item *leader) {
    cc_unit *unit = body->unit;
    LLVMTypeRef type = LLVMTypeOf(item->value);
    int64_t start, other;
    if (item == leader || item->induction != leader->induction || LLVMTypeOf(leader->value) != type ||
        item->step != leader->step ||
        rest_of(body, cc_induction_start(body, item), &start) !=
            rest_of(body, cc_induction_start(body, leader), &other))
        return false;
    LLVMValueRef first = item->value, made;
    while (LLVMIsAPHINode(first))
        first = LLVMGetNextInstruction(first);
    cc_build_before(unit, first);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        made = cc_offset(unit, leader->value, start - other);
    else {
        made = LLVMBuildAdd(unit->builder, leader->value, LLVMConstInt(type, (uint64_t)(start - other), true), "");
        if (!keeps_flags(body, item, leader, made)) {
            LLVMInstructionEraseFromParent(made);
            return false;
        }
    }
    LLVMReplaceAllUsesWith(item->value, made);
    LLVMInstructionEraseFromParent(item->value);
    return true;
}

/* New instructions may lie where erased ones were, so items are not looked up once the first one is erased. */
static bool join_all(cc_body *body) {
    bool changed = false;
    for (int l = 0; l < body->loop_count; l++) {
        const cc_item *leader = body->loops[l].counted ? leader_of(body, l) : NULL;
        int first = body->blocks[body->loops[l].header].first;
        for (int x = first; leader && body->items[x].opcode == LLVMPHI; x++)
            changed |= join(body, &body->items[x], leader);
    }
    return changed;
}

static bool straighten_all(cc_body *body) {
    bool changed = false;
    for (int l = 0; l < body->loop_count; l++) {
        beside found;
        int first = body->blocks[body->loops[l].header].first;
        for (int x = first; body->loops[l].counted && body->items[x].opcode == LLVMPHI; x++)
            if (find_beside(body, l, &body->items[x], &found)) {
                straighten(body, l, &found);
                changed = true;
            }
    }
    return changed;
}

/* ---- Pointers that some iterations move ---- */

/* How an iteration moves a pointer: by so many elements. */
typedef struct move {
    LLVMTypeRef element;
    LLVMValueRef offset;
} move;

/* Returns whether the value is there at the end of a block. */
static bool is_there(const cc_body *body, LLVMValueRef value, int block) {
    int x = cc_item_find(body, value);
    return x < 0 || body->items[x].block < 0 || cc_dominates(body, body->items[x].block, block);
}

/* Finds by how much a loop inside moves the pointer if it starts with it, and `last` is the value behind the last
 * iteration. Builds that number of bytes before `place`. */
static bool find_run(cc_body *body, LLVMValueRef last, LLVMValueRef pointer, int at, LLVMValueRef place, move *found) {
    cc_unit *unit = body->unit;
    LLVMValueRef start, bound, from = adds_constant(last) ? LLVMGetOperand(last, 0) : NULL;
    int x = from ? cc_item_find(body, from) : -1, m = x >= 0 ? body->items[x].induction : -1;
    cc_loop_test test;
    if (m < 0 || cc_induction_next(body, &body->items[x]) != last ||
        cc_induction_start(body, &body->items[x]) != pointer || !cc_has_count(body, m, &start, &bound) ||
        !cc_find_loop_test(body, m, &test))
        return false;
    int64_t step = LLVMConstIntGetSExtValue(test.item->step), bytes = LLVMConstIntGetSExtValue(body->items[x].step);
    if ((step != 1 && step != -1) || LLVMGetTypeKind(LLVMTypeOf(bound)) != LLVMIntegerTypeKind ||
        !is_there(body, start, at) || !is_there(body, bound, at))
        return false;
    cc_build_before(unit, place);
    LLVMValueRef count = LLVMBuildSub(unit->builder, step > 0 ? bound : start, step > 0 ? start : bound, "");
    count = LLVMBuildIntCast2(unit->builder, count, unit->i64, false, "");
    *found = (move){unit->i8, LLVMBuildMul(unit->builder, count, cc_i64(unit, bytes), "")};
    return true;
}

/* Finds the offset, which is there at the end of block `at`, if `moved` is `pointer` plus one. */
static bool find_move(cc_body *body, LLVMValueRef moved, LLVMValueRef pointer, int at, LLVMValueRef place,
                      move *found) {
    while (LLVMIsAPHINode(moved) && LLVMCountIncoming(moved) == 1)
        moved = LLVMGetIncomingValue(moved, 0);
    if (!LLVMIsAGetElementPtrInst(moved) || LLVMGetNumOperands(moved) != 2)
        return false;
    *found = (move){LLVMGetGEPSourceElementType(moved), LLVMGetOperand(moved, 1)};
    if (LLVMGetOperand(moved, 0) == pointer)
        return LLVMGetTypeKind(LLVMTypeOf(found->offset)) == LLVMIntegerTypeKind && is_there(body, found->offset, at);
    return find_run(body, moved, pointer, at, place, found);
}

/* Makes `next`, a phi, pointer + offset. */
static void move_by(cc_body *body, LLVMValueRef next, LLVMValueRef pointer, LLVMTypeRef element, LLVMValueRef offset) {
    LLVMReplaceAllUsesWith(next, LLVMBuildGEP2(body->unit->builder, element, pointer, &offset, 1, ""));
    LLVMInstructionEraseFromParent(next);
}

/* Returns the condition of the branch of a block's dominator if its two ways are the two ways into the block; sets the
 * predecessor to which the way of a condition that is true leads. */
static LLVMValueRef condition_of(const cc_body *body, int b, int *when_true) {
    const cc_block *block = &body->blocks[b];
    int from = block->dominator;
    if (block->predecessor_count != 2 || from < 0 || body->blocks[from].loop != block->loop)
        return NULL;
    LLVMValueRef branch = body->items[body->blocks[from].last].value;
    if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch))
        return NULL;
    int yes = (int)cc_map_get(&body->block_of, LLVMGetSuccessor(branch, 0));
    int no = (int)cc_map_get(&body->block_of, LLVMGetSuccessor(branch, 1));
    for (int k = 0; k < 2 && yes != no; k++)
        if (cc_leads_through(body, from, yes, b, block->predecessors[k]) &&
            cc_leads_through(body, from, no, b, block->predecessors[1 - k])) {
            *when_true = block->predecessors[k];
            return LLVMGetCondition(branch);
        }
    return NULL;
}

/* Replaces phi(p, p + offset), the value of p in the next iteration, by p + (condition ? 0 : offset), so that p is a
 * recurrence (recurrences.h), and phi(p + offset) by p + offset. Returns whether it did. */
static bool choose_offset(cc_body *body, int l, LLVMValueRef pointer) {
    cc_unit *unit = body->unit;
    LLVMValueRef next = cc_incoming(pointer, body->blocks[body->loops[l].latch].block);
    int x = next ? cc_item_find(body, next) : -1, when_true;
    if (x < 0 || body->items[x].opcode != LLVMPHI || body->items[x].block == body->loops[l].header ||
        body->blocks[body->items[x].block].loop != l || LLVMCountIncoming(next) > 2)
        return false;
    const cc_block *block = &body->blocks[body->items[x].block];
    move found;
    if (LLVMCountIncoming(next) == 1) {
        LLVMValueRef place = cc_first_after_phis(block->block);
        if (block->dominator < 0 || !find_move(body, next, pointer, block->dominator, place, &found))
            return false;
        cc_build_before(unit, place);
        move_by(body, next, pointer, found.element, found.offset);
        return true;
    }
    unsigned stays = LLVMGetIncomingValue(next, 0) == pointer ? 0 : 1;
    LLVMValueRef condition = condition_of(body, body->items[x].block, &when_true);
    if (LLVMGetIncomingValue(next, stays) != pointer || !condition ||
        !find_move(body, LLVMGetIncomingValue(next, 1 - stays), pointer, block->dominator,
                   body->items[body->blocks[block->dominator].last].value, &found))
        return false;
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(found.offset));
    bool moves = LLVMGetIncomingBlock(next, 1 - stays) == body->blocks[when_true].block;
    cc_build_before(unit, cc_first_after_phis(block->block));
    LLVMValueRef by =
        LLVMBuildSelect(unit->builder, condition, moves ? found.offset : zero, moves ? zero : found.offset, "");
    move_by(body, next, pointer, found.element, by);
    return true;
}

static bool choose_offsets(cc_body *body) {
    for (int l = 0; l < body->loop_count; l++)
        for (int x = body->blocks[body->loops[l].header].first; body->items[x].opcode == LLVMPHI; x++)
            if (body->loops[l].counted && LLVMGetTypeKind(LLVMTypeOf(body->items[x].value)) == LLVMPointerTypeKind &&
                choose_offset(body, l, body->items[x].value))
                return true;
    return false;
}

/* ---- Steps inside inner loops ---- */

/* An inner loop that uses i + 1 computes it, and a phi behind that loop hands it to the next iteration. Then i is no
 * induction variable. Replaces the phi by another i + 1. Returns whether it did. */
static bool step_behind(cc_body *body, int l, LLVMValueRef phi) {
    LLVMValueRef handed = cc_incoming(phi, body->blocks[body->loops[l].latch].block), next = handed;
    while (next && LLVMIsAPHINode(next) && LLVMCountIncoming(next) == 1)
        next = LLVMGetIncomingValue(next, 0);
    if (!next || next == handed || !adds_constant(next) || LLVMGetOperand(next, 0) != phi)
        return false;
    cc_build_before(body->unit, cc_first_after_phis(LLVMGetInstructionParent(handed)));
    LLVMValueRef again = LLVMInstructionClone(next);
    LLVMInsertIntoBuilder(body->unit->builder, again);
    LLVMReplaceAllUsesWith(handed, again);
    LLVMInstructionEraseFromParent(handed);
    return true;
}

static bool step_behind_all(cc_body *body) {
    for (int l = 0; l < body->loop_count; l++)
        for (int x = body->blocks[body->loops[l].header].first; body->items[x].opcode == LLVMPHI; x++)
            if (body->loops[l].counted && body->items[x].induction < 0 && step_behind(body, l, body->items[x].value))
                return true;
    return false;
}

bool cc_straighten(cc_body *body) {
    return step_behind_all(body) || straighten_all(body) || join_all(body) || choose_offsets(body) ||
           cc_count_steps(body);
}
