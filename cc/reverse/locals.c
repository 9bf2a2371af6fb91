/* Lists variables of a frame for the run time. A variable counts if it is passed to a followed call that may access it
 * as a whole. If a pointer leads to any other, the snapshot of a call holds the whole state. Variables of variable size
 * are not listed; functions that have them have unknown effects. */
#include "cc/reverse/locals.h"

#include "cc/ir/memory_scopes.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/plan/effects.h"
#include "native/state.h"

typedef struct locals {
    cc_body *body;
    cc_map seen;
    LLVMValueRef *list;
    size_t count, capacity;
} locals;

static bool is_shared(locals *l, LLVMValueRef address);

/* Returns whether the callee may access the variable as a whole. Of one that it accesses at known places, the run time
 * need not know the extent. */
static bool call_shares(locals *l, LLVMValueRef call, LLVMValueRef address) {
    const cc_function *callee = cc_function_find(l->body->unit, cc_callee(call));
    if (cc_call_kind_of(l->body->unit, call) != CC_CALL_FOLLOWED)
        return false;
    if (!callee || callee->effects->unknown)
        return true;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call) && k < LLVMCountParams(callee->value); k++)
        if (LLVMGetOperand(call, k) == address && callee->effects->parameters[k].whole)
            return true;
    return false;
}

static bool use_shares(locals *l, LLVMValueRef user, LLVMValueRef address) {
    switch ((int)LLVMGetInstructionOpcode(user)) {
    case LLVMGetElementPtr:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMBitCast:
    case LLVMFreeze:
    case LLVMInsertValue:
    case LLVMExtractValue:
    case LLVMInsertElement:
    case LLVMExtractElement:
    case LLVMShuffleVector: return is_shared(l, user);
    case LLVMCall: return call_shares(l, user, address);
    default: return false;
    }
}

static bool is_shared(locals *l, LLVMValueRef address) {
    if (cc_map_get(&l->seen, address) != CC_NOT_FOUND)
        return false;
    cc_map_put(l->body->unit, &l->seen, address, 1);
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use))
        if (use_shares(l, LLVMGetUser(use), address))
            return true;
    return false;
}

static bool has_fixed_size(LLVMValueRef variable) {
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(variable));
    return LLVMIsAConstantInt(LLVMGetOperand(variable, 0)) &&
           LLVMGetInstructionParent(variable) == LLVMGetEntryBasicBlock(function);
}

static void find_shared(locals *l) {
    cc_body *body = l->body;
    for (int x = body->parameter_count; x < body->item_count; x++) {
        LLVMValueRef at = body->items[x].value;
        if (body->items[x].opcode != LLVMAlloca || !has_fixed_size(at))
            continue;
        l->seen = (cc_map){0};
        if (!is_shared(l, at))
            continue;
        cc_reserve(body->unit, &l->list, &l->capacity, l->count + 1, sizeof *l->list);
        l->list[l->count++] = at;
    }
}

static void store(cc_unit *unit, LLVMValueRef value, LLVMValueRef address) {
    cc_in_scope(unit, LLVMBuildStore(unit->builder, value, address), CC_SCOPE_STATE);
}

static void build_push(locals *l, LLVMValueRef entry) {
    cc_unit *unit = l->body->unit;
    LLVMValueRef head = cc_state(unit, offsetof(verso__native_state, locals));
    LLVMValueRef outer = LLVMBuildLoad2(unit->builder, unit->pointer, head, "");
    store(unit, cc_in_scope(unit, outer, CC_SCOPE_STATE), entry);
    store(unit, cc_i64(unit, (int64_t)l->count), cc_offset(unit, entry, offsetof(verso__native_locals, count)));
    for (size_t i = 0; i < l->count; i++) {
        int64_t at = (int64_t)(offsetof(verso__native_locals, list) + i * sizeof(verso__native_local));
        LLVMTypeRef type = LLVMGetAllocatedType(l->list[i]);
        uint64_t count = LLVMConstIntGetZExtValue(LLVMGetOperand(l->list[i], 0));
        uint64_t size = count * LLVMABISizeOfType(unit->layout, type);
        store(unit, l->list[i], cc_offset(unit, entry, at));
        store(unit, cc_i64(unit, (int64_t)size), cc_offset(unit, entry, at + 8));
    }
    store(unit, entry, head);
}

static void build_pop(locals *l, LLVMValueRef entry) {
    cc_unit *unit = l->body->unit;
    LLVMValueRef outer = LLVMBuildLoad2(unit->builder, unit->pointer, entry, "");
    store(unit, cc_in_scope(unit, outer, CC_SCOPE_STATE), cc_state(unit, offsetof(verso__native_state, locals)));
}

/* Moves the variables to the front of the entry block, so that they can be listed before any call. Returns the
 * instruction after them. */
static LLVMValueRef gather(locals *l, LLVMValueRef function) {
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    while (LLVMGetInstructionOpcode(first) == LLVMAlloca)
        first = LLVMGetNextInstruction(first);
    for (size_t i = 0; i < l->count; i++) {
        LLVMValueRef after = first;
        while (after && after != l->list[i])
            after = LLVMGetNextInstruction(after);
        if (!after)
            continue;
        LLVMInstructionRemoveFromParent(l->list[i]);
        LLVMPositionBuilderBefore(l->body->unit->builder, first);
        LLVMInsertIntoBuilder(l->body->unit->builder, l->list[i]);
    }
    return first;
}

void cc_list_locals(cc_body *body) {
    cc_unit *unit = body->unit;
    locals l = {.body = body};
    find_shared(&l);
    if (l.count == 0)
        return;
    LLVMPositionBuilderBefore(unit->builder, gather(&l, body->function->value));
    LLVMValueRef entry = LLVMBuildAlloca(unit->builder, LLVMArrayType2(unit->i64, 2 + 2 * l.count), "locals");
    LLVMSetAlignment(entry, 8);
    build_push(&l, entry);
    for (int x = body->parameter_count; x < body->item_count; x++)
        if (body->items[x].opcode == LLVMRet) {
            LLVMPositionBuilderBefore(unit->builder, body->items[x].value);
            build_pop(&l, entry);
        }
}
