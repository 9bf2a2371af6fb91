/* One copy of the code for recording and advancing: see single.h. */
#include "cc/reverse/single.h"

#include "cc/ir/leaves.h"
#include "cc/ir/memory_scopes.h"
#include "cc/ir/small.h"
#include "cc/ir/surgery.h"
#include "cc/reverse/copies.h"
#include "native/state.h"

#include <string.h>

enum {
    CALLS_FEW = 2,           /* functions with this many calls or fewer have two copies */
    NUMBERS_SHARE_MOST = 50, /* a function with few numbers has them in at most one of so many instructions */
    LOOPS_SHARE_MOST = 4     /* in a function with one copy, at most one in 4 instructions is in a loop without calls */
};

static bool is_followed(const cc_body *body, int segment) {
    int call = body->segments[segment].call;
    return call >= 0 && body->items[call].call == CC_CALL_FOLLOWED;
}

bool *cc_find_plain_loops(const cc_body *body) {
    bool *plain = cc_alloc(body->unit, (size_t)body->loop_count + 1, sizeof *plain);
    for (int l = 0; l < body->loop_count; l++)
        plain[l] = true;
    for (int s = 0; s < body->segment_count; s++)
        for (int l = body->blocks[body->segments[s].block].loop; l >= 0 && is_followed(body, s);
             l = body->loops[l].parent)
            plain[l] = false;
    return plain;
}

static int count_in_plain_loops(const cc_body *body) {
    const bool *plain = cc_find_plain_loops(body);
    int count = 0;
    for (int b = 0; b < body->block_count; b++) {
        int l = body->blocks[b].loop;
        if (l >= 0 && plain[l])
            count += body->blocks[b].last - body->blocks[b].first + 1;
    }
    return count;
}

static bool has_plain_loop(const cc_body *body) {
    const bool *plain = cc_find_plain_loops(body);
    for (int l = 0; l < body->loop_count; l++)
        if (plain[l])
            return true;
    return false;
}

/* Returns whether few instructions of the function load, store or compute numbers. */
static bool has_few_numbers(const cc_body *body) {
    int count = 0;
    for (int x = body->parameter_count; x < body->item_count; x++) {
        LLVMValueRef value = body->items[x].value;
        LLVMTypeRef type = LLVMTypeOf(body->items[x].opcode == LLVMStore ? LLVMGetOperand(value, 0) : value);
        count += cc_leaf_any_number(body->unit, type);
    }
    return count <= body->item_count / NUMBERS_SHARE_MOST;
}

static int count_followed(const cc_body *body) {
    int count = 0;
    for (int s = 0; s < body->segment_count; s++)
        count += is_followed(body, s);
    return count;
}

void cc_find_quick(cc_body *body) {
    body->quick = has_few_numbers(body) && (count_followed(body) > 0 || !has_plain_loop(body));
}

void cc_choose_copies(cc_body *body) {
    bool possible = true;
    for (int s = 0; s < body->segment_count; s++) {
        const cc_segment *segment = &body->segments[s];
        possible = possible && segment->size + 16 <= VERSO_NATIVE_RECORD_MOST && !cc_has_ranges(body, segment);
    }
    bool mostly_calls =
        count_followed(body) > CALLS_FEW && count_in_plain_loops(body) <= body->item_count / LOOPS_SHARE_MOST;
    body->single = possible && (mostly_calls || (body->quick && !has_plain_loop(body)));
}

static LLVMValueRef load_state(cc_unit *unit, LLVMTypeRef type, size_t offset) {
    return cc_in_scope(unit, LLVMBuildLoad2(unit->builder, type, cc_state(unit, offset), ""), CC_SCOPE_STATE);
}

/* ---- Records ---- */

/* Builds the address at which the record is stored whose place on the tape is `tape`. */
static LLVMValueRef build_target(cc_unit *unit, LLVMValueRef tape) {
    LLVMValueRef mask = load_state(unit, unit->i64, offsetof(verso__native_state, record_mask));
    LLVMValueRef base = load_state(unit, unit->i64, offsetof(verso__native_state, record_base));
    LLVMValueRef at = LLVMBuildAnd(unit->builder, LLVMBuildPtrToInt(unit->builder, tape, unit->i64, ""), mask, "");
    return LLVMBuildIntToPtr(unit->builder, LLVMBuildAdd(unit->builder, at, base, ""), unit->pointer, "");
}

/* Redirects a store to the tape. The stores of a record have the same `tape`, so that its target is built once, before
 * the first of them. */
static void redirect(cc_unit *unit, LLVMValueRef store, cc_map *targets) {
    LLVMValueRef address = LLVMGetOperand(store, 1), tape = address;
    if (LLVMIsAGetElementPtrInst(address) && LLVMIsAConstantInt(LLVMGetOperand(address, 1)))
        tape = LLVMGetOperand(address, 0);
    ptrdiff_t found = cc_map_get(targets, tape);
    cc_build_before(unit, store);
    LLVMValueRef target = found == CC_NOT_FOUND ? build_target(unit, tape) : (LLVMValueRef)found;
    if (found == CC_NOT_FOUND)
        cc_map_put(unit, targets, tape, (size_t)target);
    if (tape != address)
        target = cc_offset(unit, target, (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(address, 1)));
    LLVMSetOperand(store, 1, target);
}

/* ---- Calls ---- */

/* {pointer, pointer} verso.call(site, callee, reverse, resume): begins a call. Returns the function to call, and the
 * site if it is on and the run records; otherwise NULL. */
static const char call_name[] = "verso.call";
/* verso.back(site, entered): ends a call for which verso.call has returned `entered`. It acts if the run records now,
 * or did so before the call. */
static const char back_name[] = "verso.back";

static LLVMTypeRef pair_of_pointers(cc_unit *unit) {
    LLVMTypeRef two[] = {unit->pointer, unit->pointer};
    return LLVMStructTypeInContext(unit->context, two, 2, false);
}

static void return_pair(cc_unit *unit, LLVMValueRef callee, LLVMValueRef site) {
    LLVMValueRef pair = LLVMGetUndef(pair_of_pointers(unit));
    pair = LLVMBuildInsertValue(unit->builder, pair, callee, 0, "");
    LLVMBuildRet(unit->builder, LLVMBuildInsertValue(unit->builder, pair, site, 1, ""));
}

static LLVMValueRef build_is_on(cc_unit *unit, LLVMValueRef site) {
    return LLVMBuildIsNotNull(unit->builder, LLVMBuildLoad2(unit->builder, unit->i64, site, ""), "");
}

static LLVMValueRef build_records(cc_unit *unit) {
    LLVMValueRef mode = load_state(unit, unit->i64, offsetof(verso__native_state, mode));
    return LLVMBuildICmp(unit->builder, LLVMIntEQ, mode, cc_i64(unit, VERSO_NATIVE_RECORD), "");
}

static void build_call(cc_unit *unit, LLVMValueRef function, const void *context) {
    (void)context;
    LLVMBuilderRef build = unit->builder;
    LLVMBasicBlockRef on = LLVMAppendBasicBlockInContext(unit->context, function, "on");
    LLVMBasicBlockRef off = LLVMAppendBasicBlockInContext(unit->context, function, "off");
    LLVMValueRef arguments[] = {LLVMGetParam(function, 0), LLVMGetParam(function, 1)};
    LLVMValueRef tape = load_state(unit, unit->pointer, offsetof(verso__native_state, tape));
    LLVMValueRef target = build_target(unit, tape);
    cc_in_scope(unit, LLVMBuildStore(build, LLVMGetParam(function, 2), target), CC_SCOPE_TAPE);
    cc_in_scope(unit, LLVMBuildStore(build, LLVMGetParam(function, 3), cc_offset(unit, target, 8)), CC_SCOPE_TAPE);
    LLVMValueRef end = cc_state(unit, offsetof(verso__native_state, tape));
    cc_in_scope(unit, LLVMBuildStore(build, cc_offset(unit, tape, 16), end), CC_SCOPE_STATE);
    LLVMBuildCondBr(build, LLVMBuildAnd(build, build_is_on(unit, arguments[0]), build_records(unit), ""), on, off);
    cc_build_at_end(unit, on);
    return_pair(unit, cc_call_runtime(unit, "verso__native_call_enter", unit->pointer, arguments, 2), arguments[0]);
    cc_build_at_end(unit, off);
    return_pair(unit, arguments[1], LLVMConstNull(unit->pointer));
}

static void build_back(cc_unit *unit, LLVMValueRef function, const void *context) {
    (void)context;
    LLVMBasicBlockRef on = LLVMAppendBasicBlockInContext(unit->context, function, "on");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(unit->context, function, "end");
    LLVMBuilderRef build = unit->builder;
    LLVMValueRef site = LLVMGetParam(function, 0), entered = LLVMGetParam(function, 1);
    LLVMValueRef acts = LLVMBuildOr(build, build_records(unit), LLVMBuildIsNotNull(build, entered, ""), "");
    LLVMBuildCondBr(build, LLVMBuildAnd(build, build_is_on(unit, site), acts, ""), on, end);
    cc_build_at_end(unit, on);
    cc_call_runtime(unit, "verso__native_call_leave", unit->none, &site, 1);
    LLVMBuildBr(unit->builder, end);
    cc_build_at_end(unit, end);
    LLVMBuildRetVoid(unit->builder);
}

void cc_build_single_call(cc_body *body, LLVMValueRef call, LLVMValueRef site, uint64_t resume) {
    cc_unit *unit = body->unit;
    LLVMTypeRef types[] = {unit->pointer, unit->pointer, unit->pointer, unit->i64};
    LLVMTypeRef back_type = LLVMFunctionType(unit->none, types, 2, false);
    LLVMTypeRef call_type = LLVMFunctionType(pair_of_pointers(unit), types, 4, false);
    cc_make_small(unit, call_name, call_type, CC_SMALL_CHANGES, build_call, NULL);
    cc_make_small(unit, back_name, back_type, CC_SMALL_CHANGES, build_back, NULL);
    bool apart = !cc_repeats(body, body->items[cc_item_find(body, call)].block);
    LLVMValueRef arguments[] = {site, LLVMGetCalledValue(call), body->function->reverse, cc_i64(unit, (int64_t)resume)};
    LLVMValueRef pair = cc_call_small(unit, call_name, apart, arguments, 4);
    LLVMValueRef ended[] = {site, LLVMBuildExtractValue(unit->builder, pair, 1, "")};
    cc_set_callee(call, LLVMBuildExtractValue(unit->builder, pair, 0, ""));
    LLVMPositionBuilderBefore(unit->builder, LLVMGetNextInstruction(call));
    cc_call_small(unit, back_name, apart, ended, 2);
}

void cc_make_single(cc_body *body) {
    cc_map targets = {0};
    for (LLVMValueRef next, at = cc_first(body->function->value); at != NULL; at = next) {
        next = cc_next(at);
        if (LLVMIsAStoreInst(at) && cc_is_in_scope(body->unit, at, CC_SCOPE_TAPE))
            redirect(body->unit, at, &targets);
    }
}
