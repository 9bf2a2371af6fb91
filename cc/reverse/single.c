/* One copy of the code for recording and advancing: see single.h. */
#include "cc/reverse/single.h"

#include "cc/ir/memory_scopes.h"
#include "cc/ir/surgery.h"
#include "cc/reverse/callsite.h"
#include "cc/reverse/copies.h"
#include "native/state.h"

#include <string.h>

enum {
    CALLS_FEW = 2,       /* functions with this many calls or fewer have two copies */
    LOOPS_SHARE_MOST = 4 /* in a function with one copy, at most one in 4 instructions is in a loop without calls */
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

bool cc_prefers_single(const cc_body *body) {
    int count = 0;
    for (int s = 0; s < body->segment_count; s++) {
        const cc_segment *segment = &body->segments[s];
        if (segment->size + 16 > VERSO_NATIVE_RECORD_MOST || cc_has_ranges(body, segment))
            return false;
        count += is_followed(body, s);
    }
    return count > CALLS_FEW && count_in_plain_loops(body) <= body->item_count / LOOPS_SHARE_MOST;
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

/* ---- Hooks ---- */

/* Returns a site that is off, of which the hooks read only the first word. */
static LLVMValueRef site_off(cc_unit *unit) {
    static const char name[] = "verso.off";
    LLVMValueRef site = LLVMGetNamedGlobal(unit->module, name);
    if (site != NULL)
        return site;
    site = LLVMAddGlobal(unit->module, unit->i64, name);
    LLVMSetInitializer(site, cc_i64(unit, 0));
    LLVMSetGlobalConstant(site, true);
    LLVMSetLinkage(site, LLVMInternalLinkage);
    return site;
}

/* Lets a hook act only if the run records now, or, for the hook after a call, if it did so before the call. `entered`
 * is the site that the last hook before a call has got. Returns the site that this hook gets. */
static LLVMValueRef switch_hook(cc_unit *unit, LLVMValueRef hook, LLVMValueRef entered) {
    cc_build_before(unit, hook);
    LLVMValueRef mode = load_state(unit, unit->i64, offsetof(verso__native_state, mode));
    LLVMValueRef records = LLVMBuildICmp(unit->builder, LLVMIntEQ, mode, cc_i64(unit, VERSO_NATIVE_RECORD), "");
    LLVMValueRef otherwise = cc_callee_of_hook(hook) != NULL ? site_off(unit) : entered;
    LLVMValueRef site = LLVMBuildSelect(unit->builder, records, LLVMGetOperand(hook, 0), otherwise, "");
    LLVMSetOperand(hook, 0, site);
    return site;
}

void cc_make_single(cc_body *body) {
    cc_unit *unit = body->unit;
    cc_map targets = {0};
    LLVMValueRef site = NULL;
    for (LLVMValueRef next, at = cc_first(body->function->value); at != NULL; at = next) {
        next = cc_next(at);
        if (LLVMIsAStoreInst(at) && cc_is_in_scope(unit, at, CC_SCOPE_TAPE))
            redirect(unit, at, &targets);
        else if (cc_is_hook(at))
            site = switch_hook(unit, at, site);
    }
}
