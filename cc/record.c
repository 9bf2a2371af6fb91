/* Writes the records: works in place on f.record. See native/state.h for what the tape looks like, plan.h for what is
 * in a record.
 *
 * The tape's end is a local variable, which LLVM keeps in a register; it is in state.tape around calls. */
#include "cc/active.h"
#include "cc/callsite.h"
#include "cc/custom.h"
#include "cc/dual.h"
#include "cc/guard.h"
#include "cc/memory_scopes.h"
#include "cc/passes.h"
#include "cc/plan.h"
#include "cc/reverse.h"
#include "cc/site.h"
#include "cc/small.h"
#include "cc/surgery.h"
#include "native/state.h"

#include <string.h>

typedef struct recorder {
    cc_unit *unit;
    cc_body *body;
    LLVMValueRef tape;    /* the local variable */
    LLVMValueRef *called; /* by segment: state.last behind the call through a pointer that ends it */
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

/* pointer verso.called(last, message): last, unless it is NULL: then what was called recorded nothing. */
static const char name_of_called[] = "verso.called";

static void build_called(cc_unit *unit, LLVMValueRef function, const void *context) {
    (void)context;
    LLVMBasicBlockRef bad = LLVMAppendBasicBlockInContext(unit->context, function, "bad");
    LLVMBasicBlockRef good = LLVMAppendBasicBlockInContext(unit->context, function, "good");
    LLVMBuildCondBr(unit->builder, LLVMBuildIsNull(unit->builder, LLVMGetParam(function, 0), ""), bad, good);
    cc_build_at_end(unit, bad);
    LLVMValueRef message = LLVMGetParam(function, 1);
    cc_call_runtime(unit, "verso_native_refuse", unit->none, &message, 1);
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
    return LLVMBuildLoad2(r->unit->builder, r->unit->pointer, r->tape, "tape");
}

static void set_tape(recorder *r, LLVMValueRef tape) {
    LLVMBuildStore(r->unit->builder, tape, r->tape);
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
        /* A conditional latch may name the header twice. */
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

static LLVMValueRef build_count(recorder *r, const cc_loop *loop) {
    if (loop->around < 0)
        return loop->count;
    LLVMValueRef strips = r->body->loops[loop->around].count;
    strips = LLVMBuildShl(r->unit->builder, strips, cc_i64(r->unit, loop->shift), "");
    return LLVMBuildOr(r->unit->builder, strips, loop->count, "");
}

/* Which predecessor control came from, as a number. */
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

static LLVMValueRef field_value(recorder *r, int s, const cc_field *field, LLVMValueRef predecessor) {
    switch (field->kind) {
    case CC_FIELD_PREDECESSOR: return predecessor;
    case CC_FIELD_COUNT: return build_count(r, &r->body->loops[field->loop]);
    case CC_FIELD_CALLEE: return r->called[s - 1];
    default: return r->body->items[field->item].value;
    }
}

static void store_tape(recorder *r, LLVMValueRef tape, unsigned offset, LLVMValueRef value) {
    LLVMValueRef store = LLVMBuildStore(r->unit->builder, value, cc_offset(r->unit, tape, offset));
    LLVMSetAlignment(store, offset % 8 == 0 ? 8 : offset % 4 == 0 ? 4 : 1);
    cc_in_scope(r->unit, store, CC_SCOPE_TAPE);
}

/* (reverse function, resume number), state.tape, the call, state.tape. */
static void build_followed(recorder *r, int s, LLVMValueRef tape) {
    cc_segment *segment = &r->body->segments[s];
    LLVMValueRef call = r->body->items[segment->call].value;
    segment->resume = cc_resume_after_call(s);
    store_tape(r, tape, segment->size, r->body->function->reverse);
    store_tape(r, tape, segment->size + 8, cc_i64(r->unit, (int64_t)segment->resume));
    store_state(r, cc_offset(r->unit, tape, segment->size + 16), offsetof(verso_native_state, tape));
    bool pointer = !cc_callee(call);
    LLVMValueRef site = cc_callsite(r->body, s);
    if (pointer)
        store_state(r, LLVMConstNull(r->unit->pointer), offsetof(verso_native_state, last));
    if (site)
        cc_build_hook(r->body, CC_HOOK_ENTER, s, site);
    LLVMPositionBuilderBefore(r->unit->builder, LLVMGetNextInstruction(call));
    if (site)
        cc_build_hook(r->body, CC_HOOK_LEAVE, s, site);
    set_tape(r, load_state(r, r->unit->pointer, offsetof(verso_native_state, tape)));
    if (!pointer)
        return;
    const char *text =
        cc_print(r->unit,
                 "%s: a function was called through a pointer that was not compiled by `verso cc`, or that "
                 "Verso does not know; compile it with `verso cc`, or call it through a function of the "
                 "program that has a VERSO_CUSTOM_ADJOINT or is VERSO_INACTIVE",
                 cc_where(r->unit, call));
    LLVMValueRef arguments[] = {load_state(r, r->unit->pointer, offsetof(verso_native_state, last)),
                                cc_string(r->unit, text)};
    LLVMTypeRef types[] = {r->unit->pointer, r->unit->pointer};
    LLVMTypeRef type = LLVMFunctionType(r->unit->pointer, types, 2, false);
    cc_small(r->unit, name_of_called, type, CC_SMALL_CHANGES, build_called, NULL);
    r->called[s] = cc_call_small(r->unit, name_of_called, false, arguments, 2);
}

static void record_segment(recorder *r, int s) {
    cc_segment *segment = &r->body->segments[s];
    LLVMValueRef predecessor = NULL;
    for (size_t i = 0; i < segment->field_count; i++)
        if (segment->fields[i].kind == CC_FIELD_PREDECESSOR)
            predecessor = build_predecessor(r, segment->block, segment->fields[i].type);
    const cc_item *end = &r->body->items[segment->call >= 0 ? segment->call : segment->last];
    LLVMPositionBuilderBefore(r->unit->builder, end->value);
    LLVMValueRef tape = tape_now(r);
    for (size_t i = 0; i < segment->field_count; i++)
        store_tape(r, tape, segment->fields[i].offset, field_value(r, s, &segment->fields[i], predecessor));
    if (segment->size > 0)
        set_tape(r, cc_offset(r->unit, tape, segment->size));
    if (segment->call >= 0 && end->call == CC_CALL_FOLLOWED)
        build_followed(r, s, tape);
    else if (segment->call >= 0)
        cc_record_custom(r->body, segment->call, r->tape);
    else if (end->opcode == LLVMRet) {
        store_state(r, tape_now(r), offsetof(verso_native_state, tape));
        store_state(r, r->body->function->reverse, offsetof(verso_native_state, last));
    }
}

static void mark_accesses(recorder *r) {
    for (int x = r->body->parameter_count; x < r->body->item_count; x++) {
        LLVMOpcode opcode = r->body->items[x].opcode;
        if (opcode == LLVMLoad || opcode == LLVMStore)
            cc_in_scope(r->unit, r->body->items[x].value, CC_SCOPE_PROGRAM);
    }
}

static void record_function(cc_body *body) {
    recorder r = {.unit = body->unit, .body = body};
    LLVMPositionBuilderBefore(r.unit->builder, LLVMGetFirstInstruction(body->blocks[0].block));
    r.tape = LLVMBuildAlloca(r.unit->builder, r.unit->pointer, "tape.end");
    r.called = cc_alloc(body->unit, (size_t)body->segment_count + 1, sizeof *r.called);
    mark_accesses(&r);
    cc_guard_writes(body);
    count_loops(&r);
    for (int s = 0; s < body->segment_count; s++)
        record_segment(&r, s);
    for (int x = body->parameter_count; x < body->item_count; x++)
        if (body->items[x].opcode == LLVMCall &&
            (body->items[x].call == CC_CALL_WRITTEN || body->items[x].call == CC_CALL_CHANGED))
            LLVMInstructionEraseFromParent(body->items[x].value);
    cc_dual(body, r.tape);
}

void cc_record_all(cc_unit *unit) {
    cc_find_inert(unit);
    cc_find_active(unit);
    for (size_t i = 0; i < unit->function_count; i++) {
        cc_function *function = &unit->functions[i];
        if (function->inert) {
            cc_reverse_unreachable(unit, function);
            cc_guard_writes(cc_body_new(unit, function));
            continue;
        }
        cc_plan(function->flow->body);
        cc_reverse_function(function->flow->body);
        record_function(function->flow->body);
    }
}
