/* Custom adjoints in one piece (VERSO_ADJOINT in include/verso/native.h), built on those in two pieces.
 *
 * Calls of f are checkpointed: the versions of f only call a function f.whole, whose call site cannot be switched
 * off. While recording, a snapshot is taken and f itself runs. When the reverse sweep reaches the call, the run
 * time restores the snapshot and records f.whole. Instead of f, this runs the user's adjoint at once, while memory
 * is as it was for f and the cells are as the sweep has left them. The adjoints of f's arguments are kept, and the
 * sweep over f.whole only adds them. f.whole has no safepoint, so it is never recorded in any other situation.
 *
 * If f also has an adjoint in two pieces, the call site can be switched, and the run time knows whether the call
 * was entered through a site that is on. If not, the two pieces are called. Running without recording then always
 * calls `record`, because the bytes that it keeps count: for steps, which are measured in bytes of tape, and for a
 * profile, which has all sites on. */
#include "cc/front/front.h"
#include "cc/ir/leaves.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"
#include "native/state.h"

#include <verso/native.h>

/* ---- The functions that serve as the two pieces ---- */

typedef struct whole {
    cc_unit *unit;
    LLVMValueRef f, adjoint;    /* functions of the program */
    LLVMValueRef record, sweep; /* the user's adjoint in two pieces; NULL: there is none */
    LLVMValueRef made;          /* the function that is being built; its parameters: a verso_call *, then those of f */
    LLVMValueRef *arguments;    /* parameters of `made` */
    unsigned count;             /* number of `arguments` */
    int64_t bytes;              /* size of the adjoints of f's arguments */
} whole;

static int64_t count_numbers(cc_unit *unit, LLVMTypeRef type) {
    int64_t count = 0;
    for (unsigned i = 0; i < cc_leaf_count(unit, type); i++)
        count += cc_leaf_is_number(cc_leaf_type(unit, type, i));
    return count;
}

/* Adds a function with the parameters of the user's adjoint, and leaves the builder in its first block. */
static void start_function(whole *w, const char *what, LLVMTypeRef result) {
    cc_unit *unit = w->unit;
    LLVMTypeRef like = LLVMGlobalGetValueType(w->adjoint);
    w->count = LLVMCountParamTypes(like);
    LLVMTypeRef *parameters = cc_alloc(unit, w->count, sizeof *parameters);
    LLVMGetParamTypes(like, parameters);
    LLVMTypeRef type = LLVMFunctionType(result, parameters, w->count, false);
    w->made = LLVMAddFunction(unit->module, cc_print(unit, "verso.%s.%s", what, LLVMGetValueName(w->f)), type);
    LLVMSetLinkage(w->made, LLVMInternalLinkage);
    cc_add_attribute(unit, w->made, "noinline");
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
    cc_call_runtime(w->unit, "verso__native_whole_keep", w->unit->none, arguments, 3);
}

static LLVMValueRef build_array(whole *w, int64_t bytes) {
    LLVMValueRef array = LLVMBuildAlloca(w->unit->builder, LLVMArrayType2(w->unit->i8, (uint64_t)bytes + 8), "");
    LLVMSetAlignment(array, 16);
    LLVMBuildMemSet(w->unit->builder, array, LLVMConstNull(w->unit->i8), cc_i64(w->unit, bytes + 8), 16);
    return array;
}

/* Builds an array of the adjoints of the result's numbers. `leaves` points to the adjoints of all its leaves. */
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

static LLVMValueRef build_call(whole *w, LLVMValueRef function, unsigned skipped) {
    LLVMValueRef call = LLVMBuildCall2(w->unit->builder, LLVMGlobalGetValueType(function), function,
                                       w->arguments + skipped, w->count - skipped, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function));
    return call;
}

static void build_adjoint_call(whole *w, LLVMValueRef leaves) {
    cc_unit *unit = w->unit;
    LLVMValueRef call = w->arguments[0], results = build_numbers(w, leaves), array = build_array(w, w->bytes);
    LLVMBuildStore(unit->builder, results, cc_offset(unit, call, offsetof(verso_call, result)));
    LLVMBuildStore(unit->builder, array, cc_offset(unit, call, offsetof(verso_call, argument)));
    build_call(w, w->adjoint, 0);
    build_keep(w, array);
}

/* Builds the call of f, or of the user's record if there is one, and returns its result. */
static void build_run(whole *w) {
    cc_unit *unit = w->unit;
    LLVMValueRef value = w->record != NULL ? build_call(w, w->record, 0) : build_call(w, w->f, 1);
    if (w->record != NULL) {
        LLVMValueRef arguments[] = {w->arguments[0], cc_i64(unit, w->bytes)};
        cc_call_runtime(unit, "verso__native_whole_measure", unit->none, arguments, 2);
    } else
        build_keep(w, LLVMConstNull(unit->pointer));
    build_result(w, value);
}

/* Makes R record(verso_call *, A...), which runs the adjoint if the run time asks for it, else f. */
static const char *make_record(whole *w) {
    cc_unit *unit = w->unit;
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(w->f));
    start_function(w, "whole", result);
    LLVMBasicBlockRef back = LLVMAppendBasicBlockInContext(unit->context, w->made, "back");
    LLVMBasicBlockRef run = LLVMAppendBasicBlockInContext(unit->context, w->made, "run");
    LLVMValueRef either = cc_i64(unit, w->record != NULL);
    LLVMValueRef leaves = cc_call_runtime(unit, "verso__native_whole_begin", unit->pointer, &either, 1);
    LLVMBuildCondBr(unit->builder, LLVMBuildIsNotNull(unit->builder, leaves, ""), back, run);
    cc_build_at_end(unit, back);
    build_adjoint_call(w, leaves);
    if (result == unit->none)
        LLVMBuildRetVoid(unit->builder);
    else /* the value is not used: the code after the call has been reversed already */
        LLVMBuildRet(unit->builder, LLVMConstNull(result));
    cc_build_at_end(unit, run);
    build_run(w);
    return LLVMGetValueName(w->made);
}

/* In the sweep: builds a call of the user's sweep, for calls that were not recorded by the adjoint in one piece. */
static void build_other_sweep(whole *w) {
    cc_unit *unit = w->unit;
    LLVMBasicBlockRef ours = LLVMAppendBasicBlockInContext(unit->context, w->made, "ours");
    LLVMBasicBlockRef other = LLVMAppendBasicBlockInContext(unit->context, w->made, "other");
    LLVMValueRef kept = cc_call_runtime(unit, "verso__native_whole_kept", unit->i32, w->arguments, 1);
    LLVMBuildCondBr(unit->builder, LLVMBuildIsNotNull(unit->builder, kept, ""), ours, other);
    cc_build_at_end(unit, other);
    build_call(w, w->sweep, 0);
    LLVMBuildRetVoid(unit->builder);
    cc_build_at_end(unit, ours);
}

/* Makes void sweep(verso_call *, A...), which copies the kept adjoints to call->argument. */
static const char *make_sweep(whole *w) {
    cc_unit *unit = w->unit;
    start_function(w, "whole_sweep", unit->none);
    LLVMValueRef call = w->arguments[0];
    if (w->sweep != NULL)
        build_other_sweep(w);
    LLVMValueRef kept =
        LLVMBuildLoad2(unit->builder, unit->pointer, cc_offset(unit, call, offsetof(verso_call, kept)), "");
    LLVMValueRef to =
        LLVMBuildLoad2(unit->builder, unit->pointer, cc_offset(unit, call, offsetof(verso_call, argument)), "");
    LLVMBuildMemCpy(unit->builder, to, 8, kept, 8, cc_i64(unit, w->bytes));
    LLVMBuildRetVoid(unit->builder);
    return LLVMGetValueName(w->made);
}

static void make_whole(cc_unit *unit, cc_adjoint *adjoint) {
    LLVMModuleRef module = unit->program->module;
    cc_use_module(unit, module);
    whole w = {.unit = unit,
               .f = LLVMGetNamedFunction(module, adjoint->function),
               .adjoint = LLVMGetNamedFunction(module, adjoint->whole)};
    adjoint->either = adjoint->record != NULL;
    if (adjoint->either) {
        w.record = LLVMGetNamedFunction(module, adjoint->record);
        w.sweep = LLVMGetNamedFunction(module, adjoint->sweep);
    }
    adjoint->record = cc_print(unit, "%s", make_record(&w));
    adjoint->sweep = cc_print(unit, "%s", make_sweep(&w));
}

void cc_make_wholes(cc_unit *unit) {
    for (size_t i = 0; unit->errors == 0 && i < unit->program->adjoint_count; i++)
        if (unit->program->adjoints[i].whole != NULL)
            make_whole(unit, &unit->program->adjoints[i]);
}

/* ---- The function whose calls are checkpointed ---- */

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
    made->whole = member->adjoint;
}

void cc_lower_whole(cc_unit *unit) {
    size_t count = unit->program->member_count;
    for (size_t i = 0; i < count; i++)
        if (unit->program->members[i]->adjoint != NULL && unit->program->members[i]->adjoint->whole != NULL)
            lower_member(unit, unit->program->members[i]);
}
