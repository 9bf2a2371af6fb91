/* Calls of foreign functions that pass: unknown ones without numbers, and those that are declared inactive. They are
 * called with the mode set back to the program's own, because they may call back. What is behind their pointers is
 * looked at before and after (native/look.c), and markers say what has changed: verso.changed(data, bits, message). */
#include "cc/program.h"
#include "cc/surgery.h"
#include "native/state.h"

/* ---- What is behind the pointers ---- */

/* Large structures by value are copies of the program's. */
static bool is_looked_at(LLVMValueRef call, unsigned index) {
    return LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, index))) == LLVMPointerTypeKind &&
           cc_byval(call, index) == NULL;
}

/* The numbers of the arguments that are; how many. */
static unsigned list_looks(LLVMValueRef call, unsigned looks[VERSO_NATIVE_LOOKS]) {
    unsigned count = 0;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && count < VERSO_NATIVE_LOOKS; i++)
        if (is_looked_at(call, i))
            looks[count++] = i;
    return count;
}

static size_t place_of(unsigned look) {
    return offsetof(verso_native_state, changed) + look * sizeof(uint64_t);
}

static LLVMValueRef look_before(cc_unit *unit, LLVMValueRef data) {
    LLVMTypeRef bytes = LLVMArrayType2(unit->i8, sizeof(verso_native_glance));
    LLVMValueRef glance = LLVMBuildAlloca(unit->builder, bytes, "");
    LLVMSetAlignment(glance, _Alignof(verso_native_glance));
    LLVMValueRef arguments[] = {data, glance};
    cc_call_runtime(unit, "verso_native_look", unit->none, arguments, 2);
    return glance;
}

static void look_after(cc_unit *unit, LLVMValueRef data, LLVMValueRef glance, unsigned look) {
    LLVMValueRef arguments[] = {data, glance};
    LLVMValueRef changed = cc_call_runtime(unit, "verso_native_changed", unit->i64, arguments, 2);
    LLVMBuildStore(unit->builder, changed, cc_state(unit, place_of(look)));
}

/* i64 (i64 look): what the last call has changed. */
static void build_changed(cc_unit *unit, LLVMValueRef function, void *context) {
    (void)context;
    LLVMValueRef look = LLVMGetParam(function, 0), first = cc_state(unit, place_of(0));
    LLVMValueRef place = LLVMBuildGEP2(unit->builder, unit->i64, first, &look, 1, "");
    LLVMBuildRet(unit->builder, LLVMBuildLoad2(unit->builder, unit->i64, place, ""));
}

static void mark_changed(cc_unit *unit, LLVMValueRef call) {
    unsigned looks[VERSO_NATIVE_LOOKS], count = list_looks(call, looks);
    LLVMTypeRef type = LLVMFunctionType(unit->i64, &unit->i64, 1, false);
    cc_build_before(unit, LLVMGetNextInstruction(call));
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef look = cc_i64(unit, i), shared = cc_shared(unit, "verso.pass.changed", type, build_changed, NULL);
        LLVMValueRef arguments[] = {LLVMGetOperand(call, looks[i]), cc_call_shared(unit, shared, &look, 1)};
        cc_call_runtime(unit, "verso.changed", unit->none, arguments, 2);
    }
}

/* ---- Calls ---- */

static void build_passing(cc_unit *unit, LLVMValueRef function, void *context) {
    LLVMValueRef call = context;
    cc_copy_call_attributes(unit, call, function, 0);
    LLVMValueRef *arguments = cc_alloc(unit, LLVMCountParams(function), sizeof *arguments);
    LLVMGetParams(function, arguments);
    unsigned looks[VERSO_NATIVE_LOOKS], count = list_looks(call, looks);
    LLVMValueRef glances[VERSO_NATIVE_LOOKS];
    for (unsigned i = 0; i < count; i++)
        glances[i] = look_before(unit, arguments[looks[i]]);
    LLVMValueRef mode = cc_state(unit, offsetof(verso_native_state, mode));
    LLVMValueRef before = LLVMBuildLoad2(unit->builder, unit->i64, mode, "");
    LLVMBuildStore(unit->builder, cc_i64(unit, VERSO_NATIVE_PRIMAL), mode);
    LLVMValueRef result = cc_pass_call(unit, call, arguments);
    LLVMBuildStore(unit->builder, before, mode);
    for (unsigned i = 0; i < count; i++)
        look_after(unit, arguments[looks[i]], glances[i], i);
    if (LLVMGetTypeKind(LLVMTypeOf(result)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(unit->builder);
    else
        LLVMBuildRet(unit->builder, result);
}

/* R verso.pass.NAME.k(A...) calls NAME with the mode of the program as it was. One a call, because a variadic function
 * is called with many types. */
void cc_lower_passing(cc_unit *unit, LLVMValueRef call) {
    const char *name = cc_print(unit, "verso.pass.%s.%zu", cc_callee_name(call), unit->program->made++);
    unsigned count = LLVMGetNumArgOperands(call);
    LLVMValueRef *arguments = cc_alloc(unit, count, sizeof *arguments);
    for (unsigned i = 0; i < count; i++)
        arguments[i] = LLVMGetOperand(call, i);
    LLVMTypeRef type = cc_type_of_arguments(unit, LLVMTypeOf(call), arguments, count);
    LLVMValueRef passing = cc_shared(unit, name, type, build_passing, call);
    mark_changed(unit, cc_replace_passed(unit, call, type, passing, arguments, count));
}
