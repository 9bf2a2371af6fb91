/* Turns parameters and results that carry bits (carried.c) into integers, in the base copy. Integers carry
 * derivatives of all kinds of numbers (ir/leaves.h), while a float that is passed as a double loses its derivative.
 * Code that computes with them converts them to numbers where it does so; lower_moves.c, which runs next, handles
 * those that are moved on.
 *
 * A function that is called through pointers keeps its type and calls another function, f.carried, which has its
 * body. Direct calls call f.carried, also those that lower_carried_calls.c makes from calls through pointers. What
 * other callers (foreign code) pass is a number of the declared type, or is refused. */
#include "cc/front/front.h"
#include "cc/ir/leaves.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/types/carried.h"
#include "cc/types/moves.h"
#include "cc/types/types.h"

/* ---- Structures ---- */

static LLVMTypeRef element_type(LLVMTypeRef type, unsigned element) {
    return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, element) : type;
}

/* Builds an element of a structure. If the element was inserted just before, returns the inserted value. */
static LLVMValueRef element_of(cc_unit *unit, LLVMValueRef value, unsigned element) {
    while (LLVMIsAInsertValueInst(value) != NULL) {
        const unsigned *indices = LLVMGetIndices(value);
        if (indices[0] == element && LLVMGetNumIndices(value) == 1)
            return LLVMGetOperand(value, 1);
        if (indices[0] == element)
            break;
        value = LLVMGetOperand(value, 0);
    }
    LLVMValueRef constant = LLVMIsConstant(value) ? LLVMGetAggregateElement(value, element) : NULL;
    return constant != NULL ? constant : LLVMBuildExtractValue(unit->builder, value, element, "");
}

/* Returns the element of the value that a phi receives from its index-th block. If a block precedes the phi's block
 * several times, all its entries get the same value. */
static LLVMValueRef incoming_element(cc_unit *unit, LLVMValueRef phi, unsigned index, unsigned element,
                                     LLVMValueRef part) {
    LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, index);
    for (unsigned k = 0; k < index; k++)
        if (LLVMGetIncomingBlock(part, k) == block)
            return LLVMGetIncomingValue(part, k);
    cc_build_before(unit, LLVMGetBasicBlockTerminator(block));
    return element_of(unit, LLVMGetIncomingValue(phi, index), element);
}

static LLVMValueRef part_of_phi(cc_unit *unit, LLVMValueRef phi, unsigned element) {
    cc_build_before(unit, phi);
    LLVMValueRef part = LLVMBuildPhi(unit->builder, element_type(LLVMTypeOf(phi), element), "");
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
        LLVMValueRef value = incoming_element(unit, phi, i, element, part);
        LLVMAddIncoming(part, &value, &block, 1);
    }
    return part;
}

static LLVMValueRef part_of_select(cc_unit *unit, LLVMValueRef select, unsigned element) {
    cc_build_before(unit, select);
    LLVMValueRef first = element_of(unit, LLVMGetOperand(select, 1), element);
    LLVMValueRef second = element_of(unit, LLVMGetOperand(select, 2), element);
    return LLVMBuildSelect(unit->builder, LLVMGetOperand(select, 0), first, second, "");
}

static LLVMValueRef part_of_freeze(cc_unit *unit, LLVMValueRef freeze, unsigned element) {
    cc_build_before(unit, freeze);
    return LLVMBuildFreeze(unit->builder, element_of(unit, LLVMGetOperand(freeze, 0), element), "");
}

static LLVMValueRef part_of(cc_unit *unit, LLVMValueRef value, unsigned element) {
    if (LLVMIsAPHINode(value) != NULL)
        return part_of_phi(unit, value, element);
    return LLVMIsASelectInst(value) != NULL ? part_of_select(unit, value, element)
                                            : part_of_freeze(unit, value, element);
}

/* Replaces a phi, select or freeze of structures by one of values for each element. */
static void take_apart(cc_unit *unit, LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned count = LLVMCountStructElementTypes(type);
    LLVMValueRef *parts = cc_alloc(unit, count, sizeof *parts), whole = LLVMGetPoison(type);
    for (unsigned k = 0; k < count; k++)
        parts[k] = part_of(unit, value, k);
    cc_build_before(unit, cc_moves_after_phis(value));
    for (unsigned k = 0; k < count; k++)
        whole = LLVMBuildInsertValue(unit->builder, whole, parts[k], k, "");
    LLVMReplaceAllUsesWith(value, whole);
    LLVMInstructionEraseFromParent(value);
}

/* Replaces each element that is extracted from a structure by the value that was inserted; removes structures that are
 * not used any more. */
static void put_together(cc_unit *unit, LLVMValueRef function) {
    for (LLVMValueRef next, at = cc_first(function); at != NULL; at = next) {
        next = cc_next(at);
        if (LLVMIsAExtractValueInst(at) == NULL || LLVMGetNumIndices(at) != 1 ||
            LLVMIsAInsertValueInst(LLVMGetOperand(at, 0)) == NULL)
            continue;
        cc_build_before(unit, at);
        LLVMReplaceAllUsesWith(at, element_of(unit, LLVMGetOperand(at, 0), LLVMGetIndices(at)[0]));
        LLVMInstructionEraseFromParent(at);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (LLVMValueRef next, at = cc_first(function); at != NULL; at = next) {
            next = cc_next(at);
            if (LLVMGetFirstUse(at) != NULL || LLVMIsAInsertValueInst(at) == NULL)
                continue;
            LLVMInstructionEraseFromParent(at);
            changed = true;
        }
    }
}

/* ---- Signatures ---- */

/* Returns the type of a parameter, or of a function's result, with integers in place of elements that carry bits. */
static LLVMTypeRef type_of_carried(cc_unit *unit, const cc_carried *carried, LLVMValueRef value, LLVMTypeRef type) {
    if (!cc_any_carried(carried, value))
        return type;
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return cc_moves_integer(unit, type);
    unsigned count = LLVMCountStructElementTypes(type);
    LLVMTypeRef *types = cc_alloc(unit, count, sizeof *types);
    LLVMGetStructElementTypes(type, types);
    for (unsigned k = 0; k < count; k++)
        if (cc_is_carried(carried, value, k))
            types[k] = cc_moves_integer(unit, types[k]);
    return LLVMStructTypeInContext(unit->context, types, count, LLVMIsPackedStruct(type));
}

/* Returns the type of the function with integers in place of what carries bits. Returns its own type if nothing does,
 * or if the new type would have too many leaves. */
static LLVMTypeRef type_of_function(cc_unit *unit, const cc_carried *carried, LLVMValueRef function) {
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    unsigned count = LLVMCountParams(function), leaves = 0;
    LLVMTypeRef *types = cc_alloc(unit, count, sizeof *types);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef parameter = LLVMGetParam(function, i);
        types[i] = type_of_carried(unit, carried, parameter, LLVMTypeOf(parameter));
        leaves += cc_leaf_count(unit, types[i]);
    }
    LLVMTypeRef result = type_of_carried(unit, carried, function, LLVMGetReturnType(type));
    if (leaves > VERSO_NATIVE_LEAVES || cc_leaf_count(unit, result) > VERSO_NATIVE_LEAVES)
        return type;
    return LLVMFunctionType(result, types, count, LLVMIsFunctionVarArg(type));
}

/* Builds the conversion of a value to another type with the same bits. */
static LLVMValueRef recast(cc_unit *unit, LLVMValueRef value, LLVMTypeRef type) {
    if (LLVMTypeOf(value) == type)
        return value;
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return cc_moves_bits(unit, value, type);
    LLVMValueRef whole = LLVMGetPoison(type);
    for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++) {
        LLVMValueRef part = recast(unit, element_of(unit, value, k), element_type(type, k));
        whole = LLVMBuildInsertValue(unit->builder, whole, part, k, "");
    }
    return whole;
}

/* Removes the attributes of parameters and results that are integers now. `new` is a function or a call of it. */
static void drop_changed(cc_unit *unit, LLVMValueRef new, LLVMTypeRef old_type, LLVMTypeRef new_type) {
    unsigned count = LLVMCountParamTypes(new_type);
    LLVMTypeRef *before = cc_alloc(unit, count, sizeof *before), *after = cc_alloc(unit, count, sizeof *after);
    LLVMGetParamTypes(old_type, before);
    LLVMGetParamTypes(new_type, after);
    for (unsigned i = 0; i < count; i++)
        if (before[i] != after[i])
            cc_drop_attributes(unit, new, i + 1);
    if (LLVMGetReturnType(old_type) != LLVMGetReturnType(new_type))
        cc_drop_attributes(unit, new, 0);
}

static LLVMValueRef *recast_arguments(cc_unit *unit, LLVMTypeRef type, LLVMValueRef *arguments, unsigned count) {
    LLVMTypeRef *types = cc_alloc(unit, count, sizeof *types);
    LLVMValueRef *new = cc_alloc(unit, count, sizeof *new);
    LLVMGetParamTypes(type, types);
    for (unsigned i = 0; i < count; i++)
        new[i] = recast(unit, arguments[i], types[i]);
    return new;
}

static void change_call(cc_unit *unit, LLVMValueRef call, LLVMValueRef callee) {
    LLVMTypeRef type = LLVMGlobalGetValueType(callee);
    unsigned count = LLVMGetNumArgOperands(call);
    LLVMValueRef *arguments = cc_alloc(unit, count, sizeof *arguments);
    for (unsigned i = 0; i < count; i++)
        arguments[i] = LLVMGetOperand(call, i);
    cc_build_before(unit, call);
    arguments = recast_arguments(unit, type, arguments, count);
    LLVMValueRef new = cc_build_instead(unit, call, type, callee, arguments, count);
    drop_changed(unit, new, LLVMGetCalledFunctionType(call), type);
    if (LLVMTypeOf(call) != unit->none)
        LLVMReplaceAllUsesWith(call, recast(unit, new, LLVMTypeOf(call)));
    LLVMInstructionEraseFromParent(call);
}

static LLVMValueRef first_after_slots(LLVMValueRef function) {
    LLVMValueRef at = cc_first(function);
    while (LLVMIsAAllocaInst(at) != NULL)
        at = LLVMGetNextInstruction(at);
    return at;
}

static void change_body(cc_unit *unit, LLVMValueRef old, LLVMValueRef new) {
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(new));
    cc_build_before(unit, first_after_slots(new));
    for (unsigned i = 0; i < LLVMCountParams(old); i++) {
        LLVMValueRef before = LLVMGetParam(old, i), after = LLVMGetParam(new, i);
        if (LLVMTypeOf(before) != LLVMTypeOf(after))
            LLVMReplaceAllUsesWith(before, recast(unit, after, LLVMTypeOf(before)));
    }
    for (LLVMValueRef at = cc_first(new); at != NULL; at = cc_next(at)) {
        if (LLVMIsAReturnInst(at) == NULL || result == unit->none)
            continue;
        cc_build_before(unit, at);
        LLVMSetOperand(at, 0, recast(unit, LLVMGetOperand(at, 0), result));
    }
}

/* Builds the body of the function that pointers lead to: a call of the function that has the original body. */
static void build_outer(cc_unit *unit, LLVMValueRef outer, LLVMValueRef inner) {
    unsigned count = LLVMCountParams(outer);
    LLVMTypeRef type = LLVMGlobalGetValueType(inner), result = LLVMGetReturnType(LLVMGlobalGetValueType(outer));
    LLVMValueRef *arguments = cc_alloc(unit, count, sizeof *arguments);
    LLVMGetParams(outer, arguments);
    cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, outer, ""));
    arguments = recast_arguments(unit, type, arguments, count);
    LLVMValueRef call = LLVMBuildCall2(unit->builder, type, inner, arguments, count, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(inner));
    if (result == unit->none)
        LLVMBuildRetVoid(unit->builder);
    else
        LLVMBuildRet(unit->builder, recast(unit, call, result));
}

/* Makes a function of this type with the body of `old`, and makes all callers of `old` call it. `old` becomes a
 * declaration. */
static LLVMValueRef change_function(cc_unit *unit, LLVMValueRef old, LLVMTypeRef type, const char *name) {
    LLVMValueRef new = LLVMAddFunction(unit->module, name, type);
    cc_copy_attributes(unit, old, new, LLVMCountParams(old));
    drop_changed(unit, new, LLVMGlobalGetValueType(old), type);
    LLVMSetFunctionCallConv(new, LLVMGetFunctionCallConv(old));
    LLVMSetLinkage(new, LLVMInternalLinkage);
    cc_move_body(unit, old, new);
    change_body(unit, old, new);
    size_t count;
    LLVMValueRef *users = cc_users(unit, old, &count);
    for (size_t i = 0; i < count; i++)
        change_call(unit, users[i], new);
    return new;
}

static void change_member(cc_unit *unit, cc_member *member, LLVMValueRef old, LLVMTypeRef type) {
    if (!member->pointed) {
        LLVMSetValueName2(old, "", 0);
        member->base = change_function(unit, old, type, cc_print(unit, "%s.base", member->name));
        LLVMDeleteFunction(old);
        return;
    }
    const char *name = cc_print(unit, "%s.carried", member->name);
    LLVMValueRef inner = change_function(unit, old, type, cc_print(unit, "%s.base", name));
    build_outer(unit, old, inner);
    cc_member *made = cc_add_made_member(unit, inner, name);
    made->fragment = member->fragment != NULL ? member->fragment : member->name;
    made->inactive = member->inactive;
}

static bool is_only_called(cc_unit *unit, LLVMValueRef function) {
    size_t count;
    LLVMValueRef *users = cc_users(unit, function, &count);
    for (size_t i = 0; i < count; i++)
        if (!cc_is_direct_call(users[i], function))
            return false;
    return true;
}

/* The phis, selects and freezes of structures that carry bits. */
typedef struct joints {
    LLVMValueRef *all;
    size_t count, capacity;
} joints;

static joints find_joints(cc_unit *unit, const cc_carried *carried) {
    joints found = {0};
    for (size_t i = 0; i < unit->program->member_count; i++) {
        LLVMValueRef function = cc_normal_function(unit, unit->program->members[i]);
        for (LLVMValueRef at = function != NULL ? cc_first(function) : NULL; at != NULL; at = cc_next(at)) {
            if (!cc_moves_on(at) || LLVMGetTypeKind(LLVMTypeOf(at)) != LLVMStructTypeKind ||
                !cc_any_carried(carried, at))
                continue;
            cc_reserve(unit, &found.all, &found.capacity, found.count + 1, sizeof at);
            found.all[found.count++] = at;
        }
    }
    return found;
}

static bool change_members(cc_unit *unit, const cc_carried *carried) {
    bool changed = false;
    size_t count = unit->program->member_count; /* without those that this function adds */
    for (size_t i = 0; i < count; i++) {
        cc_member *member = unit->program->members[i];
        LLVMValueRef function = cc_normal_function(unit, member);
        if (function == NULL || !is_only_called(unit, function))
            continue;
        LLVMTypeRef type = type_of_function(unit, carried, function);
        if (type == LLVMGlobalGetValueType(function))
            continue;
        change_member(unit, member, function, type);
        changed = true;
    }
    return changed;
}

void cc_lower_carried(cc_unit *unit) {
    if (cc_kind_count(unit) < 2)
        return;
    cc_dispatch_carried(unit, cc_find_carried(unit, true));
    const cc_carried *carried = cc_find_carried(unit, false);
    joints joints = find_joints(unit, carried);
    if (!change_members(unit, carried))
        return;
    for (size_t i = 0; i < joints.count; i++)
        take_apart(unit, joints.all[i]);
    for (size_t i = 0; i < unit->program->member_count; i++) {
        LLVMValueRef function = cc_normal_function(unit, unit->program->members[i]);
        if (function != NULL)
            put_together(unit, function);
    }
}
