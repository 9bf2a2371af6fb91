/* Adjoints in one piece (VERSO_ADJOINT in include/verso/native.h), made of those in two.
 *
 * A call of f is always checkpointed: f's versions do nothing but call a function of their own, f.whole, whose site
 * cannot be switched off. While recording, a snapshot is taken and f itself runs; when the reverse sweep comes to the
 * call, the program is put back and f.whole is recorded. What runs instead of f is then the user's adjoint, right
 * there, where memory is as it was for f and cells are as the sweep has left them; the adjoints of its arguments are
 * kept, and are all that is left for the sweep to add. f.whole has no safepoint, so it is never recorded otherwise. */
#include "cc/leaves.h"
#include "cc/program.h"
#include "cc/surgery.h"
#include "native/state.h"

#include <verso/native.h>

/* ---- What stands for the two pieces ---- */

typedef struct whole {
    cc_unit *unit;
    LLVMValueRef f, adjoint; /* of the program */
    LLVMValueRef made;       /* the function at hand: its first parameter is the verso_call, f's follow */
    LLVMValueRef *arguments; /* all of `made` */
    unsigned count;
    int64_t bytes; /* of the arguments' adjoints */
} whole;

static int64_t count_numbers(cc_unit *unit, LLVMTypeRef type) {
    int64_t count = 0;
    for (unsigned i = 0; i < cc_leaf_count(unit, type); i++)
        count += cc_leaf_is_number(cc_leaf_type(unit, type, i));
    return count;
}

static void start_function(whole *w, const char *what, LLVMTypeRef type) {
    cc_unit *unit = w->unit;
    w->made = LLVMAddFunction(unit->module, cc_print(unit, "verso.%s.%s", what, LLVMGetValueName(w->f)), type);
    LLVMSetLinkage(w->made, LLVMInternalLinkage);
    cc_add_attribute(unit, w->made, "noinline");
    w->count = LLVMCountParams(w->made);
    w->arguments = cc_alloc(unit, w->count, sizeof *w->arguments);
    LLVMGetParams(w->made, w->arguments);
    w->bytes = 0;
    for (unsigned i = 1; i < w->count; i++)
        w->bytes += (int64_t)sizeof(double) * count_numbers(unit, LLVMTypeOf(w->arguments[i]));
    cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, w->made, ""));
}

static void build_result(whole *w, LLVMValueRef value) {
    if (LLVMTypeOf(value) == w->unit->none)
        LLVMBuildRetVoid(w->unit->builder);
    else
        LLVMBuildRet(w->unit->builder, value);
}

static void build_keep(whole *w, LLVMValueRef bytes) {
    LLVMValueRef arguments[] = {w->arguments[0], bytes, cc_i64(w->unit, w->bytes)};
    cc_call_runtime(w->unit, "verso_native_whole_keep", w->unit->none, arguments, 3);
}

static LLVMValueRef build_array(whole *w, int64_t bytes) {
    LLVMValueRef array = LLVMBuildAlloca(w->unit->builder, LLVMArrayType2(w->unit->i8, (uint64_t)bytes + 8), "");
    LLVMSetAlignment(array, 16);
    LLVMBuildMemSet(w->unit->builder, array, LLVMConstNull(w->unit->i8), cc_i64(w->unit, bytes + 8), 16);
    return array;
}

/* The result's adjoints, numbers only: `leaves` has all leaves. */
static LLVMValueRef build_numbers(whole *w, LLVMValueRef leaves) {
    cc_unit *unit = w->unit;
    LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(w->f));
    LLVMValueRef array = build_array(w, (int64_t)sizeof(double) * count_numbers(unit, type));
    int64_t next = 0;
    for (unsigned i = 0; i < cc_leaf_count(unit, type); i++) {
        if (!cc_leaf_is_number(cc_leaf_type(unit, type, i)))
            continue;
        LLVMValueRef number =
            LLVMBuildLoad2(unit->builder, unit->f64, cc_offset(unit, leaves, (int64_t)(i * sizeof(double))), "");
        LLVMBuildStore(unit->builder, number, cc_offset(unit, array, (int64_t)sizeof(double) * next++));
    }
    return array;
}

static void build_adjoint_call(whole *w, LLVMValueRef leaves) {
    cc_unit *unit = w->unit;
    LLVMValueRef call = w->arguments[0], results = build_numbers(w, leaves), array = build_array(w, w->bytes);
    LLVMBuildStore(unit->builder, results, cc_offset(unit, call, offsetof(verso_call, result)));
    LLVMBuildStore(unit->builder, array, cc_offset(unit, call, offsetof(verso_call, argument)));
    LLVMBuildCall2(unit->builder, LLVMGlobalGetValueType(w->adjoint), w->adjoint, w->arguments, w->count, "");
    build_keep(w, array);
}

/* R record(verso_call *, A...): the adjoint when the run time says so, else f. */
static const char *make_record(whole *w, LLVMTypeRef type) {
    cc_unit *unit = w->unit;
    start_function(w, "whole", type);
    LLVMBasicBlockRef back = LLVMAppendBasicBlockInContext(unit->context, w->made, "back");
    LLVMBasicBlockRef run = LLVMAppendBasicBlockInContext(unit->context, w->made, "run");
    LLVMValueRef leaves = cc_call_runtime(unit, "verso_native_whole_begin", unit->pointer, NULL, 0);
    LLVMBuildCondBr(unit->builder, LLVMBuildIsNotNull(unit->builder, leaves, ""), back, run);
    cc_build_at_end(unit, back);
    build_adjoint_call(w, leaves);
    LLVMTypeRef result = LLVMGetReturnType(type); /* nobody looks at it: what is behind the call was reversed before */
    if (result == unit->none)
        LLVMBuildRetVoid(unit->builder);
    else
        LLVMBuildRet(unit->builder, LLVMConstNull(result));
    cc_build_at_end(unit, run);
    LLVMValueRef value =
        LLVMBuildCall2(unit->builder, LLVMGlobalGetValueType(w->f), w->f, w->arguments + 1, w->count - 1, "");
    LLVMSetInstructionCallConv(value, LLVMGetFunctionCallConv(w->f));
    build_keep(w, LLVMConstNull(unit->pointer));
    build_result(w, value);
    return LLVMGetValueName(w->made);
}

/* void sweep(verso_call *, A...): adds what was kept. */
static const char *make_sweep(whole *w, LLVMTypeRef type) {
    cc_unit *unit = w->unit;
    start_function(w, "whole_sweep", type);
    LLVMValueRef call = w->arguments[0];
    LLVMValueRef kept =
        LLVMBuildLoad2(unit->builder, unit->pointer, cc_offset(unit, call, offsetof(verso_call, kept)), "");
    LLVMValueRef to =
        LLVMBuildLoad2(unit->builder, unit->pointer, cc_offset(unit, call, offsetof(verso_call, argument)), "");
    LLVMBuildMemCpy(unit->builder, to, 8, kept, 8, cc_i64(unit, w->bytes));
    LLVMBuildRetVoid(unit->builder);
    return LLVMGetValueName(w->made);
}

void cc_make_whole(cc_unit *unit, LLVMValueRef f, LLVMValueRef adjoint, LLVMTypeRef record, cc_adjoint *made) {
    cc_use_module(unit, unit->program->module);
    whole w = {.unit = unit, .f = f, .adjoint = adjoint};
    made->whole = true;
    made->record = cc_print(unit, "%s", make_record(&w, record));
    made->sweep = cc_print(unit, "%s", make_sweep(&w, LLVMGlobalGetValueType(adjoint)));
}

/* ---- The call that is checkpointed ---- */

static void lower_member(cc_unit *unit, const cc_member *member) {
    LLVMTypeRef type = LLVMGlobalGetValueType(member->base);
    const char *name = cc_print(unit, "%s.whole", member->name);
    LLVMValueRef inner = LLVMAddFunction(unit->module, cc_print(unit, "%s.base", name), type);
    LLVMSetLinkage(inner, LLVMInternalLinkage);
    cc_copy_target(member->base, inner);
    cc_forbid_inlining(unit, inner);
    cc_move_body(unit, member->base, inner);
    unsigned count = LLVMCountParams(inner);
    LLVMValueRef *arguments = cc_alloc(unit, count, sizeof *arguments);
    LLVMGetParams(member->base, arguments);
    cc_build_at_end(unit, LLVMAppendBasicBlockInContext(unit->context, member->base, ""));
    LLVMValueRef call = LLVMBuildCall2(unit->builder, type, inner, arguments, count, "");
    if (LLVMGetReturnType(type) == unit->none)
        LLVMBuildRetVoid(unit->builder);
    else
        LLVMBuildRet(unit->builder, call);
    cc_member *made = cc_add_made_member(unit, inner, name);
    made->fragment = member->adjoint->function;
    made->whole = true;
}

void cc_lower_whole(cc_unit *unit) {
    size_t count = unit->program->member_count;
    for (size_t i = 0; i < count; i++)
        if (unit->program->members[i]->adjoint != NULL && unit->program->members[i]->adjoint->whole)
            lower_member(unit, unit->program->members[i]);
}
