/* Finds ranges that are probably copied several times: see lasting.h. */
#include "cc/plan/lasting.h"

#include "cc/ir/memory.h"
#include "cc/plan/active.h"
#include "cc/plan/extent.h"
#include "cc/plan/plan.h"

enum { DEPTH_MOST = 6 };

/* ---- Pointers that stay the same ---- */

/* Returns whether a value is probably the same in all iterations of a loop; memory that it is loaded from is assumed
 * not to change. */
static bool stands_in(const cc_body *body, int l, LLVMValueRef value, int depth) {
    if (cc_is_outside(body, l, value))
        return true;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    if (depth == 0 || (opcode != LLVMGetElementPtr && opcode != LLVMLoad && opcode != LLVMSExt && opcode != LLVMZExt))
        return false;
    for (unsigned k = 0; k < cc_operand_count(value); k++)
        if (!stands_in(body, l, LLVMGetOperand(value, k), depth - 1))
            return false;
    return true;
}

/* Returns the parameter that a pointer is computed or loaded from by constant offsets; -1: none. */
static int parameter_of(const cc_body *body, LLVMValueRef value, int depth) {
    int x = cc_item_find(body, value);
    if (x >= 0 && x < body->parameter_count)
        return x;
    if (x < 0 || depth == 0)
        return -1;
    if (body->items[x].opcode == LLVMGetElementPtr)
        for (unsigned k = 1; k < cc_operand_count(value); k++)
            if (!LLVMIsAConstantInt(LLVMGetOperand(value, k)))
                return -1;
    if (body->items[x].opcode != LLVMGetElementPtr && body->items[x].opcode != LLVMLoad)
        return -1;
    return parameter_of(body, LLVMGetOperand(value, 0), depth - 1);
}

LLVMValueRef cc_object_of(const cc_body *body, LLVMValueRef address) {
    for (int steps = 0; steps < DEPTH_MOST; steps++) {
        int x = cc_item_find(body, address);
        if (x >= 0 && body->items[x].opcode == LLVMGetElementPtr)
            address = LLVMGetOperand(address, 0);
        else if (x >= 0 && body->items[x].induction >= 0)
            address = cc_induction_start(body, &body->items[x]);
        else if (LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMGetElementPtr)
            address = LLVMGetOperand(address, 0);
        else
            break;
    }
    return address;
}

/* Returns whether two pointers are computed and loaded in the same way. */
static bool are_same(LLVMValueRef a, LLVMValueRef b, int depth) {
    if (a == b)
        return true;
    if (depth == 0 || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b))
        return false;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(a);
    if (opcode != LLVMGetInstructionOpcode(b) || (opcode != LLVMGetElementPtr && opcode != LLVMLoad) ||
        LLVMGetNumOperands(a) != LLVMGetNumOperands(b))
        return false;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(a); k++)
        if (!are_same(LLVMGetOperand(a, k), LLVMGetOperand(b, k), depth - 1))
            return false;
    return true;
}

/* ---- What is written ---- */

static cc_function *function_of(const cc_body *body, const cc_item *call) {
    LLVMValueRef callee = cc_callee(call->value);
    return callee ? cc_function_find(body->unit, callee) : NULL;
}

/* Returns whether an item writes through a pointer with this root, as far as that shows. */
static bool writes_to(const cc_body *body, const cc_item *item, LLVMValueRef root) {
    if (item->opcode == LLVMStore)
        return are_same(cc_object_of(body, LLVMGetOperand(item->value, 1)), root, DEPTH_MOST);
    if (item->opcode != LLVMCall)
        return false;
    if (item->call == CC_CALL_COPY || item->call == CC_CALL_CLEAR)
        return are_same(cc_object_of(body, LLVMGetOperand(item->value, 0)), root, DEPTH_MOST);
    cc_function *function = item->call == CC_CALL_FOLLOWED ? function_of(body, item) : NULL;
    for (unsigned k = 0; function && function->flow && k < LLVMGetNumArgOperands(item->value); k++)
        if (k < LLVMCountParams(function->value) && function->flow->parameter_written[k] &&
            are_same(cc_object_of(body, LLVMGetOperand(item->value, k)), root, DEPTH_MOST))
            return true;
    return false;
}

/* Returns whether a loop, or the whole function if it is -1, writes through a pointer with this root. */
static bool is_written_in(const cc_body *body, int l, LLVMValueRef root) {
    for (int x = body->parameter_count; x < body->item_count; x++)
        if ((l < 0 || body->loops[l].contains[body->items[x].block]) && writes_to(body, &body->items[x], root))
            return true;
    return false;
}

/* Returns whether it found a parameter through which the function writes. */
static bool find_written(const cc_body *body) {
    bool found = false;
    for (int p = 0; p < body->parameter_count; p++) {
        bool *written = &body->function->flow->parameter_written[p];
        if (*written || LLVMGetTypeKind(LLVMTypeOf(body->items[p].value)) != LLVMPointerTypeKind ||
            !is_written_in(body, -1, body->items[p].value))
            continue;
        *written = found = true;
    }
    return found;
}

/* ---- Variables of the program ---- */

/* Returns whether it found a function that probably runs several times. */
static bool find_repeated(const cc_body *body) {
    bool found = false;
    for (int x = body->parameter_count; x < body->item_count; x++) {
        const cc_item *call = &body->items[x];
        bool followed = call->opcode == LLVMCall && call->call == CC_CALL_FOLLOWED;
        cc_function *function = followed ? function_of(body, call) : NULL;
        if (!function || !function->flow || function->flow->repeated ||
            (body->blocks[call->block].loop < 0 && !body->function->flow->repeated))
            continue;
        function->flow->repeated = found = true;
    }
    return found;
}

static bool calls_in(const cc_body *body, int l) {
    for (int x = body->parameter_count; x < body->item_count; x++)
        if (body->items[x].opcode == LLVMCall && body->items[x].call == CC_CALL_FOLLOWED &&
            body->loops[l].contains[body->items[x].block])
            return true;
    return false;
}

/* Notes a variable that a pointer leads to. */
static void note_written(const cc_body *body, LLVMValueRef pointer) {
    LLVMValueRef root = cc_object_of(body, pointer);
    if (LLVMIsAGlobalVariable(root))
        cc_map_put(body->unit, body->unit->rewritten, root, 1);
}

/* Notes the variables that a block writes to, as far as that shows. */
static void note_writes(const cc_body *body, const cc_block *block) {
    for (int x = block->first; x <= block->last; x++) {
        const cc_item *item = &body->items[x];
        if (item->opcode == LLVMStore)
            note_written(body, LLVMGetOperand(item->value, 1));
        if (item->opcode == LLVMCall && (item->call == CC_CALL_COPY || item->call == CC_CALL_CLEAR))
            note_written(body, LLVMGetOperand(item->value, 0));
        bool followed = item->opcode == LLVMCall && item->call == CC_CALL_FOLLOWED;
        cc_function *function = followed ? function_of(body, item) : NULL;
        for (unsigned k = 0; function && function->flow && k < LLVMGetNumArgOperands(item->value); k++)
            if (k < LLVMCountParams(function->value) && function->flow->parameter_written[k])
                note_written(body, LLVMGetOperand(item->value, k));
    }
}

/* Finds the variables that a function writes to between calls of functions that run several times. */
static void find_rewritten(const cc_body *body) {
    for (int b = 0; b < body->block_count; b++) {
        bool again = body->function->flow->repeated;
        for (int l = body->blocks[b].loop; l >= 0 && !again; l = body->loops[l].parent)
            again = calls_in(body, l);
        if (again)
            note_writes(body, &body->blocks[b]);
    }
}

/* Returns whether a pointer is to a variable that probably is as it was when the function ran before. */
static bool is_lasting_variable(const cc_body *body, LLVMValueRef value) {
    return LLVMIsAGlobalVariable(value) && body->function->flow->repeated &&
           cc_map_get(body->unit->rewritten, value) == CC_NOT_FOUND;
}

/* ---- Arguments ---- */

static bool is_lasting_argument(const cc_body *body, const cc_item *call, LLVMValueRef argument) {
    LLVMValueRef root = cc_object_of(body, argument);
    for (int l = body->blocks[call->block].loop; l >= 0 && !is_written_in(body, l, root); l = body->loops[l].parent)
        if (stands_in(body, l, argument, DEPTH_MOST))
            return true;
    if (is_lasting_variable(body, root))
        return true;
    int parameter = parameter_of(body, argument, DEPTH_MOST);
    return parameter >= 0 && body->function->flow->parameter_lasting[parameter] && !is_written_in(body, -1, root);
}

/* Returns whether it found a parameter that was not known to be lasting. */
static bool pass_call(const cc_body *body, const cc_item *call) {
    cc_function *function = function_of(body, call);
    bool found = false;
    for (unsigned k = 0; function && function->flow && k < LLVMGetNumArgOperands(call->value); k++) {
        LLVMValueRef argument = LLVMGetOperand(call->value, k);
        if (k >= LLVMCountParams(function->value) || function->flow->parameter_lasting[k] ||
            LLVMGetTypeKind(LLVMTypeOf(argument)) != LLVMPointerTypeKind || !is_lasting_argument(body, call, argument))
            continue;
        function->flow->parameter_lasting[k] = found = true;
    }
    return found;
}

static bool find_lasting(const cc_body *body) {
    bool found = false;
    for (int x = 0; x < body->item_count; x++)
        if (body->items[x].opcode == LLVMCall && body->items[x].call == CC_CALL_FOLLOWED)
            found |= pass_call(body, &body->items[x]);
    return found;
}

static void repeat(cc_unit *unit, bool find(const cc_body *body)) {
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < unit->function_count; i++)
            if (!unit->functions[i].inert)
                changed |= find(unit->functions[i].flow->body);
    }
}

void cc_find_lasting(cc_unit *unit) {
    repeat(unit, find_written);
    repeat(unit, find_repeated);
    unit->rewritten = cc_alloc(unit, 1, sizeof *unit->rewritten);
    for (size_t i = 0; i < unit->function_count; i++)
        if (!unit->functions[i].inert)
            find_rewritten(unit->functions[i].flow->body);
    repeat(unit, find_lasting);
}

/* ---- Nests ---- */

/* Returns whether an address begins with the same value in all iterations of a loop around the nest. */
static bool begins_again_in(const cc_body *body, int l, int nest, const cc_place *place) {
    for (unsigned i = 0; place && i < place->count; i++) {
        LLVMValueRef value = place->terms[i].value;
        int x = cc_item_find(body, value);
        if (x >= 0 && body->items[x].induction >= 0 && body->loops[nest].contains[body->items[x].block])
            value = cc_induction_start(body, &body->items[x]);
        if (cc_is_outside(body, nest, value) && !stands_in(body, l, value, DEPTH_MOST))
            return false;
    }
    return true;
}

/* Returns whether the loops of the nest end at the same bounds in all iterations of a loop around it. */
static bool ends_again_in(const cc_body *body, int l, int nest) {
    cc_loop_test test;
    for (int m = 0; m < body->loop_count; m++)
        if (body->loops[nest].contains[body->loops[m].header] && cc_find_bound(body, m, &test) &&
            cc_is_outside(body, nest, test.bound) && !stands_in(body, l, test.bound, DEPTH_MOST))
            return false;
    return true;
}

/* What differs from one iteration of a loop around the nest to the next may still be the same in each call. */
bool cc_is_lasting(const cc_body *body, int nest, LLVMValueRef root, const cc_place *place) {
    bool written = false, stands = true;
    for (int l = body->loops[nest].parent; l >= 0 && stands && !written; l = body->loops[l].parent) {
        written = is_written_in(body, l, root);
        stands = begins_again_in(body, l, nest, place) && ends_again_in(body, l, nest);
        if (stands && !written && stands_in(body, l, root, DEPTH_MOST))
            return true;
    }
    if (stands && !written && is_lasting_variable(body, root))
        return true;
    int parameter = written ? -1 : parameter_of(body, root, DEPTH_MOST);
    return parameter >= 0 && body->function->flow->parameter_lasting[parameter] && !is_written_in(body, -1, root);
}
