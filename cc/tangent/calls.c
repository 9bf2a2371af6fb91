/* Tangents across calls. The tangents of all arguments are passed in state.argument, leaf by leaf over all
 * parameters; those of the result come back in state.result.
 *
 * A function that is called through a pointer may be foreign, and then leaves state.result unchanged. To detect
 * that, every tangent version stores its address in state.last when it returns, and the caller sets it to NULL
 * before a call through a pointer. */
#include "cc/ir/program.h"
#include "cc/tangent/inside.h"

#include "cc/front/known.h"
#include "cc/ir/leaves.h"
#include "native/state.h"

#include <verso/native.h>

static const char foreign[] =
    "a function that was not compiled by `verso cc` is called through a pointer with numbers that have a derivative; "
    "compile it with `verso cc`, or call one that has a VERSO_CUSTOM_ADJOINT or is declared VERSO_INACTIVE";

/* ---- The state of the run time ---- */

static LLVMValueRef load_state(cc_tangent *tangent, LLVMTypeRef type, size_t offset) {
    return LLVMBuildLoad2(tangent->unit->builder, type, cc_state(tangent->unit, offset), "");
}

static void store_state(cc_tangent *tangent, LLVMValueRef value, size_t offset) {
    LLVMBuildStore(tangent->unit->builder, value, cc_state(tangent->unit, offset));
}

static size_t argument_at(unsigned leaf) {
    return offsetof(verso__native_state, argument) + leaf * sizeof(double);
}

static size_t result_at(unsigned leaf) {
    return offsetof(verso__native_state, result) + leaf * sizeof(double);
}

static void set_mode(cc_tangent *tangent, verso__native_mode mode) {
    store_state(tangent, cc_i64(tangent->unit, mode), offsetof(verso__native_state, mode));
}

/* ---- Caller and callee of a followed call ---- */

void cc_tangent_entry(cc_tangent *tangent) {
    unsigned next = 0;
    cc_tangent_before(tangent, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(tangent->function->value)));
    for (LLVMValueRef p = LLVMGetFirstParam(tangent->function->value); p != NULL; p = LLVMGetNextParam(p)) {
        unsigned leaves = cc_leaf_count(tangent->unit, LLVMTypeOf(p));
        for (unsigned i = 0; i < leaves && next + i < VERSO_NATIVE_LEAVES && cc_tangent_active(tangent, p); i++)
            cc_tangent_find(tangent, p)->leaf[i] = load_state(tangent, tangent->unit->f64, argument_at(next + i));
        next += leaves;
    }
    LLVMTypeRef type = LLVMGlobalGetValueType(tangent->function->value), result = LLVMGetReturnType(type);
    unsigned back = result == tangent->unit->none ? 0 : cc_leaf_count(tangent->unit, result);
    if (next > VERSO_NATIVE_LEAVES || back > VERSO_NATIVE_LEAVES)
        cc_give_up(tangent->unit, VERSO_STATUS_INVALID,
                   "%s: %s has more than %d numbers among its parameters or in its result; pass them by a pointer",
                   cc_where(tangent->unit, tangent->function->value), tangent->function->name, VERSO_NATIVE_LEAVES);
}

void cc_tangent_return(cc_tangent *tangent, LLVMValueRef end) {
    cc_tangent_before(tangent, end);
    if (LLVMGetNumOperands(end) == 1) {
        LLVMValueRef result = LLVMGetOperand(end, 0);
        for (unsigned i = 0; i < cc_leaf_count(tangent->unit, LLVMTypeOf(result)); i++)
            store_state(tangent, cc_tangent_leaf(tangent, result, i), result_at(i));
    }
    store_state(tangent, tangent->function->value, offsetof(verso__native_state, last));
}

static unsigned store_arguments(cc_tangent *tangent, LLVMValueRef call) {
    unsigned next = 0;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++) {
        LLVMValueRef argument = LLVMGetOperand(call, k);
        unsigned leaves = cc_leaf_count(tangent->unit, LLVMTypeOf(argument));
        for (unsigned i = 0; i < leaves && next + i < VERSO_NATIVE_LEAVES; i++)
            store_state(tangent, cc_tangent_leaf(tangent, argument, i), argument_at(next + i));
        next += leaves;
    }
    return next;
}

/* After a call through a pointer: refuses if numbers with derivatives were passed to a foreign function. Returns
 * whether the function was foreign, as an i1. */
static LLVMValueRef check_foreign(cc_tangent *tangent, LLVMValueRef call) {
    cc_unit *unit = tangent->unit;
    LLVMValueRef last = load_state(tangent, unit->pointer, offsetof(verso__native_state, last));
    LLVMValueRef was_foreign = LLVMBuildIsNull(unit->builder, last, ""), all = tangent->zero;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++) {
        LLVMValueRef argument = LLVMGetOperand(call, k);
        LLVMTypeRef type = LLVMTypeOf(argument);
        for (unsigned i = 0; cc_tangent_active(tangent, argument) && i < cc_leaf_count(unit, type); i++)
            if (cc_leaf_is_number(cc_leaf_type(unit, type, i)))
                all = LLVMBuildFAdd(unit->builder, all,
                                    cc_tangent_magnitude(tangent, cc_tangent_leaf(tangent, argument, i)), "");
    }
    if (all != tangent->zero)
        cc_tangent_report_lost(tangent, call, LLVMBuildSelect(unit->builder, was_foreign, all, tangent->zero, ""),
                               foreign);
    return was_foreign;
}

void cc_tangent_followed(cc_tangent *tangent, LLVMValueRef call) {
    cc_unit *unit = tangent->unit;
    bool pointer = cc_callee(call) == NULL;
    cc_tangent_before(tangent, call);
    if (store_arguments(tangent, call) > VERSO_NATIVE_LEAVES)
        cc_diagnose(unit, call, "a call has more than %d numbers among its arguments; pass them by a pointer",
                    VERSO_NATIVE_LEAVES);
    if (pointer)
        store_state(tangent, LLVMConstNull(unit->pointer), offsetof(verso__native_state, last));
    cc_tangent_after(tangent, call);
    LLVMValueRef was_foreign = pointer ? check_foreign(tangent, call) : NULL;
    cc_tangent_value *value = cc_tangent_find(tangent, call);
    for (unsigned i = 0; cc_tangent_active(tangent, call) && i < value->leaves; i++) {
        value->leaf[i] = load_state(tangent, unit->f64, result_at(i));
        if (was_foreign != NULL)
            value->leaf[i] = LLVMBuildSelect(unit->builder, was_foreign, tangent->zero, value->leaf[i], "");
    }
}

/* ---- Custom adjoints ---- */

static bool is_number(cc_tangent *tangent, LLVMTypeRef type, unsigned leaf) {
    return cc_leaf_is_number(cc_leaf_type(tangent->unit, type, leaf));
}

/* Builds a variable in the first block, so that a call in a loop does not use more stack in each iteration. */
static LLVMValueRef new_variable(cc_tangent *tangent, LLVMTypeRef type, unsigned count) {
    LLVMBuilderRef there = LLVMCreateBuilderInContext(tangent->unit->context);
    LLVMPositionBuilderBefore(there, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(tangent->function->value)));
    LLVMValueRef variable = LLVMBuildAlloca(there, LLVMArrayType2(type, count > 0 ? count : 1), "");
    LLVMDisposeBuilder(there);
    return variable;
}

static LLVMValueRef entry_of(cc_tangent *tangent, LLVMValueRef array, unsigned index) {
    return cc_offset(tangent->unit, array, (int64_t)(index * sizeof(double)));
}

static LLVMValueRef fill_arguments(cc_tangent *tangent, LLVMValueRef call) {
    unsigned next = 0, most = 0;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++)
        most += cc_leaf_count(tangent->unit, LLVMTypeOf(LLVMGetOperand(call, k)));
    LLVMValueRef array = new_variable(tangent, tangent->unit->f64, most);
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++) {
        LLVMValueRef argument = LLVMGetOperand(call, k);
        for (unsigned i = 0; i < cc_leaf_count(tangent->unit, LLVMTypeOf(argument)); i++)
            if (is_number(tangent, LLVMTypeOf(argument), i))
                LLVMBuildStore(tangent->unit->builder, cc_tangent_leaf(tangent, argument, i),
                               entry_of(tangent, array, next++));
    }
    return array;
}

static LLVMValueRef fill_results(cc_tangent *tangent, LLVMTypeRef type) {
    unsigned leaves = type == tangent->unit->none ? 0 : cc_leaf_count(tangent->unit, type);
    LLVMValueRef array = new_variable(tangent, tangent->unit->f64, leaves);
    for (unsigned i = 0; i < leaves; i++)
        LLVMBuildStore(tangent->unit->builder, tangent->zero, entry_of(tangent, array, i));
    return array;
}

static LLVMValueRef call_user(cc_tangent *tangent, LLVMValueRef function, LLVMValueRef record, LLVMValueRef call) {
    unsigned count = LLVMGetNumArgOperands(call) + 1;
    LLVMValueRef *arguments = cc_alloc(tangent->unit, count, sizeof *arguments);
    LLVMTypeRef *types = cc_alloc(tangent->unit, count, sizeof *types);
    for (unsigned k = 0; k < count; k++) {
        arguments[k] = k == 0 ? record : LLVMGetOperand(call, k - 1);
        types[k] = LLVMTypeOf(arguments[k]);
    }
    LLVMTypeRef type = LLVMFunctionType(LLVMTypeOf(call), types, count, false);
    return LLVMBuildCall2(tangent->unit->builder, type, function, arguments, count, "");
}

/* The user's function runs in primal mode, like the program, and is responsible for the cells itself. */
static void call_custom(cc_tangent *tangent, LLVMValueRef call, LLVMValueRef function) {
    cc_unit *unit = tangent->unit;
    LLVMTypeRef type = LLVMTypeOf(call);
    LLVMValueRef record = new_variable(tangent, unit->i64, sizeof(verso_call) / sizeof(uint64_t));
    LLVMValueRef results = fill_results(tangent, type), nothing = LLVMConstNull(unit->i64);
    for (unsigned i = 0; i < sizeof(verso_call) / sizeof(uint64_t); i++)
        LLVMBuildStore(unit->builder, nothing, cc_offset(unit, record, (int64_t)(i * sizeof(uint64_t))));
    LLVMBuildStore(unit->builder, results, cc_offset(unit, record, offsetof(verso_call, result)));
    LLVMBuildStore(unit->builder, fill_arguments(tangent, call),
                   cc_offset(unit, record, offsetof(verso_call, argument)));
    set_mode(tangent, VERSO_NATIVE_PRIMAL);
    LLVMValueRef made = call_user(tangent, function, record, call);
    set_mode(tangent, VERSO_NATIVE_TANGENT);
    cc_tangent_value *value = cc_tangent_find(tangent, call);
    for (unsigned i = 0, next = 0; i < value->leaves; i++)
        value->leaf[i] = is_number(tangent, type, i)
                             ? LLVMBuildLoad2(unit->builder, unit->f64, entry_of(tangent, results, next++), "")
                             : tangent->zero;
    cc_tangent_replace(tangent, call, made);
}

void cc_tangent_custom(cc_tangent *tangent, LLVMValueRef call) {
    cc_unit *unit = tangent->unit;
    cc_custom custom = cc_custom_find(unit, call);
    cc_tangent_before(tangent, call);
    if (custom.tangent != NULL) {
        call_custom(tangent, call, custom.tangent);
        return;
    }
    const char *why = cc_print(unit,
                               "%s has a custom adjoint but no tangent version: name one as the last argument of its "
                               "VERSO_CUSTOM_ADJOINT",
                               tangent->function->name);
    /* The call is a marker without a place in the source; the program's function has one. */
    LLVMValueRef record = LLVMGetNamedFunction(unit->program->module, LLVMGetValueName(custom.record));
    LLVMValueRef message = cc_tangent_message(tangent, record, why);
    cc_call_runtime(unit, "verso__native_refuse", unit->none, &message, 1);
    cc_tangent_value *value = cc_tangent_find(tangent, call);
    for (unsigned i = 0; i < value->leaves; i++)
        value->leaf[i] = tangent->zero;
    cc_tangent_replace(tangent, call, LLVMTypeOf(call) == unit->none ? NULL : LLVMGetUndef(LLVMTypeOf(call)));
}
