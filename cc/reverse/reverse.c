/* Builds the reverse function of one function. Control runs backwards through the blocks, segment by segment;
 * sweep_items.c reverses instructions. What must outlive a segment is in slots (slots.c). */
#include "cc/ir/program.h"
#include "cc/reverse/inside.h"

#include "cc/ir/leaves.h"
#include "cc/ir/memory_scopes.h"
#include "cc/plan/active.h"
#include "cc/plan/counts.h"
#include "cc/plan/plan.h"
#include "cc/plan/records.h"
#include "cc/plan/recurrences.h"
#include "cc/reverse/callsite.h"
#include "cc/reverse/copies.h"
#include "cc/reverse/custom.h"
#include "cc/reverse/kept.h"
#include "cc/reverse/site.h"
#include "cc/reverse/words.h"
#include "native/state.h"

static LLVMBasicBlockRef new_block(cc_sweep *sweep, const char *name) {
    return LLVMAppendBasicBlockInContext(sweep->unit->context, sweep->function, name);
}

static LLVMValueRef load_tape(cc_sweep *sweep) {
    return LLVMBuildLoad2(sweep->unit->builder, sweep->unit->pointer, sweep->tape, "tape");
}

/* ---- Entering and leaving ---- */

/* Builds the entry from the function's return. */
static void build_fresh(cc_sweep *sweep) {
    cc_body *body = sweep->body;
    cc_sweep_open_frame(sweep);
    if (body->returns >= 0)
        LLVMBuildBr(sweep->unit->builder, body->segments[body->blocks[body->returns].last_segment].reversed);
    else
        LLVMBuildUnreachable(sweep->unit->builder);
}

static bool is_reversed(const cc_body *body, int segment) {
    return body->blocks[body->segments[segment].block].reversal == body->segments[segment].block;
}

static void build_enter(cc_sweep *sweep) {
    cc_unit *unit = sweep->unit;
    LLVMBasicBlockRef enter = new_block(sweep, "enter"), fresh = new_block(sweep, "fresh"),
                      never = new_block(sweep, "never");
    for (int s = 0; s < sweep->body->segment_count; s++)
        if (is_reversed(sweep->body, s))
            sweep->body->segments[s].reversed = new_block(sweep, "segment");
    LLVMPositionBuilderAtEnd(unit->builder, enter);
    LLVMValueRef entry = cc_sweep_load_state(sweep, unit->i64, offsetof(verso__native_state, entry));
    sweep->tape = LLVMBuildAlloca(unit->builder, unit->pointer, "tape.end");
    cc_sweep_place_slots(sweep, entry);
    cc_sweep_make_rolls(sweep);
    LLVMBuildStore(unit->builder, cc_sweep_load_state(sweep, unit->pointer, offsetof(verso__native_state, tape)),
                   sweep->tape);
    sweep->entries = LLVMBuildSwitch(unit->builder, entry, never, 8);
    LLVMAddCase(sweep->entries, cc_i64(unit, 0), fresh);
    LLVMPositionBuilderAtEnd(unit->builder, never);
    LLVMBuildUnreachable(unit->builder);
    LLVMPositionBuilderAtEnd(unit->builder, fresh);
    build_fresh(sweep);
}

/* Ends this run of the reverse function: `next` is to run next, with `entry` in state.entry. */
static void hand_over(cc_sweep *sweep, LLVMValueRef next, LLVMValueRef entry) {
    cc_sweep_store_state(sweep, load_tape(sweep), offsetof(verso__native_state, tape));
    cc_sweep_store_state(sweep, next, offsetof(verso__native_state, next));
    cc_sweep_store_state(sweep, entry, offsetof(verso__native_state, entry));
    LLVMBuildRetVoid(sweep->unit->builder);
}

static size_t leaf_place(size_t member, unsigned leaf) {
    return member + leaf * sizeof(double);
}

/* Hands over to the caller, whose reverse function and resume number are the last 16 bytes of the tape. */
static void leave_function(cc_sweep *sweep) {
    cc_unit *unit = sweep->unit;
    cc_body *body = sweep->body;
    unsigned leaf = 0;
    for (int p = 0; p < body->parameter_count; p++) {
        if (cc_words_together(body, p)) {
            cc_words_give(sweep, p, leaf_place(offsetof(verso__native_state, argument), leaf));
            leaf += body->items[p].leaves;
            continue;
        }
        for (unsigned i = 0; i < body->items[p].leaves; i++, leaf++) {
            LLVMValueRef adjoint = cc_sweep_take(sweep, p, i);
            if (adjoint || body->function->address_taken)
                cc_sweep_store_adjoint(sweep, adjoint, leaf_place(offsetof(verso__native_state, argument), leaf));
        }
    }
    LLVMValueRef tape = cc_offset(unit, load_tape(sweep), -16);
    LLVMBuildStore(unit->builder, tape, sweep->tape);
    LLVMValueRef next = LLVMBuildLoad2(unit->builder, unit->pointer, tape, "");
    LLVMValueRef entry = LLVMBuildLoad2(unit->builder, unit->i64, cc_offset(unit, tape, 8), "");
    cc_in_scope(unit, next, CC_SCOPE_TAPE);
    cc_in_scope(unit, entry, CC_SCOPE_TAPE);
    if (sweep->framed)
        cc_sweep_store_state(sweep, cc_offset(unit, cc_sweep_frame_end(sweep), -(int64_t)sweep->frame_size),
                             offsetof(verso__native_state, frame));
    hand_over(sweep, next, entry);
}

/* ---- Safepoints: the stretch that is being reversed may have begun here ---- */

static LLVMValueRef loop_count(cc_sweep *sweep, const cc_loop *loop) {
    return cc_sweep_load_slot(sweep, loop->count_slot);
}

static void build_safepoint(cc_sweep *sweep, int block) {
    cc_unit *unit = sweep->unit;
    const cc_loop *loop = cc_counting_loop(sweep->body, block);
    LLVMValueRef count = loop ? loop_count(sweep, loop) : cc_i64(unit, 0);
    LLVMBasicBlockRef ask = new_block(sweep, "ask"), stop = new_block(sweep, "stop"),
                      resume = new_block(sweep, "resume"), on = new_block(sweep, "on");
    const bool *live = cc_live_at_block(sweep->body, block);
    LLVMValueRef here = cc_sweep_load_state(sweep, unit->pointer, offsetof(verso__native_state, tape_stop));
    LLVMValueRef reached = LLVMBuildICmp(unit->builder, LLVMIntEQ, load_tape(sweep), here, "");
    LLVMBuildCondBr(unit->builder, reached, ask, on);

    LLVMPositionBuilderAtEnd(unit->builder, ask);
    LLVMValueRef site = cc_site(sweep->body, block);
    LLVMValueRef arguments[] = {count, site};
    LLVMValueRef answer = cc_call_runtime(unit, "verso__native_stop", unit->i32, arguments, 2);
    LLVMBuildCondBr(unit->builder, LLVMBuildIsNotNull(unit->builder, answer, ""), stop, on);

    LLVMPositionBuilderAtEnd(unit->builder, stop);
    cc_sweep_save_slots(sweep, live);
    hand_over(sweep, LLVMConstNull(unit->pointer), cc_i64(unit, 0));

    LLVMAddCase(sweep->entries, cc_i64(unit, (int64_t)cc_resume_at_block(sweep->body, block)), resume);
    LLVMPositionBuilderAtEnd(unit->builder, resume);
    cc_sweep_begin_in_segment(sweep, sweep->body->blocks[block].first_segment);
    cc_sweep_restore_slots(sweep, live);
    LLVMBuildBr(unit->builder, on);
    LLVMPositionBuilderAtEnd(unit->builder, on);
}

/* ---- Edges between blocks ---- */

/* Moves the adjoints of the phis that are together (words.h) to those of their operands. Returns false if there are
 * none, or a phi is an operand of another, or there are phis of other kinds. */
static bool move_phis(cc_sweep *sweep, int block, int from) {
    const cc_body *body = sweep->body;
    int first = body->blocks[block].first, end = first;
    for (; body->items[end].opcode == LLVMPHI; end++) {
        int operand = cc_item_find(body, cc_incoming(body->items[end].value, body->blocks[from].block));
        bool active = body->items[end].varied && body->items[end].useful;
        if (active && (!cc_words_together(body, end) || (operand >= first && body->items[operand].block == block &&
                                                         body->items[operand].opcode == LLVMPHI)))
            return false;
    }
    for (int x = first; x < end; x++)
        if (cc_words_together(body, x))
            cc_words_move(sweep, cc_item_find(body, cc_incoming(body->items[x].value, body->blocks[from].block)), x);
    return true;
}

/* Reverses the phis of a block for control from `from`. All their adjoints are taken before any is added, because a
 * phi may be an operand of another. */
static void sweep_phis(cc_sweep *sweep, int block, int from) {
    cc_body *body = sweep->body;
    int first = body->blocks[block].first, end = first;
    size_t count = 0, n = 0;
    if (body->quick && move_phis(sweep, block, from)) {
        cc_sweep_begin_on_edge(sweep, from, block);
        return;
    }
    for (; body->items[end].opcode == LLVMPHI; end++)
        count += body->items[end].leaves;
    LLVMValueRef *adjoints = cc_alloc(sweep->unit, count + 1, sizeof *adjoints);
    for (int x = first; x < end; x++)
        for (unsigned i = 0; i < body->items[x].leaves; i++)
            adjoints[n++] = cc_sweep_take(sweep, x, i);
    cc_sweep_begin_on_edge(sweep, from, block);
    n = 0;
    for (int x = first; x < end; x++)
        for (unsigned i = 0; i < body->items[x].leaves; i++)
            cc_sweep_add(sweep, cc_incoming(body->items[x].value, body->blocks[from].block), i, adjoints[n++]);
}

/* Builds a value of the last segment of a loop's latch, which is free there, on the way back to it. */
static LLVMValueRef value_at_latch(cc_sweep *sweep, const cc_loop *loop, LLVMValueRef value) {
    cc_segment *here = sweep->segment, *segment = &sweep->body->segments[sweep->body->blocks[loop->latch].last_segment];
    LLVMValueRef *built = cc_alloc(sweep->unit, segment->need_count + 1, sizeof *built);
    for (size_t i = 0; i < segment->need_count; i++) {
        built[i] = segment->needs[i].built;
        segment->needs[i].built = NULL;
    }
    sweep->segment = segment;
    LLVMValueRef result = cc_sweep_value(sweep, value);
    sweep->segment = here;
    for (size_t i = 0; i < segment->need_count; i++)
        segment->needs[i].built = built[i];
    return result;
}

/* Steps back the values to which iterations add other amounts than constants, after the others, from which these
 * amounts are computed. */
static void step_recurrences_back(cc_sweep *sweep, const cc_loop *loop) {
    for (int i = 0; i < loop->induction_count; i++) {
        const cc_item *item = &sweep->body->items[loop->inductions[i]];
        if (item->recurrence < 0)
            continue;
        LLVMValueRef amount = value_at_latch(sweep, loop, cc_recurrence_amount(sweep->body, item));
        LLVMValueRef now = cc_sweep_load_slot(sweep, item->induction_slot);
        cc_sweep_store_slot(sweep, item->induction_slot, cc_build_step_back(sweep->body, item, now, amount));
    }
}

static void step_inductions_back(cc_sweep *sweep, const cc_loop *loop) {
    LLVMBuilderRef build = sweep->unit->builder;
    for (int i = 0; i < loop->induction_count; i++) {
        const cc_item *item = &sweep->body->items[loop->inductions[i]];
        if (item->recurrence >= 0)
            continue;
        LLVMValueRef now = cc_sweep_load_slot(sweep, item->induction_slot), back = LLVMConstNeg(item->step);
        bool pointer = LLVMGetTypeKind(LLVMTypeOf(now)) == LLVMPointerTypeKind;
        now = pointer ? LLVMBuildGEP2(build, sweep->unit->i8, now, &back, 1, "") : LLVMBuildAdd(build, now, back, "");
        cc_sweep_store_slot(sweep, item->induction_slot, now);
    }
}

/* Builds the jump from the reversal of block b to that of `from`, its predecessor, or of a block before that. A loop in
 * strips is left from its latch and from the block before that. The latch has nothing to reverse, so the reversed loop
 * is entered at the latch in both cases: LLVM does not recognise loops with two entries. */
static void go_back(cc_sweep *sweep, int from, int b) {
    const cc_body *body = sweep->body;
    const cc_loop *loop = body->blocks[from].loop >= 0 ? &body->loops[body->blocks[from].loop] : NULL;
    int to = body->blocks[from].reversal;
    if (loop && loop->around >= 0 && !loop->contains[b] && body->blocks[loop->latch].predecessors[0] == from)
        to = loop->latch;
    else if (to != from)
        cc_sweep_begin_on_shortcut(sweep, to, from);
    LLVMBuildBr(sweep->unit->builder, body->segments[body->blocks[to].last_segment].reversed);
}

/* Builds the ways to the predecessors; only the first one if they are the same. */
static LLVMBasicBlockRef *build_edges(cc_sweep *sweep, int b) {
    cc_block *block = &sweep->body->blocks[b];
    LLVMBasicBlockRef place = LLVMGetInsertBlock(sweep->unit->builder);
    LLVMBasicBlockRef *edges = cc_alloc(sweep->unit, (size_t)block->predecessor_count + 1, sizeof *edges);
    for (int k = 0; k < block->predecessor_count && (k == 0 || cc_has_ways(sweep->body, b)); k++) {
        int from = block->predecessors[k];
        edges[k] = new_block(sweep, "edge");
        LLVMPositionBuilderAtEnd(sweep->unit->builder, edges[k]);
        sweep_phis(sweep, b, from);
        go_back(sweep, from, b);
    }
    LLVMPositionBuilderAtEnd(sweep->unit->builder, place);
    return edges;
}

static void leave_header(cc_sweep *sweep, const cc_loop *loop, LLVMBasicBlockRef *edges) {
    cc_unit *unit = sweep->unit;
    if (loop->count_slot < 0) { /* the loop has no exit, so this code is never reached */
        LLVMBuildUnreachable(unit->builder);
        return;
    }
    int back_edge = sweep->body->blocks[loop->header].predecessors[0] == loop->latch ? 0 : 1;
    LLVMValueRef count = loop_count(sweep, loop);
    LLVMValueRef first = LLVMBuildICmp(unit->builder, LLVMIntEQ, count, cc_i64(unit, 0), "");
    /* Nothing before the loop needs these variables. On the edge they would keep LLVM from joining it with this
     * block. */
    cc_sweep_store_slot(sweep, loop->count_slot, LLVMBuildSub(unit->builder, count, cc_i64(unit, 1), ""));
    step_inductions_back(sweep, loop);
    step_recurrences_back(sweep, loop);
    LLVMBuildCondBr(unit->builder, first, edges[1 - back_edge], edges[back_edge]);
}

/* Sets the last value of an induction variable from the first one and the counter. */
static void set_from_start(cc_sweep *sweep, const cc_loop *loop, const cc_item *item, LLVMValueRef start) {
    LLVMBuilderRef build = sweep->unit->builder;
    LLVMValueRef count = LLVMBuildIntCast2(build, loop_count(sweep, loop), LLVMTypeOf(item->step), false, "");
    LLVMValueRef all = LLVMBuildMul(build, count, item->step, "");
    bool pointer = LLVMGetTypeKind(LLVMTypeOf(item->value)) == LLVMPointerTypeKind;
    cc_sweep_store_slot(sweep, item->induction_slot,
                        pointer ? LLVMBuildGEP2(build, sweep->unit->i8, start, &all, 1, "")
                                : LLVMBuildAdd(build, start, all, ""));
}

/* Sets the last values of induction variables that follow from the counter. */
static void set_counted_inductions(cc_sweep *sweep, const cc_loop *loop) {
    for (int i = 0; i < loop->induction_count; i++) {
        const cc_item *item = &sweep->body->items[loop->inductions[i]];
        if (item->recurrence >= 0)
            continue;
        LLVMValueRef start = cc_induction_start(sweep->body, item);
        if (loop->around >= 0)
            start = cc_sweep_load_slot(sweep, sweep->body->items[cc_item_find(sweep->body, start)].induction_slot);
        else if (!LLVMIsAConstantInt(start))
            continue;
        set_from_start(sweep, loop, item, start);
    }
}

/* Sets those whose first values are computed again. */
static void set_started_inductions(cc_sweep *sweep) {
    cc_body *body = sweep->body;
    for (int x = 0; x < body->item_count; x++) {
        const cc_item *item = &body->items[x];
        if (item->from_start && cc_leaves_loop(body, &body->loops[item->induction], sweep->segment->block))
            set_from_start(sweep, &body->loops[item->induction], item,
                           cc_sweep_value(sweep, cc_induction_start(body, item)));
    }
}

/* Sets the counter of a loop; of a loop in strips, also that of the loop around. */
static void store_counts(cc_sweep *sweep, const cc_loop *loop, LLVMValueRef count) {
    LLVMBuilderRef build = sweep->unit->builder;
    if (loop->around >= 0) {
        LLVMValueRef strips = LLVMBuildLShr(build, count, cc_i64(sweep->unit, loop->shift), "");
        cc_sweep_store_slot(sweep, sweep->body->loops[loop->around].count_slot, strips);
        count = LLVMBuildAnd(build, count, cc_strip_last(sweep->body, loop), "");
    }
    cc_sweep_store_slot(sweep, loop->count_slot, count);
}

/* Computes the counters of left loops that follow from bounds. LLVM knows many of these bounds, and then knows that a
 * row of a stencil is longer than the loop. */
static void compute_counts(cc_sweep *sweep) {
    cc_body *body = sweep->body;
    for (int l = 0; l < body->loop_count; l++) {
        const cc_loop *loop = &body->loops[l];
        LLVMValueRef start, bound;
        if (!loop->follows || !cc_leaves_loop(body, loop, sweep->segment->block) ||
            (loop->around >= 0 && body->loops[loop->around].contains[sweep->segment->block]))
            continue;
        cc_has_count(body, l, &start, &bound);
        start = cc_sweep_value(sweep, start);
        bound = cc_sweep_value(sweep, bound);
        store_counts(sweep, loop, cc_build_loop_count(body, l, start, bound));
    }
}

/* Sets the counter of a loop from the record, unless it follows, and removes the pad; of a loop in strips, also sets
 * the counter of the loop around. */
static void set_counts(cc_sweep *sweep, const cc_field *field) {
    LLVMBuilderRef build = sweep->unit->builder;
    const cc_loop *loop = &sweep->body->loops[field->loop];
    LLVMValueRef count = cc_sweep_field(sweep, field);
    if (loop == cc_padded_loop(sweep->body, sweep->segment)) {
        LLVMValueRef pad = LLVMBuildAnd(build, count, cc_i64(sweep->unit, (1 << CC_PAD_BITS) - 1), "");
        LLVMValueRef back = LLVMBuildNeg(build, pad, "");
        LLVMBuildStore(build, LLVMBuildGEP2(build, sweep->unit->i8, load_tape(sweep), &back, 1, ""), sweep->tape);
        count = LLVMBuildLShr(build, count, cc_i64(sweep->unit, CC_PAD_BITS), "");
    }
    if (!loop->follows)
        store_counts(sweep, loop, count);
}

/* Reads from the record how control came to this block: sets the slots of the loops that were left. Returns the
 * number of the predecessor; NULL if the record does not contain it. */
static LLVMValueRef read_way(cc_sweep *sweep) {
    LLVMValueRef predecessor = NULL;
    cc_sweep_ranges(sweep);
    for (size_t i = 0; i < sweep->segment->field_count; i++) {
        const cc_field *field = &sweep->segment->fields[i];
        if (field->kind == CC_FIELD_PREDECESSOR)
            predecessor = cc_sweep_field(sweep, field);
        else if (field->kind == CC_FIELD_COUNT)
            set_counts(sweep, field);
        else if (field->kind == CC_FIELD_SLOT)
            cc_sweep_store_slot(sweep, field->slot, cc_sweep_field(sweep, field));
    }
    compute_counts(sweep);
    set_started_inductions(sweep);
    return predecessor;
}

/* Sets the slots of the loops that the recorded run left when it entered this block; the loop around strips comes
 * before the loop inside. */
static void enter_loops(cc_sweep *sweep) {
    int block = sweep->segment->block;
    for (int l = 0; l < sweep->body->loop_count; l++) {
        const cc_loop *loop = &sweep->body->loops[l];
        if (!cc_leaves_loop(sweep->body, loop, block))
            continue;
        if (loop->around >= 0 && sweep->body->loops[loop->around].again == block)
            cc_sweep_store_slot(sweep, loop->count_slot, cc_strip_last(sweep->body, loop));
        set_counted_inductions(sweep, loop);
        cc_sweep_begin_rolls(sweep, l);
    }
}

static LLVMValueRef pass_safepoint(cc_sweep *sweep, int b, LLVMValueRef predecessor) {
    int slot = sweep->body->blocks[b].predecessor_slot;
    if (slot >= 0)
        cc_sweep_store_slot(sweep, slot, predecessor);
    build_safepoint(sweep, b);
    return slot >= 0 ? cc_sweep_load_slot(sweep, slot) : predecessor;
}

static void leave_block(cc_sweep *sweep) {
    cc_unit *unit = sweep->unit;
    int b = sweep->segment->block;
    cc_block *block = &sweep->body->blocks[b];
    LLVMValueRef predecessor = read_way(sweep);
    LLVMValueRef condition = sweep->segment->condition ? cc_sweep_value(sweep, sweep->segment->condition) : NULL;
    cc_loop *loop = block->loop >= 0 ? &sweep->body->loops[block->loop] : NULL;
    bool header = loop && loop->header == b && loop->counted;
    if (block->safepoint)
        predecessor = pass_safepoint(sweep, b, predecessor);
    if (b == 0) {
        leave_function(sweep);
        return;
    }
    enter_loops(sweep);
    LLVMBasicBlockRef *edges = build_edges(sweep, b);
    if (header)
        leave_header(sweep, loop, edges);
    else if (block->predecessor_count == 0)
        LLVMBuildUnreachable(unit->builder);
    else if (!cc_has_ways(sweep->body, b))
        LLVMBuildBr(unit->builder, edges[0]);
    else if (condition)
        LLVMBuildCondBr(unit->builder, condition, edges[sweep->segment->when_true],
                        edges[1 - sweep->segment->when_true]);
    else {
        int count = block->predecessor_count;
        LLVMValueRef choice = LLVMBuildSwitch(unit->builder, predecessor, edges[count - 1], (unsigned)count);
        for (int k = 0; k < count - 1; k++)
            LLVMAddCase(choice, LLVMConstInt(LLVMTypeOf(predecessor), (unsigned)k, false), edges[k]);
    }
}

/* ---- Segments ---- */

/* Adds the adjoints of the arguments, which the reverse function of the callee has left in state.argument. */
static void take_arguments(cc_sweep *sweep, LLVMValueRef call) {
    unsigned leaf = 0;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++) {
        LLVMValueRef argument = LLVMGetOperand(call, k);
        unsigned count = cc_leaf_count(sweep->unit, LLVMTypeOf(argument));
        int x = cc_item_find(sweep->body, argument);
        if (cc_words_together(sweep->body, x) && cc_argument_crosses(sweep->body, call, k))
            cc_words_receive(sweep, x, leaf_place(offsetof(verso__native_state, argument), leaf));
        else
            for (unsigned i = 0; i < count && cc_argument_crosses(sweep->body, call, k); i++)
                cc_sweep_add(sweep, argument, i,
                             cc_sweep_load_state(sweep, sweep->unit->f64,
                                                 leaf_place(offsetof(verso__native_state, argument), leaf + i)));
        leaf += count;
    }
}

/* Stores the adjoint of a call's result in state.result. */
static void give_result(cc_sweep *sweep, int call) {
    const cc_item *item = &sweep->body->items[call];
    bool crosses = item->call == CC_CALL_CUSTOM || cc_result_crosses(sweep->body, item->value);
    bool together = crosses && cc_words_together(sweep->body, call);
    if (together)
        cc_words_give(sweep, call, offsetof(verso__native_state, result));
    for (unsigned i = 0; !together && i < item->leaves; i++) {
        LLVMValueRef adjoint = cc_sweep_take(sweep, call, i);
        if (crosses)
            cc_sweep_store_adjoint(sweep, adjoint, leaf_place(offsetof(verso__native_state, result), i));
    }
}

/* Hands over to the reverse function of the call that ends the preceding segment `before`. */
static void enter_callee(cc_sweep *sweep, int before) {
    cc_segment *segment = &sweep->body->segments[before];
    LLVMValueRef call = sweep->body->items[segment->call].value;
    give_result(sweep, segment->call);
    if (sweep->body->items[segment->call].call == CC_CALL_CUSTOM) {
        LLVMBuildBr(sweep->unit->builder, segment->reversed);
        return;
    }
    LLVMValueRef callee = cc_callee(call), next = NULL;
    LLVMValueRef site = cc_callsite(sweep->body, before);
    const cc_function *followed = callee ? cc_function_find(sweep->unit, callee) : NULL;
    if (followed)
        next = followed->divided ? followed->entrance : followed->reverse;
    if (callee && site)
        next = cc_build_reversed(sweep->unit, site, next);
    for (size_t i = 0; i < sweep->segment->field_count; i++)
        if (sweep->segment->fields[i].kind == CC_FIELD_CALLEE)
            next = cc_sweep_field(sweep, &sweep->segment->fields[i]);
    cc_sweep_save_slots(sweep, cc_live_after_call(sweep->body, before));
    hand_over(sweep, next, cc_i64(sweep->unit, 0));
}

static void build_resume(cc_sweep *sweep, int s) {
    LLVMBasicBlockRef resume = new_block(sweep, "resume");
    LLVMAddCase(sweep->entries, cc_i64(sweep->unit, (int64_t)cc_resume_after_call(s)), resume);
    LLVMPositionBuilderAtEnd(sweep->unit->builder, resume);
    cc_sweep_restore_slots(sweep, cc_live_after_call(sweep->body, s));
    LLVMBuildBr(sweep->unit->builder, sweep->body->segments[s].reversed);
}

/* The returned value may be active although no derivative depends on the result; callers then leave no adjoint. */
static void sweep_return(cc_sweep *sweep, LLVMValueRef end) {
    bool useful = sweep->body->function->flow->result_useful;
    if (!useful || LLVMGetNumOperands(end) == 0 || !cc_is_active(sweep->body, LLVMGetOperand(end, 0)))
        return;
    LLVMValueRef value = LLVMGetOperand(end, 0);
    int x = cc_item_find(sweep->body, value);
    bool together = cc_words_together(sweep->body, x);
    if (together)
        cc_words_receive(sweep, x, offsetof(verso__native_state, result));
    for (unsigned i = 0; !together && i < cc_leaf_count(sweep->unit, LLVMTypeOf(value)); i++)
        cc_sweep_add(
            sweep, value, i,
            cc_sweep_load_state(sweep, sweep->unit->f64, leaf_place(offsetof(verso__native_state, result), i)));
}

/* Adds the sums over loops that are entered at the end of this segment. */
static void add_deferred(cc_sweep *sweep, int s) {
    const cc_body *body = sweep->body;
    for (int x = 0; x < body->item_count; x++) {
        const cc_item *item = &body->items[x];
        if (item->deferred >= 0 && body->blocks[body->loops[item->deferred].before].last_segment == s)
            cc_sweep_read_cells(sweep, x, LLVMGetOperand(item->value, 0), LLVMGetAlignment(item->value));
    }
}

static void sweep_items(cc_sweep *sweep, const cc_segment *segment) {
    cc_sweep_find_choices(sweep);
    for (int x = segment->last; x >= segment->first; x--) {
        LLVMOpcode opcode = sweep->body->items[x].opcode;
        if (opcode == LLVMRet)
            sweep_return(sweep, sweep->body->items[x].value);
        else if (sweep->body->items[x].roll >= 0)
            cc_sweep_roll(sweep, x);
        else if (opcode != LLVMPHI && sweep->body->items[x].deferred < 0)
            cc_sweep_item(sweep, x);
    }
}

/* Reverses the items of a segment. If it may have nothing to reverse under some condition (kept.h), this code is in a
 * branch of its own; code after the branch cannot use values that are computed in it, and computes them again. */
static void sweep_unless_kept(cc_sweep *sweep, cc_segment *segment) {
    LLVMBuilderRef build = sweep->unit->builder;
    cc_kept kept;
    if (!cc_find_kept(sweep->body, segment, &kept)) {
        sweep_items(sweep, segment);
        return;
    }
    LLVMValueRef stays = cc_sweep_value(sweep, kept.condition);
    LLVMBasicBlockRef changed = new_block(sweep, "changed"), on = new_block(sweep, "kept");
    LLVMBuildCondBr(build, stays, kept.when ? on : changed, kept.when ? changed : on);
    LLVMValueRef *built = cc_alloc(sweep->unit, segment->need_count + 1, sizeof *built);
    for (size_t i = 0; i < segment->need_count; i++)
        built[i] = segment->needs[i].built;
    LLVMPositionBuilderAtEnd(build, changed);
    sweep_items(sweep, segment);
    LLVMBuildBr(build, on);
    LLVMPositionBuilderAtEnd(build, on);
    for (size_t i = 0; i < segment->need_count; i++)
        segment->needs[i].built = built[i];
}

static void sweep_segment(cc_sweep *sweep, int s) {
    cc_unit *unit = sweep->unit;
    cc_segment *segment = sweep->segment = &sweep->body->segments[s];
    const cc_item *call = segment->call >= 0 ? &sweep->body->items[segment->call] : NULL;
    if (call && call->call == CC_CALL_FOLLOWED)
        build_resume(sweep, s);
    LLVMPositionBuilderAtEnd(unit->builder, segment->reversed);
    cc_sweep_begin_in_segment(sweep, s);
    LLVMValueRef passed = call && call->call == CC_CALL_CUSTOM ? cc_sweep_custom_begin(sweep) : NULL;
    sweep->record = load_tape(sweep);
    if (segment->size > 0) {
        sweep->record = cc_offset(unit, sweep->record, -(int64_t)segment->size);
        LLVMBuildStore(unit->builder, sweep->record, sweep->tape);
    }
    if (call && call->call == CC_CALL_FOLLOWED)
        take_arguments(sweep, call->value);
    else if (call)
        cc_sweep_custom(sweep, call->value, passed);
    cc_sweep_rewritten(sweep);
    add_deferred(sweep, s);
    cc_sweep_end_rolls(sweep, s);
    sweep_unless_kept(sweep, segment);
    if (s != sweep->body->blocks[segment->block].first_segment)
        enter_callee(sweep, s - 1);
    else
        leave_block(sweep);
}

void cc_reverse_function(cc_body *body) {
    cc_sweep sweep = {.unit = body->unit, .body = body, .function = body->function->reverse};
    sweep.memories = cc_memories_of(body->unit, body->function->value);
    cc_sweep_lay_out_frame(&sweep);
    build_enter(&sweep);
    for (int s = 0; s < body->segment_count; s++)
        if (is_reversed(body, s))
            sweep_segment(&sweep, s);
}

void cc_reverse_unreachable(cc_unit *unit, cc_function *function) {
    LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(unit->context, function->reverse, "never");
    LLVMPositionBuilderAtEnd(unit->builder, block);
    LLVMBuildUnreachable(unit->builder);
}
