/* Custom adjoints in recording and reverse code: see verso_call in include/verso/native.h. */
#include "cc/reverse/custom.h"

#include "cc/ir/leaves.h"
#include "native/state.h"

#include <verso/native.h>

/* Builds a variable of `count` elements in the function's first block. */
static LLVMValueRef new_variable(cc_unit *unit, LLVMTypeRef type, unsigned count, LLVMValueRef function) {
    LLVMBuilderRef there = LLVMCreateBuilderInContext(unit->context);
    LLVMPositionBuilderBefore(there, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMValueRef variable = LLVMBuildAlloca(there, LLVMArrayType2(type, count > 0 ? count : 1), "custom");
    LLVMSetAlignment(variable, 16);
    LLVMDisposeBuilder(there);
    return variable;
}

static LLVMValueRef new_call_variable(cc_unit *unit, LLVMValueRef function) {
    return new_variable(unit, unit->i64, sizeof(verso_call) / sizeof(uint64_t), function);
}

static LLVMValueRef build_user_call(cc_unit *unit, LLVMValueRef function, LLVMValueRef call, LLVMValueRef *arguments,
                                    unsigned count, LLVMTypeRef result) {
    LLVMTypeRef *types = cc_alloc(unit, count + 1, sizeof *types);
    LLVMValueRef *all = cc_alloc(unit, count + 1, sizeof *all);
    all[0] = call;
    types[0] = unit->pointer;
    for (unsigned k = 0; k < count; k++) {
        all[k + 1] = arguments[k];
        types[k + 1] = LLVMTypeOf(arguments[k]);
    }
    return LLVMBuildCall2(unit->builder, LLVMFunctionType(result, types, count + 1, false), function, all, count + 1,
                          "");
}

static LLVMValueRef *arguments_of(cc_unit *unit, LLVMValueRef call) {
    unsigned count = LLVMGetNumArgOperands(call);
    LLVMValueRef *arguments = cc_alloc(unit, count + 1, sizeof *arguments);
    for (unsigned k = 0; k < count; k++)
        arguments[k] = LLVMGetOperand(call, k);
    return arguments;
}

static unsigned count_numbers(cc_unit *unit, LLVMTypeRef type) {
    unsigned count = 0;
    for (unsigned i = 0; i < cc_leaf_count(unit, type); i++)
        count += cc_leaf_is_number(cc_leaf_type(unit, type, i));
    return count;
}

/* Sets passed->constant. */
static void note_constants(cc_unit *unit, LLVMValueRef marker, LLVMValueRef passed) {
    uint64_t constant = 0;
    unsigned next = 0;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(marker); k++) {
        LLVMValueRef argument = LLVMGetOperand(marker, k);
        unsigned count = count_numbers(unit, LLVMTypeOf(argument));
        for (unsigned i = 0; i < count && next < 64; i++)
            constant |= (uint64_t)LLVMIsConstant(argument) << next++;
    }
    LLVMBuildStore(unit->builder, cc_i64(unit, (int64_t)constant),
                   cc_offset(unit, passed, offsetof(verso_call, constant)));
}

static void refuse_second(const cc_body *body) {
    cc_unit *unit = body->unit;
    const char *text =
        cc_print(unit,
                 "%s has an adjoint of its own (VERSO_CUSTOM_ADJOINT or a rule of Verso's), which has no "
                 "derivative: there are no second derivatives through it; use differences of gradients",
                 body->function->name);
    LLVMValueRef message = cc_string(unit, text);
    cc_call_runtime(unit, "verso__native_refuse", unit->none, &message, 1);
}

void cc_record_custom(cc_body *body, int item, LLVMValueRef tape) {
    cc_unit *unit = body->unit;
    LLVMValueRef marker = body->items[item].value;
    cc_custom custom = cc_custom_find(unit, marker);
    if (unit->second)
        refuse_second(body);
    LLVMValueRef call = new_call_variable(unit, body->function->value);
    LLVMValueRef begin[] = {call, LLVMBuildLoad2(unit->builder, unit->pointer, tape, "")};
    cc_call_runtime(unit, "verso__native_custom_begin", unit->none, begin, 2);
    note_constants(unit, marker, call);
    LLVMValueRef result = build_user_call(unit, custom.record, call, arguments_of(unit, marker),
                                          LLVMGetNumArgOperands(marker), LLVMTypeOf(marker));
    LLVMBuildStore(unit->builder, cc_call_runtime(unit, "verso__native_custom_end", unit->pointer, &call, 1), tape);
    if (LLVMTypeOf(marker) != unit->none)
        LLVMReplaceAllUsesWith(marker, result);
    LLVMInstructionEraseFromParent(marker);
    body->items[item].value = result;
    cc_map_put(unit, &body->item_of, result, (size_t)item);
}

LLVMValueRef cc_sweep_custom_begin(cc_sweep *sweep) {
    cc_unit *unit = sweep->unit;
    LLVMValueRef call = new_call_variable(unit, sweep->function);
    LLVMValueRef arguments[] = {call, LLVMBuildLoad2(unit->builder, unit->pointer, sweep->tape, "")};
    LLVMValueRef before = cc_call_runtime(unit, "verso__native_custom_sweep", unit->pointer, arguments, 2);
    LLVMBuildStore(unit->builder, before, sweep->tape);
    return call;
}

static LLVMValueRef entry_of(cc_unit *unit, LLVMValueRef array, unsigned index) {
    return cc_offset(unit, array, (int64_t)(index * sizeof(double)));
}

/* Builds an array of the adjoints of the result's numbers. */
static LLVMValueRef result_array(cc_sweep *sweep, LLVMTypeRef type) {
    cc_unit *unit = sweep->unit;
    unsigned leaves = cc_leaf_count(unit, type), count = 0;
    LLVMValueRef array = new_variable(unit, unit->f64, leaves, sweep->function);
    for (unsigned i = 0; i < leaves; i++)
        if (cc_leaf_is_number(cc_leaf_type(unit, type, i)))
            LLVMBuildStore(
                unit->builder,
                cc_sweep_load_state(sweep, unit->f64, offsetof(verso__native_state, result) + i * sizeof(double)),
                entry_of(unit, array, count++));
    return array;
}

void cc_sweep_custom(cc_sweep *sweep, LLVMValueRef marker, LLVMValueRef passed) {
    cc_unit *unit = sweep->unit;
    unsigned count = LLVMGetNumArgOperands(marker), numbers = 0;
    LLVMValueRef *arguments = arguments_of(unit, marker);
    for (unsigned k = 0; k < count; k++)
        numbers += count_numbers(unit, LLVMTypeOf(arguments[k]));
    LLVMValueRef array = new_variable(unit, unit->f64, numbers, sweep->function);
    for (unsigned i = 0; i < numbers; i++)
        LLVMBuildStore(unit->builder, cc_sweep_zero(sweep), entry_of(unit, array, i));
    LLVMBuildStore(unit->builder, result_array(sweep, LLVMTypeOf(marker)),
                   cc_offset(unit, passed, offsetof(verso_call, result)));
    LLVMBuildStore(unit->builder, array, cc_offset(unit, passed, offsetof(verso_call, argument)));
    note_constants(unit, marker, passed);
    LLVMValueRef *values = cc_alloc(unit, count + 1, sizeof *values);
    for (unsigned k = 0; k < count; k++)
        values[k] = cc_sweep_value(sweep, arguments[k]);
    build_user_call(unit, cc_custom_find(unit, marker).sweep, passed, values, count, unit->none);
    unsigned next = 0;
    for (unsigned k = 0; k < count; k++)
        for (unsigned i = 0; i < cc_leaf_count(unit, LLVMTypeOf(arguments[k])); i++)
            if (cc_leaf_is_number(cc_leaf_type(unit, LLVMTypeOf(arguments[k]), i)))
                cc_sweep_add(sweep, arguments[k], i,
                             LLVMBuildLoad2(unit->builder, unit->f64, entry_of(unit, array, next++), ""));
}
