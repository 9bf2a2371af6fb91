/* Adds the code that writes the records to f.record. native/state.h describes the tape, plan/plan.h what a record
 * contains.
 *
 * The end of the tape is in a local variable, which LLVM keeps in a register; around calls it is in state.tape. */
#include "cc/ir/leaves.h"
#include "cc/ir/memory_scopes.h"
#include "cc/ir/program.h"
#include "cc/ir/small.h"
#include "cc/ir/surgery.h"
#include "cc/plan/active.h"
#include "cc/plan/effects.h"
#include "cc/plan/plan.h"
#include "cc/plan/ranges.h"
#include "cc/plan/records.h"
#include "cc/plan/windows.h"
#include "cc/reverse/callsite.h"
#include "cc/reverse/copies.h"
#include "cc/reverse/custom.h"
#include "cc/reverse/dual.h"
#include "cc/reverse/guard.h"
#include "cc/reverse/inside.h"
#include "cc/reverse/locals.h"
#include "cc/reverse/reverse.h"
#include "cc/reverse/single.h"
#include "cc/reverse/site.h"
#include "native/state.h"

#include <string.h>

typedef struct recorder {
    cc_unit *unit;
    cc_body *body;
    LLVMValueRef tape;    /* variable with the end of the tape */
    LLVMValueRef *called; /* for each segment, state.last after the call through a pointer that ends it */
} recorder;

/* ---- Sites ---- */

uint64_t cc_resume_after_call(int segment) {
    return 1 + 2 * (uint64_t)segment;
}

uint64_t cc_resume_at_block(const cc_body *body, int block) {
    (void)body;
    return 2 + 2 * (uint64_t)block;
}

const cc_loop *cc_counting_loop(const cc_body *body, int block) {
    int l = body->blocks[block].loop;
    return l >= 0 && body->loops[l].count_slot >= 0 ? &body->loops[l] : NULL;
}

LLVMValueRef cc_strip_last(const cc_body *body, const cc_loop *loop) {
    return cc_i64(body->unit, ((int64_t)1 << loop->shift) - 1);
}

LLVMValueRef cc_site(cc_body *body, int block) {
    cc_unit *unit = body->unit;
    const char *name = cc_print(unit, "%s" CC_SITE_INFIX "%d", body->function->name, block);
    LLVMValueRef site = LLVMGetNamedGlobal(unit->module, name);
    if (site)
        return site;
    LLVMValueRef members[] = {body->function->reverse, cc_i64(unit, (int64_t)cc_resume_at_block(body, block)),
                              cc_string(unit, cc_where(unit, body->items[body->blocks[block].last].value))};
    LLVMValueRef value = LLVMConstStructInContext(unit->context, members, 3, false);
    site = LLVMAddGlobal(unit->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(site, value);
    LLVMSetGlobalConstant(site, true);
    LLVMSetLinkage(site, LLVMInternalLinkage);
    return site;
}

/* ---- Calls through pointers ---- */

/* pointer verso.called(last, message): returns `last`; if it is NULL, the callee has recorded nothing, and the run
 * time refuses with the message. */
static const char name_of_called[] = "verso.called";

static void build_called(cc_unit *unit, LLVMValueRef function, const void *context) {
    (void)context;
    LLVMBasicBlockRef bad = LLVMAppendBasicBlockInContext(unit->context, function, "bad");
    LLVMBasicBlockRef good = LLVMAppendBasicBlockInContext(unit->context, function, "good");
    LLVMBuildCondBr(unit->builder, LLVMBuildIsNull(unit->builder, LLVMGetParam(function, 0), ""), bad, good);
    cc_build_at_end(unit, bad);
    LLVMValueRef message = LLVMGetParam(function, 1);
    cc_call_runtime(unit, "verso__native_refuse", unit->none, &message, 1);
    LLVMBuildUnreachable(unit->builder);
    cc_build_at_end(unit, good);
    LLVMBuildRet(unit->builder, LLVMGetParam(function, 0));
}

/* ---- Building ---- */

static LLVMValueRef load_state(recorder *r, LLVMTypeRef type, size_t offset) {
    LLVMValueRef load = LLVMBuildLoad2(r->unit->builder, type, cc_state(r->unit, offset), "");
    return cc_in_scope(r->unit, load, CC_SCOPE_STATE);
}

static void store_state(recorder *r, LLVMValueRef value, size_t offset) {
    cc_in_scope(r->unit, LLVMBuildStore(r->unit->builder, value, cc_state(r->unit, offset)), CC_SCOPE_STATE);
}

static LLVMValueRef tape_now(recorder *r) {
    LLVMValueRef tape = LLVMBuildLoad2(r->unit->builder, r->unit->pointer, r->tape, "tape");
    return r->body->single ? cc_in_scope(r->unit, tape, CC_SCOPE_STATE) : tape;
}

static void set_tape(recorder *r, LLVMValueRef tape) {
    LLVMValueRef store = LLVMBuildStore(r->unit->builder, tape, r->tape);
    if (r->body->single)
        cc_in_scope(r->unit, store, CC_SCOPE_STATE);
}

static LLVMValueRef new_phi(recorder *r, const cc_block *block, LLVMTypeRef type) {
    LLVMPositionBuilderBefore(r->unit->builder, LLVMGetFirstInstruction(block->block));
    return LLVMBuildPhi(r->unit->builder, type, "");
}

static void count_loops(recorder *r) {
    for (int l = 0; l < r->body->loop_count; l++) {
        cc_loop *loop = &r->body->loops[l];
        if (loop->count_slot < 0 || loop->count)
            continue;
        cc_block *blocks = r->body->blocks;
        loop->count = new_phi(r, &blocks[loop->header], r->unit->i64);
        LLVMPositionBuilderBefore(r->unit->builder, LLVMGetBasicBlockTerminator(blocks[loop->latch].block));
        LLVMValueRef next = LLVMBuildAdd(r->unit->builder, loop->count, cc_i64(r->unit, 1), "");
        LLVMValueRef values[] = {cc_i64(r->unit, 0), next};
        LLVMBasicBlockRef from[] = {blocks[loop->before].block, blocks[loop->latch].block};
        LLVMAddIncoming(loop->count, values, from, 2);
        /* A phi needs one entry per edge, and a conditional branch may lead to the header twice. */
        for (int k = 0; k < 2; k++) {
            LLVMValueRef end = LLVMGetBasicBlockTerminator(from[k]);
            unsigned edges = 0;
            for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
                edges += LLVMGetSuccessor(end, s) == blocks[loop->header].block;
            for (; edges > 1; edges--)
                LLVMAddIncoming(loop->count, &values[k], &from[k], 1);
        }
    }
}

/* Builds the number of times that a loop has gone back; of a loop in strips, over all strips. If the loop is left
 * with a pad, its size goes with the number, or stands alone if the number follows from the loop's bound. */
static LLVMValueRef build_count(recorder *r, const cc_loop *loop, LLVMValueRef pad) {
    LLVMBuilderRef build = r->unit->builder;
    LLVMValueRef count = loop->count;
    if (loop->follows)
        return pad;
    if (loop->around >= 0) {
        LLVMValueRef strips = r->body->loops[loop->around].count;
        strips = LLVMBuildShl(build, strips, cc_i64(r->unit, loop->shift), "");
        count = LLVMBuildOr(build, strips, count, "");
    }
    if (loop->grain % 8 == 0)
        return count;
    return LLVMBuildOr(build, LLVMBuildShl(build, count, cc_i64(r->unit, CC_PAD_BITS), ""), pad, "");
}

/* Builds the number of bytes from `tape` to a multiple of 8. */
static LLVMValueRef build_pad(recorder *r, LLVMValueRef tape) {
    LLVMValueRef end = LLVMBuildPtrToInt(r->unit->builder, tape, r->unit->i64, "");
    return LLVMBuildAnd(r->unit->builder, LLVMBuildNeg(r->unit->builder, end, ""), cc_i64(r->unit, 7), "");
}

/* Builds the number of the predecessor from which control entered the block. */
static LLVMValueRef build_predecessor(recorder *r, int b, LLVMTypeRef type) {
    const cc_block *block = &r->body->blocks[b];
    LLVMValueRef phi = new_phi(r, block, type);
    for (int k = 0; k < block->predecessor_count; k++) {
        LLVMBasicBlockRef from = r->body->blocks[block->predecessors[k]].block;
        LLVMValueRef number = LLVMConstInt(type, (unsigned)k, false), end = LLVMGetBasicBlockTerminator(from);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
            if (LLVMGetSuccessor(end, s) == block->block)
                LLVMAddIncoming(phi, &number, &from, 1);
    }
    return phi;
}

/* What a record needs that is computed where it is written. */
typedef struct made {
    LLVMValueRef predecessor, pad; /* NULL: not needed */
} made;

static LLVMValueRef field_value(recorder *r, int s, const cc_field *field, made made) {
    switch (field->kind) {
    case CC_FIELD_PREDECESSOR: return made.predecessor;
    case CC_FIELD_COUNT: return build_count(r, &r->body->loops[field->loop], made.pad);
    case CC_FIELD_CALLEE: return r->called[s - 1];
    case CC_FIELD_OLD: return cc_load_old(r->body, field->item);
    case CC_FIELD_BEGIN: return r->body->ranges->all[field->item].begin;
    case CC_FIELD_LASTING: return r->body->ranges->all[field->item].lasting;
    case CC_FIELD_BYTES: return r->body->ranges->all[field->item].bytes;
    default: break;
    }
    LLVMValueRef value = r->body->items[field->item].value;
    return LLVMTypeOf(value) == field->type ? value : LLVMBuildZExt(r->unit->builder, value, field->type, "");
}

static LLVMValueRef store_tape(recorder *r, LLVMValueRef tape, unsigned offset, unsigned alignment,
                               LLVMValueRef value) {
    LLVMValueRef store = LLVMBuildStore(r->unit->builder, value, cc_offset(r->unit, tape, offset));
    LLVMSetAlignment(store, alignment);
    return cc_in_scope(r->unit, store, CC_SCOPE_TAPE);
}

/* Builds the code around a followed call: writes the reverse function and the resume number to the tape, stores
 * state.tape before the call and loads it after. */
static void build_followed(recorder *r, int s, LLVMValueRef tape) {
    cc_segment *segment = &r->body->segments[s];
    LLVMValueRef call = r->body->items[segment->call].value, site = cc_callsite(r->body, s);
    LLVMValueRef callee = LLVMGetCalledValue(call), reverse = r->body->function->reverse;
    bool pointer = !cc_callee(call), whole = site && r->body->single;
    segment->resume = cc_resume_after_call(s);
    if (pointer)
        store_state(r, LLVMConstNull(r->unit->pointer), offsetof(verso__native_state, last));
    if (whole) {
        cc_build_single_call(r->body, call, site, segment->resume);
    } else {
        store_tape(r, tape, segment->size, 8, reverse);
        store_tape(r, tape, segment->size + 8, 8, cc_i64(r->unit, (int64_t)segment->resume));
        store_state(r, cc_offset(r->unit, tape, segment->size + 16), offsetof(verso__native_state, tape));
    }
    if (site && !whole)
        cc_set_callee(call, cc_build_enter(r->body, s, site, callee));
    LLVMPositionBuilderBefore(r->unit->builder, whole ? cc_next(LLVMGetNextInstruction(call)) : cc_next(call));
    if (site && !whole)
        cc_build_leave(r->body, s, site);
    if (!r->body->single)
        set_tape(r, load_state(r, r->unit->pointer, offsetof(verso__native_state, tape)));
    if (!pointer)
        return;
    const char *text =
        cc_print(r->unit,
                 "%s: a function was called through a pointer that was not compiled by `verso cc`, or that "
                 "Verso does not know; compile it with `verso cc`, or call it through a function of the "
                 "program that has a VERSO_CUSTOM_ADJOINT or is VERSO_INACTIVE",
                 cc_where(r->unit, call));
    LLVMValueRef arguments[] = {load_state(r, r->unit->pointer, offsetof(verso__native_state, last)),
                                cc_string(r->unit, text)};
    LLVMTypeRef types[] = {r->unit->pointer, r->unit->pointer};
    LLVMTypeRef type = LLVMFunctionType(r->unit->pointer, types, 2, false);
    cc_make_small(r->unit, name_of_called, type, CC_SMALL_CHANGES, build_called, NULL);
    r->called[s] = cc_call_small(r->unit, name_of_called, false, arguments, 2);
}

/* Builds what precedes the fields of a record, and returns where these begin; the builder is then before `end`. Copies
 * of ranges are made where the block begins, because it may write to what a loop has read. */
static LLVMValueRef begin_record(recorder *r, const cc_segment *segment, LLVMValueRef end, made *made) {
    LLVMBuilderRef build = r->unit->builder;
    LLVMPositionBuilderBefore(build, end);
    if (cc_has_ranges(r->body, segment))
        LLVMPositionBuilderBefore(build, cc_first_after_phis(r->body->blocks[segment->block].block));
    LLVMValueRef tape = tape_now(r);
    if (cc_padded_loop(r->body, segment)) {
        made->pad = build_pad(r, tape);
        tape = LLVMBuildGEP2(build, r->unit->i8, tape, &made->pad, 1, "");
    }
    tape = cc_record_ranges(r->body, segment, tape);
    LLVMPositionBuilderBefore(build, end);
    return tape;
}

static void record_segment(recorder *r, int s) {
    cc_segment *segment = &r->body->segments[s];
    made made = {0};
    for (size_t i = 0; i < segment->field_count; i++)
        if (segment->fields[i].kind == CC_FIELD_PREDECESSOR)
            made.predecessor = build_predecessor(r, segment->block, segment->fields[i].type);
    const cc_item *end = &r->body->items[segment->call >= 0 ? segment->call : segment->last];
    LLVMValueRef tape = begin_record(r, segment, end->value, &made);
    for (size_t i = 0; i < segment->field_count; i++) {
        const cc_field *field = &segment->fields[i];
        LLVMValueRef value = field_value(r, s, field, made);
        LLVMPositionBuilderBefore(r->unit->builder, end->value);
        LLVMValueRef store = store_tape(r, tape, field->offset, cc_field_alignment(segment, field), value);
        if (segment->field_count > 1 && r->body->blocks[segment->block].loop >= 0)
            cc_in_field(r->unit, store, i);
    }
    if (segment->size > 0 || cc_has_ranges(r->body, segment)) /* a copy may precede a record without fields */
        set_tape(r, cc_offset(r->unit, tape, segment->size));
    if (segment->call >= 0 && end->call == CC_CALL_FOLLOWED)
        build_followed(r, s, tape);
    else if (segment->call >= 0)
        cc_record_custom(r->body, segment->call, r->tape);
    else if (end->opcode == LLVMRet) {
        if (!r->body->single)
            store_state(r, tape_now(r), offsetof(verso__native_state, tape));
        store_state(r, r->body->function->reverse, offsetof(verso__native_state, last));
    }
}

static void mark_accesses(recorder *r) {
    cc_memories memories = cc_memories_of(r->unit, r->body->function->value);
    for (int x = r->body->parameter_count; x < r->body->item_count; x++) {
        LLVMOpcode opcode = r->body->items[x].opcode;
        LLVMValueRef access = r->body->items[x].value;
        if (opcode != LLVMLoad && opcode != LLVMStore)
            continue;
        cc_in_scope(r->unit, access, CC_SCOPE_PROGRAM);
        cc_in_memory(r->unit, &memories, access, access, false);
    }
}

static void record_function(cc_body *body) {
    recorder r = {.unit = body->unit, .body = body};
    LLVMPositionBuilderBefore(r.unit->builder, LLVMGetFirstInstruction(body->blocks[0].block));
    r.tape = body->single ? cc_state(body->unit, offsetof(verso__native_state, tape))
                          : LLVMBuildAlloca(r.unit->builder, r.unit->pointer, "tape.end");
    r.called = cc_alloc(body->unit, (size_t)body->segment_count + 1, sizeof *r.called);
    mark_accesses(&r);
    cc_list_locals(body);
    cc_guard_writes(body);
    count_loops(&r);
    for (int s = 0; s < body->segment_count; s++)
        record_segment(&r, s);
    for (int x = body->parameter_count; x < body->item_count; x++)
        if (body->items[x].opcode == LLVMCall &&
            (body->items[x].call == CC_CALL_WRITTEN || body->items[x].call == CC_CALL_CHANGED))
            LLVMInstructionEraseFromParent(body->items[x].value);
    cc_make_dual(body, r.tape);
}

static void mark(const cc_body *body, LLVMValueRef function, const char *name) {
    LLVMAttributeRef made = LLVMCreateStringAttribute(body->unit->context, name, (unsigned)strlen(name), "", 0);
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, made);
}

/* Tells room `emit` how to optimise the recording and the reverse function. */
static void mark_versions(cc_body *body) {
    const bool *plain = cc_find_plain_loops(body);
    LLVMValueRef reverse = body->function->reverse;
    bool brief = true;
    for (int l = 0; l < body->loop_count; l++)
        brief = brief && !plain[l];
    if (body->quick) {
        mark(body, body->function->value, CC_QUICK);
        mark(body, reverse, CC_QUICK);
    }
    if (brief)
        mark(body, reverse, CC_BRIEF);
    if (cc_has_close_neighbours(body))
        mark(body, reverse, CC_UNPACKED);
}

/* What plans refer to is freed function by function: it is much more than the code that they lead to. */
static void make_versions(cc_unit *unit, cc_function *function) {
    cc_body *body = function->inert ? cc_body_new(unit, function) : function->flow->body;
    if (function->inert) {
        cc_reverse_unreachable(unit, function);
        cc_guard_writes(body);
        return;
    }
    cc_plan(body);
    cc_choose_copies(body);
    cc_reverse_function(body);
    mark_versions(body);
    cc_set_range_costs(body);
    record_function(body);
}

void cc_record_all(cc_unit *unit) {
    cc_region_begin(unit);
    cc_find_inert(unit);
    cc_find_active(unit);
    cc_find_effects(unit);
    for (size_t i = 0; i < unit->function_count; i++) {
        cc_region_begin(unit);
        make_versions(unit, &unit->functions[i]);
        cc_region_end(unit);
    }
    cc_region_end(unit);
}
